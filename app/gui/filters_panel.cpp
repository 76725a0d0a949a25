// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/filters_panel.h"

#include "app/gui/gene_adder.h"
#include "app/gui/search_popup.h"
#include "app/gui/session.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/models/element_text.h"
#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"
#include "widgets/views/elided_label.h"
#include "widgets/views/expression_colors.h"

#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QMenu>
#include <QtWidgets/QPlainTextEdit>
#include <QtWidgets/QProgressBar>
#include <QtWidgets/QStackedWidget>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

constexpr int kLines = 3; // of the expression before it scrolls
constexpr qsizetype kLongest = 20'000; // characters shown of it; copied whole

QString shareText(Index shown, Index all)
{
    if (all == 0)
        return {};
    const double share = 100.0 * static_cast<double>(shown) / static_cast<double>(all);
    // Never 100 % of a part, nor 0 % of something.
    if (shown < all && share > 99.9)
        return u"> 99.9 %"_s;
    if (shown > 0 && share < 0.1)
        return u"< 0.1 %"_s;
    return QLocale().toString(share, 'f', 1) + u" %"_s;
}

} // namespace

FiltersPanel::FiltersPanel(Session& session, QWidget* parent)
    : QWidget(parent), m_session(session), m_title(new QWidget(this)), m_titleCount(new QLabel(m_title)),
      m_count(new QLabel(this)), m_of(new ElidedLabel(this)), m_share(new QLabel(this)), m_bar(new QProgressBar(this)),
      m_box(new QWidget(this)), m_expression(new QPlainTextEdit(m_box)), m_copy(new QToolButton(m_box)),
      m_note(new QLabel(this)), m_pages(new QStackedWidget(this))
{
    setProperty("surface", u"frame"_s);
    setAttribute(Qt::WA_StyledBackground);
    const auto unit = [this](const Element& matrix) { return unitOf(matrix); };
    m_genes = new GeneAdder(session.context(), unit, this);

    auto* name = new QLabel(u"Filters"_s, m_title);
    name->setFont(fonts::tableSemibold());
    m_titleCount->setProperty("role", u"quiet"_s);
    m_titleCount->setFont(fonts::table());
    auto* close = new QToolButton(m_title);
    close->setIcon(icon("x"));
    close->setProperty("word", true);
    close->setToolTip(u"Close · F10"_s);
    close->setAccessibleName(u"Close the filters"_s);
    auto* titleRow = new QHBoxLayout(m_title);
    titleRow->setContentsMargins(12, 0, 8, 0);
    titleRow->addWidget(name);
    titleRow->addWidget(m_titleCount);
    titleRow->addStretch(1);
    titleRow->addWidget(close);
    m_title->setFixedHeight(measures::kDockTitle);

    m_count->setFont(fonts::count());
    m_of->setFont(fonts::table());
    m_of->setQuiet(true);
    m_of->setElideMode(Qt::ElideRight);
    m_share->setFont(fonts::table());
    m_share->setProperty("role", u"quiet"_s);
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    m_bar->setAccessibleName(u"Share that is shown"_s);
    auto* counts = new QHBoxLayout;
    counts->setContentsMargins(12, 2, 12, 0);
    counts->setSpacing(6);
    counts->addWidget(m_count);
    counts->addWidget(m_of, 1);
    counts->addWidget(m_share);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(12, 2, 12, 8);
    bar->addWidget(m_bar);

    m_expression->setReadOnly(true);
    m_expression->setFont(fonts::mono());
    m_expression->setTabChangesFocus(true);
    m_expression->setAccessibleName(u"The same as an expression"_s);
    m_expression->setToolTip(u"The same as an expression: for the command line, a notebook, the line above the tabs"_s);
    m_expression->document()->setDocumentMargin(4);
    (new ExpressionColors(m_expression->document()))->setWords(ExpressionColors::standardWords());
    m_copy->setIcon(icon("copy"));
    m_copy->setProperty("word", true);
    m_copy->setToolTip(u"Copy the expression"_s);
    m_copy->setAccessibleName(u"Copy the expression"_s);
    auto* box = new QHBoxLayout(m_box);
    box->setContentsMargins(12, 0, 8, 6);
    box->setSpacing(2);
    box->addWidget(m_expression, 1);
    box->addWidget(m_copy, 0, Qt::AlignTop);
    m_note->setProperty("role", u"quiet"_s);
    m_note->setFont(fonts::table());
    m_note->setWordWrap(true);
    m_note->setContentsMargins(16, 0, 12, 8);
    m_note->hide();

    for (const Axis axis : {Axis::Obs, Axis::Var}) {
        auto* list = new FilterCardList(session.context(), session.view(), axis, unit, this);
        m_lists[static_cast<int>(axis)] = list;
        m_pages->addWidget(list);
        connect(list, &FilterCardList::editRequested, this, &FiltersPanel::editRequested);
        connect(&list->cards(), &FilterCards::changed, this, &FiltersPanel::refresh);
    }
    const auto adder = [this](const QString& word, const QString& tip) {
        auto* button = new QToolButton(this);
        button->setIcon(icon("plus"));
        button->setIconSize({14, 14});
        button->setText(word);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setFont(fonts::table());
        button->setToolTip(tip);
        button->setAccessibleName(tip);
        return button;
    };
    m_addColumn = adder(u"Column"_s, u"Filter by a column"_s);
    m_addGene = adder(u"Gene"_s, u"Filter by the values of a gene"_s);
    m_addNames = adder(u"List"_s, u"Filter by a list of names"_s);
    m_addSelection = adder(u"View"_s, u"Filter by a kept view or selection"_s);
    auto* line = new QFrame(this);
    line->setProperty("rule", true);
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(8, 4, 8, 4);
    foot->setSpacing(2);
    for (QToolButton* button : {m_addColumn, m_addGene, m_addNames, m_addSelection})
        foot->addWidget(button);
    foot->addStretch(1);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(counts);
    column->addLayout(bar);
    column->addWidget(m_box);
    column->addWidget(m_note);
    column->addWidget(m_pages, 1);
    column->addWidget(m_genes);
    column->addWidget(line);
    column->addLayout(foot);
    setMinimumWidth(248);

    connect(close, &QToolButton::clicked, this, &FiltersPanel::closeRequested);
    connect(m_copy, &QToolButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(expression()); });
    connect(m_addColumn, &QToolButton::clicked, this, &FiltersPanel::chooseColumn);
    connect(m_addGene, &QToolButton::clicked, m_genes, &GeneAdder::open);
    connect(m_addNames, &QToolButton::clicked, this, &FiltersPanel::addNames);
    connect(m_addSelection, &QToolButton::clicked, this, [this] {
        m_session.keptViews().refresh();
        QMenu menu(this);
        fillSelectionMenu(menu);
        menu.exec(m_addSelection->mapToGlobal(QPoint(0, -menu.sizeHint().height())));
    });
    connect(m_genes, &GeneAdder::picked, this, [this](const RuleSubject& gene) {
        list()->showCard(
            list()->cards().add(FilterCards::openRule(gene, FilterRule::Kind::Range, RuleLiteral::Number)));
    });
    connect(&session.view(), &ViewModel::viewChanged, this, &FiltersPanel::refresh);
    connect(&session, &Session::holdsFound, this, [this] {
        for (FilterCardList* list : m_lists)
            list->refreshUnits();
    });
    refresh();
}

