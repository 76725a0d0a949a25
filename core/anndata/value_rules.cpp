// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/anndata/value_rules.h"

#include "core/anndata/value_check.h"
#include "core/base/text.h"
#include "core/paging/array_reader.h"

#include <algorithm>

namespace cellfolio {

namespace {

// Texts read at once: a window of them is made and given back.
constexpr Index kTextWindow = 65536;

bool hasValues(const ArrayRef& array)
{
    return array && !array.info().isNull && array.dtype() != DType::Other;
}

} // namespace

const std::vector<std::string>& valueRuleIds()
{
    static const std::vector<std::string> ids{"A012", "A018", "A019", "A020", "A023", "A025",
                                              "A032", "A034", "A036", "A051", "A056"};
    return ids;
}

Result<std::vector<Finding>> valueFindings(const std::shared_ptr<const Dataset>& dataset,
                                           const std::shared_ptr<Reading>& reading,
                                           const ValueRuleOptions& options)
{
    return ValueCheck(dataset, reading, options).run();
}

bool ValueCheck::wants(std::string_view id) const
{
    return m_options.only.empty() ||
           std::find(m_options.only.begin(), m_options.only.end(), id) != m_options.only.end();
}

Finding& ValueCheck::report(std::string_view id, const Element& element, std::string message)
{
    m_findings.push_back(makeFinding(id, findingElement(element.path), std::move(message)));
    return m_findings.back();
}

bool ValueCheck::first(std::string_view rule, const ArrayRef& array)
{
    return m_seen.emplace(std::string(rule), array.object->address, array.member).second;
}

Result<void> ValueCheck::damaged(const Element& element, const ArrayRef& array, Error error)
{
    if (error.code() != ErrorCode::Corrupt && error.code() != ErrorCode::Io)
        return error;
    if (!wants("A056") || !first("A056 told", array))
        return {};
    report("A056", element, error.message()).element = findingElement(element.path);
    return {};
}

Result<std::vector<Finding>> ValueCheck::run()
{
    std::vector<const Element*> elements = m_dataset->elements();
    std::vector<const Element*> all;
    for (const Element* element : elements) {
        all.push_back(element);
        if (element->index)
            all.push_back(element->index.get());
    }
    if (m_options.progress)
        m_options.progress->begin(static_cast<Index>(all.size()));
    if (m_options.element != nullptr)
        all = {m_options.element};
    for (const Element* element : all) {
        if (m_options.stop.stop_requested())
            return Error::cancelled();
        if (element->readable)
            if (auto checked = checkElement(*element); !checked)
                return std::move(checked).error().within("checking " + element->path);
        if (m_options.progress)
            m_options.progress->advance(1);
    }
    sortFindings(m_findings);
    return std::move(m_findings);
}

Result<void> ValueCheck::checkElement(const Element& element)
{
    if (element.kind == ElementKind::Table)
        return checkTable(element);
    if (element.column == ColumnKind::Categorical && hasValues(element.values)) {
        if (auto checked = checkCategorical(element); !checked)
            return checked;
        if (auto checked = checkCategories(element); !checked)
            return checked;
    }
    if (element.isSparse()) {
        if (auto checked = checkPointers(element); !checked)
            return checked;
        if (auto checked = checkIndices(element); !checked)
            return checked;
    }
    std::vector<ArrayRef> arrays{element.values, element.mask, element.categories};
    if (element.kind == ElementKind::Records)
        arrays.clear(); // its fields are parts
    if (element.kind == ElementKind::Records || element.kind == ElementKind::Awkward)
        for (const ElementPart& part : element.parts)
            arrays.push_back(part.array);
    for (const ArrayRef& array : arrays) {
        if (!hasValues(array))
            continue;
        auto checked = array.dtype() == DType::String ? checkText(element, array)
                                                      : checkDecoding(element, array);
        if (!checked)
            return checked;
    }
    return {};
}

Result<void>
ValueCheck::eachText(const Element& element, const ArrayRef& array,
                     const std::function<void(Index first, const std::vector<std::string>&)>& visit)
{
    const ArrayReader reader(array, m_reading, element.path);
    if (array.shape().empty()) {
        auto values = reader.all(m_options.stop);
        if (!values)
            return damaged(element, array, std::move(values).error());
        visit(0, values->texts());
        return {};
    }
    Index width = 1; // texts a row of the first axis
    const std::vector<Index> shape = array.shape();
    for (std::size_t d = 1; d < shape.size(); ++d)
        width *= shape[d];
    const Index step = std::max<Index>(1, kTextWindow / std::max<Index>(1, width));
    for (Index row = 0; row < shape[0]; row += step) {
        auto values = reader.rows(row, std::min(step, shape[0] - row), m_options.stop);
        if (!values) {
            if (auto goesOn = damaged(element, array, std::move(values).error()); !goesOn)
                return goesOn;
            continue;
        }
        visit(row * width, values->texts());
    }
    return {};
}

} // namespace cellfolio
