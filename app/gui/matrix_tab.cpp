// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/matrix_tab.h"

#include "app/gui/bar.h"
#include "app/gui/farewell.h"
#include "app/gui/choice_box.h"
#include "app/gui/go_to_row.h"
#include "app/gui/name_field.h"
#include "app/gui/ramp_key.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/models/category_colors.h"
#include "widgets/models/column_sort.h"
#include "widgets/models/dataset_summary.h"
#include "widgets/models/element_text.h"
#include "widgets/models/name_search.h"
#include "widgets/style/fonts.h"
#include "widgets/style/theme.h"
#include "widgets/views/banner.h"
#include "widgets/views/empty_view.h"
#include "widgets/views/matrix_grid.h"

#include <QtWidgets/QLabel>
#include <QtWidgets/QStackedWidget>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

struct OrderedRows {
    Selection order;
    std::vector<QColor> colors;
};

} // namespace

MatrixTab::MatrixTab(ModelContext context, QWidget* parent)
    : QWidget(parent), m_context(context), m_choice(new ChoiceBox(u"Matrix"_s, this)),
      m_order(new ChoiceBox(u"Order of the cells"_s, this)),
      m_find(new NameField(context, u"Find a cell"_s, this)), m_kind(new QLabel(this)),
      m_key(new RampKey(this)), m_stack(new QStackedWidget(this)), m_banner(new Banner(this)),
      m_grid(new MatrixGrid(this)), m_empty(new EmptyView(this)), m_orderRequest(context.patient),
      m_rowRequest(context.quick), m_columnRequest(context.quick)
{
    auto* bar = new Bar(this);
    bar->addCaption(u"Matrix"_s);
    bar->addControl(m_choice);
    bar->addCaption(u"Cells by"_s);
    bar->addControl(m_order);
    m_find->setFixedWidth(170);
    m_find->setKeyHint(u"Ctrl+F"_s);
    bar->addControl(m_find);
    bar->addStretch();
    m_kind->setProperty("role", u"quiet"_s);
    m_kind->setFont(fonts::caption());
    bar->addControl(m_kind);
    bar->addControl(m_key);
    m_numbers = bar->addTool(u"numbers"_s, {}, u"Show the numbers"_s, true);
    m_shades = bar->addTool(u"palette"_s, {}, u"Shade by value"_s, true);
    QToolButton* copyButton = bar->addTool(u"copy"_s, {}, u"Copy what is visible, with names · Ctrl+Shift+C"_s);
    m_numbers->setChecked(true);
    m_shades->setChecked(true);

    m_stack->addWidget(m_grid);
    m_stack->addWidget(m_empty);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(bar);
    layout->addWidget(m_banner);
    layout->addWidget(m_stack, 1);
    m_banner->hide();
    m_key->hide();
    setFocusProxy(m_grid);
    m_grid->setAccessibleName(u"Values of the matrix"_s);

    connect(m_choice, &QComboBox::activated, this, [this](int place) {
        if (place >= 0 && place < static_cast<int>(m_matrices.size()))
            showMatrix(*m_matrices[static_cast<std::size_t>(place)]);
    });
    connect(m_order, &QComboBox::activated, this, &MatrixTab::applyOrder);
    connect(m_numbers, &QToolButton::toggled, m_grid, &MatrixGrid::setNumbersShown);
    connect(m_shades, &QToolButton::toggled, m_grid, &MatrixGrid::setShadesShown);
    connect(copyButton, &QToolButton::clicked, this, [this] { copy(true); });
    connect(m_grid, &MatrixGrid::copyRefused, this, &MatrixTab::statusMessage);
    connect(m_grid, &MatrixGrid::copied, this, [this](qint64 rows, qint64 columns) {
        Q_EMIT statusMessage(u"Copied %1 × %2 values."_s.arg(countText(rows), countText(columns)));
    });
    connect(m_grid, &MatrixGrid::currentChanged, this, &MatrixTab::sayPicked);
    connect(m_find, &NameField::picked, this, [this](qint64 row) {
        goToCell(row);
        m_grid->setFocus();
    });
}

MatrixTab::~MatrixTab()
{
    partFromChildren(*this);
    m_grid->setSource(nullptr);
}

void MatrixTab::clear()
{
    m_orderRequest.cancel();
    m_rowRequest.cancel();
    m_columnRequest.cancel();
    m_restoring.reset();
    m_grid->setSource(nullptr);
    m_source.reset();
    m_find->setPlace({});
    m_matrices.clear();
    m_choice->clear();
    m_order->clear();
    m_banner->hide();
    m_key->hide();
    m_kind->clear();
    m_symbols = nullptr;
    m_rawSymbols = nullptr;
    m_groups = nullptr;
    m_view = {};
    m_dataset.reset();
}

