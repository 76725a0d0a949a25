// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/filter_steps.h"

#include <QtWidgets/QAbstractButton>
#include <QtWidgets/QWidget>

#include <vector>

class QToolButton;

namespace cellfolio {

// One step of a view as a chip: its words, elided, and a cross that takes it away.
class FilterChip : public QAbstractButton
{
    Q_OBJECT
public:
    explicit FilterChip(QWidget* parent);

    void setStep(const FilterStep& step);
    int stepId() const { return m_id; }
    void setEdited(bool edited); // its expression is in the field

    QSize sizeHint() const override;

Q_SIGNALS:
    void removeRequested(int id);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QRect crossRect() const;

    int m_id = 0;
    bool m_on = true;
    bool m_edited = false;
    bool m_crossHovered = false;
};

// The steps of one axis in a row. What does not fit is behind "+2", with a menu.
class FilterChips : public QWidget
{
    Q_OBJECT
public:
    explicit FilterChips(QWidget* parent = nullptr);

    void setSteps(const std::vector<FilterStep>& steps);
    void setEdited(int id); // 0: none
    std::vector<FilterChip*> chips() const { return m_chips; }
    // Width that all chips want.
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void editRequested(int id);
    void removeRequested(int id);
    void enableRequested(int id, bool enabled);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void place();
    void showRest();
    void chipMenu(const FilterStep& step, const QPoint& where);

    std::vector<FilterStep> m_steps;
    std::vector<FilterChip*> m_chips;
    QToolButton* m_more = nullptr;
    std::size_t m_shown = 0;
};

} // namespace cellfolio
