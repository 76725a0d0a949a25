// SPDX-License-Identifier: GPL-3.0-or-later
// Arrays and attributes of new files.
#include "core/hdf5/hdf5_thread.h"
#include "core/hdf5/output_state.h"

#include <hdf5.h>

#include <algorithm>
#include <type_traits>

namespace cellfolio::hdf5 {

namespace {

// Texts written at once: the library makes room for the reference of each.
constexpr std::size_t kTextWindow = std::size_t{1} << 14;

int closeSpace(std::int64_t id)
{
    return H5Sclose(id);
}

std::vector<const char*> pointersTo(std::span<const std::string> texts)
{
    std::vector<const char*> pointers;
    pointers.reserve(texts.size());
    for (const std::string& text : texts)
        pointers.push_back(text.c_str());
    return pointers;
}

} // namespace

Result<void> writeAttribute(std::int64_t object, const std::string& name, const AttributeValue& value)
{
    struct Content {
        DType type;
        std::optional<std::size_t> count; // none: one value, not a list
        const void* data;
    };
    std::vector<const char*> pointers;
    const std::int8_t yes = std::holds_alternative<bool>(value) && std::get<bool>(value) ? 1 : 0;
    static constexpr double kNothing = 0;
    const Content content = std::visit(
        Overloaded{
            [&](const std::string& text) {
                pointers = pointersTo({&text, 1});
                return Content{DType::String, std::nullopt, pointers.data()};
            },
            [&](const std::vector<std::string>& texts) {
                pointers = pointersTo(texts);
                return texts.empty() ? Content{DType::Float64, 0, &kNothing}
                                     : Content{DType::String, texts.size(), pointers.data()};
            },
            [&](bool) {
                return Content{DType::Bool, std::nullopt, &yes};
            },
            [&](const std::int64_t& number) {
                return Content{DType::Int64, std::nullopt, &number};
            },
            [&](const std::vector<std::int64_t>& numbers) {
                return Content{DType::Int64, numbers.size(), numbers.data()};
            },
            [&](const double& number) {
                return Content{DType::Float64, std::nullopt, &number};
            }},
        value);
    const Handle type = newFileType(content.type);
    const hsize_t count = content.count.value_or(1);
    const Handle space(content.count ? H5Screate_simple(1, &count, nullptr) : H5Screate(H5S_SCALAR),
                       closeSpace);
    if (H5Aexists(object, name.c_str()) > 0)
        H5Adelete(object, name.c_str());
    const Handle attribute(
        H5Acreate2(object, name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT),
        [](std::int64_t id) { return int(H5Aclose(id)); });
    if (!attribute || (count > 0 && H5Awrite(attribute.id(), type.id(), content.data) < 0))
        return outputError("writing attribute " + name);
    return {};
}

const ArrayInfo& OutputArray::info() const noexcept
{
    return m_state->info;
}

const std::string& OutputArray::path() const noexcept
{
    return m_state->path;
}

Result<void> OutputArray::write(const std::vector<Index>& start, const std::vector<Index>& count,
                                std::span<const std::byte> values) const
{
    if (std::find(count.begin(), count.end(), 0) != count.end())
        return {};
    return Hdf5Thread::instance().call(Lane::Bulk, [&]() -> Result<void> {
        const hid_t dataset = m_state->dataset.id();
        const Handle type(H5Dget_type(dataset), [](std::int64_t id) { return int(H5Tclose(id)); });
        const Handle file(H5Dget_space(dataset), closeSpace);
        Handle memory;
        bool fine = true;
        if (!count.empty()) {
            const std::vector<hsize_t> from(start.begin(), start.end());
            const std::vector<hsize_t> length(count.begin(), count.end());
            fine = H5Sselect_hyperslab(file.id(), H5S_SELECT_SET, from.data(), nullptr, length.data(), nullptr) >= 0;
            memory = Handle(H5Screate_simple(static_cast<int>(length.size()), length.data(), nullptr), closeSpace);
        }
        const hid_t memoryId = count.empty() ? hid_t{H5S_ALL} : memory.id();
        fine = fine && H5Dwrite(dataset, type.id(), memoryId, count.empty() ? hid_t{H5S_ALL} : file.id(),
                                H5P_DEFAULT, values.data()) >= 0;
        if (auto sound = m_file->check(); !sound)
            return sound;
        return fine ? Result<void>() : outputError("writing " + m_state->path);
    });
}

Result<void> OutputArray::writeTexts(Index first, std::span<const std::string> texts) const
{
    for (std::size_t i = 0; i < texts.size(); ++i)
        if (texts[i].find('\0') != std::string::npos)
            return Error(ErrorCode::Refused, "Text " + std::to_string(first + static_cast<Index>(i)) + " of "
                                                 + m_state->path + " holds a NUL, which no file of this kind can.")
                .at(m_state->path.substr(1))
                .rule("A025");
    const std::size_t rank = m_state->info.shape.size();
    for (std::size_t done = 0; done < texts.size();) {
        const std::span<const std::string> window = texts.subspan(done, std::min(kTextWindow, texts.size() - done));
        auto written = Hdf5Thread::instance().call(Lane::Bulk, [&]() -> Result<void> {
            const std::vector<const char*> pointers = pointersTo(window);
            const hid_t dataset = m_state->dataset.id();
            const Handle type(H5Dget_type(dataset), [](std::int64_t id) { return int(H5Tclose(id)); });
            const Handle file(H5Dget_space(dataset), closeSpace);
            const hsize_t from = static_cast<hsize_t>(first) + done;
            const hsize_t length = window.size();
            bool fine = true;
            Handle memory(rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &length, nullptr), closeSpace);
            if (rank == 1) {
                fine = H5Sselect_hyperslab(file.id(), H5S_SELECT_SET, &from, nullptr, &length, nullptr) >= 0;
            } else if (rank > 1) {
                // Places row-major: only ever few texts.
                std::vector<hsize_t> places;
                for (hsize_t k = 0; k < length; ++k) {
                    hsize_t rest = from + k;
                    std::vector<hsize_t> place(rank);
                    for (std::size_t d = rank; d-- > 0;) {
                        place[d] = rest % static_cast<hsize_t>(m_state->info.shape[d]);
                        rest /= static_cast<hsize_t>(m_state->info.shape[d]);
                    }
                    places.insert(places.end(), place.begin(), place.end());
                }
                fine = H5Sselect_elements(file.id(), H5S_SELECT_SET, window.size(), places.data()) >= 0;
            }
            fine = fine && H5Dwrite(dataset, type.id(), memory.id(), file.id(), H5P_DEFAULT, pointers.data()) >= 0;
            if (auto sound = m_file->check(); !sound)
                return sound;
            return fine ? Result<void>() : outputError("writing " + m_state->path);
        });
        if (!written)
            return written;
        done += window.size();
    }
    return {};
}