void MatrixTab::setDataset(std::shared_ptr<const Dataset> dataset)
{
    clear();
    m_dataset = std::move(dataset);
    m_view = DatasetView(m_dataset);
    m_matrices = matricesOf(*m_dataset);
    for (const char* group : {"obsp", "varp"})
        if (const Element* graphs = m_dataset->root().child(group))
            for (const auto& graph : graphs->children)
                if (isShownAsMatrix(*graph))
                    m_matrices.push_back(graph.get());
    fillChoices();
    if (m_matrices.empty()) {
        m_empty->setContent({u"grid-dots"_s, u"No matrix in this file"_s,
                             u"X, raw and layers would be here. This file has none that can be read."_s,
                             {}, {}, false});
        m_stack->setCurrentWidget(m_empty);
        return;
    }
    showMatrix(*m_matrices.front());
}

void MatrixTab::fillChoices()
{
    m_choice->clear();
    for (const Element* matrix : m_matrices)
        m_choice->addChoice(iconOf(*matrix), pathOf(*matrix));
    m_order->clear();
    m_order->addChoice(u"minus"_s, u"order of the file"_s, QString());
    const Element* obs = m_dataset->obs();
    if (obs == nullptr)
        return;
    for (const auto& column : obs->children)
        if (column->readable && column->column == ColumnKind::Categorical
            && column->categoryCount.value_or(0) <= 1000)
            m_order->addChoice(iconOf(*column), toQString(column->name), toQString(column->name));
}

bool MatrixTab::showMatrix(const Element& matrix)
{
    if (!isShownAsMatrix(matrix))
        return false;
    auto place = std::find(m_matrices.begin(), m_matrices.end(), &matrix);
    if (place == m_matrices.end()) {
        m_matrices.push_back(&matrix);
        fillChoices();
        place = m_matrices.end() - 1;
    }
    m_choice->setCurrentIndex(static_cast<int>(place - m_matrices.begin()));
    if (!m_source || &m_source->matrix() != &matrix)
        makeSource(matrix);
    Q_EMIT matrixShown(&matrix);
    return true;
}

void MatrixTab::makeSource(const Element& matrix)
{
    m_banner->hide();
    m_stack->setCurrentWidget(m_grid);
    m_grid->setSource(nullptr);
    m_source = std::make_unique<MatrixSource>(m_context, m_dataset, matrix);
    m_source->setSymbols(matrix.ofRaw ? m_rawSymbols : m_symbols);
    m_source->setGroups(m_groups, m_groupColors);
    m_find->setPlace(m_source->rowTable() != nullptr ? NameQuery{m_dataset, m_source->rowTable(), nullptr, {}, 12}
                                                     : NameQuery{});
    m_order->setEnabled(m_source->rowTable() != nullptr && m_source->rowTable() == m_dataset->obs());
    connect(m_source.get(), &MatrixSource::filled, this, &MatrixTab::filled);
    connect(m_source.get(), &MatrixSource::filled, this, &MatrixTab::sayPicked);
    connect(m_source.get(), &MatrixSource::rangeFound, this, [this] {
        updateKey();
        Q_EMIT filled();
    });
    connect(m_source.get(), &MatrixSource::failed, this, [this](const Error& error) {
        m_banner->showMessage(Banner::Tone::Error, errorText(error));
        Q_EMIT filled();
    });
    connect(m_source.get(), &MatrixSource::partlyFailed, this, [this](const Error& error) {
        m_banner->showMessage(Banner::Tone::Warning,
                              u"Some values cannot be read; they stand as “?”. "_s + errorText(error));
    });
    m_grid->setSource(m_source.get());
    updateHolds();
    updateKey();
    applyView();
}

void MatrixTab::setView(const DatasetView& view)
{
    if (view.dataset() != m_dataset)
        return;
    m_view = view;
    applyView();
}

Selection MatrixTab::shownOf(const Element* table, Index extent) const
{
    const bool cells = table != nullptr && table == m_dataset->obs();
    const bool genes = table != nullptr && table == m_dataset->var();
    const Selection shown = cells ? m_view.obs() : genes ? m_view.var() : Selection::all(extent);
    return shown.extent() == extent ? shown : Selection::all(extent);
}

