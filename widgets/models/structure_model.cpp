// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/structure_model.h"

#include "widgets/bridge/cell_format.h"
#include "widgets/models/element_text.h"

#include <algorithm>
#include <array>

namespace cellfolio {

using namespace Qt::StringLiterals;

struct StructureModel::Node {
    const Element* element = nullptr;
    Node* parent = nullptr;
    int row = 0;
    bool grown = false;
    std::vector<std::unique_ptr<Node>> children;
};

namespace {

// The order in which people think of a file, whatever its links' order is.
int rankOf(const Element& element)
{
    static constexpr std::array names{"X",    "layers", "obs",  "var",  "obsm",
                                      "varm", "obsp",   "varp", "uns", "raw"};
    const auto found = std::find(names.begin(), names.end(), element.name);
    return static_cast<int>(found - names.begin());
}

std::vector<const Element*> membersOf(const Element& element)
{
    std::vector<const Element*> members;
    members.reserve(element.children.size());
    for (const auto& child : element.children)
        members.push_back(child.get());
    if (element.path.empty() || element.kind == ElementKind::Mapping)
        std::stable_sort(members.begin(), members.end(), [&](const Element* a, const Element* b) {
            return element.path.empty() && rankOf(*a) < rankOf(*b);
        });
    return members;
}

} // namespace

StructureModel::StructureModel(QObject* parent) : QAbstractItemModel(parent) {}

StructureModel::~StructureModel() = default;

void StructureModel::setDataset(std::shared_ptr<const Dataset> dataset, const Element* root)
{
    beginResetModel();
    m_dataset = std::move(dataset);
    m_holds.clear();
    m_bytes.clear();
    m_marks.clear();
    m_root = std::make_unique<Node>();
    m_root->grown = true;
    if (m_dataset) {
        auto file = std::make_unique<Node>();
        file->element = root != nullptr ? root : &m_dataset->root();
        file->parent = m_root.get();
        m_root->children.push_back(std::move(file));
        for (const Finding& finding : m_dataset->findings()) {
            if (finding.severity == Severity::Error)
                m_marks[finding.element] = {{u"damaged"_s, StructureChip::Tone::Error}};
            else if (finding.message.find("not sorted") != std::string::npos
                     || finding.message.find("unsorted") != std::string::npos)
                m_marks[finding.element] = {{u"unsorted"_s, StructureChip::Tone::Warning}};
        }
    }
    endResetModel();
}

void StructureModel::setHolds(const std::string& path, const HoldsResult& holds)
{
    m_holds[path] = holds;
    announceAt(path);
}

const HoldsResult* StructureModel::holdsOf(const std::string& path) const
{
    const auto found = m_holds.find(path);
    return found == m_holds.end() ? nullptr : &found->second;
}

void StructureModel::setStoredBytes(const std::string& path, Index bytes)
{
    m_bytes[path] = bytes;
    announceAt(path);
}

std::optional<Index> StructureModel::storedBytesOf(const std::string& path) const
{
    const auto found = m_bytes.find(path);
    return found == m_bytes.end() ? std::nullopt : std::optional(found->second);
}

void StructureModel::announceAt(const std::string& path)
{
    if (!m_dataset)
        return;
    const auto element = m_dataset->find(path);
    if (!element)
        return;
    if (const QModelIndex index = indexOf(*element); index.isValid())
        Q_EMIT dataChanged(index, index);
}

StructureModel::Node* StructureModel::nodeAt(const QModelIndex& index) const
{
    return index.isValid() ? static_cast<Node*>(index.internalPointer()) : m_root.get();
}

// Making nodes is no change of the model: their number was already known.
void StructureModel::grow(Node& node) const
{
    if (node.grown || node.element == nullptr)
        return;
    node.grown = true;
    for (const Element* member : membersOf(*node.element)) {
        auto child = std::make_unique<Node>();
        child->element = member;
        child->parent = &node;
        child->row = static_cast<int>(node.children.size());
        node.children.push_back(std::move(child));
    }
}

const Element* StructureModel::elementAt(const QModelIndex& index) const
{
    return index.isValid() ? nodeAt(index)->element : nullptr;
}

QModelIndex StructureModel::indexOf(const Element* element)
{
    if (!m_root || m_root->children.empty() || element == nullptr)
        return {};
    std::vector<const Element*> way;
    const Element* top = m_root->children.front()->element;
    for (const Element* step = element; step != nullptr && step != top; step = step->parent)
        way.push_back(step);
    Node* node = m_root->children.front().get();
    for (auto step = way.rbegin(); step != way.rend(); ++step) {
        grow(*node);
        const auto found = std::find_if(node->children.begin(), node->children.end(),
                                        [&](const auto& child) { return child->element == *step; });
        if (found == node->children.end())
            return {};
        node = found->get();
    }
    if (node->element != element)
        return {};
    return createIndex(node->row, 0, node);
}

QModelIndex StructureModel::index(int row, int column, const QModelIndex& parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    Node* node = nodeAt(parent);
    grow(*node);
    return createIndex(row, column, node->children[static_cast<std::size_t>(row)].get());
}

QModelIndex StructureModel::parent(const QModelIndex& child) const
{
    if (!child.isValid())
        return {};
    Node* parent = nodeAt(child)->parent;
    return parent == nullptr || parent == m_root.get() ? QModelIndex()
                                                       : createIndex(parent->row, 0, parent);
}

int StructureModel::rowCount(const QModelIndex& parent) const
{
    if (parent.column() > 0 || !m_root)
        return 0;
    const Node* node = nodeAt(parent);
    return static_cast<int>(node->element != nullptr ? node->element->children.size()
                                                     : node->children.size());
}

int StructureModel::columnCount(const QModelIndex&) const
{
    return 1;
}

bool StructureModel::hasChildren(const QModelIndex& parent) const
{
    return rowCount(parent) > 0;
}

QVariant StructureModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Element& element = *nodeAt(index)->element;
    switch (role) {
    case Qt::DisplayRole:
        return element.path.empty() ? fileNameOf(*m_dataset) : toQString(element.name);
    case Qt::ToolTipRole: return toolTipOf(element);
    case Qt::AccessibleTextRole: {
        QStringList parts{element.path.empty() ? fileNameOf(*m_dataset) : toQString(element.name)};
        for (const StructureChip& chip : chipsOf(element))
            parts.append(chip.text);
        parts.append(briefOf(element));
        return parts.join(u", "_s);
    }
    case ElementRole:
        return QVariant::fromValue(const_cast<void*>(static_cast<const void*>(&element)));
    case IconRole: return iconOf(element);
    case BriefRole: return briefWithSize(element);
    case ChipsRole: return QVariant::fromValue(chipsOf(element));
    case SizeRole: {
        // Columns are many and small: their sizes stand in the tooltip and the details.
        const bool large = element.kind == ElementKind::Matrix || element.kind == ElementKind::Array;
        const auto bytes = large ? storedBytesOf(element.path) : std::nullopt;
        return bytes ? sizeText(*bytes) : QString();
    }
    case StrongRole: return element.path.empty();
    case PathRole: return pathOf(element);
    default: return {};
    }
}

