// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/checker.h"

#include "core/base/text.h"
#include "core/matrix/gene_index_settings.h"
#include "core/query/gene_lookup.h"
#include "core/query/lexer.h"
#include "core/query/number_nodes.h"

#include <algorithm>

// The part of the checker that finds columns of matrices: genes by name, arrays of obsm by number.

namespace cellfolio::query {
namespace {

// How a gene of this matrix is written.
std::string geneText(const Node& node, const std::string& name)
{
    if (node.kind == NodeKind::Layer)
        return "layer(" + quotedText(node.more) + ", " + quotedText(name) + ")";
    return (node.kind == NodeKind::Raw ? "raw(" : "gene(") + quotedText(name) + ")";
}

std::vector<std::string> childNames(const Element* mapping)
{
    std::vector<std::string> names;
    for (std::size_t k = 0; mapping != nullptr && k < mapping->children.size(); ++k)
        names.push_back(mapping->children[k]->name);
    return names;
}

} // namespace

Result<const Element*> Checker::matrixOf(const Node& node) const
{
    const Dataset& dataset = *m_context.dataset;
    if (!isObs() || m_context.table != dataset.obs())
        return fault(ErrorCode::BadExpression,
                     "Genes are values of cells, and these are rows of " + m_context.table->path
                         + ".",
                     node.offset)
            .advise("Over var, write name == \"CD3E\".");
    const Element* matrix = nullptr;
    if (node.kind == NodeKind::Gene) {
        matrix = dataset.x();
        if (matrix == nullptr)
            return fault(ErrorCode::NotFound, "The file has no X.", node.offset).at("X");
    } else if (node.kind == NodeKind::Raw) {
        matrix = dataset.raw() != nullptr ? dataset.raw()->child("X") : nullptr;
        if (matrix == nullptr)
            return fault(ErrorCode::NotFound, "The file has no raw.", node.offset)
                .at("raw")
                .advise("Write gene(" + quotedText(node.text) + ") for X.");
    } else {
        const Element* layers = dataset.root().child("layers");
        matrix = layers != nullptr ? layers->child(node.more) : nullptr;
        if (matrix == nullptr) {
            auto near = nearest(node.more, childNames(layers));
            return fault(ErrorCode::NotFound, "\"" + node.more + "\" is not a layer of the file.",
                         node.offset)
                .at("layers")
                .advise(near.empty() ? "" : "Did you mean \"" + near.front() + "\"?")
                .suggest(std::move(near));
        }
    }
    if (matrix->kind != ElementKind::Matrix && matrix->kind != ElementKind::Array)
        return fault(ErrorCode::BadExpression, matrix->path + " is no matrix.", node.offset)
            .at(matrix->path);
    return matrix;
}

void Checker::collectGenes(const Node& node)
{
    if (node.kind == NodeKind::Gene || node.kind == NodeKind::Raw || node.kind == NodeKind::Layer)
        m_geneNodes.push_back(&node);
    for (const auto& child : node.children)
        collectGenes(*child);
}

Result<void> Checker::findAllGenes()
{
    collectGenes(m_expression.root());
    std::map<const Element*, std::vector<const Node*>> byTable;
    std::map<const Element*, std::shared_ptr<GeneSource>> sources;
    std::map<const Node*, const Element*> matrices;
    for (const Node* node : m_geneNodes) {
        auto matrix = matrixOf(*node);
        if (!matrix)
            return std::move(matrix).error();
        const Element* var = m_context.dataset->namesOf(**matrix, 1);
        if (var == nullptr)
            return fault(ErrorCode::NotFound, (*matrix)->path + " has no names for its columns.",
                         node->offset)
                .at((*matrix)->path);
        if (sources.count(*matrix) == 0) {
            auto source = openMatrix(**matrix, *node);
            if (!source)
                return std::move(source).error();
            sources[*matrix] = std::move(*source);
        }
        matrices[node] = *matrix;
        byTable[var].push_back(node);
    }
    for (const auto& [var, nodes] : byTable) {
        std::vector<std::string> names;
        for (const Node* node : nodes)
            names.push_back(node->text);
        auto found = findGenes(m_context.dataset, *var, names, m_context.reading, m_context.stop);
        if (!found)
            return std::move(found).error();
        for (std::size_t k = 0; k < nodes.size(); ++k) {
            const GeneAnswer& answer = (*found)[k];
            if (answer.count == 0)
                return unknownGene(*nodes[k], *var);
            if (answer.count > 1)
                return ambiguousGene(*nodes[k], *var, answer.rows, answer.count);
            const auto& source = sources[matrices[nodes[k]]];
            if (answer.rows.front() >= source->genes())
                return fault(ErrorCode::Corrupt,
                             source->element().path + " has no column for row "
                                 + std::to_string(answer.rows.front()) + " of " + var->path + ".",
                             nodes[k]->offset)
                    .at(source->element().path);
            m_genes[nodes[k]] = {source, answer.rows.front()};
        }
    }
    return {};
}

Error Checker::unknownGene(const Node& node, const Element& var)
{
    std::vector<std::string> near;
    if (auto found = nearGenes(m_context.dataset, var, node.text, m_context.reading,
                               m_context.stop))
        near = std::move(*found);
    else if (found.error().code() == ErrorCode::Cancelled)
        return std::move(found).error();
    std::string advice = near.empty() ? "" : "Did you mean " + geneText(node, near.front()) + "?";
    // A gene that was filtered away before X was made may be in raw still.
    const Element* raw = m_context.dataset->raw();
    const Element* rawVar = raw != nullptr ? raw->child("var") : nullptr;
    if (node.kind != NodeKind::Raw && rawVar != nullptr && rawVar != &var) {
        auto inRaw = findGenes(m_context.dataset, *rawVar, {node.text}, m_context.reading,
                               m_context.stop);
        if (inRaw && inRaw->front().count > 0)
            advice = "It is kept in raw: write raw(" + quotedText(node.text) + ").";
    }
    return fault(ErrorCode::NotFound, "\"" + node.text + "\" is not a gene of " + var.path + ".",
                 node.offset)
        .at(var.path)
        .advise(std::move(advice))
        .suggest(std::move(near));
}

Error Checker::ambiguousGene(const Node& node, const Element& var, const std::vector<Index>& rows,
                             Index count)
{
    // What tells them apart: their names, or an id column where the names are the same.
    std::vector<std::string> options;
    const Selection chosen = Selection::indices(var.rows, rows);
    auto names = readNames(m_context.dataset, var, chosen, m_context.reading, m_context.stop);
    if (names)
        options = std::move(*names);
    const auto distinct = [&options] {
        std::vector<std::string> sorted = options;
        std::sort(sorted.begin(), sorted.end());
        return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
    };
    auto columns = geneNameColumns(m_context.dataset, var, m_context.reading, m_context.stop);
    for (std::size_t k = 0; !distinct() && columns && k < columns->size(); ++k) {
        auto reader = ColumnReader::open(m_context.dataset, *(*columns)[k], m_context.reading);
        if (!reader)
            continue;
        auto values = reader->read(chosen, m_context.stop);
        if (!values)
            continue;
        options.clear();
        for (Index i = 0; i < values->size(); ++i)
            options.push_back(values->text(i));
    }
    std::string advice = "Their rows of " + var.path + ":";
    for (const Index row : rows)
        advice += " " + std::to_string(row);
    if (distinct() && !options.empty())
        advice = "Write " + geneText(node, options.front()) + " or another of them.";
    else
        options.clear();
    return fault(ErrorCode::Ambiguous,
                 "\"" + node.text + "\" is the name of " + grouped(count) + " rows of " + var.path
                     + ".",
                 node.offset)
        .at(var.path)
        .advise(std::move(advice))
        .suggest(std::move(options));
}

Result<std::shared_ptr<GeneSource>> Checker::openMatrix(const Element& matrix,
                                                        const Node& node) const
{
    auto source = m_context.genes
                    ? m_context.genes(matrix)
                    : GeneSource::open(m_context.dataset, matrix, m_context.reading);
    if (!source)
        return std::move(source).error().atOffset(node.offset);
    if (!isReal((*source)->dtype()))
        return fault(ErrorCode::BadExpression,
                     matrix.path + " holds " + std::string(nameOf((*source)->dtype()))
                         + " values, which have no order.",
                     node.offset)
            .at(matrix.path);
    const auto settings = GeneIndexSettings::read();
    if (!m_context.genes && matrix.kind == ElementKind::Matrix && settings) {
        // Most matrices have no index, and need none or do without; settings that cannot be read
        // are told by the command `index`, and cost time but no answer here.
        auto found = (*source)->lookForIndex(settings->store(), m_context.stop);
        if (!found && found.error().code() == ErrorCode::Cancelled)
            return std::move(found).error();
    }
    return source;
}

Result<Operand> Checker::matrixColumn(const std::shared_ptr<GeneSource>& source, Index column,
                                      const Node& node)
{
    if (source->cells() != m_filter->rows)
        return fault(ErrorCode::Corrupt,
                     source->element().path + " has " + grouped(source->cells()) + " rows, and "
                         + m_context.table->path + " has " + grouped(m_filter->rows) + ".",
                     node.offset)
            .at(source->element().path);
    Operand operand = start(node, Operand::Type::Number);
    operand.precision = source->dtype();
    operand.column = &source->element();
    operand.number = matrixNumber(m_filter->sources.addMatrixColumn(source, column));
    return operand;
}

Result<Operand> Checker::gene(const Node& node)
{
    const FoundGene& found = m_genes.at(&node);
    return matrixColumn(found.source, found.column, node);
}

Result<Operand> Checker::obsm(const Node& node)
{
    if (!isObs() || m_context.table != m_context.dataset->obs())
        return fault(ErrorCode::BadExpression,
                     "obsm holds values of cells, and these are rows of " + m_context.table->path
                         + ".",
                     node.offset);
    const Element* mapping = m_context.dataset->root().child("obsm");
    const Element* array = mapping != nullptr ? mapping->child(node.more) : nullptr;
    if (array == nullptr) {
        auto near = nearest(node.more, childNames(mapping));
        return fault(ErrorCode::NotFound, "\"" + node.more + "\" is not in obsm.", node.offset)
            .at("obsm")
            .advise(near.empty() ? "" : "Did you mean \"" + near.front() + "\"?")
            .suggest(std::move(near));
    }
    if (array->kind == ElementKind::Table) {
        std::vector<const Element*> columns;
        std::vector<std::string> names;
        for (const auto& child : array->children) {
            if (child->kind != ElementKind::Column)
                continue;
            columns.push_back(child.get());
            names.push_back(child->name);
        }
        if (array->rows != m_filter->rows)
            return fault(ErrorCode::Corrupt,
                         array->path + " has " + grouped(array->rows) + " rows, and "
                             + m_context.table->path + " has " + grouped(m_filter->rows) + ".",
                         node.offset)
                .at(array->path);
        const auto place = std::find(names.begin(), names.end(), node.text);
        if (node.hasText && place != names.end())
            return columnOf(*columns[static_cast<std::size_t>(place - names.begin())], node);
        const auto number = std::get<std::int64_t>(node.number);
        if (!node.hasText && number < narrow<Index>(columns.size()))
            return columnOf(*columns[at(number)], node);
        auto near = node.hasText ? nearest(node.text, names) : names;
        const std::string wanted = node.hasText ? "\"" + node.text + "\"" : std::to_string(number);
        return fault(ErrorCode::NotFound, wanted + " is not a column of " + array->path + ".",
                     node.offset)
            .at(array->path)
            .advise(near.empty() ? "" : "Did you mean \"" + near.front() + "\"?")
            .suggest(std::move(near));
    }
    auto source = openMatrix(*array, node);
    if (!source)
        return std::move(source).error();
    const Index columns = (*source)->genes();
    const auto number = std::get<std::int64_t>(node.number);
    if (node.hasText || number >= columns)
        return fault(ErrorCode::NotFound,
                     array->path + " has " + counted(columns, "column", "columns")
                         + ", numbered from 0; "
                         + (node.hasText ? quotedText(node.text) : std::to_string(number))
                         + " is none of them.",
                     node.offset)
            .at(array->path)
            .advise("Such as obsm(" + quotedText(node.more) + ", 0).");
    return matrixColumn(*source, number, node);
}

} // namespace cellfolio::query
