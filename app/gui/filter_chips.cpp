// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/filter_chips.h"

#include "widgets/bridge/cell_format.h"
#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"
#include "widgets/style/theme.h"

#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtGui/QKeyEvent>
#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QMenu>
#include <QtWidgets/QToolButton>

#include <algorithm>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

constexpr int kChipHeight = 24;
constexpr int kWidest = 240;
constexpr int kLeft = 10;
constexpr int kCross = 22; // with the air around it
constexpr int kGap = 6;

} // namespace

FilterChip::FilterChip(QWidget* parent) : QAbstractButton(parent)
{
    setFocusPolicy(Qt::TabFocus);
    setMouseTracking(true);
    setFont(fonts::table());
    setFixedHeight(kChipHeight);
    setContextMenuPolicy(Qt::CustomContextMenu);
}

void FilterChip::setStep(const FilterStep& step)
{
    m_id = step.id;
    m_on = step.enabled;
    setText(step.text());
    QString tip = step.text();
    if (!step.expression.isEmpty() && step.expression != step.text())
        tip += u'\n' + step.expression;
    tip += step.enabled ? u"\n%1 of %2 stay"_s.arg(countText(step.chosen), countText(step.before)) : u"\nswitched off"_s;
    if (step.missing > 0)
        tip += u" · %1 left out because a value is missing"_s.arg(countText(step.missing));
    setToolTip(tip);
    setAccessibleName(u"Filter "_s + tip);
    updateGeometry();
    update();
}

void FilterChip::setEdited(bool edited)
{
    m_edited = edited;
    update();
}

QSize FilterChip::sizeHint() const
{
    return {std::min(kWidest, kLeft + fontMetrics().horizontalAdvance(text()) + 4 + kCross), kChipHeight};
}

QRect FilterChip::crossRect() const
{
    return {width() - kCross, 0, kCross, height()};
}

void FilterChip::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF box = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.setPen(hasFocus() ? QPen(theme.accent, 1.5) : QPen(m_on ? Qt::transparent : theme.softLine));
    painter.setBrush(m_edited     ? theme.accentSoft
                     : !m_on      ? theme.base
                     : isDown()   ? theme.pressed
                                  : theme.hover);
    painter.drawRoundedRect(box, 11, 11);
    painter.setFont(font());
    painter.setPen(m_on ? theme.text : theme.text3);
    const QRect words = rect().adjusted(kLeft, 0, -kCross, 0);
    painter.drawText(words, Qt::AlignVCenter | Qt::TextSingleLine,
                     fontMetrics().elidedText(text(), Qt::ElideMiddle, words.width()));
    const QRect cross = crossRect();
    paintIcon(painter, u"x"_s, QRectF(cross.center().x() - 6, cross.center().y() - 5.5, 12, 12),
              m_crossHovered ? theme.text : theme.text2);
}

void FilterChip::mouseMoveEvent(QMouseEvent* event)
{
    m_crossHovered = crossRect().contains(event->pos());
    update();
    QAbstractButton::mouseMoveEvent(event);
}

void FilterChip::leaveEvent(QEvent* event)
{
    m_crossHovered = false;
    update();
    QAbstractButton::leaveEvent(event);
}

void FilterChip::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && isDown() && crossRect().contains(event->pos())) {
        setDown(false);
        Q_EMIT removeRequested(m_id);
        return;
    }
    QAbstractButton::mouseReleaseEvent(event);
}

void FilterChip::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Delete || event->key() == Qt::Key_Backspace)
        Q_EMIT removeRequested(m_id);
    else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        click();
    else
        QAbstractButton::keyPressEvent(event);
}

FilterChips::FilterChips(QWidget* parent) : QWidget(parent), m_more(new QToolButton(this))
{
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    setFixedHeight(kChipHeight + 2);
    m_more->setFont(fonts::table());
    m_more->hide();
    connect(m_more, &QToolButton::clicked, this, &FilterChips::showRest);
}