QString StructureModel::briefWithSize(const Element& element) const
{
    if (element.path.empty())
        return sizeText(m_dataset->file().size());
    return briefOf(element);
}

QList<StructureChip> StructureModel::chipsOf(const Element& element) const
{
    QList<StructureChip> chips;
    if (const HoldsResult* holds = holdsOf(element.path)) {
        if (holds->holds != Holds::Unknown && holds->holds != Holds::Other)
            chips.append({toQString(nameOf(holds->holds)), StructureChip::Tone::Neutral});
    }
    if (!element.readable) {
        const bool damaged = element.whyNot && element.whyNot->code() == ErrorCode::Corrupt;
        chips.append({damaged ? u"damaged"_s : u"not readable"_s,
                      damaged ? StructureChip::Tone::Error : StructureChip::Tone::Warning});
    } else if (const auto marks = m_marks.find(element.path);
               marks != m_marks.end() && !element.path.empty()) {
        chips.append(marks->second);
    }
    return chips;
}

QString StructureModel::toolTipOf(const Element& element) const
{
    QStringList lines{element.path.empty() ? toQString(m_dataset->location()) : pathOf(element),
                      storedAs(element)};
    if (element.path.empty())
        lines.removeLast();
    if (element.shape && !element.shape->empty())
        lines.append(shapeText(*element.shape));
    if (const HoldsResult* holds = holdsOf(element.path))
        lines.append(toQString(holds->text()) + (holds->exact ? QString() : u" (from a sample)"_s));
    if (const auto bytes = storedBytesOf(element.path))
        lines.append(sizeText(*bytes) + u" on disk"_s);
    if (element.whyNot)
        lines.append(errorText(*element.whyNot));
    return lines.join(u'\n');
}

} // namespace cellfolio
