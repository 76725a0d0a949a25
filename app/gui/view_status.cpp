// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/view_status.h"

#include "widgets/bridge/cell_format.h"
#include "widgets/models/view_model.h"
#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"

#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QMenu>
#include <QtWidgets/QPushButton>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

constexpr int kMenuWidth = 420;

QString partOf(Index shown, Index all, const QString& one, const QString& many)
{
    return shown == all ? countedText(all, one, many) : countText(shown) + u" of "_s + countedText(all, one, many);
}

} // namespace

ViewStatus::ViewStatus(ViewModel& view, QWidget* parent)
    : QWidget(parent), m_view(view), m_notIn(new QPushButton(this)), m_missing(new QPushButton(this))
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    for (QPushButton* button : {m_notIn, m_missing}) {
        button->setProperty("quiet", true);
        button->setProperty("small", true);
        button->setFont(fonts::caption());
        button->setFocusPolicy(Qt::TabFocus);
        row->addWidget(button);
    }
    m_notIn->setToolTip(u"Which filters leave them out, and the way back"_s);
    m_missing->setToolTip(u"Left out because a compared value is missing; the way back"_s);
    const auto open = [this](QPushButton* button, void (ViewStatus::*fill)(QMenu&)) {
        QMenu menu(this);
        (this->*fill)(menu);
        menu.exec(button->mapToGlobal(QPoint(0, -menu.sizeHint().height())));
    };
    connect(m_notIn, &QPushButton::clicked, this, [this, open] { open(m_notIn, &ViewStatus::fillNotInMenu); });
    connect(m_missing, &QPushButton::clicked, this, [this, open] { open(m_missing, &ViewStatus::fillMissingMenu); });
    refresh();
}

void ViewStatus::setAxis(Axis axis)
{
    m_axis = axis;
    refresh();
}

void ViewStatus::refresh()
{
    if (m_view.isPartial(m_axis)) {
        hide(); // why the others are not shown is known in the end
        return;
    }
    const StepsCount count = m_view.count(m_axis);
    m_notIn->setText(countText(count.notIn) + u" not in filter"_s);
    m_missing->setText(countText(count.missing) + u" missing"_s);
    m_notIn->setAccessibleName(m_notIn->text());
    m_missing->setAccessibleName(m_missing->text());
    m_notIn->setVisible(count.notIn > 0);
    m_missing->setVisible(count.missing > 0);
    setVisible(count.shown < count.rows);
}

QString ViewStatus::extentOf(const ViewModel& view)
{
    const Selection& obs = view.rows(Axis::Obs);
    const Selection& var = view.rows(Axis::Var);
    const QString cells = partOf(obs.size(), obs.extent(), u"cell"_s, u"cells"_s);
    const QString genes = partOf(var.size(), var.extent(), u"gene"_s, u"genes"_s);
    if (view.isPartial(Axis::Obs))
        return u"%1 found so far · "_s.arg(countedText(obs.size(), u"cell"_s, u"cells"_s)) + genes;
    return cells + (obs.size() < obs.extent() ? u" shown · "_s : u" · "_s) + genes
        + (var.size() < var.extent() ? u" shown"_s : QString());
}

QString ViewStatus::text() const
{
    QStringList parts;
    for (const QPushButton* button : {m_notIn, m_missing})
        if (!button->isHidden())
            parts.append(button->text());
    return isHidden() ? QString() : parts.join(u" · "_s);
}

void ViewStatus::fillNotInMenu(QMenu& menu)
{
    const QString noun = m_axis == Axis::Obs ? u"cells"_s : u"genes"_s;
    for (const FilterStep& step : m_view.steps(m_axis)) {
        const Index out = step.before - step.chosen - step.missing;
        if (!step.enabled || out == 0)
            continue;
        const QString words = menu.fontMetrics().elidedText(step.text(), Qt::ElideMiddle, kMenuWidth);
        menu.addAction(icon("x"), u"Remove %1   (%2 out)"_s.arg(QString(words).replace(u'&', u"&&"_s), countText(out)), &m_view,
                       [this, id = step.id] { m_view.removeStep(id); });
    }
    menu.addSeparator();
    menu.addAction(icon("eye"), u"Show all "_s + noun, &m_view, [this] { m_view.reset(m_axis); });
}

void ViewStatus::fillMissingMenu(QMenu& menu)
{
    for (const FilterStep& step : m_view.steps(m_axis)) {
        if (!step.enabled || step.missing == 0)
            continue;
        const QString words = menu.fontMetrics().elidedText(step.text(), Qt::ElideMiddle, kMenuWidth);
        menu.addAction(icon("eye"),
                       u"Keep the %1 without a value for %2"_s.arg(countText(step.missing),
                                                                   QString(words).replace(u'&', u"&&"_s)),
                       &m_view, [this, id = step.id] { m_view.setStepKeepsMissing(id, true); });
    }
}

} // namespace cellfolio
