// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/query/kept_views.h"
#include "widgets/bridge/latest.h"
#include "widgets/bridge/model_context.h"
#include "widgets/models/view_model.h"

#include <QtCore/QObject>
#include <QtCore/QStringList>

#include <memory>
#include <vector>

namespace cellfolio {

// The views that are kept for the file of a ViewModel, outside of it: keeping, showing, combining,
// removing. Also makes them known to expressions as selection("NAME"). UI thread only; documents
// are read and written in the background.
class KeptViewList : public QObject
{
    Q_OBJECT
public:
    KeptViewList(ModelContext context, ViewModel& view, QObject* parent = nullptr);

    // Another file; null: none.
    void setDataset(std::shared_ptr<const Dataset> dataset);
    void refresh(); // look again: other programs keep views as well
    const std::vector<KeptEntry>& entries() const { return m_entries; }
    QStringList names() const;
    bool has(const QString& name) const;

    // Keeps what is shown now, in the place of one of that name.
    void keep(const QString& name);
    void remove(const QString& name);
    // Under another name; filters that speak of it follow.
    void rename(const QString& from, const QString& to);
    // Shows the view: its cells and its genes, and nothing else.
    void show(const QString& name);
    // Set algebra between the cells shown and those of a kept view.
    enum class Combine { And, Or, Without };
    void combine(const QString& name, Combine how, Axis axis = Axis::Obs);
    // The kept view that is shown as it is; empty: none.
    QString shownName() const;
    bool isBusy() const { return m_work.isBusy() || m_listing.isBusy(); }

    // The folder of the views; for tests.
    void setStore(KeptViews store);

Q_SIGNALS:
    void changed();                       // names()
    void said(const QString& sentence);   // what was done, or lost
    void failed(const cellfolio::Error& error);

private:
    QString selectionOf(const QString& name) const;
    QString rule(Axis axis) const;
    void follow(const QString& from, const QString& to);

    ModelContext m_context;
    ViewModel& m_view;
    std::shared_ptr<const Dataset> m_dataset;
    KeptViews m_store;
    std::vector<KeptEntry> m_entries;
    Latest m_listing;
    Latest m_work;
};

} // namespace cellfolio
