// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/anndata/build_context.h"

#include <algorithm>

namespace cellfolio {

using hdf5::Object;

namespace {

// A look at two pointers must not decode a chunk of gigabytes.
constexpr Index kLargestChunk = Index{8} << 20;

const Object* findAddress(const Object& object, std::uint64_t address)
{
    if (object.address == address && (object.isGroup() || object.isDataset()))
        return &object;
    for (const auto& child : object.children)
        if (const Object* found = findAddress(*child, address))
            return found;
    return nullptr;
}

bool cheapToTouch(const hdf5::ArrayInfo& info)
{
    if (info.layout != hdf5::Layout::Chunked)
        return info.layout != hdf5::Layout::Virtual && !info.external;
    Index bytes = info.type.size;
    for (const Index extent : info.chunk) {
        if (extent > 0 && bytes > kLargestChunk / extent)
            return false;
        bytes *= extent;
    }
    return std::all_of(info.filters.begin(), info.filters.end(),
                       [](const hdf5::Filter& filter) { return filter.decodable; });
}

} // namespace

const Object* BuildContext::objectAt(std::uint64_t address) const
{
    if (address == 0)
        return nullptr;
    return m_file ? m_file->objectAt(address) : findAddress(*m_root, address);
}

std::optional<std::pair<std::int64_t, std::int64_t>> BuildContext::ends(const ArrayRef& array,
                                                                        const std::string& path)
{
    if (!m_file || !array || array.info().rank() != 1 || array.length() < 1 ||
        !isInteger(array.dtype()) || !cheapToTouch(array.info()))
        return std::nullopt;
    const Index length = array.length();
    hdf5::File::Slab slab{
        {0}, {length > 1 ? Index{2} : Index{1}}, {std::max<Index>(1, length - 1)}, -1};
    slab.member = array.member;
    auto values = m_file->read(*array.object, slab, hdf5::Lane::Interactive);
    if (!values) {
        Finding& finding = report("A056", path, values.error().message());
        if (!values.error().fix().empty())
            finding.fix = values.error().fix();
        return std::nullopt;
    }
    return std::pair{values->integer(0), values->integer(values->size() - 1)};
}

std::optional<std::vector<std::int64_t>> BuildContext::head(const ArrayRef& array, Index most,
                                                            const std::string& path)
{
    if (!m_file || !array || array.info().rank() != 1 || !isInteger(array.dtype()) ||
        !cheapToTouch(array.info()))
        return std::nullopt;
    hdf5::File::Slab slab{{0}, {std::min(array.length(), most)}, {}, array.member};
    if (slab.count.front() == 0)
        return std::vector<std::int64_t>{};
    auto values = m_file->read(*array.object, slab, hdf5::Lane::Interactive);
    if (!values) {
        report("A056", path, values.error().message());
        return std::nullopt;
    }
    std::vector<std::int64_t> result;
    result.reserve(at(values->size()));
    for (Index i = 0; i < values->size(); ++i)
        result.push_back(values->integer(i));
    return result;
}

std::optional<Index> BuildContext::firstNotBelow(const ArrayRef& array, std::int64_t value)
{
    if (!m_file || !array || array.info().rank() != 1 || !isInteger(array.dtype()) ||
        !cheapToTouch(array.info()))
        return std::nullopt;
    Index low = 0;
    Index high = array.length();
    while (low < high) {
        const Index middle = low + (high - low) / 2;
        const hdf5::File::Slab slab{{middle}, {1}, {}, array.member};
        auto read = m_file->read(*array.object, slab, hdf5::Lane::Interactive);
        if (!read)
            return std::nullopt;
        if (read->integer(0) < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < array.length() ? std::optional(low) : std::nullopt;
}

Finding& BuildContext::report(std::string_view id, const std::string& path, std::string message)
{
    m_findings.push_back(makeFinding(id, findingElement(path), std::move(message)));
    return m_findings.back();
}

Finding& BuildContext::refuse(std::string_view id, Element& element, ErrorCode code,
                              std::string message, std::optional<std::string> fix)
{
    Finding& finding = report(id, element.path, message);
    if (fix) {
        finding.fix = *std::move(fix);
        finding.fixable = false;
    }
    element.readable = false;
    if (!element.whyNot)
        element.whyNot = Error(code, std::move(message))
                             .at(findingElement(element.path))
                             .rule(std::string(id))
                             .advise(finding.fix);
    return finding;
}

void BuildContext::count(Tally& tally, const std::string& path)
{
    if (tally.count++ == 0)
        tally.first = path;
}

void BuildContext::needsReader(int minor, const std::string& path, std::string what)
{
    if (minor > newestMinor) {
        newestMinor = minor;
        newest = {};
        newestWhat = std::move(what);
    }
    if (minor == newestMinor)
        count(newest, path);
}

} // namespace cellfolio
