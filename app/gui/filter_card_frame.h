// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/gui/card_body.h"

#include <QtWidgets/QFrame>

class QLabel;
class QMenu;
class QToolButton;

namespace cellfolio {

class ElidedLabel;

// A filter card: a head with its name, its state in words, an eye that switches it off, a menu and a
// cross; below it the body, which can be folded away.
class FilterCardFrame : public QFrame
{
    Q_OBJECT
public:
    // Takes over the body.
    FilterCardFrame(CardBody* body, QWidget* parent = nullptr);

    void setCard(const FilterCard& card);
    const FilterCard& card() const { return m_card; }
    CardBody* body() const { return m_body; }
    void setFolded(bool folded);
    bool isFolded() const;
    void fillMenu(QMenu& menu);

    QToolButton* eye() const { return m_eye; }
    QToolButton* cross() const { return m_cross; }
    QString nameText() const;
    QString stateText() const;
    QString problemText() const;

    // "tag", "chart-histogram", "helix" …
    static QString iconOf(const FilterCard& card);
    // What a card is called where there is one line for it.
    static QString nameOf(const FilterCard& card);

Q_SIGNALS:
    void removeRequested();
    void enableRequested(bool enabled);
    void ruleEdited(const cellfolio::FilterRule& rule);
    void folded();

protected:
    void contextMenuEvent(QContextMenuEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void showWords();
    void showIcons();

    FilterCard m_card;
    CardBody* m_body = nullptr;
    QWidget* m_head = nullptr;
    QToolButton* m_fold = nullptr;
    QLabel* m_icon = nullptr;
    ElidedLabel* m_name = nullptr;
    ElidedLabel* m_state = nullptr;
    QToolButton* m_eye = nullptr;
    QToolButton* m_more = nullptr;
    QToolButton* m_cross = nullptr;
    QLabel* m_problem = nullptr;
};

} // namespace cellfolio
