// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/category_body.h"

#include "widgets/bridge/cell_format.h"
#include "widgets/models/category_list_model.h"
#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"
#include "widgets/views/category_list.h"
#include "widgets/views/search_field.h"

#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QMenu>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

constexpr Index kSearchFrom = 12; // categories

QToolButton* wordButton(const QString& word, const QString& tip, QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setText(word);
    button->setFont(fonts::caption());
    button->setToolTip(tip);
    button->setProperty("word", true);
    return button;
}

} // namespace

CategoryBody::CategoryBody(QWidget* parent)
    : CardBody(parent), m_model(new CategoryListModel(this)), m_list(new CategoryList(this)),
      m_search(new SearchField(u"Find a category"_s, this)), m_glass(new QToolButton(this)),
      m_top(wordButton(u"Top…"_s, u"Only the most frequent ones"_s, this))
{
    m_list->setModel(m_model);
    setFocusProxy(m_list);
    m_search->setFont(fonts::table());
    m_search->hide();
    m_glass->setIcon(icon("search"));
    m_glass->setCheckable(true);
    m_glass->setToolTip(u"Find a category"_s);
    m_glass->setAccessibleName(m_glass->toolTip());
    auto* all = wordButton(u"All"_s, u"Tick all that are listed"_s, this);
    auto* none = wordButton(u"None"_s, u"Tick none of those listed"_s, this);
    auto* invert = wordButton(u"Invert"_s, u"Tick what is not ticked and the other way round"_s, this);
    auto* tools = new QHBoxLayout;
    tools->setContentsMargins(16, 0, 0, 0);
    tools->setSpacing(2);
    for (QToolButton* button : {all, none, invert, m_top})
        tools->addWidget(button);
    tools->addStretch(1);
    tools->addWidget(m_glass);
    auto* field = new QHBoxLayout;
    field->setContentsMargins(22, 2, 4, 4);
    field->addWidget(m_search);
    auto* rows = new QHBoxLayout;
    rows->setContentsMargins(22, 0, 4, 0);
    rows->addWidget(m_list);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 6);
    column->setSpacing(0);
    column->addLayout(tools);
    column->addLayout(field);
    column->addLayout(rows);

    connect(all, &QToolButton::clicked, m_model, &CategoryListModel::tickAll);
    connect(none, &QToolButton::clicked, m_model, &CategoryListModel::tickNone);
    connect(invert, &QToolButton::clicked, m_model, &CategoryListModel::invert);
    connect(m_top, &QToolButton::clicked, this, [this] {
        QMenu menu(this);
        fillTopMenu(menu);
        menu.exec(m_top->mapToGlobal(QPoint(0, m_top->height())));
    });
    connect(m_glass, &QToolButton::toggled, this, [this](bool shown) {
        m_search->setVisible(shown);
        if (shown)
            m_search->setFocus();
        else
            m_search->clear();
    });
    connect(m_search, &SearchField::searched, m_model, &CategoryListModel::setSearch);
    connect(m_search, &SearchField::cancelled, this, [this] { m_glass->setChecked(false); });
    connect(m_search, &SearchField::downPressed, this, [this] { m_list->setFocus(); });
    connect(m_model, &CategoryListModel::ticked, this, &CategoryBody::edited);
    connect(m_list, &CategoryList::onlyRequested, m_model, &CategoryListModel::tickOnly);
}

void CategoryBody::setCard(const FilterCard& card)
{
    const bool other = !(card.rule.subject == m_card.rule.subject);
    const bool sameRule = card.rule == m_card.rule;
    m_card = card;
    m_list->setEnabled(card.enabled);
    m_list->setAccessibleName(u"Categories of "_s + card.rule.subject.shown());
    if (other || !sameRule)
        m_model->setRule(card.rule);
}

void CategoryBody::setFigures(const CardFigures& figures)
{
    const RuleSubject& subject = m_card.rule.subject;
    const Element* column = figures.columnOf(subject);
    const CategoryNames* names = figures.categories(subject);
    if (names != nullptr && column != nullptr) {
        if (!m_model->hasCategories()) {
            m_model->setCategories(names->names, column->ordered);
            m_glass->setVisible(m_model->categoryCount() >= kSearchFrom);
        }
        m_model->setColors(names->colors);
    }
    const ProfileData* whole = figures.profile(subject);
    if (whole == nullptr || !whole->exact)
        return; // counts of a sample would be taken for those of the file
    m_model->setCounts(whole->counts, whole->missing);
    if (figures.allInView())
        m_model->setCountsInView(whole->counts, whole->missing);
    else if (const ProfilePart* part = figures.part(subject))
        m_model->setCountsInView(part->counts, part->missing);
}

QString CategoryBody::words() const
{
    return m_card.rule.words(static_cast<qsizetype>(m_model->hasCategories() ? m_model->categoryCount() : 0));
}

void CategoryBody::fillTopMenu(QMenu& menu)
{
    for (const int n : {1, 5, 10, 20, 50})
        if (n < m_model->categoryCount())
            menu.addAction(n == 1 ? u"The most frequent"_s : u"The %1 most frequent"_s.arg(n), m_model,
                           [this, n] { m_model->tickTop(n); });
    menu.setEnabled(!menu.isEmpty());
    if (menu.isEmpty())
        menu.addAction(u"There are too few categories"_s)->setEnabled(false);
}

void CategoryBody::edited()
{
    m_card.rule = m_model->rule();
    Q_EMIT wordsChanged();
    Q_EMIT ruleEdited(m_card.rule);
}

} // namespace cellfolio
