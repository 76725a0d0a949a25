// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/convert/converter.h"

#include "core/base/text.h"
#include "core/convert/value_check.h"
#include "core/matrix/external_transpose.h"

#include <algorithm>
#include <set>
#include <utility>

namespace cellfolio {

namespace {

constexpr Index kBeside = Index{40} << 20;   // of the process: the program and its libraries
constexpr double kBytesASecond = 150e6;      // decoded, changed and packed again, where nothing was measured
constexpr double kPacked = 0.35;             // of what gzip is given

const char* const kMatrixAttributes[] = {"encoding-type", "encoding-version", "shape", "h5sparse_format", "h5sparse_shape"};

bool isMatrix(const Element& element)
{
    return (element.kind == ElementKind::Matrix || element.kind == ElementKind::Array) && element.readable
        && element.shape && element.shape->size() == 2 && element.dtype && *element.dtype != DType::String
        && *element.dtype != DType::Other && element.object != nullptr && element.values && element.values.member < 0;
}

bool isPacked(const Element& element)
{
    return !element.values.info().filters.empty();
}

Index cellsOf(const Element& element)
{
    return (*element.shape)[0] * (*element.shape)[1];
}

// Bytes of its arrays, not packed.
Index plainBytes(const Element& element)
{
    const auto item = static_cast<Index>(sizeOf(*element.dtype));
    if (!element.isSparse())
        return cellsOf(element) * item;
    const auto position = static_cast<Index>(sizeOf(element.indices.dtype()));
    return element.stored.value_or(0) * (item + position) + element.indptr.info().count() * position;
}

std::string linesOf(Index chunk, const std::string& path)
{
    return "Chunks of " + grouped(chunk) + " are too long for \"" + path + "\"";
}

} // namespace

Result<std::vector<const Element*>> chooseMatrices(const Dataset& dataset, const ConvertOptions& options)
{
    std::vector<const Element*> chosen;
    std::set<const hdf5::Object*> seen;
    std::vector<std::string> names = options.elements;
    const bool ofX = options.storage != Storage::None || options.dtype || !options.as.empty();
    if (names.empty() && ofX)
        names = {"X"};
    for (const std::string& name : names) {
        auto found = dataset.find(name);
        if (!found)
            return std::move(found).error();
        const Element& element = **found;
        if (element.whyNot)
            return *element.whyNot;
        if (!isMatrix(element))
            return Error(ErrorCode::Refused, "\"" + element.path + "\" is no matrix of numbers.")
                .at(element.path)
                .advise("Name X, a layer, raw/X, or what lies in obsm, varm, obsp or varp.");
        if (seen.insert(element.object).second)
            chosen.push_back(&element);
    }
    const bool packs = options.storing.as == Storing::As::Chosen || options.storing.chunk > 0;
    const bool widens = options.indexWidth != IndexWidth::Keep;
    if (options.elements.empty() && !ofX && (packs || widens))
        for (const Element* element : dataset.elements())
            if (isMatrix(*element) && element->aliasOf.empty() && (packs || element->isSparse())
                && seen.insert(element->object).second)
                chosen.push_back(element);
    return chosen;
}

Result<std::vector<Finding>> checkLosses(const std::shared_ptr<const Dataset>& dataset,
                                         const std::vector<const Element*>& matrices, const ConvertOptions& options,
                                         const std::shared_ptr<Reading>& reading, std::stop_token stop,
                                         Progress* progress)
{
    std::vector<Finding> findings;
    if (!options.dtype)
        return findings;
    if (progress != nullptr) {
        Index total = 0;
        for (const Element* element : matrices)
            total += element->isSparse() ? element->stored.value_or(0) : cellsOf(*element);
        progress->begin(std::max<Index>(1, total));
    }
    for (const Element* element : matrices) {
        auto changed = checkValues(dataset, *element, *options.dtype, reading, stop, progress);
        if (!changed)
            return std::move(changed).error();
        if (changed->count == 0)
            continue;
        if (!options.lossy)
            return Error(ErrorCode::Refused, changed->sentence(element->path, *options.dtype, "would change"))
                .at(element->path)
                .advise("Choose another type, or allow it (--lossy).");
        Finding finding;
        finding.severity = Severity::Warning;
        finding.element = element->path;
        finding.message = changed->sentence(element->path, *options.dtype, "changed");
        finding.count = changed->count;
        finding.places = std::move(changed->places);
        findings.push_back(std::move(finding));
    }
    return findings;
}

Result<Converter> Converter::open(std::shared_ptr<const Dataset> dataset, std::shared_ptr<Reading> reading,
                                  ConvertOptions options)
{
    Converter job;
    auto chosen = chooseMatrices(*dataset, options);
    if (!chosen)
        return std::move(chosen).error();
    job.m_dataset = std::move(dataset);
    job.m_reading = std::move(reading);
    job.m_options = std::move(options);
    job.m_chosen = *std::move(chosen);
    const ConvertOptions& wanted = job.m_options;
    job.m_repacks = wanted.elements.empty() && wanted.storage == Storage::None && !wanted.dtype && wanted.as.empty()
                 && wanted.indexWidth == IndexWidth::Keep && wanted.storing.as == Storing::As::Source
                 && wanted.storing.chunk == 0;
    if (auto free = job.checkNewPlace(); !free)
        return std::move(free).error();
    for (const Element* element : job.m_chosen) {
        ConvertedElement told;
        told.path = wanted.as.empty() ? element->path : wanted.as;
        told.from = element->storage;
        told.to = wanted.storage == Storage::None ? element->storage : wanted.storage;
        told.was = *element->dtype;
        told.type = wanted.dtype.value_or(told.was);
        if (!canConvert(told.was, told.type))
            return Error(ErrorCode::Refused, "\"" + element->path + "\" holds " + std::string(nameOf(told.was))
                                                 + ", which cannot become " + std::string(nameOf(told.type)) + ".")
                .at(element->path);
        if (told.to != Storage::Dense && told.type == DType::Float16)
            return Error(ErrorCode::Refused, "A sparse matrix of float16 could not be read by SciPy.")
                .at(element->path)
                .advise("Choose float32, or store it dense (--storage dense).");
        const bool sparse = told.to != Storage::Dense;
        if (const Index chunk = wanted.storing.chunk; chunk > 0) {
            const auto item = static_cast<Index>(sizeOf(told.type));
            const Index row = sparse ? std::max<Index>(8, item) : std::max<Index>(1, (*element->shape)[1]) * item;
            const Index most = (sparse ? kLargestChunkBytes : kLargestBandBytes) / row;
            if (chunk > std::max<Index>(1, most))
                return Error(ErrorCode::Refused, linesOf(chunk, element->path) + ": they would be more than memory should hold.")
                    .at(element->path)
                    .advise("At most " + grouped(std::max<Index>(1, most)) + (sparse ? " entries." : " rows."));
        }
        const bool converts = told.to != told.from || told.type != told.was;
        if (!wanted.as.empty())
            told.action = "created";
        else if (converts)
            told.action = "converted";
        else if (!job.isAsWanted(*element))
            told.action = "rewritten";
        job.m_elements.push_back(std::move(told));
    }
    return job;
}

Result<void> Converter::checkNewPlace() const
{
    const std::string& as = m_options.as;
    if (as.empty())
        return {};
    const std::string name = as.starts_with("layers/") ? as.substr(7) : std::string();
    if (name.empty() || name == "." || name.starts_with("__") || name.find('/') != std::string::npos)
        return Error(ErrorCode::BadUsage, "\"" + as + "\" is no name for a layer.").advise("--as layers/NAME, without another slash.");
    if (m_chosen.size() != 1)
        return Error(ErrorCode::BadUsage, "--as names one new layer, and several matrices are meant.")
            .advise("Name one of them (--elements X).");
    if (m_dataset->find(as) || m_dataset->root().object->find(as) != nullptr)
        return Error(ErrorCode::Refused, "The file has \"" + as + "\" already.").at(as).advise("Choose another name.");
    const Element& element = *m_chosen.front();
    if ((*element.shape)[0] != m_dataset->nObs().value_or(-1) || (*element.shape)[1] != m_dataset->nVars().value_or(-1))
        return Error(ErrorCode::Refused, "\"" + element.path + "\" is " + grouped((*element.shape)[0]) + " × "
                                             + grouped((*element.shape)[1]) + "; a layer must have the cells and genes of X.")
            .at(element.path);
    return {};
}

bool Converter::isAsWanted(const Element& element) const
{
    if (m_options.storing.as == Storing::As::Chosen || m_options.storing.chunk > 0)
        return false;
    if (!element.isSparse() || m_options.indexWidth == IndexWidth::Keep)
        return true;
    const DType wanted = m_options.indexWidth == IndexWidth::Wide ? DType::Int64 : DType::Int32;
    return element.indices.dtype() == wanted && element.indptr.dtype() == wanted;
}

bool Converter::changes() const
{
    return std::any_of(m_elements.begin(), m_elements.end(),
                       [](const ConvertedElement& element) { return std::string_view(element.action) != "copied"; });
}

MatrixForm Converter::formFor(const Element& element) const
{
    MatrixForm form;
    form.storage = m_options.storage == Storage::None ? element.storage : m_options.storage;
    form.dtype = m_options.dtype;
    form.rounding = m_options.lossy ? Rounding::Lossy : Rounding::Exact;
    form.width = m_options.indexWidth;
    return form;
}

Index Converter::bytesToPass() const
{
    Index bytes = 0;
    for (std::size_t k = 0; k < m_chosen.size(); ++k)
        if (std::string_view(m_elements[k].action) != "copied")
            bytes += plainBytes(*m_chosen[k]);
    return bytes;
}

JobNeeds Converter::needs() const
{
    JobNeeds needs;
    const Index limit = m_reading->budget().limit();
    const Index size = m_dataset->file().size();
    double output = static_cast<double>(size);
    Index most = 0;
    for (std::size_t k = 0; k < m_chosen.size(); ++k) {
        const Element& element = *m_chosen[k];
        const ConvertedElement& told = m_elements[k];
        if (std::string_view(told.action) == "copied")
            continue;
        const bool staysSource = m_options.storing.as == Storing::As::Source;
        const bool packed = staysSource ? isPacked(element) : m_options.storing.chosen.packing != hdf5::Packing::None;
        const Index before = plainBytes(element);
        const auto item = static_cast<Index>(sizeOf(told.type));
        const Index entries = element.isSparse() ? element.stored.value_or(0) : cellsOf(element);
        const Index after = told.to == Storage::Dense ? cellsOf(element) * item : entries * (item + 4);
        // Zeros take next to nothing once they are packed.
        const double packedAfter = kPacked * static_cast<double>(std::min(after, entries * (item + 4)));
        const double packedBefore = std::min(kPacked * static_cast<double>(before), static_cast<double>(size));
        if (told.from != Storage::None && std::string_view(told.action) != "created")
            output -= isPacked(element) ? packedBefore : static_cast<double>(before);
        output = std::max(0.0, output) + (packed ? packedAfter : static_cast<double>(after));
        const bool turned = element.isSparse() && told.to != Storage::Dense && told.to != told.from;
        if (turned)
            needs.temporary = std::max(needs.temporary, ExternalTranspose::temporaryBytes(entries, item));
        if (MatrixTransfer::needsDetour(element, told.to, *m_reading))
            needs.temporary = std::max(needs.temporary,
                                       entries * (item + 8) + ExternalTranspose::temporaryBytes(entries, item));
        most = std::max(most, before);
        needs.seconds += static_cast<double>(before + after) / kBytesASecond / std::max(1, m_reading->threads());
    }
    needs.output = static_cast<Index>(output);
    needs.memory = kBeside + std::min(limit, 2 * most);
    needs.seconds += 0.05 + static_cast<double>(size) / 1e9;
    return needs;
}

Result<void> Converter::convert(const Element& element, H5adWriter& writer, hdf5::ObjectCopier& copier,
                                const std::string& path, std::stop_token stop, Progress* progress)
{
    const MatrixForm form = formFor(element);
    MatrixTransfer transfer({m_dataset, m_reading, std::move(stop), progress, m_options.temporary}, writer);
    if (auto written = transfer.write(element, path.substr(1), form); !written)
        return written;
    m_temporary = std::max(m_temporary, transfer.temporary());
    if (auto copied = copier.copyAttributes(*element.object, path, {std::begin(kMatrixAttributes), std::end(kMatrixAttributes)});
        !copied)
        return copied;
    if (!element.isSparse() || form.storage == Storage::Dense)
        return {};
    // What else lies in the group of a sparse matrix stays, and what is noted about its arrays.
    for (const auto& child : element.object->children) {
        const std::string place = path + "/" + child->name;
        const bool own = child->name == "data" || child->name == "indices" || child->name == "indptr";
        auto copied = own ? copier.copyAttributes(*child, place, {"encoding-type", "encoding-version"})
                          : copier.copy(*child, place);
        if (!copied)
            return copied;
        if (own && m_options.as.empty())
            copier.place(*child, place);
    }
    return {};
}

Result<void> Converter::verify(const std::filesystem::path& part) const
{
    auto dataset = Dataset::open(part.string());
    if (!dataset)
        return std::move(dataset).error();
    for (std::size_t k = 0; k < m_elements.size(); ++k) {
        const ConvertedElement& told = m_elements[k];
        const Element& source = *m_chosen[k];
        auto found = (*dataset)->find(told.path);
        if (!found)
            return std::move(found).error();
        const Element& made = **found;
        const bool sameEntries = !source.isSparse() || told.to == Storage::Dense || made.stored == source.stored
                              || source.indptr.info().count() == 0;
        if (!made.readable || made.storage != told.to || made.dtype != told.type || made.shape != source.shape || !sameEntries)
            return Error(ErrorCode::Internal, "The new file is not what it should be: \"" + told.path
                                                  + "\" is not the matrix that was written.")
                .at(told.path);
    }
    return {};
}

Result<Index> Converter::write(const std::filesystem::path& target, bool inPlace, std::stop_token stop, Progress* progress)
{
    if (inPlace && !needed())
        return m_dataset->file().size();
    auto losses = checkLosses(m_dataset, m_chosen, m_options, m_reading, stop, progress);
    if (!losses)
        return std::move(losses).error();
    m_findings = *std::move(losses);
    FileRebuild rebuild(m_dataset->filePointer());
    for (std::size_t k = 0; k < m_chosen.size(); ++k) {
        if (std::string_view(m_elements[k].action) == "copied")
            continue;
        const auto write = [this, k, stop, progress](H5adWriter& writer, hdf5::ObjectCopier& copier, const std::string& path) {
            return convert(*m_chosen[k], writer, copier, path, stop, progress);
        };
        if (m_options.as.empty())
            rebuild.replace(*m_chosen[k]->object, write);
        else
            rebuild.add(m_options.as, write);
    }
    if (progress != nullptr)
        progress->begin(std::max<Index>(1, bytesToPass()));
    FileRebuild::Options options;
    options.staging.overwrite = m_options.overwrite || inPlace;
    options.staging.bytesNeeded = needs().output;
    options.staging.system = m_options.system;
    options.storing = m_options.storing;
    options.stop = stop;
    options.verify = [this](const std::filesystem::path& part) { return verify(part); };
    return rebuild.run(target, options, inPlace);
}

} // namespace cellfolio
