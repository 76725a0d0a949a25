// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/memory_meter.h"

#include "widgets/style/fonts.h"
#include "widgets/style/numbers.h"
#include "widgets/style/theme.h"

#include <QtCore/QLocale>
#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace cellfolio
{

namespace
{

constexpr int kBarWidth = 104;
constexpr int kGap = 8;

double share(qint64 part, qint64 whole)
{
    return whole > 0 ? std::clamp(double(part) / double(whole), 0.0, 1.0) : 0.0;
}

} // namespace

QString bytesText(qint64 bytes)
{
    static constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
    double value = double(std::max<qint64>(bytes, 0));
    std::size_t unit = 0;
    while (value >= 1023.5 && unit + 1 < std::size(kUnits)) {
        value /= 1024;
        ++unit;
    }
    const int decimals = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    const QLocale locale;
    QString number = locale.toString(value, 'f', decimals);
    if (decimals > 0) { // "2 GiB", not "2.00 GiB"
        while (number.endsWith(locale.zeroDigit()))
            number.chop(1);
        if (number.endsWith(locale.decimalPoint()))
            number.chop(1);
    }
    return number + u' ' + QLatin1String(kUnits[unit]);
}

MemoryMeter::MemoryMeter(QWidget* parent) : QWidget(parent)
{
    setFont(fonts::table());
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void MemoryMeter::setReading(const Reading& reading)
{
    const auto pixels = [](const Reading& r, qint64 part) {
        return int(std::lround(share(part, r.budget) * kBarWidth));
    };
    const QString before = text();
    const bool moved = pixels(m_reading, m_reading.pages) != pixels(reading, reading.pages) ||
                       pixels(m_reading, m_reading.used) != pixels(reading, reading.used) ||
                       pixels(m_reading, m_reading.peak) != pixels(reading, reading.peak);
    const bool resized = m_reading.budget != reading.budget;
    m_reading = reading;
    QString tip = tr("Pages in memory: %1\nIn use: %2\nPeak: %3\nBudget: %4")
                      .arg(bytesText(reading.pages), bytesText(reading.used),
                           bytesText(reading.peak), bytesText(reading.budget));
    if (reading.process > 0)
        tip += u'\n' + tr("Whole program: %1").arg(bytesText(reading.process));
    setToolTip(tip);
    setAccessibleName(tr("Memory: %1").arg(text()));
    if (resized)
        updateGeometry();
    if (moved || resized || before != text())
        update();
}

QString MemoryMeter::text() const
{
    return tr("%1 of %2").arg(bytesText(m_reading.used), bytesText(m_reading.budget));
}

QSize MemoryMeter::sizeHint() const
{
    // Room for the widest reading, so that the status line does not dance.
    const double figures = numberWidth(
        font(), tr("%1 of %2").arg(QStringLiteral("88.8 MiB"), bytesText(m_reading.budget)));
    const int word = fontMetrics().horizontalAdvance(tr("Memory"));
    return {word + kGap + kBarWidth + kGap + int(std::ceil(figures)) + 2,
            std::max(20, fontMetrics().height() + 4)};
}

QSize MemoryMeter::minimumSizeHint() const
{
    return sizeHint();
}

void MemoryMeter::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme& theme = Theme::current();
    painter.setFont(font());
    painter.setPen(theme.text2);
    const QString word = tr("Memory");
    const int wordWidth = fontMetrics().horizontalAdvance(word);
    painter.drawText(QRect(0, 0, wordWidth, height()), Qt::AlignVCenter, word);

    const QRectF track(wordWidth + kGap, std::floor((height() - 6) / 2.0), kBarWidth, 6);
    const double usedShare = share(m_reading.used, m_reading.budget);
    const QColor fill = usedShare >= 0.9 ? theme.warnFill : theme.progress;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.barPale);
    painter.drawRoundedRect(track, 3, 3);
    const auto part = [&](double value, const QColor& colour) {
        if (value <= 0)
            return;
        painter.save(); // cut straight at the value, round only at the track's own end
        painter.setClipRect(QRectF(track.left(), track.top(), std::max(2.0, track.width() * value),
                                   track.height()));
        painter.setBrush(colour);
        painter.drawRoundedRect(track, 3, 3);
        painter.restore();
    };
    part(usedShare, mixed(theme.barPale, fill, 0.5));
    part(share(std::min(m_reading.pages, m_reading.used), m_reading.budget), fill);
    painter.restore();
    if (m_reading.peak > 0) {
        const double x =
            track.left() + std::round(track.width() * share(m_reading.peak, m_reading.budget));
        painter.fillRect(QRectF(std::min(x, track.right() - 1), track.top() - 1, 1, 8), theme.line);
    }
    painter.setPen(theme.text);
    drawNumber(painter, QRectF(track.right() + kGap, 0, width() - track.right() - kGap, height()),
               text(), Qt::AlignLeft);
}

void MemoryMeter::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && rect().contains(event->pos()))
        Q_EMIT clicked();
}

} // namespace cellfolio
