// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/matrix/holds.h"

#include <QtCore/QAbstractItemModel>
#include <QtCore/QHash>

#include <memory>
#include <unordered_map>
#include <vector>

namespace cellfolio {

// One small label beside an element's name.
struct StructureChip {
    enum class Tone { Neutral, Warning, Error };
    QString text; // "log1p", "unsorted", "damaged"
    Tone tone = Tone::Neutral;
};

// Every element of a data set as a tree: the file, its slots in the usual order, their members.
// Nodes are made when a branch is first looked at, so a uns of thousands of entries costs nothing
// closed. What has to be read (what a matrix holds, bytes on disk) is told later by setHolds() and
// setStoredBytes(). UI thread only; never touches the disk.
class StructureModel : public QAbstractItemModel
{
    Q_OBJECT
public:
    enum Role {
        ElementRole = Qt::UserRole + 1, // const Element*, as void*
        IconRole,                       // name of a bundled icon
        BriefRole,                      // what stands at the right
        ChipsRole,                      // QList<StructureChip>
        SizeRole,                       // bytes on disk of matrices and arrays as text; empty while not known
        StrongRole,                     // true for the file itself
        PathRole,
    };

    explicit StructureModel(QObject* parent = nullptr);
    ~StructureModel() override;

    // `root`: the branch to show, null for the whole file.
    void setDataset(std::shared_ptr<const Dataset> dataset, const Element* root = nullptr);
    const std::shared_ptr<const Dataset>& dataset() const { return m_dataset; }

    void setHolds(const std::string& path, const HoldsResult& holds);
    const HoldsResult* holdsOf(const std::string& path) const;
    void setStoredBytes(const std::string& path, Index bytes);
    std::optional<Index> storedBytesOf(const std::string& path) const;

    const Element* elementAt(const QModelIndex& index) const;
    // Opens branches as needed; invalid where there is none of that path.
    QModelIndex indexOf(const Element* element);

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    bool hasChildren(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    struct Node;
    Node* nodeAt(const QModelIndex& index) const;
    void grow(Node& node) const;
    QList<StructureChip> chipsOf(const Element& element) const;
    QString briefWithSize(const Element& element) const;
    QString toolTipOf(const Element& element) const;
    void announceAt(const std::string& path);

    std::shared_ptr<const Dataset> m_dataset;
    std::unique_ptr<Node> m_root; // invisible; its one child is the file
    std::unordered_map<std::string, HoldsResult> m_holds;
    std::unordered_map<std::string, Index> m_bytes;
    std::unordered_map<std::string, QList<StructureChip>> m_marks; // from findings
};

} // namespace cellfolio

Q_DECLARE_METATYPE(cellfolio::StructureChip)
