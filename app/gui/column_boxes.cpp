// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/column_boxes.h"

#include "app/gui/table_tab.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/models/filter_box.h"
#include "widgets/models/view_model.h"
#include "widgets/views/header_boxes.h"
#include "widgets/views/paged_table_view.h"

#include <QtCore/QSettings>
#include <QtWidgets/QToolButton>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

const QString kShownKey = u"tables/filterBoxes"_s;

} // namespace

ColumnBoxes::ColumnBoxes(ViewModel& view, Axis axis, TableTab& table)
    : QObject(&table), m_view(view), m_axis(axis), m_table(table),
      m_button(table.addTool(u"filter"_s, u"Show a filter box under each column"_s))
{
    connect(m_button, &QToolButton::toggled, this, &ColumnBoxes::setShown);
    connect(&view, &ViewModel::viewChanged, this, &ColumnBoxes::changed);
    connect(&view, &ViewModel::failed, this, &ColumnBoxes::failed);
    setShown(QSettings().value(kShownKey, true).toBool());
}

QString ColumnBoxes::originOf(const Element* column)
{
    return column == nullptr ? u"box"_s : u"box "_s + toQString(column->name);
}

bool ColumnBoxes::isShown() const
{
    return m_table.view()->headerBoxes() != nullptr;
}

void ColumnBoxes::setShown(bool shown)
{
    if (shown == isShown())
        return;
    QSettings().setValue(kShownKey, shown);
    m_button->setChecked(shown);
    if (!shown) {
        m_table.view()->setHeaderBoxes({});
        return;
    }
    m_table.view()->setHeaderBoxes([this](int column) { return describe(column); });
    connect(m_table.view()->headerBoxes(), &HeaderBoxes::edited, this, &ColumnBoxes::edited);
}

const Element* ColumnBoxes::elementOf(int column) const
{
    const FrameSource* source = m_table.source();
    return source->elementOfColumn(source->shownColumns()[static_cast<std::size_t>(column)]);
}

HeaderBox ColumnBoxes::describe(int column) const
{
    HeaderBox box;
    if (m_table.source() == nullptr || column >= m_table.source()->columnCount())
        return box;
    const Element* element = elementOf(column);
    const QString origin = originOf(element);
    box.name = u"Filter "_s + (element == nullptr ? u"names"_s : toQString(element->name));
    box.placeholder = boxPlaceholder(element);
    box.enabled = element == nullptr || (element->readable && element->column != ColumnKind::Opaque);
    const FilterStep* step = m_view.stepOf(m_axis, origin);
    if (step != nullptr) {
        box.text = step->written;
        box.toolTip = step->expression;
    }
    if (const auto written = m_written.find(origin); written != m_written.end())
        box.text = written->second;
    if (const auto refused = m_refused.find(origin); refused != m_refused.end())
        box.refused = refused->second;
    return box;
}

void ColumnBoxes::edited(int column, const QString& text)
{
    const Element* element = elementOf(column);
    const QString origin = originOf(element);
    m_refused.erase(origin);
    m_written[origin] = text;
    if (const FilterStep* step = m_view.stepOf(m_axis, origin))
        m_steps[origin] = step->id;
    const int known = m_steps[origin];
    const Result<QString> expression = boxExpression(element, text);
    if (!expression) {
        m_refused[origin] = errorText(expression.error());
    } else if (expression->isEmpty()) {
        m_view.removeStep(known);
        if (!m_view.isEvaluating())
            m_written.erase(origin); // there was nothing to take away
    } else {
        StepNote note;
        note.origin = origin;
        note.written = text.trimmed();
        m_steps[origin] = m_view.setStep(m_axis, known, *expression, note);
    }
    refresh();
}

void ColumnBoxes::failed(const StepProblem& problem)
{
    if (problem.axis != m_axis || !problem.origin.startsWith("box"_L1))
        return;
    m_refused[problem.origin] = errorText(problem.error);
    refresh();
}

void ColumnBoxes::changed(Axis axis)
{
    if (axis != m_axis)
        return;
    m_written.clear();
    if (m_view.steps(axis).empty())
        m_refused.clear();
    refresh();
}

void ColumnBoxes::refresh()
{
    if (HeaderBoxes* boxes = m_table.view()->headerBoxes())
        boxes->refresh();
}

} // namespace cellfolio