void MatrixTab::applyView()
{
    if (!m_source)
        return;
    const Selection rows = shownOf(m_source->rowTable(), m_source->fileRows());
    if (m_source->rowTable() != nullptr) {
        NameQuery place{m_dataset, m_source->rowTable(), nullptr, {}, 12};
        if (!rows.isAll())
            place.rows = rows;
        m_find->setPlace(std::move(place));
    }
    m_source->setColumns(shownOf(m_source->columnTable(), m_source->fileColumns()));
    if (m_order->isEnabled())
        applyOrder();
    else
        m_source->setRowOrder(rows, false);
}

// Sorted in the background; until then the rows stay where they are. Rows in the order of a label
// carry its colours.
void MatrixTab::applyOrder()
{
    if (!m_source || !m_order->isEnabled())
        return;
    const QString name = m_order->currentData().toString();
    const Element* obs = m_dataset->obs();
    const Element* column = name.isEmpty() || obs == nullptr ? nullptr : obs->child(toStdString(name));
    if (column == nullptr) {
        m_orderRequest.cancel();
        m_source->setGroups(m_groups, m_groupColors);
        m_source->setRowOrder(shownOf(obs, m_source->fileRows()), false);
        return;
    }
    m_orderRequest.request<OrderedRows>(
        [dataset = m_dataset, obs, column, rows = shownOf(obs, m_source->fileRows()), reading = m_context.reading,
         others = Theme::current().outside](std::stop_token stop) -> Result<OrderedRows> {
            auto order = sortedRows(dataset, *obs, column, SortOrder::Ascending, rows, reading, stop);
            if (!order)
                return std::move(order).error();
            auto colors = colorsOf(dataset, *column, {}, others, reading, stop);
            if (!colors)
                return std::move(colors).error();
            return OrderedRows{std::move(*order), std::move(*colors)};
        },
        [this, column](Result<OrderedRows> answer) {
            if (!answer) {
                m_banner->showMessage(Banner::Tone::Error, errorText(answer.error()));
                m_restoring.reset();
            } else if (m_source) {
                m_source->setGroups(column, answer->colors);
                m_source->setRowOrder(std::move(answer->order), true);
                showPlaceAgain();
            }
        });
}

void MatrixTab::setSymbols(const Element* var, const Element* rawVar)
{
    m_symbols = var;
    m_rawSymbols = rawVar;
    if (m_source)
        m_source->setSymbols(m_source->matrix().ofRaw ? rawVar : var);
}

void MatrixTab::setGroups(const Element* column, const std::vector<QColor>& colors)
{
    m_groups = column;
    m_groupColors = colors;
    if (m_source && m_source->isInFileOrder())
        m_source->setGroups(column, colors);
}

void MatrixTab::setHolds(std::function<const HoldsResult*(const Element&)> holds)
{
    m_holds = std::move(holds);
    updateHolds();
}

void MatrixTab::updateHolds()
{
    const HoldsResult* holds = m_source && m_holds ? m_holds(m_source->matrix()) : nullptr;
    m_kind->setText(holds == nullptr ? QString() : toQString(holds->text()));
    m_kind->setToolTip(holds == nullptr || holds->exact ? QString()
                                                        : u"Judged from a sample of the values"_s);
}

void MatrixTab::updateKey()
{
    if (!m_source || !m_source->range() || m_source->range()->high <= m_source->range()->low) {
        m_key->hide();
        return;
    }
    m_key->setEnds(numberText(m_source->range()->low, 3), numberText(m_source->range()->high, 3));
}

// Again once names and value have come: after a jump they are still on their way.
void MatrixTab::sayPicked()
{
    const qint64 row = m_grid->currentRow();
    const qint64 column = m_grid->currentColumn();
    if (!m_source || row < 0 || column < 0 || row >= m_source->rowCount() || column >= m_source->columnCount())
        return;
    Q_EMIT valuePicked(m_source->rowHead(row).name, m_source->columnHead(column).name,
                       m_source->value(row, column).damaged ? u"cannot be read"_s
                                                            : m_source->exactText(row, column));
}

MatrixState MatrixTab::state() const
{
    MatrixState state;
    if (!m_source)
        return state;
    state.path = m_source->matrix().path;
    state.order = m_order->currentData().toString();
    state.offset = m_grid->offset();
    const GridSource::Window seen = m_grid->window();
    const qint64 row = m_grid->currentRow() >= 0 ? m_grid->currentRow() : seen.firstRow;
    const qint64 column = m_grid->currentColumn() >= 0 ? m_grid->currentColumn() : seen.firstColumn;
    if (row < m_source->rowCount())
        state.row = {m_source->fileRow(row), toStdString(m_source->rowName(row))};
    if (column < m_source->columnCount())
        state.column = {m_source->fileColumn(column), toStdString(m_source->columnName(column))};
    state.picked = m_grid->currentRow() >= 0 && m_grid->currentColumn() >= 0;
    return state;
}

