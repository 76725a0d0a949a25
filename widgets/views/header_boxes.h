// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

#include <functional>
#include <map>

class QLineEdit;

namespace cellfolio
{

class PagedTableView;

// What a filter box under the head of a column shows.
struct HeaderBox {
    QString text;        // applied
    QString placeholder; // what it understands
    QString toolTip;
    QString refused; // why the last text was not applied; empty: it was
    QString name;    // for screen readers: "Filter n_genes"
    bool enabled = true;
};

// The row of filter boxes between the heads and the rows of a PagedTableView. Made and placed by
// the view; boxes exist only for columns that are seen. A box waits 200 ms after the last key
// before it says edited(); Enter says it at once, Tab goes to the next box, Esc empties it, Down
// goes to the rows.
class HeaderBoxes : public QWidget
{
    Q_OBJECT
public:
    using Describe = std::function<HeaderBox(int column)>;

    HeaderBoxes(PagedTableView* view, Describe describe);
    ~HeaderBoxes() override;

    // Something that boxes show has changed. A box that is being written in keeps its text.
    void refresh();
    void place(); // by the view
    QLineEdit* box(int column) const; // null: the column is not seen
    void focusBox(int column);

Q_SIGNALS:
    void edited(int column, const QString& text);

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void timerEvent(QTimerEvent* event) override;

private:
    struct Entry {
        QLineEdit* edit = nullptr;
        int timer = 0;
        QString announced;
    };
    void make(int column);
    void describe(int column, Entry& entry);
    void announce(int column);
    int columnOf(const QObject* edit) const;

    PagedTableView* m_view;
    Describe m_describe;
    QWidget* m_room;
    std::map<int, Entry> m_entries;
};

} // namespace cellfolio
