// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/validate/validator.h"

#include "core/anndata/rules.h"
#include "core/anndata/value_rules.h"
#include "core/validate/content_rules.h"
#include "core/validate/embedding_check.h"
#include "core/validate/matrix_check.h"
#include "core/validate/matrix_findings.h"
#include "core/validate/names_check.h"
#include "core/validate/space_check.h"
#include "core/validate/table_check.h"

#include <algorithm>
#include <functional>
#include <set>

namespace cellfolio {

namespace {

// Rules of the structure that need no values.
const std::vector<std::string>& quickRuleIds()
{
    static const std::vector<std::string> ids{
        "A001", "A002", "A003", "A004", "A005", "A006", "A007", "A008", "A009", "A010",
        "A011", "A013", "A014", "A015", "A016", "A017", "A022", "A024", "A026", "A028",
        "A029", "A030", "A031", "A033", "A035", "A037", "A038", "A039", "A040", "A041",
        "A042", "A043", "A044", "A045", "A046", "A047", "A048", "A049", "A053", "A055"};
    return ids;
}

// The pass over a matrix answers these two with its own; the value rules need not read for them.
const std::set<std::string> kMatrixPass{"A032", "A034"};

class Validation
{
public:
    Validation(std::shared_ptr<const Dataset> dataset, std::shared_ptr<Reading> reading,
               const ValidationOptions& options)
        : m_dataset(std::move(dataset)), m_reading(std::move(reading)), m_options(options)
    {
    }

    Result<ValidationReport> run()
    {
        for (const Finding& finding : m_dataset->findings())
            keep(finding);
        takeRules(quickRuleIds(), {});
        takeRules(quickContentRuleIds(), {});
        quickContent();
        const std::string reads = "it reads values, which the quick check does not";
        takeRules(valueRuleIds(), m_options.quick ? reads : std::string());
        takeRules(contentRuleIds(), m_options.quick ? reads : std::string());
        takeRules({"A054"}, m_options.quick ? reads : std::string());
        for (const Element* element : m_dataset->elements())
            if (element->whyNot)
                m_report.unchecked.push_back({element->path, element->whyNot->message()});
        if (!m_options.quick) {
            if (Result<void> done = readValues(); !done)
                return std::move(done).error();
        }
        sortFindings(m_report.findings);
        std::sort(m_report.rulesChecked.begin(), m_report.rulesChecked.end());
        std::sort(m_report.rulesLeftOut.begin(), m_report.rulesLeftOut.end(),
                  [](const auto& a, const auto& b) { return a.id < b.id; });
        return std::move(m_report);
    }

private:
    bool wanted(const std::string& id) const
    {
        return m_options.only.empty()
               || std::find(m_options.only.begin(), m_options.only.end(), id)
                      != m_options.only.end();
    }
    bool anyWanted(std::initializer_list<const char*> ids) const
    {
        return std::any_of(ids.begin(), ids.end(), [this](const char* id) { return wanted(id); });
    }

    void keep(Finding finding)
    {
        if (wanted(finding.id))
            m_report.findings.push_back(std::move(finding));
    }

    void takeRules(const std::vector<std::string>& ids, const std::string& whyNot)
    {
        for (const std::string& id : ids) {
            if (!wanted(id))
                continue;
            if (whyNot.empty())
                m_report.rulesChecked.push_back(id);
            else
                m_report.rulesLeftOut.push_back({id, whyNot});
        }
    }

    // What the rules B say without a look at values.
    void quickContent()
    {
        for (const Element* element : m_dataset->elements())
            if (element->isSparse() || element->kind == ElementKind::Matrix)
                for (Finding& finding : judgeStorage(*element, placeOf(*element)))
                    keep(std::move(finding));
        for (const Element* element : m_dataset->elements())
            if (element->kind == ElementKind::Table && element->rows == 0
                && element->parent != nullptr && (element->name == "obs" || element->name == "var")
                && element->parent->child("X") == nullptr)
                keep(ruleFinding("B023", element->path,
                                 inQuotes(element->path) + " has no rows."));
        for (Finding& finding : checkColors(*m_dataset))
            keep(std::move(finding));
    }

