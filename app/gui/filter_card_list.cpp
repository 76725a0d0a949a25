// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/filter_card_list.h"

#include "app/gui/category_body.h"
#include "app/gui/filter_card_frame.h"
#include "app/gui/names_body.h"
#include "app/gui/plain_body.h"
#include "app/gui/range_body.h"
#include "widgets/style/fonts.h"
#include "widgets/style/style_sheet.h"

#include <QtCore/QTimer>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

CardBody* bodyFor(const FilterCard& card, ModelContext context, Axis axis)
{
    if (card.picked)
        return new PlainBody(axis);
    switch (card.rule.kind) {
    case FilterRule::Kind::Categories: return new CategoryBody;
    case FilterRule::Kind::Range: return new RangeBody;
    case FilterRule::Kind::Names: return new NamesBody(context);
    case FilterRule::Kind::File:
    case FilterRule::Kind::Selection:
    case FilterRule::Kind::Other: break;
    }
    return new PlainBody(axis);
}

// What chips and the undo call a rule.
QString labelOf(const FilterRule& rule, const QString& words)
{
    if (rule.kind == FilterRule::Kind::Other)
        return {};
    if (rule.kind == FilterRule::Kind::Selection)
        return (rule.negated ? u"not in "_s : u"in "_s) + rule.name;
    if (rule.kind == FilterRule::Kind::Names && rule.subject.kind == RuleSubject::Kind::Name)
        return words;
    QString label = rule.subject.shown() + u' ' + words;
    if (rule.subject.kind == RuleSubject::Kind::Raw)
        label += u" in raw"_s;
    if (rule.subject.kind == RuleSubject::Kind::Layer)
        label += u" in "_s + rule.subject.more;
    return label;
}

} // namespace

FilterCardList::FilterCardList(ModelContext context, ViewModel& view, Axis axis, UnitOf unitOf, QWidget* parent)
    : QScrollArea(parent), m_context(context), m_axis(axis), m_unitOf(std::move(unitOf)), m_cards(view, axis),
      m_figures(context, axis)
{
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    auto* inside = new QWidget(this);
    inside->setProperty("surface", u"frame"_s);
    inside->setAttribute(Qt::WA_StyledBackground);
    m_column = new QVBoxLayout(inside);
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(0);
    m_empty = new QLabel(inside);
    m_empty->setProperty("role", u"quiet"_s);
    m_empty->setFont(fonts::table());
    m_empty->setWordWrap(true);
    m_empty->setContentsMargins(16, 12, 16, 12);
    m_empty->setText(axis == Axis::Obs
                         ? u"No filter yet. Add a column, a gene or a list of names below, or write an expression above the tabs. Cells that do not pass are hidden; the file stays as it is."_s
                         : u"No filter for genes yet. Add a column or a list of names below, or write an expression above the tabs. Genes that do not pass are hidden; the file stays as it is."_s);
    m_column->addWidget(m_empty);
    m_column->addStretch(1);
    setWidget(inside);
    connect(&m_cards, &FilterCards::changed, this, &FilterCardList::refresh);
    connect(&m_figures, &CardFigures::changed, this, &FilterCardList::showFigures);
    connect(&view, &ViewModel::viewChanged, this, [this](Axis changed) {
        if (changed == m_axis && m_dataset && m_cards.view().view().dataset() == m_dataset)
            m_figures.setRows(m_cards.view().rows(m_axis));
    });
    refresh();
}

FilterCardList::~FilterCardList()
{
    disconnect(&m_cards, nullptr, this, nullptr);
    disconnect(&m_figures, nullptr, this, nullptr);
}

void FilterCardList::setDataset(std::shared_ptr<const Dataset> dataset, FilterCards::Opened opened)
{
    for (auto& [key, entry] : m_entries)
        drop(entry);
    m_entries.clear();
    m_dataset = std::move(dataset);
    m_cards.fileChanged(opened);
    m_figures.setDataset(m_dataset, m_cards.view().genes());
    if (m_dataset)
        m_figures.setRows(m_cards.view().rows(m_axis));
    refresh();
}

FilterCardList::Entry FilterCardList::make(const FilterCard& card)
{
    Entry entry;
    const int key = card.key;
    entry.frame = new FilterCardFrame(bodyFor(card, m_context, m_axis), widget());
    entry.gap = new QWidget(widget());
    auto* line = new QFrame(entry.gap);
    line->setProperty("rule", true);
    auto* rest = new QFrame(entry.gap);
    rest->setProperty("rule", true);
    line->setFixedWidth(24);
    entry.joint = new QToolButton(entry.gap);
    entry.joint->setFont(fonts::caption());
    entry.joint->setProperty("word", true);
    auto* row = new QHBoxLayout(entry.gap);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    row->addWidget(line);
    row->addWidget(entry.joint);
    row->addWidget(rest, 1);
    connect(entry.joint, &QToolButton::clicked, this, [this, key] {
        if (const FilterCard* now = m_cards.card(key))
            m_cards.setJoined(key, !now->joined);
    });
    if (auto* names = dynamic_cast<NamesBody*>(entry.frame->body()))
        names->setTable(m_dataset, m_cards.table());
    connect(entry.frame, &FilterCardFrame::removeRequested, this, [this, key] { m_cards.remove(key); });
    connect(entry.frame, &FilterCardFrame::enableRequested, this, [this, key](bool on) { m_cards.setEnabled(key, on); });
    connect(entry.frame, &FilterCardFrame::ruleEdited, this, [this, key](const FilterRule& rule) { edited(key, rule); });
    connect(entry.frame, &FilterCardFrame::folded, this, &FilterCardList::want);
    connect(entry.frame->body(), &CardBody::editRequested, this, [this, key] {
        if (const FilterCard* now = m_cards.card(key); now != nullptr && now->step != 0)
            Q_EMIT editRequested(now->step);
    });
    return entry;
}