Result<void> OutputArray::writeChunk(const std::vector<Index>& offset, std::span<const std::byte> stored,
                                     unsigned filterMask) const
{
    return Hdf5Thread::instance().call(Lane::Bulk, [&]() -> Result<void> {
        const std::vector<hsize_t> place(offset.begin(), offset.end());
        const bool fine = H5Dwrite_chunk(m_state->dataset.id(), H5P_DEFAULT, filterMask, place.data(),
                                         stored.size(), stored.data()) >= 0;
        if (auto sound = m_file->check(); !sound)
            return sound;
        return fine ? Result<void>() : outputError("writing a chunk of " + m_state->path);
    });
}

Result<void> OutputArray::resize(const std::vector<Index>& shape)
{
    return Hdf5Thread::instance().call(Lane::Bulk, [&]() -> Result<void> {
        const std::vector<hsize_t> extent(shape.begin(), shape.end());
        const bool fine = H5Dset_extent(m_state->dataset.id(), extent.data()) >= 0;
        if (auto sound = m_file->check(); !sound)
            return sound;
        if (!fine)
            return outputError("resizing " + m_state->path);
        m_state->info.shape = shape;
        return {};
    });
}

Result<void> OutputArray::setAttribute(const std::string& name, const AttributeValue& value) const
{
    return Hdf5Thread::instance().call(Lane::Bulk, [&]() -> Result<void> {
        if (auto written = writeAttribute(m_state->dataset.id(), name, value); !written)
            return written;
        return m_file->check();
    });
}

} // namespace cellfolio::hdf5
