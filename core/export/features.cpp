// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/features.h"

#include "core/anndata/column_reader.h"
#include "core/base/text.h"

#include <algorithm>
#include <initializer_list>

namespace cellfolio {

namespace {

constexpr Index kWindow = Index{1} << 14;

const Element* columnNamed(const Element* table, std::initializer_list<const char*> names)
{
    for (const char* name : names)
        if (const Element* column = table != nullptr ? table->child(name) : nullptr;
            column != nullptr && column->readable && column->column != ColumnKind::Opaque)
            return column;
    return nullptr;
}

} // namespace

Features::Features(const ExportOptions& options, const ExportContext& context, bool ofRaw)
    : m_options(options), m_context(context)
{
    const Dataset& dataset = *options.view.dataset();
    m_table = ofRaw ? (dataset.raw() != nullptr ? dataset.raw()->child("var") : nullptr) : dataset.var();
    m_genes = ofRaw ? options.rawGenes : options.view.var();
}

Result<void> Features::forEachGene(const std::function<Result<void>(const Window&)>& visit) const
{
    const auto& dataset = m_options.view.dataset();
    const Element* ids = columnNamed(m_table, {"gene_ids", "gene_id", "ensembl_id", "ensembl", "feature_id"});
    const Element* types = columnNamed(m_table, {"feature_types", "feature_type"});
    const Element* genomes = columnNamed(m_table, {"genome"});
    for (Index first = 0; first < m_genes.size(); first += kWindow) {
        const Selection part = m_genes.part(first, std::min(kWindow, m_genes.size() - first));
        const auto texts = [&](const Element* column, std::vector<std::string>& into) -> Result<void> {
            if (column == nullptr)
                return {};
            auto reader = ColumnReader::open(dataset, *column, m_context.reading);
            if (!reader)
                return std::move(reader).error();
            auto values = reader->read(part, m_context.stop);
            if (!values)
                return std::move(values).error();
            for (Index i = 0; i < values->size(); ++i)
                into.push_back(toUtf8(values->text(i)));
            return {};
        };
        Window window;
        if (m_table != nullptr) {
            auto names = readNames(dataset, *m_table, part, m_context.reading, m_context.stop);
            if (!names)
                return std::move(names).error();
            for (const std::string& name : *names)
                window.names.push_back(toUtf8(name));
        } else {
            part.forEach([&](Index p) { window.names.push_back(std::to_string(p)); });
        }
        for (const auto& [column, into] : {std::pair(ids, &window.ids), std::pair(types, &window.types),
                                           std::pair(genomes, &window.genomes)})
            if (auto read = texts(column, *into); !read)
                return read;
        if (window.ids.empty())
            window.ids = window.names;
        if (window.types.empty())
            window.types.assign(window.names.size(), "Gene Expression");
        window.genomes.resize(window.names.size());
        if (auto visited = visit(window); !visited)
            return visited;
    }
    return {};
}

Result<void> Features::forEachCell(const std::function<Result<void>(const std::vector<std::string>&)>& visit) const
{
    const auto& dataset = m_options.view.dataset();
    const Selection& cells = m_options.view.obs();
    for (Index first = 0; first < cells.size(); first += kWindow) {
        const Selection part = cells.part(first, std::min(kWindow, cells.size() - first));
        std::vector<std::string> names;
        if (const Element* obs = dataset->obs(); obs != nullptr && obs->kind == ElementKind::Table) {
            auto read = readNames(dataset, *obs, part, m_context.reading, m_context.stop);
            if (!read)
                return std::move(read).error();
            for (const std::string& name : *read)
                names.push_back(toUtf8(name));
        } else {
            part.forEach([&](Index p) { names.push_back(std::to_string(p)); });
        }
        if (auto visited = visit(names); !visited)
            return visited;
    }
    return {};
}

} // namespace cellfolio