FiltersPanel::~FiltersPanel()
{
    for (FilterCardList* list : m_lists)
        disconnect(&list->cards(), nullptr, this, nullptr);
}

QString FiltersPanel::unitOf(const Element& matrix) const
{
    const HoldsResult* holds = m_session.holdsOf(matrix);
    return holds == nullptr || holds->holds == Holds::Unknown ? QString() : toQString(holds->text());
}

void FiltersPanel::showDataset(Shown shown)
{
    m_dataset = m_session.dataset();
    for (FilterCardList* list : m_lists)
        list->setDataset(m_dataset, shown == Shown::Again ? FilterCards::Opened::Keep : FilterCards::Opened::Close);
    m_genes->setDataset(m_dataset);
    refresh();
}

void FiltersPanel::setSymbols(const Element* var, const Element* rawVar)
{
    m_genes->setSymbols(var, rawVar);
}

void FiltersPanel::setAxis(Axis axis)
{
    m_axis = axis;
    m_pages->setCurrentWidget(list());
    if (axis == Axis::Var)
        m_genes->hide();
    refresh();
}

void FiltersPanel::refresh()
{
    const ViewModel& view = m_session.view();
    const Selection& rows = view.rows(m_axis);
    const FilterCards& cards = list()->cards();
    const int active = cards.activeCount();
    m_titleCount->setText(active > 0 ? QString::number(active) : QString());
    m_count->setText(cellfolio::countText(rows.size()));
    m_of->setText((view.isPartial(m_axis) ? u"found so far, of "_s : u"of "_s)
                  + countedText(rows.extent(), m_axis == Axis::Obs ? u"cell"_s : u"gene"_s,
                                m_axis == Axis::Obs ? u"cells"_s : u"genes"_s));
    m_share->setText(view.isPartial(m_axis) ? QString() : shareText(rows.size(), rows.extent()));
    m_bar->setValue(rows.extent() == 0 ? 0
                                       : static_cast<int>(std::lround(1000.0 * static_cast<double>(rows.size())
                                                                      / static_cast<double>(rows.extent()))));
    const EqualExpression& equal = equalOfSteps();
    const QString shown = equal.text.size() > kLongest ? equal.text.left(kLongest) + u" …"_s : equal.text;
    if (m_expression->toPlainText() != shown)
        m_expression->setPlainText(shown);
    m_box->setVisible(!equal.text.isEmpty());
    fitExpression();
    QStringList notes;
    if (equal.picks == 1)
        notes.append(u"And %1 picked by hand, which no expression can say."_s.arg(countedText(
            equal.picked, m_axis == Axis::Obs ? u"cell"_s : u"gene"_s, m_axis == Axis::Obs ? u"cells"_s : u"genes"_s)));
    else if (equal.picks > 1)
        notes.append(u"And %1 picks by hand, which no expression can say."_s.arg(equal.picks));
    if (equal.ordered)
        notes.append(u"In steps: mean, quantile and the like speak of what the filters before leave."_s);
    m_note->setText(notes.join(u' '));
    m_note->setVisible(!notes.isEmpty());
    const bool table = cards.table() != nullptr;
    m_addColumn->setEnabled(table);
    m_addNames->setEnabled(table);
    m_addSelection->setEnabled(m_dataset != nullptr);
    m_addGene->setVisible(m_axis == Axis::Obs);
    m_addGene->setEnabled(table && m_genes->hasMatrices());
}

