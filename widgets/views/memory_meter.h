// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

namespace cellfolio
{

// "Memory ▓▒░ 214 MiB of 2 GiB" in the status line: solid = pages, half = the rest of the
// budget in use, tick = the peak. From 90 % of the budget in the warning colour.
class MemoryMeter : public QWidget
{
    Q_OBJECT
public:
    explicit MemoryMeter(QWidget* parent = nullptr);

    struct Reading {
        qint64 pages = 0; // bytes in the page cache
        qint64 used = 0;  // bytes of the budget in use, pages included
        qint64 peak = 0;  // highest `used` so far
        qint64 budget = 0;
        qint64 process = 0; // resident bytes of the program, for the tooltip; 0: not known
    };
    // Repaints only when what is shown changes.
    void setReading(const Reading& reading);
    const Reading& reading() const { return m_reading; }
    QString text() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void clicked();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    Reading m_reading;
};

// "214 MiB", "2 GiB", "1.5 GiB": three significant digits at most, in the locale's way.
QString bytesText(qint64 bytes);

} // namespace cellfolio
