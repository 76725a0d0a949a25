// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/element.h"

#include <QtCore/QObject>
#include <QtCore/QString>

#include <map>

class QToolButton;

namespace cellfolio {

class TableTab;
class ViewModel;
struct HeaderBox;
struct StepProblem;

// The filter boxes of a table: what is written under a column becomes the step of that column in
// the view, and what happens to that step elsewhere shows in the box.
class ColumnBoxes : public QObject
{
    Q_OBJECT
public:
    ColumnBoxes(ViewModel& view, Axis axis, TableTab& table);

    void setShown(bool shown); // kept in the settings, for all tables
    bool isShown() const;
    // The step origin of a column's box; null: of the names.
    static QString originOf(const Element* column);

private:
    HeaderBox describe(int column) const;
    void edited(int column, const QString& text);
    void failed(const StepProblem& problem);
    void changed(Axis axis);
    void refresh();
    const Element* elementOf(int column) const;

    ViewModel& m_view;
    Axis m_axis;
    TableTab& m_table;
    QToolButton* m_button = nullptr;
    std::map<QString, int> m_steps;       // of each box that was written in
    std::map<QString, QString> m_written; // and not applied yet
    std::map<QString, QString> m_refused; // why
};

} // namespace cellfolio