// Lists in it may be long: worked out again only for other steps.
const EqualExpression& FiltersPanel::equalOfSteps()
{
    const std::vector<FilterStep>& steps = m_session.view().steps(m_axis);
    const bool same = m_equalTable == list()->cards().table()
        && std::equal(steps.begin(), steps.end(), m_equalSteps.begin(), m_equalSteps.end(),
                      [](const FilterStep& a, const FilterStep& b) { return a.narrowsLike(b); });
    if (!same) {
        m_equalSteps = steps;
        m_equalTable = list()->cards().table();
        m_equal = equalExpression(steps, m_equalTable);
    }
    return m_equal;
}

// As high as its lines, up to a few.
void FiltersPanel::fitExpression()
{
    const int lines = std::clamp(static_cast<int>(m_expression->document()->size().height()), 1, kLines);
    m_expression->setFixedHeight(lines * m_expression->fontMetrics().lineSpacing() + 12);
}

void FiltersPanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitExpression();
}

QString FiltersPanel::countText() const
{
    return m_count->text() + u' ' + m_of->text();
}

QString FiltersPanel::expression() const
{
    return m_equal.text;
}

QString FiltersPanel::note() const
{
    return m_note->isHidden() ? QString() : m_note->text();
}

void FiltersPanel::addColumn(const Element& column)
{
    list()->showCard(list()->cards().add(FilterCards::openRule(column)));
}

void FiltersPanel::addNames()
{
    RuleSubject subject;
    subject.kind = RuleSubject::Kind::Name;
    list()->showCard(list()->cards().add(FilterCards::openRule(subject, FilterRule::Kind::Names, RuleLiteral::Text)));
}

void FiltersPanel::addSelection(const QString& name)
{
    FilterRule rule;
    rule.kind = FilterRule::Kind::Selection;
    rule.name = name;
    list()->showCard(list()->cards().add(std::move(rule), u"in "_s + name));
}

void FiltersPanel::fillSelectionMenu(QMenu& menu)
{
    const QStringList names = m_session.keptViews().names();
    for (const QString& name : names)
        menu.addAction(icon("bookmark"), QString(name).replace(u'&', u"&&"_s), this, [this, name] { addSelection(name); });
    if (names.isEmpty())
        menu.addAction(u"No view is kept for this file yet"_s)->setEnabled(false);
    menu.addSeparator();
    menu.addAction(icon("plus"), u"Keep this view as…"_s, this, &FiltersPanel::keepViewRequested);
}

void FiltersPanel::chooseColumn()
{
    const Element* table = list()->cards().table();
    if (table == nullptr)
        return;
    auto* popup = new SearchPopup(u"Find a column"_s, this);
    popup->setAttribute(Qt::WA_DeleteOnClose);
    std::vector<SearchPopup::Entry> entries;
    for (std::size_t i = 0; i < table->children.size(); ++i) {
        const Element& column = *table->children[i];
        if (ruleKindOf(column) == FilterRule::Kind::Other)
            continue;
        entries.push_back({toQString(column.name), briefOf(column), icon(iconOf(column)), static_cast<int>(i), true});
    }
    popup->setEntries(std::move(entries));
    connect(popup, &SearchPopup::picked, this, [this, dataset = m_dataset, table](int place) {
        if (m_dataset == dataset)
            addColumn(*table->children[static_cast<std::size_t>(place)]);
    });
    popup->showBelow(m_addColumn);
}

} // namespace cellfolio
