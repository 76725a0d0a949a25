// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/canonical/canonicalizer.h"

#include "core/anndata/rules.h"
#include "core/base/text.h"

#include <algorithm>
#include <set>

namespace cellfolio {

namespace {

constexpr Index kBeside = Index{40} << 20; // of the process: the program and its libraries
constexpr double kEntriesASecond = 25e6;   // where nothing was measured

// The next integer type of the same sign that holds more; none behind the last.
std::optional<DType> wider(DType type)
{
    switch (type) {
    case DType::Int8: return DType::Int16;
    case DType::Int16: return DType::Int32;
    case DType::Int32: return DType::Int64;
    case DType::UInt8: return DType::UInt16;
    case DType::UInt16: return DType::UInt32;
    case DType::UInt32: return DType::UInt64;
    default: return std::nullopt;
    }
}

bool isReadableSparse(const Element& element)
{
    return element.isSparse() && !element.whyNot && element.values && element.indices && element.indptr
        && element.object != nullptr;
}

// Of a pass that writes nothing.
DType countedIndexType(const SparseSource& source)
{
    return needsWideIndices(source.stored(), source.width()) ? DType::Int64 : DType::Int32;
}

} // namespace

Result<Canonicalizer> Canonicalizer::open(std::shared_ptr<const Dataset> dataset,
                                          std::shared_ptr<Reading> reading, CanonicalizeOptions options)
{
    Canonicalizer job;
    std::set<const hdf5::Object*> seen;
    const auto choose = [&](const Element& element) {
        if (seen.insert(element.indices.object).second)
            job.m_chosen.push_back(&element);
    };
    for (const std::string& path : options.elements) {
        auto found = dataset->find(path);
        if (!found)
            return std::move(found).error();
        if ((*found)->whyNot)
            return *(*found)->whyNot;
        if (!isReadableSparse(**found))
            return Error(ErrorCode::Refused, "\"" + (*found)->path + "\" is no sparse matrix.")
                .at((*found)->path)
                .advise("Name CSR or CSC matrices, or leave --elements out to take all of them.");
        choose(**found);
    }
    if (options.elements.empty())
        for (const Element* element : dataset->elements())
            if (isReadableSparse(*element))
                choose(*element);
    job.m_dataset = std::move(dataset);
    job.m_reading = std::move(reading);
    job.m_options = std::move(options);
    return job;
}

Index Canonicalizer::unit() const
{
    // Two thirds of what the pages leave go to the units at work; 40 bytes an entry is a usual one.
    const Index room = m_reading->budget().limit() / 2 / std::max(1, m_reading->threads());
    return std::clamp<Index>(room / 48, Index{1} << 10, MatrixRewrite::kUnit);
}

DType Canonicalizer::indexTypeOf(const Element& element) const
{
    // FORMAT.md §3.7.
    const DType indices = element.indices.dtype();
    const DType indptr = element.indptr.dtype();
    const Index width = (*element.shape)[element.storage == Storage::Csr ? 1 : 0];
    const auto isNarrow = [](DType type) { return sizeOf(type) < 4 || type == DType::Int32 || type == DType::UInt32; };
    if (needsWideIndices(element.stored.value_or(0), width) || !isNarrow(indices) || !isNarrow(indptr))
        return DType::Int64;
    return DType::Int32;
}

MergeRules Canonicalizer::rules() const
{
    return {!m_options.keepDuplicates, m_options.dropZeros, m_options.overflow == SumOverflowRule::Wrap};
}

MatrixRewrite Canonicalizer::pass(const SparseSource& source, const MergeRules& rules, DType indexType,
                                  DType valueType, std::stop_token stop, Progress* progress) const
{
    MatrixRewrite::Options options;
    options.rules = rules;
    options.indexType = indexType;
    options.valueType = valueType;
    options.unit = unit();
    options.stop = std::move(stop);
    options.progress = progress;
    return {source, m_reading, options};
}

Result<void> Canonicalizer::look(std::stop_token stop, Progress* progress)
{
    if (progress != nullptr) {
        Index total = 0;
        for (const Element* element : m_chosen)
            total += element->stored.value_or(0);
        progress->begin(total);
    }
    m_elements.clear();
    for (const Element* element : m_chosen) {
        auto source = SparseSource::open(m_dataset, *element, m_reading);
        if (!source)
            return std::move(source).error();
        CanonicalizedElement told;
        told.path = element->path;
        told.stored = source->stored();
        told.type = told.was = source->dtype();
        // Sums that overflow end the writing, not the looking.
        MergeRules looking = rules();
        looking.wrap = true;
        MatrixRewrite matrix = pass(*source, looking, countedIndexType(*source), source->dtype(), stop, progress);
        if (m_options.dropZeros) {
            auto tally = matrix.run(nullptr);
            if (!tally)
                return std::move(tally).error();
            told.rewritten = !tally->rising || tally->lines.zeros > 0;
        } else {
            auto fine = matrix.isInForm();
            if (!fine)
                return std::move(fine).error();
            told.rewritten = !*fine;
        }
        m_elements.push_back(std::move(told));
    }
    return {};
}

bool Canonicalizer::needed() const
{
    return std::any_of(m_elements.begin(), m_elements.end(), [](const auto& e) { return e.rewritten; });
}

JobNeeds Canonicalizer::needs() const
{
    JobNeeds needs;
    needs.output = m_dataset->file().size();
    Index entries = 0;
    Index units = 0;
    for (std::size_t k = 0; k < m_elements.size(); ++k) {
        if (!m_elements[k].rewritten)
            continue;
        entries += m_elements[k].stored;
        if (auto source = SparseSource::open(m_dataset, *m_chosen[k], m_reading))
            units = std::max(units, MatrixRewrite::bytesFor(*source, std::min(unit(), std::max<Index>(1, source->stored())),
                                                            m_reading->threads()));
    }
    needs.memory = kBeside + units;
    needs.seconds = 0.05 + static_cast<double>(entries) / kEntriesASecond
                  + static_cast<double>(needs.output) / 1e9;
    return needs;
}

Result<DType> Canonicalizer::widened(const Element& element, std::stop_token stop) const
{
    DType type = element.values.dtype();
    if (m_options.overflow != SumOverflowRule::Widen || !isInteger(type))
        return type;
    for (;;) {
        auto source = SparseSource::open(m_dataset, element, m_reading);
        if (!source)
            return std::move(source).error();
        auto tally = pass(*source, rules(), countedIndexType(*source), type, stop, nullptr).run(nullptr);
        if (tally)
            return type;
        const auto next = wider(type);
        if (tally.error().ruleId() != "B007o" || !next)
            return std::move(tally).error();
        type = *next;
    }
}

Result<void> Canonicalizer::rewrite(std::size_t k, H5adWriter& writer, hdf5::ObjectCopier& copier,
                                    const std::string& path, std::stop_token stop, Progress* progress)
{
    const Element& element = *m_chosen[k];
    CanonicalizedElement& told = m_elements[k];
    auto source = SparseSource::open(m_dataset, element, m_reading);
    if (!source)
        return std::move(source).error();
    auto valueType = widened(element, stop);
    if (!valueType)
        return std::move(valueType).error();
    if (auto made = copier.copyGroup(*element.object, path); !made)
        return made;
    const hdf5::Object* data = element.object->child("data");
    const hdf5::Object* indices = element.object->child("indices");
    const hdf5::Object* indptr = element.object->child("indptr");
    if (data == nullptr || indices == nullptr || indptr == nullptr)
        return Error(ErrorCode::Refused, "The parts of this matrix are not called as anndata calls them.").at(element.path);
    hdf5::OutputFile& file = writer.file();
    const DType indexType = indexTypeOf(element);
    const auto entries = [&](const char* name, DType type, const hdf5::Object& like) {
        hdf5::NewArray plan = planArray({type, {0}, true}, m_options.storing, like.array.get());
        plan.chunk[0] = std::min(plan.chunk[0], std::max<Index>(1024, source->stored()));
        return file.createArray(path + "/" + name, plan);
    };
    auto newData = entries("data", *valueType, *data);
    if (!newData)
        return std::move(newData).error();
    auto newIndices = entries("indices", indexType, *indices);
    if (!newIndices)
        return std::move(newIndices).error();
    auto newIndptr = file.createArray(
        path + "/indptr", planArray({indexType, {source->lines() + 1}, true}, m_options.storing, indptr->array.get()));
    if (!newIndptr)
        return std::move(newIndptr).error();
    SparseWriter sparse({*std::move(newData), *std::move(newIndices), ArrayWriter(*std::move(newIndptr)), source->lines()});
    auto tally = pass(*source, rules(), indexType, *valueType, stop, progress).run(&sparse);
    if (!tally)
        return std::move(tally).error();
    auto finished = sparse.finish();
    if (!finished)
        return std::move(finished).error();
    for (const auto& child : element.object->children) {
        const std::string place = path + "/" + child->name;
        const bool own = child.get() == data || child.get() == indices || child.get() == indptr;
        if (auto copied = own ? copier.copyAttributes(*child, place) : copier.copy(*child, place); !copied)
            return copied;
        if (own)
            copier.place(*child, place);
    }
    told.tally = *tally;
    told.type = *valueType;
    if (tally->lines.beyondExact > 0) {
        Finding finding = makeFinding("B016", element.path,
                                      counted(tally->lines.beyondExact, "sum is", "sums are")
                                          + " above 16 777 216, where float32 no longer counts exactly.");
        finding.count = tally->lines.beyondExact;
        m_findings.push_back(std::move(finding));
    }
    return {};
}

Result<void> Canonicalizer::verify(const std::filesystem::path& part, std::stop_token stop, Progress* progress) const
{
    const auto wrong = [](const std::string& path, const std::string& what) {
        return Error(ErrorCode::Internal, "The new file is not what it should be: " + what + ".").at(path);
    };
    auto dataset = Dataset::open(part.string());
    if (!dataset)
        return std::move(dataset).error();
    for (const CanonicalizedElement& told : m_elements) {
        auto found = (*dataset)->find(told.path);
        if (!found)
            return std::move(found).error();
        if (!told.rewritten)
            continue;
        auto source = SparseSource::open(*dataset, **found, m_reading);
        if (!source)
            return std::move(source).error();
        auto tally = pass(*source, rules(), countedIndexType(*source), told.type, stop, progress).run(nullptr);
        if (!tally)
            return std::move(tally).error();
        const bool inOrder = m_options.keepDuplicates ? tally->lines.unsorted == 0 : tally->rising;
        if (!inOrder || tally->content != told.tally.content || tally->before != told.tally.after)
            return wrong(told.path, "its entries are not those that were written");
    }
    return {};
}

Result<Index> Canonicalizer::write(const std::filesystem::path& target, bool inPlace, std::stop_token stop,
                                   Progress* progress)
{
    if (inPlace && !needed())
        return m_dataset->file().size();
    FileRebuild rebuild(m_dataset->filePointer());
    Index total = 0;
    for (std::size_t k = 0; k < m_elements.size(); ++k) {
        if (!m_elements[k].rewritten)
            continue;
        total += 2 * m_elements[k].stored;
        rebuild.replace(*m_chosen[k]->object,
                        [this, k, stop, progress](H5adWriter& writer, hdf5::ObjectCopier& copier, const std::string& path) {
                            return rewrite(k, writer, copier, path, stop, progress);
                        });
    }
    if (progress != nullptr)
        progress->begin(std::max<Index>(1, total));
    FileRebuild::Options options;
    options.staging.overwrite = m_options.overwrite || inPlace;
    options.staging.bytesNeeded = needs().output;
    options.staging.system = m_options.system;
    options.storing = m_options.storing;
    options.stop = stop;
    options.verify = [this, stop, progress](const std::filesystem::path& part) { return verify(part, stop, progress); };
    return rebuild.run(target, options, inPlace);
}

} // namespace cellfolio
