// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/gui/card_body.h"

class QMenu;
class QToolButton;

namespace cellfolio {

class CategoryList;
class CategoryListModel;
class SearchField;

// A card of categories or booleans: a box, the count in the view and a bar of both counts for each;
// search, all, none, invert, the most frequent ones.
class CategoryBody : public CardBody
{
    Q_OBJECT
public:
    explicit CategoryBody(QWidget* parent = nullptr);

    void setCard(const FilterCard& card) override;
    void setFigures(const CardFigures& figures) override;
    QString words() const override;

    CategoryList* list() const { return m_list; }
    CategoryListModel* model() const { return m_model; }
    SearchField* search() const { return m_search; }
    void fillTopMenu(QMenu& menu);

private:
    void edited();

    FilterCard m_card;
    CategoryListModel* m_model = nullptr;
    CategoryList* m_list = nullptr;
    SearchField* m_search = nullptr;
    QToolButton* m_glass = nullptr;
    QToolButton* m_top = nullptr;
};

} // namespace cellfolio
