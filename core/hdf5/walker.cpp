// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/hdf5/walker.h"

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

struct Link {
    std::string name;
    H5L_type_t type = H5L_TYPE_ERROR;
    std::size_t valueSize = 0;
};

herr_t collectLink(hid_t, const char* name, const H5L_info_t* info, void* data)
{
    Link link;
    link.name = name;
    link.type = info->type;
    link.valueSize = info->type == H5L_TYPE_HARD ? 0 : info->u.val_size;
    static_cast<std::vector<Link>*>(data)->push_back(std::move(link));
    return 0;
}

// A soft link may lead to a path behind an external link; another file is never opened unasked.
herr_t refuseExternal(const char*, const char*, const char*, const char*, unsigned*, hid_t, void*)
{
    return -1;
}

class Walker
{
public:
    explicit Walker(hid_t file)
        : m_file(file),
          m_access(H5Pcreate(H5P_LINK_ACCESS), [](std::int64_t id) { return int(H5Pclose(id)); })
    {
        H5Pset_elink_cb(m_access.id(), refuseExternal, nullptr);
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
        walkGroup(group.id(), root);
        return root;
    }

private:
    void walkGroup(hid_t group, Object& object)
    {
        object.kind = ObjectKind::Group;
        object.attributes = readAttributes(group);
        m_open.push_back(object.address);
        std::vector<Link> links;
        const Handle plist(H5Gget_create_plist(group), [](std::int64_t id) { return int(H5Pclose(id)); });
        unsigned order = 0;
        if (plist)
            H5Pget_link_creation_order(plist.id(), &order);
        const H5_index_t by = (order & H5P_CRT_ORDER_TRACKED) != 0 ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
        hsize_t position = 0;
        if (H5Literate(group, by, H5_ITER_INC, &position, collectLink, &links) < 0)
            object.failure = takeErrorStack();
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

    void walkLink(hid_t group, const Link& link, Object& object)
    {
        if (link.type == H5L_TYPE_EXTERNAL || link.type == H5L_TYPE_SOFT) {
            std::vector<char> value(link.valueSize + 1, '\0');
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
            object.linkTarget = value.data();
        } else if (link.type != H5L_TYPE_HARD) {
            object.kind = ObjectKind::Damaged;
            object.failure = "a link of an unknown kind";
            return;
        }
        const Handle id(H5Oopen(group, link.name.c_str(), m_access.id()),
                        [](std::int64_t o) { return int(H5Oclose(o)); });
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
            known.array = std::make_shared<const ArrayInfo>(describeDataset(dataset));
            known.attributes = readAttributes(dataset);
        }
        object.array = known.array;
        object.attributes = known.attributes;
    }

    struct Known {
        std::shared_ptr<const ArrayInfo> array;
        std::vector<Attribute> attributes;
    };

    hid_t m_file;
    Handle m_access;
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

Object walk(std::int64_t file)
{
    return Walker(file).walkRoot();
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
