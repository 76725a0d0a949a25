// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/card_figures.h"
#include "widgets/models/filter_cards.h"

#include <QtWidgets/QWidget>

namespace cellfolio {

// What lies below the head of a filter card: the part that is different for each kind of rule.
// Shows a card and says what its rule shall be; never changes the view by itself.
class CardBody : public QWidget
{
    Q_OBJECT
public:
    using QWidget::QWidget;

    virtual void setCard(const FilterCard& card) = 0;
    // Of the card's subject, as far as they are known.
    virtual void setFigures(const CardFigures& figures) { Q_UNUSED(figures) }
    // The state in words for the head: "9 of 10".
    virtual QString words() const = 0;
    // Whether everything it shows has come, for pictures and tests.
    virtual bool isSettled() const { return true; }

Q_SIGNALS:
    void ruleEdited(const cellfolio::FilterRule& rule);
    void editRequested(); // in the expression bar
    void wordsChanged();
};

} // namespace cellfolio