void FilterChips::setSteps(const std::vector<FilterStep>& steps)
{
    m_steps = steps;
    while (m_chips.size() > steps.size()) {
        m_chips.back()->deleteLater(); // one of them may be what is being clicked
        m_chips.back()->hide();
        m_chips.pop_back();
    }
    while (m_chips.size() < steps.size()) {
        auto* chip = new FilterChip(this);
        connect(chip, &FilterChip::clicked, this, [this, chip] { Q_EMIT editRequested(chip->stepId()); });
        connect(chip, &FilterChip::removeRequested, this, &FilterChips::removeRequested);
        connect(chip, &QWidget::customContextMenuRequested, this, [this, chip](const QPoint& where) {
            for (const FilterStep& step : m_steps)
                if (step.id == chip->stepId()) {
                    const FilterStep shown = step; // the menu may change the list
                    chipMenu(shown, chip->mapToGlobal(where));
                    return;
                }
        });
        m_chips.push_back(chip);
    }
    for (std::size_t i = 0; i < steps.size(); ++i)
        m_chips[i]->setStep(steps[i]);
    updateGeometry();
    place();
}

void FilterChips::setEdited(int id)
{
    for (FilterChip* chip : m_chips)
        chip->setEdited(id != 0 && chip->stepId() == id);
}

QSize FilterChips::sizeHint() const
{
    int wide = 0;
    for (const FilterChip* chip : m_chips)
        wide += chip->sizeHint().width() + kGap;
    return {std::max(0, wide - kGap), height()};
}

QSize FilterChips::minimumSizeHint() const
{
    return {m_chips.empty() ? 0 : 48, height()};
}

void FilterChips::resizeEvent(QResizeEvent*)
{
    place();
}

void FilterChips::place()
{
    const int moreWidth = fontMetrics().horizontalAdvance(u"+88"_s) + 20;
    int left = 0;
    m_shown = 0;
    for (std::size_t i = 0; i < m_chips.size(); ++i) {
        const int wide = m_chips[i]->sizeHint().width();
        const bool last = i + 1 == m_chips.size();
        if (left + wide + (last ? 0 : kGap + moreWidth) > width())
            break;
        m_chips[i]->setGeometry(left, 1, wide, kChipHeight);
        left += wide + kGap;
        ++m_shown;
    }
    for (std::size_t i = 0; i < m_chips.size(); ++i)
        m_chips[i]->setVisible(i < m_shown);
    const std::size_t rest = m_chips.size() - m_shown;
    m_more->setVisible(rest > 0);
    m_more->setText(u"+%1"_s.arg(rest));
    m_more->setToolTip(u"%1 more filters"_s.arg(rest));
    m_more->setAccessibleName(m_more->toolTip());
    m_more->setGeometry(left, 0, moreWidth, kChipHeight + 2);
}

void FilterChips::showRest()
{
    QMenu menu(this);
    const std::vector<FilterStep> steps = m_steps;
    for (std::size_t i = m_shown; i < steps.size(); ++i) {
        const FilterStep& step = steps[i];
        QMenu* one = menu.addMenu(fontMetrics().elidedText(step.text(), Qt::ElideMiddle, 420));
        one->addAction(u"Edit"_s, this, [this, id = step.id] { Q_EMIT editRequested(id); })
            ->setEnabled(!step.picked);
        one->addAction(step.enabled ? u"Switch off"_s : u"Switch on"_s, this,
                       [this, id = step.id, on = step.enabled] { Q_EMIT enableRequested(id, !on); });
        one->addAction(icon("x"), u"Remove"_s, this, [this, id = step.id] { Q_EMIT removeRequested(id); });
    }
    menu.exec(m_more->mapToGlobal(QPoint(0, m_more->height())));
}

void FilterChips::chipMenu(const FilterStep& step, const QPoint& where)
{
    QMenu menu(this);
    menu.addAction(u"Edit"_s, this, [this, &step] { Q_EMIT editRequested(step.id); })->setEnabled(!step.picked);
    menu.addAction(icon(step.enabled ? "eye-off" : "eye"), step.enabled ? u"Switch off"_s : u"Switch on"_s, this,
                   [this, &step] { Q_EMIT enableRequested(step.id, !step.enabled); });
    menu.addAction(icon("copy"), u"Copy the expression"_s, this,
                   [&step] { QGuiApplication::clipboard()->setText(step.expression); })
        ->setEnabled(!step.picked);
    menu.addSeparator();
    menu.addAction(icon("x"), u"Remove"_s, this, [this, &step] { Q_EMIT removeRequested(step.id); });
    menu.exec(where);
}

} // namespace cellfolio
