// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/card_figures.h"

#include "core/query/gene_lookup.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/models/category_colors.h"
#include "widgets/style/theme.h"

#include <algorithm>

namespace cellfolio {

using namespace Qt::StringLiterals;

struct CardFigures::Names {
    explicit Names(RequestPool* pool) : request(pool) {}
    std::optional<CategoryNames> known;
    bool coloured = false; // by exact counts
    QString problem;
    Latest request;
};

struct CardFigures::Gene {
    explicit Gene(RequestPool* pool) : request(pool) {}
    std::optional<ProfileData> whole;
    std::optional<ProfilePart> part;
    std::shared_ptr<const IndexSet> partOf; // what `part` was asked for
    QString problem;
    Latest request;
};

namespace {

struct GeneTask {
    std::shared_ptr<const Dataset> dataset;
    std::shared_ptr<GeneSources> genes;
    std::shared_ptr<Reading> reading;
    const Element* matrix = nullptr;
    RuleSubject subject;
    std::optional<ProfileData> whole;
    std::shared_ptr<const IndexSet> inside;
};

struct GeneAnswered {
    ProfileData whole;
    std::optional<ProfilePart> part;
};

Result<Index> columnOfGene(const GeneTask& task, std::stop_token stop)
{
    if (task.subject.kind == RuleSubject::Kind::Obsm)
        return task.subject.name.toLongLong();
    const Element* var = task.dataset->namesOf(*task.matrix, 1);
    if (var == nullptr)
        return Error(ErrorCode::NotFound, task.matrix->path + " has no names for its columns.");
    const std::string name = toStdString(task.subject.name);
    auto found = findGenes(task.dataset, *var, {name}, task.reading, stop);
    if (!found)
        return std::move(found).error();
    const GeneAnswer& answer = found->front();
    if (answer.count == 0)
        return Error(ErrorCode::NotFound, "\"" + name + "\" is not a gene of " + task.matrix->path + ".");
    if (answer.count > 1)
        return Error(ErrorCode::Ambiguous, "Several genes of " + task.matrix->path + " are called \"" + name + "\".");
    return answer.rows.front();
}

Result<GeneAnswered> readGene(const GeneTask& task, std::stop_token stop)
{
    auto source = task.genes->of(*task.matrix, stop);
    if (!source)
        return std::move(source).error();
    auto column = columnOfGene(task, stop);
    if (!column)
        return std::move(column).error();
    if (*column < 0 || *column >= (*source)->genes())
        return Error(ErrorCode::NotFound, task.matrix->path + " has no such column.");
    GeneSource::Request request;
    request.genes = {*column};
    request.stop = stop;
    auto vectors = (*source)->read(request);
    if (!vectors)
        return std::move(vectors).error();
    const Values& values = vectors->genes.front();
    GeneAnswered answer;
    answer.whole = task.whole ? *task.whole : geneProfile(values);
    if (stop.stop_requested())
        return Error::cancelled();
    if (task.inside && task.inside->extent() == values.size())
        answer.part = partOfGene(values, answer.whole, *task.inside);
    return answer;
}

} // namespace

CardFigures::CardFigures(ModelContext context, Axis axis, QObject* parent)
    : QObject(parent), m_context(context), m_axis(axis)
{
    qRegisterMetaType<RuleSubject>();
}

CardFigures::~CardFigures() = default;

void CardFigures::setDataset(std::shared_ptr<const Dataset> dataset, std::shared_ptr<GeneSources> genes)
{
    m_names.clear();
    m_genes.clear();
    m_profiles.reset();
    m_inside.reset();
    m_wanted.clear();
    m_dataset = std::move(dataset);
    m_sources = std::move(genes);
    m_table = !m_dataset ? nullptr : m_axis == Axis::Obs ? m_dataset->obs() : m_dataset->var();
    if (m_table == nullptr || m_table->kind != ElementKind::Table || !m_table->readable) {
        m_table = nullptr;
        return;
    }
    m_profiles = std::make_unique<ColumnProfiles>(m_context, m_dataset, *m_table);
    connect(m_profiles.get(), &ColumnProfiles::changed, this, [this](int number) {
        for (const RuleSubject& subject : std::vector<RuleSubject>(m_wanted))
            if (numberOf(subject) == number) {
                askNames(subject); // colours may depend on the counts
                Q_EMIT changed(subject);
            }
    });
}

void CardFigures::setRows(const Selection& rows)
{
    m_inside = rows.isAll() ? nullptr : std::make_shared<const IndexSet>(rows.toSet());
    if (m_profiles)
        m_profiles->setInside(m_inside);
    for (const RuleSubject& subject : m_wanted)
        if (matrixOf(subject) != nullptr)
            askGene(subject);
    for (const RuleSubject& subject : std::vector<RuleSubject>(m_wanted))
        Q_EMIT changed(subject);
}

const Element* CardFigures::columnOf(const RuleSubject& subject) const
{
    return m_table != nullptr && subject.kind == RuleSubject::Kind::Column ? m_table->child(toStdString(subject.name))
                                                                           : nullptr;
}

const Element* CardFigures::matrixOf(const RuleSubject& subject) const
{
    if (!m_dataset || m_axis != Axis::Obs)
        return nullptr;
    const auto childOf = [](const Element* parent, const std::string& name) {
        return parent == nullptr ? nullptr : parent->child(name);
    };
    const Element& root = m_dataset->root();
    const Element* matrix = nullptr;
    switch (subject.kind) {
    case RuleSubject::Kind::Gene: matrix = root.child("X"); break;
    case RuleSubject::Kind::Raw: matrix = childOf(root.child("raw"), "X"); break;
    case RuleSubject::Kind::Layer: matrix = childOf(root.child("layers"), toStdString(subject.more)); break;
    case RuleSubject::Kind::Obsm:
        matrix = subject.numbered ? childOf(root.child("obsm"), toStdString(subject.more)) : nullptr;
        break;
    default: return nullptr;
    }
    const bool numbers = matrix != nullptr && matrix->readable && matrix->dtype && isReal(*matrix->dtype)
        && (matrix->kind == ElementKind::Matrix || matrix->kind == ElementKind::Array);
    return numbers ? matrix : nullptr;
}

int CardFigures::numberOf(const RuleSubject& subject) const
{
    const Element* column = columnOf(subject);
    if (column == nullptr)
        return -1;
    for (std::size_t i = 0; i < m_table->children.size(); ++i)
        if (m_table->children[i].get() == column)
            return static_cast<int>(i) + 1;
    return -1;
}

void CardFigures::want(const std::vector<RuleSubject>& subjects)
{
    m_wanted = subjects;
    std::vector<int> numbers;
    for (const RuleSubject& subject : subjects) {
        const Element* column = columnOf(subject);
        const bool drawn = column != nullptr && ruleKindOf(*column) != FilterRule::Kind::Names;
        if (const int number = numberOf(subject); drawn && number > 0)
            numbers.push_back(number);
        askNames(subject);
        if (matrixOf(subject) != nullptr && m_genes.count(subject.text()) == 0)
            askGene(subject);
    }
    if (m_profiles)
        m_profiles->want(std::move(numbers));
    // Reading a gene may take long: whoever closed its card waits for it no more.
    std::erase_if(m_genes, [&](const auto& known) {
        return std::none_of(subjects.begin(), subjects.end(),
                            [&](const RuleSubject& subject) { return subject.text() == known.first; });
    });
}

// Colours follow the counts where there are more categories than colours.
void CardFigures::askNames(const RuleSubject& subject)
{
    const Element* column = columnOf(subject);
    if (column == nullptr || ruleKindOf(*column) != FilterRule::Kind::Categories)
        return;
    auto& entry = m_names[subject.text()];
    if (!entry)
        entry = std::make_unique<Names>(m_context.quick);
    Names& names = *entry;
    const ProfileData* data = profile(subject);
    const bool exact = data != nullptr && data->exact;
    if (names.request.isBusy() || !names.problem.isEmpty() || (names.known && (names.coloured || !exact)))
        return;
    names.coloured = exact;
    names.request.request<CategoryNames>(
        [dataset = m_dataset, column, reading = m_context.reading, counts = exact ? data->counts : std::vector<Index>(),
         others = Theme::current().outside](std::stop_token stop) -> Result<CategoryNames> {
            CategoryNames found;
            if (column->column == ColumnKind::Categorical) {
                auto reader = ColumnReader::open(dataset, *column, reading);
                if (!reader)
                    return std::move(reader).error();
                auto list = reader->categories(stop);
                if (!list)
                    return std::move(list).error();
                found.names = std::move(*list);
                found.reader = std::move(*reader);
            }
            auto colors = colorsOf(dataset, *column, counts, others, reading, stop);
            if (!colors)
                return std::move(colors).error();
            found.colors = std::move(*colors);
            return found;
        },
        [this, subject, known = &names](Result<CategoryNames> found) {
            if (found)
                known->known = std::move(*found);
            else
                known->problem = errorText(found.error());
            askNames(subject);
            Q_EMIT changed(subject);
        });
}

void CardFigures::askGene(const RuleSubject& subject)
{
    auto& entry = m_genes[subject.text()];
    if (!entry)
        entry = std::make_unique<Gene>(m_context.patient);
    Gene& gene = *entry;
    if (!gene.problem.isEmpty() || (gene.whole && !m_inside) || (gene.part && gene.partOf == m_inside))
        return;
    gene.part.reset();
    gene.partOf = m_inside;
    const GeneTask task{m_dataset, m_sources, m_context.reading, matrixOf(subject), subject, gene.whole, m_inside};
    gene.request.request<GeneAnswered>(
        [task](std::stop_token stop) { return readGene(task, stop); },
        [this, subject, known = &gene](Result<GeneAnswered> answer) {
            if (answer) {
                known->whole = std::move(answer->whole);
                known->part = std::move(answer->part);
            } else {
                known->problem = errorText(answer.error());
            }
            Q_EMIT changed(subject);
        });
}

const ProfileData* CardFigures::profile(const RuleSubject& subject) const
{
    if (const auto gene = m_genes.find(subject.text()); gene != m_genes.end())
        return gene->second->whole ? &*gene->second->whole : nullptr;
    const int number = numberOf(subject);
    return number < 0 || !m_profiles ? nullptr : m_profiles->peek(number);
}

const ProfilePart* CardFigures::part(const RuleSubject& subject) const
{
    if (const auto gene = m_genes.find(subject.text()); gene != m_genes.end())
        return gene->second->part ? &*gene->second->part : nullptr;
    const int number = numberOf(subject);
    return number < 0 || !m_profiles ? nullptr : m_profiles->peekInside(number);
}

const CategoryNames* CardFigures::categories(const RuleSubject& subject) const
{
    const auto names = m_names.find(subject.text());
    return names != m_names.end() && names->second->known ? &*names->second->known : nullptr;
}

QString CardFigures::problem(const RuleSubject& subject) const
{
    if (const auto gene = m_genes.find(subject.text()); gene != m_genes.end())
        return gene->second->problem;
    if (const auto names = m_names.find(subject.text()); names != m_names.end() && !names->second->problem.isEmpty())
        return names->second->problem;
    const int number = numberOf(subject);
    if (number < 0 || !m_profiles || !m_profiles->problemOf(number))
        return {};
    return errorText(*m_profiles->problemOf(number));
}

bool CardFigures::isSettled() const
{
    const auto busy = [](const auto& known) { return known.second->request.isBusy(); };
    return (!m_profiles || m_profiles->isSettled()) && std::none_of(m_names.begin(), m_names.end(), busy)
        && std::none_of(m_genes.begin(), m_genes.end(), busy);
}

} // namespace cellfolio
