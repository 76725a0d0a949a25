// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/gui/card_body.h"

class QLabel;
class QToolButton;

namespace cellfolio {

// A card with nothing to draw: a kept view, rows picked by hand, names in a file, an expression of
// another kind. Says what comes of it, and how to change it.
class PlainBody : public CardBody
{
    Q_OBJECT
public:
    explicit PlainBody(Axis axis, QWidget* parent = nullptr);

    void setCard(const FilterCard& card) override;
    QString words() const override;
    QString text() const;

private:
    FilterCard m_card;
    Axis m_axis;
    QLabel* m_text = nullptr;
    QToolButton* m_turn = nullptr;
    QToolButton* m_edit = nullptr;
};

} // namespace cellfolio
