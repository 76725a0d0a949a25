// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGui/QIcon>
#include <QtWidgets/QFrame>

#include <vector>

class QListView;
class QStandardItemModel;
class QSortFilterProxyModel;

namespace cellfolio {

class SearchField;

// A list with a search box above it, in a small window that closes when something is picked or the
// user looks elsewhere: columns, actions, files. Typing narrows it, arrows move, Enter picks.
class SearchPopup : public QFrame
{
    Q_OBJECT
public:
    struct Entry {
        QString text;
        QString detail; // at the right: a key, a type
        QIcon icon;
        int value = 0;  // what picked() says
        bool enabled = true;
    };

    SearchPopup(const QString& placeholder, QWidget* parent);

    void setEntries(std::vector<Entry> entries);
    void setCurrentValue(int value);
    void showBelow(QWidget* anchor);
    void showOver(QWidget* window); // in the upper middle of it
    int shownCount() const;

Q_SIGNALS:
    void picked(int value);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void filter(const QString& text);
    void pickCurrent();

    SearchField* m_field = nullptr;
    QListView* m_list = nullptr;
    QStandardItemModel* m_model = nullptr;
    QSortFilterProxyModel* m_filter = nullptr;
};

} // namespace cellfolio
