// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hdf5/walker.h"

#include "core/base/text.h"
#include "core/hdf5/attributes.h"
#include "core/hdf5/handle.h"
#include "core/hdf5/stored_type.h"

#include <hdf5.h>

#include <algorithm>
#include <map>
#include <unordered_map>

namespace cellfolio::hdf5 {

namespace {

// A file can hold groups that hold each other many times over; no honest file has this many links.
constexpr std::size_t kMostObjects = 2'000'000;
constexpr std::size_t kDeepest = 512;
constexpr int kMostSoftLinks = 16; // one leading to the next; the library's own limit

struct Link {
    std::string name;
    H5L_type_t type = H5L_TYPE_ERROR;
    std::size_t valueSize = 0;
    std::int64_t created = 0;  // rank among the group's links, where tracked
    std::uint64_t address = 0; // hard links
    std::string target;        // soft links of a group whose tables are damaged
};

herr_t collectLink(hid_t, const char* name, const H5L_info_t* info, void* data)
{
    Link link;
    link.name = name;
    link.type = info->type;
    link.valueSize = info->type == H5L_TYPE_HARD ? 0 : info->u.val_size;
    link.created = info->corder_valid ? info->corder : 0;
    link.address = info->type == H5L_TYPE_HARD ? info->u.address : 0;
    static_cast<std::vector<Link>*>(data)->push_back(std::move(link));
    return 0;
}

class Walker
{
public:
    Walker(hid_t file, const RawFile& raw, StructureCheck& check)
        : m_file(file), m_raw(raw), m_check(check)
    {
    }

    Object walkRoot()
    {
        Object root;
        root.name = "/";
        root.path = "/";
        const Handle group(H5Gopen2(m_file, "/", H5P_DEFAULT), [](std::int64_t id) { return int(H5Gclose(id)); });
        if (!group) {
            root.kind = ObjectKind::Damaged;
            root.failure = takeErrorStack();
            return root;
        }
        H5O_info_t info;
        if (H5Oget_info2(group.id(), &info, H5O_INFO_BASIC) >= 0)
            root.address = info.addr;
        m_root = root.address;
        walkGroup(group.id(), root);
        return root;
    }

private:
    void walkGroup(hid_t group, Object& object)
    {
        object.kind = ObjectKind::Group;
        object.attributes = readAttributes(group, object.address, m_raw);
        m_open.push_back(object.address);
        const std::vector<Link> links = linksOf(group, object);
        object.children.reserve(links.size());
        for (const Link& link : links) {
            if (++m_count > kMostObjects)
                break;
            auto child = std::make_unique<Object>();
            child->name = link.name;
            child->path = object.path == "/" ? "/" + link.name : object.path + "/" + link.name;
            walkLink(group, link, *child);
            object.children.push_back(std::move(child));
        }
        m_open.pop_back();
    }

    std::vector<Link> linksOf(hid_t group, Object& object)
    {
        std::vector<Link> links;
        if (auto old = m_check.group(object.address); old && !old->failure.empty()) {
            object.failure = old->failure;
            for (FoundLink& found : old->links) {
                Link link;
                link.name = std::move(found.name);
                link.type = found.softTarget.empty() ? H5L_TYPE_HARD : H5L_TYPE_SOFT;
                link.address = found.address;
                link.target = std::move(found.softTarget);
                links.push_back(std::move(link));
            }
            return links;
        }
        const Handle plist(H5Gget_create_plist(group), [](std::int64_t id) { return int(H5Pclose(id)); });
        unsigned order = 0;
        if (plist)
            H5Pget_link_creation_order(plist.id(), &order);
        const bool byCreation = (order & H5P_CRT_ORDER_TRACKED) != 0;
        // In the order of the file, sorted here: to sort, the library makes a table, which it takes
        // apart wrongly when an entry of it could not be read.
        hsize_t position = 0;
        if (H5Literate(group, byCreation ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME, H5_ITER_NATIVE, &position,
                       collectLink, &links) < 0)
            object.failure = takeErrorStack();
        std::stable_sort(links.begin(), links.end(), [&](const Link& a, const Link& b) {
            return byCreation && a.created != b.created ? a.created < b.created : a.name < b.name;
        });
        return links;
    }

    // The address that a soft link leads to, each step checked before the library takes it; none:
    // nothing is there, it leads out of the file, or something on the way is damaged.
    std::optional<std::uint64_t> follow(std::string_view target, std::uint64_t from, std::string& failure,
                                        int depth = 0)
    {
        std::uint64_t place = target.starts_with('/') ? m_root : from;
        if (depth > kMostSoftLinks)
            return std::nullopt;
        for (const std::string& name : splitPath(target)) {
            if (name == ".")
                continue;
            const auto old = m_check.group(place);
            failure = m_check.object(place);
            if (failure.empty() && old)
                failure = old->failure;
            if (!failure.empty())
                return std::nullopt;
            const Handle group = openAt(place);
            H5L_info_t info;
            if (H5Lexists(group.id(), name.c_str(), H5P_DEFAULT) <= 0
                || H5Lget_info(group.id(), name.c_str(), &info, H5P_DEFAULT) < 0)
                return std::nullopt;
            if (info.type == H5L_TYPE_HARD) {
                place = info.u.address;
                continue;
            }
            if (info.type != H5L_TYPE_SOFT)
                return std::nullopt;
            std::vector<char> value(info.u.val_size + 1, '\0');
            if (H5Lget_val(group.id(), name.c_str(), value.data(), info.u.val_size, H5P_DEFAULT) < 0)
                return std::nullopt;
            const auto further = follow(value.data(), place, failure, depth + 1);
            if (!further)
                return std::nullopt;
            place = *further;
        }
        return place;
    }

