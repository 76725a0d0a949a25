// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/card_figures.h"
#include "widgets/models/filter_cards.h"

#include <QtWidgets/QScrollArea>

#include <functional>
#include <map>

class QLabel;
class QToolButton;
class QVBoxLayout;

namespace cellfolio {

class FilterCardFrame;

// The cards of one axis below one another, with the words between them that join them: a click on
// "and" makes an "or" of it and the other way round. Empty: what would be here.
class FilterCardList : public QScrollArea
{
    Q_OBJECT
public:
    // `unitOf`: what the values of a matrix are, in words; empty where it is not known.
    using UnitOf = std::function<QString(const Element& matrix)>;
    FilterCardList(ModelContext context, ViewModel& view, Axis axis, UnitOf unitOf, QWidget* parent = nullptr);
    ~FilterCardList() override;

    // Null: no file.
    void setDataset(std::shared_ptr<const Dataset> dataset, FilterCards::Opened opened);
    FilterCards& cards() { return m_cards; }
    const CardFigures& figures() const { return m_figures; }
    // Units have become known.
    void refreshUnits();
    FilterCardFrame* frame(int key) const; // null: none such
    std::vector<FilterCardFrame*> frames() const; // in order
    QToolButton* joint(int key) const;     // between the card and the one before; null: none
    void showCard(int key);                // scrolls to it
    bool isSettled() const;

Q_SIGNALS:
    void editRequested(int step); // in the expression bar

private:
    struct Entry {
        FilterCardFrame* frame = nullptr;
        QWidget* gap = nullptr; // line or joining word above it
        QToolButton* joint = nullptr;
    };
    Entry make(const FilterCard& card);
    void drop(Entry& entry);
    void refresh();
    void showFigures(const RuleSubject& subject);
    void want();
    void edited(int key, const FilterRule& rule);

    ModelContext m_context;
    Axis m_axis;
    UnitOf m_unitOf;
    FilterCards m_cards;
    CardFigures m_figures;
    std::shared_ptr<const Dataset> m_dataset;
    std::map<int, Entry> m_entries; // by the card's key
    QLabel* m_empty = nullptr;
    QVBoxLayout* m_column = nullptr;
};

} // namespace cellfolio