// It may be what is being clicked.
void FilterCardList::drop(Entry& entry)
{
    for (QWidget* part : std::initializer_list<QWidget*>{entry.frame, entry.gap}) {
        part->hide();
        m_column->removeWidget(part);
        part->disconnect(this);
        part->deleteLater();
    }
}

void FilterCardList::edited(int key, const FilterRule& rule)
{
    const auto entry = m_entries.find(key);
    const auto* categories = entry == m_entries.end() ? nullptr : dynamic_cast<CategoryBody*>(entry->second.frame->body());
    m_cards.setRule(key, rule, labelOf(rule, categories != nullptr ? categories->words() : rule.words()));
}

void FilterCardList::refresh()
{
    const std::vector<FilterCard>& cards = m_cards.cards();
    for (auto entry = m_entries.begin(); entry != m_entries.end();) {
        const FilterCard* card = m_cards.card(entry->first);
        const FilterCard& shown = entry->second.frame->card();
        // A card keeps its widget as long as it is of one kind.
        if (card != nullptr && card->rule.kind == shown.rule.kind && card->picked.has_value() == shown.picked.has_value()) {
            ++entry;
            continue;
        }
        drop(entry->second);
        entry = m_entries.erase(entry);
    }
    int place = 1; // behind what is said of an empty list
    bool first = true;
    for (const FilterCard& card : cards) {
        auto known = m_entries.find(card.key);
        const bool fresh = known == m_entries.end();
        if (fresh)
            known = m_entries.emplace(card.key, make(card)).first;
        Entry& entry = known->second;
        for (QWidget* part : std::initializer_list<QWidget*>{entry.gap, entry.frame}) {
            if (m_column->indexOf(part) != place) {
                m_column->removeWidget(part);
                m_column->insertWidget(place, part);
            }
            ++place;
        }
        entry.gap->setVisible(!first);
        first = false;
        entry.joint->setText(card.joined ? u"or"_s : u"and"_s);
        entry.joint->setEnabled(card.joinable);
        entry.joint->setToolTip(!card.joinable ? u"Both must hold"_s
                                : card.joined  ? u"One of the two is enough; click to ask for both"_s
                                               : u"Both must hold; click if one of the two is enough"_s);
        entry.joint->setAccessibleName(entry.joint->toolTip());
        setStyleProperty(entry.joint, "checked", card.joined);
        entry.frame->setCard(card);
        if (fresh) {
            entry.frame->show();
            entry.frame->body()->setFigures(m_figures);
        }
    }
    m_empty->setVisible(cards.empty());
    refreshUnits();
    want();
}

void FilterCardList::refreshUnits()
{
    for (auto& [key, entry] : m_entries) {
        auto* range = dynamic_cast<RangeBody*>(entry.frame->body());
        const Element* matrix = range == nullptr ? nullptr : m_figures.matrixOf(entry.frame->card().rule.subject);
        if (matrix == nullptr || !entry.frame->card().rule.subject.isOfMatrix())
            continue;
        const QString unit = m_unitOf ? m_unitOf(*matrix) : QString();
        const QString name = QString::fromStdString(matrix->path);
        range->setUnit(unit.isEmpty() ? name : name + u", "_s + unit);
    }
}

void FilterCardList::want()
{
    std::vector<RuleSubject> subjects;
    for (const auto& [key, entry] : m_entries)
        if (!entry.frame->isFolded() && entry.frame->card().rule.subject.kind != RuleSubject::Kind::None)
            subjects.push_back(entry.frame->card().rule.subject);
    m_figures.want(subjects);
}

void FilterCardList::showFigures(const RuleSubject& subject)
{
    for (auto& [key, entry] : m_entries)
        if (entry.frame->card().rule.subject == subject)
            entry.frame->body()->setFigures(m_figures);
    // "9 of 10" needs the number of categories.
    for (auto& [key, entry] : m_entries)
        if (entry.frame->card().rule.subject == subject)
            entry.frame->setCard(entry.frame->card());
}

FilterCardFrame* FilterCardList::frame(int key) const
{
    const auto found = m_entries.find(key);
    return found == m_entries.end() ? nullptr : found->second.frame;
}

std::vector<FilterCardFrame*> FilterCardList::frames() const
{
    std::vector<FilterCardFrame*> list;
    for (const FilterCard& card : m_cards.cards())
        if (FilterCardFrame* one = frame(card.key))
            list.push_back(one);
    return list;
}

QToolButton* FilterCardList::joint(int key) const
{
    const auto found = m_entries.find(key);
    return found == m_entries.end() || found->second.gap->isHidden() ? nullptr : found->second.joint;
}

void FilterCardList::showCard(int key)
{
    FilterCardFrame* card = frame(key);
    if (card == nullptr)
        return;
    card->setFolded(false);
    want();
    // It is laid out first.
    QTimer::singleShot(0, card, [this, card] {
        ensureWidgetVisible(card, 0, 8);
        card->body()->setFocus(Qt::OtherFocusReason);
    });
}

bool FilterCardList::isSettled() const
{
    if (!m_figures.isSettled())
        return false;
    for (const auto& [key, entry] : m_entries)
        if (!entry.frame->body()->isSettled())
            return false;
    return true;
}

} // namespace cellfolio