    Result<void> readValues()
    {
        std::vector<std::string> rules;
        for (const std::string& id : valueRuleIds())
            if (wanted(id) && kMatrixPass.count(id) == 0)
                rules.push_back(id);
        MatrixCheck matrices(m_dataset, m_reading,
                             [this](std::string_view id) { return wanted(std::string(id)); },
                             m_options.stop);
        const std::vector<const Element*> embeddings = embeddingElements();
        const std::vector<const Element*> columns = columnElements();
        if (m_options.progress != nullptr)
            m_options.progress->begin(static_cast<Index>(matrices.matrices().size()
                                                         + embeddings.size() + columns.size())
                                      + 5);

        if (!rules.empty()) {
            Result<std::vector<Finding>> found =
                valueFindings(
                    m_dataset, m_reading,
                    {rules, m_options.stop, nullptr, nullptr, matrices.arrays()});
            if (!found) {
                if (found.error().code() == ErrorCode::Cancelled)
                    return std::move(found).error();
                for (const std::string& id : rules)
                    leaveOut(id, found.error().message());
            } else {
                for (Finding& finding : *found)
                    keep(std::move(finding));
            }
        }
        advance();
        if (wanted("A054"))
            if (Result<void> done = space(); !done)
                return done;
        advance();
        if (Result<void> done = checkMatrices(matrices); !done)
            return done;
        if (wanted("B013"))
            if (Result<void> done = names(m_dataset->obs(), "B013"); !done)
                return done;
        advance();
        if (wanted("B014"))
            for (const char* path : {"var", "raw/var"}) {
                Result<const Element*> table = m_dataset->find(path);
                if (Result<void> done = names(table ? *table : nullptr, "B014"); !done)
                    return done;
                advance();
            }
        if (anyWanted({"B001", "B002", "B019"}))
            for (const Element* embedding : embeddings)
                if (Result<void> done = take(embedding->path, [&] {
                        return checkEmbedding(m_dataset, *embedding, m_reading, m_options.stop);
                    });
                    !done)
                    return done;
        if (anyWanted({"B026", "B027"}))
            for (const Element* column : columns)
                if (Result<void> done = take(column->path, [&] {
                        return checkColumn(m_dataset, *column, m_reading, m_options.stop);
                    });
                    !done)
                    return done;
        return {};
    }

    Result<void> checkMatrices(MatrixCheck& matrices)
    {
        for (const Element* matrix : matrices.matrices()) {
            if (Result<void> done = take(matrix->path, [&] { return matrices.check(*matrix); });
                !done)
                return done;
            if (!matrices.whyPartly().empty())
                m_report.unchecked.push_back({matrix->path, matrices.whyPartly()});
        }
        for (Finding& finding : matrices.together())
            keep(std::move(finding));
        return {};
    }

    Result<void> space()
    {
        Result<std::optional<Finding>> found = checkSpace(m_dataset, m_options.stop);
        if (!found && found.error().code() == ErrorCode::Cancelled)
            return std::move(found).error();
        if (!found)
            leaveOut("A054", found.error().message());
        else if (*found)
            keep(*std::move(*found));
        return {};
    }

    // Columns of obs and var, of raw and of modalities too, that can be shown.
    std::vector<const Element*> columnElements() const
    {
        std::vector<const Element*> result;
        for (const Element* element : m_dataset->elements())
            if (element->kind == ElementKind::Column && element->column != ColumnKind::Opaque
                && !element->whyNot && element->parent != nullptr
                && (element->parent->name == "obs" || element->parent->name == "var"))
                result.push_back(element);
        return result;
    }

    std::vector<const Element*> embeddingElements() const
    {
        std::vector<const Element*> result;
        for (const Element* element : m_dataset->elements())
            if (element->parent != nullptr && element->parent->name == "obsm"
                && element->storage == Storage::Dense && element->kind == ElementKind::Array
                && !element->whyNot && element->values && element->shape
                && element->shape->size() <= 2)
                result.push_back(element);
        return result;
    }

    Result<void> names(const Element* table, const char* id)
    {
        if (table == nullptr || table->kind != ElementKind::Table)
            return {};
        return takeOne(table->path, [&] {
            return checkNames(m_dataset, *table, id, m_reading, m_options.stop);
        });
    }

    template <typename Check>
    Result<void> takeOne(const std::string& path, Check&& check)
    {
        return take(path, [&]() -> Result<std::vector<Finding>> {
            Result<std::optional<Finding>> found = check();
            if (!found)
                return std::move(found).error();
            std::vector<Finding> list;
            if (*found)
                list.push_back(*std::move(*found));
            return list;
        });
    }

    // What a check finds; why it could not, said of its element. Only a stop ends the work.
    template <typename Check>
    Result<void> take(const std::string& path, Check&& check)
    {
        Result<std::vector<Finding>> found = check();
        if (!found) {
            if (found.error().code() == ErrorCode::Cancelled)
                return std::move(found).error();
            m_report.unchecked.push_back({path, found.error().message()});
        } else {
            for (Finding& finding : *found)
                keep(std::move(finding));
        }
        advance();
        return {};
    }

    void leaveOut(const std::string& id, const std::string& why)
    {
        std::erase(m_report.rulesChecked, id);
        m_report.rulesLeftOut.push_back({id, why});
    }

    void advance()
    {
        if (m_options.progress != nullptr)
            m_options.progress->advance(1);
    }

    std::shared_ptr<const Dataset> m_dataset;
    std::shared_ptr<Reading> m_reading;
    const ValidationOptions& m_options;
    ValidationReport m_report;
};

} // namespace

Index ValidationReport::count(Severity severity) const noexcept
{
    return std::count_if(findings.begin(), findings.end(),
                         [severity](const Finding& f) { return f.severity == severity; });
}

Result<ValidationReport> validate(const std::shared_ptr<const Dataset>& dataset,
                                  const std::shared_ptr<Reading>& reading,
                                  const ValidationOptions& options)
{
    return Validation(dataset, reading, options).run();
}

} // namespace cellfolio