void MatrixTab::restore(const MatrixState& state)
{
    if (!m_dataset || state.path.empty())
        return;
    const auto matrix = m_dataset->find(state.path);
    if (!matrix || !showMatrix(**matrix))
        return;
    m_restoring = state;
    const int place = state.order.isEmpty() ? 0 : m_order->findData(state.order);
    if (place > 0 && m_order->isEnabled()) {
        m_order->setCurrentIndex(place);
        applyOrder(); // showPlaceAgain() when it has come
    } else {
        showPlaceAgain();
    }
}

// By number at once; whether these are still the same cell and gene is asked in the background.
void MatrixTab::showPlaceAgain()
{
    if (!m_restoring || !m_source)
        return;
    const MatrixState state = *std::exchange(m_restoring, std::nullopt);
    m_grid->setOffset(state.offset);
    if (state.picked)
        m_grid->setCurrent(m_source->placeOf(std::min(state.row.row, m_source->matrix().shape->front() - 1)),
                           m_source->columnPlaceOf(state.column.row));
    const auto follow = [this](Latest& request, const Element* table, const NamedRow& before, auto go) {
        if (table == nullptr || before.name.empty())
            return;
        request.request<std::optional<Index>>(
            [dataset = m_dataset, table, before, reading = m_context.reading](std::stop_token stop) {
                return findRowAgain(dataset, *table, before.name, before.row, reading, stop);
            },
            [this, before, go](Result<std::optional<Index>> now) {
                const QString name = toQString(before.name);
                if (!now)
                    m_banner->showMessage(Banner::Tone::Error, errorText(now.error()));
                else if (!*now)
                    Q_EMIT statusMessage(u"%1 is no longer in the file."_s.arg(name));
                else if (**now != before.row)
                    go(**now);
            });
    };
    follow(m_rowRequest, m_source->rowTable(), state.row, [this, picked = state.picked](Index row) {
        if (picked)
            goToCell(row);
        else
            m_grid->setOffset({m_grid->offset().x, m_source->placeOf(row) * m_grid->cellHeight()});
    });
    follow(m_columnRequest, m_source->columnTable(), state.column, [this, picked = state.picked](Index column) {
        if (picked)
            goToGene(column);
        else
            m_grid->setOffset({m_source->columnPlaceOf(column) * m_grid->cellWidth(), m_grid->offset().y});
    });
}

void MatrixTab::focusFind()
{
    m_find->setFocus(Qt::ShortcutFocusReason);
    m_find->selectAll();
}

bool MatrixTab::isFilled() const
{
    return m_dataset && (!m_source || m_source->isFilled());
}

void MatrixTab::goToGene(Index column)
{
    if (!m_source)
        return;
    const qint64 place = m_source->columnPlaceOf(column);
    if (place >= 0)
        m_grid->goToColumn(place);
    else
        Q_EMIT statusMessage(u"This gene is not among those shown: the filters leave it out."_s);
}

void MatrixTab::goToCell(Index fileRow)
{
    if (!m_source)
        return;
    const qint64 place = m_source->placeOf(fileRow);
    if (place >= 0)
        m_grid->goToRow(place);
    else
        Q_EMIT statusMessage(u"This row is not among those shown: the filters leave it out."_s);
}

void MatrixTab::askForRow()
{
    if (!m_source || m_source->rowCount() == 0)
        return;
    const Index rows = m_source->rowCount();
    const auto text = askForRowNumber(this, u"Row, as they stand here"_s, rows);
    if (!text)
        return;
    if (const auto row = parseRow(*text, rows))
        m_grid->goToRow(*row);
    else
        Q_EMIT statusMessage(noSuchRow(*text, rows));
}

void MatrixTab::copy(bool withNames)
{
    m_grid->copy(withNames ? MatrixGrid::CopyHeaders::With : MatrixGrid::CopyHeaders::Without);
}

QString MatrixTab::pickedText() const
{
    return m_source && m_grid->currentRow() >= 0 && m_grid->currentColumn() >= 0 ? u"1 value picked"_s
                                                                                 : QString();
}

} // namespace cellfolio