    Handle openAt(std::uint64_t address)
    {
        return Handle(H5Oopen_by_addr(m_file, address), [](std::int64_t o) { return int(H5Oclose(o)); });
    }

    void walkLink(hid_t group, const Link& link, Object& object)
    {
        std::uint64_t address = link.address;
        if (link.type == H5L_TYPE_EXTERNAL || link.type == H5L_TYPE_SOFT) {
            std::vector<char> value(link.valueSize + 1, '\0');
            if (link.target.empty())
                H5Lget_val(group, link.name.c_str(), value.data(), link.valueSize, H5P_DEFAULT);
            if (link.type == H5L_TYPE_EXTERNAL) {
                object.kind = ObjectKind::External;
                const char* file = nullptr;
                const char* target = nullptr;
                unsigned flags = 0;
                if (H5Lunpack_elink_val(value.data(), link.valueSize, &flags, &file, &target) >= 0) {
                    object.linkFile = file ? file : "";
                    object.linkTarget = target ? target : "";
                }
                return;
            }
            object.soft = true;
            object.linkTarget = link.target.empty() ? std::string(value.data()) : link.target;
            const auto found = follow(object.linkTarget, m_open.back(), object.failure);
            if (!found) {
                object.kind = object.failure.empty() ? ObjectKind::Dangling : ObjectKind::Damaged;
                if (object.failure.empty())
                    object.failure = takeErrorStack();
                return;
            }
            address = *found;
        } else if (link.type != H5L_TYPE_HARD) {
            object.kind = ObjectKind::Damaged;
            object.failure = "a link of an unknown kind";
            return;
        }
        if (const std::string& failure = m_check.object(address); !failure.empty()) {
            object.kind = ObjectKind::Damaged;
            object.address = address;
            object.failure = failure;
            return;
        }
        const Handle id = openAt(address);
        if (!id) {
            object.kind = object.soft ? ObjectKind::Dangling : ObjectKind::Damaged;
            object.failure = takeErrorStack();
            return;
        }
        H5O_info_t info;
        if (H5Oget_info2(id.id(), &info, H5O_INFO_BASIC) < 0) {
            object.kind = ObjectKind::Damaged;
            object.failure = takeErrorStack();
            return;
        }
        object.address = info.addr;
        switch (info.type) {
        case H5O_TYPE_GROUP:
            if (std::find(m_open.begin(), m_open.end(), object.address) != m_open.end()
                || m_open.size() >= kDeepest) {
                object.kind = ObjectKind::Cycle;
                return;
            }
            walkGroup(id.id(), object);
            return;
        case H5O_TYPE_DATASET:
            describe(id.id(), object);
            return;
        case H5O_TYPE_NAMED_DATATYPE:
            object.kind = ObjectKind::NamedType;
            return;
        default:
            object.kind = ObjectKind::Damaged;
            object.failure = "an object of an unknown kind";
        }
    }

    // Thousands of links may lead to one dataset: it is described once.
    void describe(hid_t dataset, Object& object)
    {
        object.kind = ObjectKind::Dataset;
        auto& known = m_datasets[object.address];
        if (!known.array) {
            known.array = std::make_shared<const ArrayInfo>(
                describeDataset(dataset, static_cast<Index>(m_raw.heapReferenceSize())));
            known.attributes = readAttributes(dataset, object.address, m_raw);
        }
        object.array = known.array;
        object.attributes = known.attributes;
    }

    struct Known {
        std::shared_ptr<const ArrayInfo> array;
        std::vector<Attribute> attributes;
    };

    hid_t m_file;
    const RawFile& m_raw;
    StructureCheck& m_check;
    std::uint64_t m_root = 0;
    std::vector<std::uint64_t> m_open; // addresses of the groups around the current link
    std::unordered_map<std::uint64_t, Known> m_datasets;
    std::size_t m_count = 0;
};

herr_t collectError(unsigned, const H5E_error2_t* error, void* data)
{
    auto& text = *static_cast<std::string*>(data);
    if (error->desc && *error->desc) {
        if (!text.empty())
            text += "; ";
        text += error->desc;
    }
    return 0;
}

} // namespace

Object walk(std::int64_t file, const RawFile& raw, StructureCheck& check)
{
    return Walker(file, raw, check).walkRoot();
}

std::string takeErrorStack()
{
    std::string text;
    // The innermost entries come first; three of them tell the cause.
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, collectError, &text);
    H5Eclear2(H5E_DEFAULT);
    std::size_t end = 0;
    for (int i = 0; i < 3 && end != std::string::npos; ++i)
        end = text.find("; ", end == 0 ? 0 : end + 2);
    return end == std::string::npos ? text : text.substr(0, end);
}

} // namespace cellfolio::hdf5
