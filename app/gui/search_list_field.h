// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/views/search_field.h"

#include <QtCore/QPointer>

#include <vector>

class QListWidget;
class QListWidgetItem;

namespace cellfolio {

// A search box with a list of what was found below it: arrow down goes there, Enter takes the first,
// a click any, Esc closes it. What is looked for and where is up to who derives from it. UI thread.
class SearchListField : public SearchField
{
    Q_OBJECT
public:
    explicit SearchListField(const QString& placeholder, QWidget* parent = nullptr);
    ~SearchListField() override;

    struct Entry {
        QString text;
        QString detail;       // behind it, quieter
        bool heading = false; // says something and cannot be taken
    };
    const std::vector<Entry>& entries() const { return m_entries; }
    bool isListShown() const;
    QListWidget* list() const; // null until something was shown

Q_SIGNALS:
    void answered(); // a lookup has ended

protected:
    // Looks for a text that is not empty in the background; ends with setEntries() or refuse().
    virtual void look(const QString& text) = 0;
    virtual void forget() = 0; // the field is empty or off: no answer is wanted any more
    virtual bool isLooking() const = 0;
    virtual void take(int place) = 0; // of entries(); no heading

    // What Enter does with several: takes the first, or leaves the choice to the list.
    enum class OnEnter { TakeFirst, Ask };
    void setEntries(std::vector<Entry> entries, OnEnter onEnter = OnEnter::TakeFirst);
    void refuse(const QString& sentence);
    void hideList();

    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void begin(const QString& text);
    void enter();
    void showList();
    void pick(QListWidgetItem* item);
    int firstEntry() const;

    std::vector<Entry> m_entries;
    OnEnter m_onEnter = OnEnter::TakeFirst;
    QPointer<QListWidget> m_list; // of the window, which may go first
    QString m_lookedFor;
    bool m_entered = false; // Enter was pressed before the answer came
};

} // namespace cellfolio
