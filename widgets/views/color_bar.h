// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/style/palettes.h"

#include <QtWidgets/QWidget>

#include <optional>

namespace cellfolio
{

// What a colour bar explains. Numbers come as text, three significant digits.
struct ColorBarContent {
    QString title;    // "CD3E"
    QString subtitle; // "raw/X, log1p of counts per 10 000"
    NumberMap map = NumberMap::Viridis;
    QString low; // at the ends of the gradient
    QString high;
    bool clippedLow = false; // values lie below: a pointed end and "≤" before the number
    bool clippedHigh = false;
    QString fullRange;                   // "1.2 to 640": the whole range, shown when clipped
    std::optional<std::int64_t> zeros;   // cells at 0, which have a tint of their own; its own row
    std::optional<std::int64_t> unread;  // cells that have not been read yet; its own row when set
    std::optional<std::int64_t> missing; // shown as its own row when set
    std::optional<std::int64_t> outside; // points outside the filters; its own row when set
};

// The legend of a number: title, gradient with its ends, missing cells.
class ColorBar : public QWidget
{
    Q_OBJECT
public:
    explicit ColorBar(QWidget* parent = nullptr);

    void setContent(ColorBarContent content);
    const ColorBarContent& content() const { return m_content; }

    QSize sizeHint() const override;

Q_SIGNALS:
    void fullRangeRequested(); // click on the whole range

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    QRect fullRangeRect() const;
    ColorBarContent m_content;
};

} // namespace cellfolio
