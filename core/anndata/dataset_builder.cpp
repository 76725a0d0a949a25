// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/anndata/dataset_builder.h"

#include "core/base/text.h"

#include <algorithm>
#include <map>

namespace cellfolio {

using hdf5::Object;

namespace {

// Findings of one rule beyond these are counted, not listed.
constexpr int kMostOfOneRule = 50;

bool looksLikeH5ad(const Object& root)
{
    const StoredEncoding stored = storedEncoding(root);
    return stored.encoding == Encoding::AnnData || root.child("obs") || root.child("var");
}

std::string joined(const std::vector<const Object*>& objects)
{
    std::string text;
    for (const Object* object : objects)
        text += (text.empty() ? "" : ", ") + object->name;
    return text;
}

} // namespace

DatasetBuilder::DatasetBuilder(Input input)
    : m_input(std::move(input)), m_context(m_input.file, *m_input.root), m_dataset(new Dataset)
{
    m_dataset->m_file = m_input.file;
    m_dataset->m_location = m_input.location;
    m_dataset->m_root = std::make_unique<Element>();
    m_dataset->m_root->kind = ElementKind::Mapping;
    m_dataset->m_root->object = m_input.root;
}

Result<std::shared_ptr<const Dataset>> DatasetBuilder::build(Input input)
{
    return DatasetBuilder(std::move(input)).run();
}

Result<std::shared_ptr<const Dataset>> DatasetBuilder::run()
{
    const Object& root = *m_input.root;
    Result<void> built;
    if (looksLikeMuData(root))
        built = buildMuData();
    else if (looksLikeLoom(root))
        built = buildLoom();
    else if (!tenXMatricesOf(root).empty())
        built = buildTenX();
    else if (looksLikeH5ad(root))
        built = buildH5ad();
    else
        return Error(ErrorCode::NotAnnData, whatElse(root)).at("/");
    if (!built)
        return std::move(built).error();

    fileFindings();
    tallyFindings();
    limitFindings();
    m_dataset->m_findings = std::move(m_context.findings());
    sortFindings(m_dataset->m_findings);
    indexPaths();

    if (!m_input.inside.empty()) {
        auto element = m_dataset->find(m_input.inside);
        if (!element)
            return std::move(element).error();
        m_dataset->m_inside = (*element)->path;
    }
    return std::shared_ptr<const Dataset>(std::move(m_dataset));
}

void DatasetBuilder::takeDataSet(DataSetBuilder& builder)
{
    for (auto& hidden : builder.hidden)
        m_dataset->m_hidden.push_back(std::move(hidden));
    builder.hidden.clear();
}

Result<void> DatasetBuilder::buildH5ad()
{
    const StoredEncoding stored = storedEncoding(*m_input.root);
    m_context.tagged = stored.encoding == Encoding::AnnData;
    DataSetBuilder builder(m_context);
    builder.build(*m_input.root, *m_dataset->m_root);
    takeDataSet(builder);
    m_dataset->m_format = FileFormat::H5ad;
    m_dataset->m_generation = builder.generation;
    m_dataset->m_nObs = builder.nObs;
    m_dataset->m_nVars = builder.nVars;
    if (builder.generation == "0.5" || builder.generation == "0.7")
        m_context.report("A003", "/",
                         std::string("Written by an anndata older than 0.8 (") +
                             (builder.generation == "0.5" ? "0.5 or 0.6" : "0.7") +
                             "). It opens, but newer R readers will not read it.");
    else if (stored.encoding == Encoding::Other)
        m_context.report("A015", "/",
                         "The file is described as \"" + stored.text() +
                             "\", which anndata does not know.");
    else if (!m_context.tagged)
        m_context.report("A016", "/",
                         "The file has no description of its type; Python guesses, R fails.");
    return {};
}

bool DatasetBuilder::insideStartsWith(const std::string& name)
{
    std::string& inside = m_input.inside;
    if (inside == name) {
        inside.clear();
        return true;
    }
    if (inside.size() > name.size() && inside.compare(0, name.size(), name) == 0 &&
        inside[name.size()] == '/') {
        inside.erase(0, name.size() + 1);
        return true;
    }
    return false;
}

// The modality or genome that the location names, the only one there is, or none (the whole).
Result<void> DatasetBuilder::chooseByInside(const std::vector<const Object*>& choices,
                                            const char* what, const Object*& chosen)
{
    chosen = nullptr;
    // "mod/rna/X" is the long way to say "rna/X".
    const std::string_view longWay = "mod/";
    if (m_dataset->m_format == FileFormat::H5mu && m_input.inside.rfind(longWay, 0) == 0)
        m_input.inside.erase(0, longWay.size());
    for (const Object* choice : choices)
        if (insideStartsWith(choice->name)) {
            chosen = choice;
            return {};
        }
    if (choices.size() == 1) {
        chosen = choices.front();
        return {};
    }
    // A name that is neither a choice nor a path can only be a choice mistyped.
    if (!m_input.inside.empty() && m_input.inside.find('/') == std::string::npos &&
        !m_input.root->find(m_input.inside)) {
        std::vector<std::string> names;
        for (const Object* choice : choices)
            names.push_back(choice->name);
        return Error(ErrorCode::NotFound, std::string("There is no ") + what + " \"" +
                                              m_input.inside + "\" in this file; it has " +
                                              joined(choices) + ".")
            .at("/")
            .suggest(nearest(m_input.inside, names));
    }
    return {};
}

Result<void> DatasetBuilder::buildMuData()
{
    const Object& root = *m_input.root;
    m_dataset->m_format = FileFormat::H5mu;
    const StoredEncoding stored = storedEncoding(root);
    m_dataset->m_generation = stored.version;
    const std::vector<const Object*> modalities = modalitiesOf(root);
    if (modalities.empty())
        return Error(ErrorCode::NotAnnData, "This h5mu file has no modality.").at("/");
    for (const Object* modality : modalities)
        m_dataset->m_modalities.push_back({modality->name, rowsOfTable(modality->child("obs")),
                                           rowsOfTable(modality->child("var"))});
    const Object* chosen = nullptr;
    if (auto result = chooseByInside(modalities, "modality", chosen); !result)
        return result;
    sayContainer("an h5mu file with the modalities " + joined(modalities));

    if (chosen) {
        m_context.tagged = storedEncoding(*chosen).encoding == Encoding::AnnData;
        DataSetBuilder builder(m_context);
        builder.build(*chosen, *m_dataset->m_root);
        takeDataSet(builder);
        m_dataset->m_nObs = builder.nObs;
        m_dataset->m_nVars = builder.nVars;
        return {};
    }
    m_dataset->m_whole = true;
    m_context.tagged = stored.type.has_value();
    DataSetBuilder builder(m_context, {"mod", "obsmap", "varmap"});
    builder.build(root, *m_dataset->m_root);
    takeDataSet(builder);
    m_dataset->m_nObs = builder.nObs;
    m_dataset->m_nVars = builder.nVars;

    auto mod = std::make_unique<Element>();
    mod->name = "mod";
    mod->path = "mod";
    mod->parent = m_dataset->m_root.get();
    mod->kind = ElementKind::Mapping;
    mod->object = root.child("mod");
    for (const Object* modality : modalities) {
        auto element = std::make_unique<Element>();
        element->name = modality->name;
        element->path = joinPath(mod->path, modality->name);
        element->parent = mod.get();
        m_context.tagged = storedEncoding(*modality).encoding == Encoding::AnnData;
        DataSetBuilder inner(m_context);
        inner.build(*modality, *element);
        takeDataSet(inner);
        mod->children.push_back(std::move(element));
    }
    m_dataset->m_root->children.push_back(std::move(mod));
    return {};
}

Result<void> DatasetBuilder::buildTenX()
{
    m_dataset->m_format = FileFormat::TenX;
    const std::vector<const Object*> matrices = tenXMatricesOf(*m_input.root);
    m_dataset->m_generation = tenXVersion(*matrices.front());
    const Object* chosen = nullptr;
    if (auto result = chooseByInside(matrices, "genome", chosen); !result)
        return result;
    sayContainer(matrices.size() == 1 ? "a 10x feature-barcode matrix"
                                      : "a 10x file with the genomes " + joined(matrices));
    if (chosen) {
        const Axes axes = cellfolio::buildTenX(m_context, *chosen, *m_dataset->m_root);
        m_dataset->m_nObs = axes.nObs;
        m_dataset->m_nVars = axes.nVars;
        return {};
    }
    m_dataset->m_whole = true;
    for (const Object* matrix : matrices) {
        auto genome = std::make_unique<Element>();
        genome->name = matrix->name;
        genome->path = matrix->name;
        genome->parent = m_dataset->m_root.get();
        const Axes axes = cellfolio::buildTenX(m_context, *matrix, *genome);
        m_dataset->m_modalities.push_back({matrix->name, axes.nObs, axes.nVars});
        m_dataset->m_root->children.push_back(std::move(genome));
    }
    return {};
}

Result<void> DatasetBuilder::buildLoom()
{
    m_dataset->m_format = FileFormat::Loom;
    m_dataset->m_generation = loomVersion(m_context, *m_input.root);
    sayContainer("a loom file");
    const Axes axes = cellfolio::buildLoom(m_context, *m_input.root, *m_dataset->m_root);
    m_dataset->m_nObs = axes.nObs;
    m_dataset->m_nVars = axes.nVars;
    return {};
}

void DatasetBuilder::sayContainer(std::string what)
{
    m_context.report("A004", "/", "This is " + what + ".");
}

void DatasetBuilder::fileFindings()
{
    if (m_input.file && m_input.file->lockedByWriter())
        m_context.report("A002", "/",
                         "Another program has this file open for writing; it may be half written.");
}

// What would otherwise be said of every column.
void DatasetBuilder::tallyFindings()
{
    const auto say = [this](const char* id, const BuildContext::Tally& tally, std::string one,
                            const std::string& rest) {
        if (tally.count == 0)
            return;
        std::string message = inQuotes(tally.first);
        if (tally.count > 1)
            message += " and " + grouped(tally.count - 1) + " more";
        message += tally.count > 1 ? " " + rest : " " + std::move(one);
        m_context.report(id, tally.count > 1 ? "/" : tally.first, std::move(message)).count =
            tally.count;
    };
    say("A016", m_context.undescribed, "has no description of its type; Python guesses, R fails.",
        "have no description of their type; Python guesses, R fails.");
    if (m_dataset->m_format == FileFormat::H5ad || m_dataset->m_format == FileFormat::H5mu)
        say("A024", m_context.fixedText,
            "is text stored with fixed width (another language's writer).",
            "are text stored with fixed width (another language's writer).");
    say("A049", m_context.labelledNumber,
        "is stored as numbers with labels; Python reads the numbers.",
        "are stored as numbers with labels; Python reads the numbers.");
    if (m_context.newest.count > 0)
        m_context
            .report("A044", "/",
                    "Needs anndata 0." + std::to_string(m_context.newestMinor) +
                        " or newer because of " + inQuotes(m_context.newest.first) + " (" +
                        m_context.newestWhat + ").")
            .count = m_context.newest.count;
}

void DatasetBuilder::limitFindings()
{
    std::vector<Finding>& findings = m_context.findings();
    std::map<std::string, Index> seen;
    std::erase_if(findings,
                  [&](const Finding& finding) { return ++seen[finding.id] > kMostOfOneRule; });
    for (const auto& [id, count] : seen)
        if (count > kMostOfOneRule)
            m_context
                .report(id, "/",
                        "The same holds for " + grouped(count - kMostOfOneRule) + " more elements.")
                .count = count - kMostOfOneRule;
}

// ---- paths ----

void DatasetBuilder::addPart(Element& owner, const std::string& name, const ArrayRef& array)
{
    if (!array)
        return;
    auto part = std::make_unique<Element>();
    part->name = name;
    part->path = joinPath(owner.path, name);
    part->parent = &owner;
    part->kind = ElementKind::Array;
    part->storage = Storage::Dense;
    part->values = array;
    part->shape = array.shape();
    part->bigEndian = array.bigEndian();
    part->object = array.object;
    if (array.dtype() == DType::Other) {
        part->kind = ElementKind::Unknown;
        part->readable = false;
        part->whyNot = Error(ErrorCode::UnsupportedEncoding,
                             "\"" + part->path + "\" is stored as " + array.type().describe() +
                                 ", which cannot be shown.")
                           .at(part->path);
    } else {
        part->dtype = array.dtype();
        if (part->shape->size() == 1)
            part->column = plainColumnKind(array.dtype());
    }
    if (m_dataset->m_byPath.emplace(part->path, part.get()).second)
        m_dataset->m_hidden.push_back(std::move(part));
}

void DatasetBuilder::indexElement(Element& element)
{
    m_indexed.push_back(&element);
    m_dataset->m_byPath.emplace(element.path, &element);
    for (const auto& child : element.children)
        indexElement(*child);
    if (element.index) {
        Element& index = *element.index;
        indexElement(index);
        m_dataset->m_byPath.emplace(joinPath(element.path, "_index"), &index);
        if (!element.indexName.empty())
            m_dataset->m_byPath.emplace(joinPath(element.path, element.indexName), &index);
    }
}

void DatasetBuilder::indexPaths()
{
    Dataset& dataset = *m_dataset;
    indexElement(*dataset.m_root);
    for (const auto& hidden : dataset.m_hidden)
        indexElement(*hidden);
    // Elements first, so that no part hides one.
    for (Element* owner : m_indexed) {
        if (owner->isSparse())
            addPart(*owner, "data", owner->values);
        else if (owner->column == ColumnKind::Categorical)
            addPart(*owner, "codes", owner->values);
        else if (owner->mask)
            addPart(*owner, "values", owner->values);
        for (const ElementPart& part : owner->parts)
            addPart(*owner, part.name, part.array);
    }
}

} // namespace cellfolio
