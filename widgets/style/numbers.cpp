// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/style/numbers.h"

#include <QtCore/QHash>
#include <QtGui/QFontMetricsF>
#include <QtGui/QGlyphRun>
#include <QtGui/QPainter>
#include <QtGui/QRawFont>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

namespace cellfolio
{

namespace
{

// Widths and glyphs of the signs that numbers are made of, once a font.
struct Digits {
    static constexpr int kSigns = 128; // ASCII; others are asked for one by one

    explicit Digits(const QFont& font) : metrics(font), raw(QRawFont::fromFont(font))
    {
        QString ascii;
        for (int c = 0; c < kSigns; ++c)
            ascii += QChar(c < 32 ? 32 : c);
        const auto indexes = raw.isValid() ? raw.glyphIndexesForString(ascii) : QList<quint32>();
        for (int c = 0; c < kSigns; ++c) {
            widths[std::size_t(c)] = metrics.horizontalAdvance(ascii[c]);
            glyphs[std::size_t(c)] = indexes.size() == kSigns ? indexes[c] : 0;
        }
        for (int c = '0'; c <= '9'; ++c)
            widest = std::max(widest, widths[std::size_t(c)]);
        minusGlyph = glyphOf(QChar(0x2212));
    }

    quint32 glyphOf(QChar sign) const
    {
        const auto indexes =
            raw.isValid() ? raw.glyphIndexesForString(QString(sign)) : QList<quint32>();
        return indexes.size() == 1 ? indexes[0] : 0;
    }

    double step(QChar sign) const
    {
        const ushort code = sign.unicode();
        if (code >= '0' && code <= '9')
            return widest;
        return code < kSigns ? widths[code] : metrics.horizontalAdvance(sign);
    }

    double own(QChar sign) const
    {
        const ushort code = sign.unicode();
        return code < kSigns ? widths[code] : metrics.horizontalAdvance(sign);
    }

    quint32 glyph(QChar sign) const
    {
        const ushort code = sign.unicode();
        return code < kSigns ? glyphs[code] : code == 0x2212 ? minusGlyph : 0;
    }

    QFontMetricsF metrics;
    QRawFont raw;
    std::array<double, kSigns> widths{};
    std::array<quint32, kSigns> glyphs{};
    quint32 minusGlyph = 0;
    double widest = 0;
};

const Digits& digitsOf(const QFont& font)
{
    static QHash<QString, std::shared_ptr<const Digits>> cache;
    const QString key = font.key();
    auto found = cache.constFind(key);
    if (found == cache.constEnd()) {
        if (cache.size() > 64) // fonts of a session are few; a zoomed plot must not pile them up
            cache.clear();
        found = cache.insert(key, std::make_shared<const Digits>(font));
    }
    return **found;
}

double widthOf(const Digits& digits, const QString& text)
{
    double width = 0;
    for (const QChar sign : text)
        width += digits.step(sign);
    return width;
}

} // namespace

double numberWidth(const QFont& font, const QString& text)
{
    return widthOf(digitsOf(font), text);
}

void drawNumber(QPainter& painter, const QRectF& where, const QString& text,
                Qt::Alignment alignment)
{
    const Digits& digits = digitsOf(painter.font());
    const double width = widthOf(digits, text);
    double x = where.left();
    if (alignment & Qt::AlignRight)
        x = where.right() - width;
    else if (alignment & Qt::AlignHCenter)
        x = where.center().x() - width / 2;
    const double ratio = painter.device()->devicePixelRatio();
    const auto snap = [ratio](double v) { return std::round(v * ratio) / ratio; };
    const double baseline =
        snap(where.center().y() + (digits.metrics.ascent() - digits.metrics.descent()) / 2);

    // One run of glyphs for the whole number; a sign that the font lacks goes by text.
    QList<quint32> glyphs;
    QList<QPointF> positions;
    glyphs.reserve(text.size());
    positions.reserve(text.size());
    for (const QChar sign : text) {
        const double step = digits.step(sign);
        const QPointF at(snap(x + (step - digits.own(sign)) / 2), baseline);
        if (const quint32 glyph = digits.glyph(sign)) {
            glyphs.append(glyph);
            positions.append(at);
        } else if (!sign.isSpace()) {
            painter.drawText(at, QString(sign));
        }
        x += step;
    }
    if (glyphs.isEmpty())
        return;
    QGlyphRun run;
    run.setRawFont(digits.raw);
    run.setGlyphIndexes(glyphs);
    run.setPositions(positions);
    painter.drawGlyphRun(QPointF(0, 0), run);
}

QString elideNumber(const QFont& font, const QString& text, double width)
{
    const Digits& digits = digitsOf(font);
    if (widthOf(digits, text) <= width)
        return text;
    const QChar dots(0x2026);
    const double room = width - digits.step(dots);
    if (room <= 0)
        return QString(dots);
    // Equal halves: both ends of a number say something.
    qsizetype head = 0;
    qsizetype tail = text.size();
    double used = 0;
    while (head < tail) {
        const bool front = head <= text.size() - tail;
        const QChar next = front ? text[head] : text[tail - 1];
        const double step = digits.step(next);
        if (used + step > room)
            break;
        used += step;
        if (front)
            ++head;
        else
            --tail;
    }
    return text.left(head) + dots + text.mid(tail);
}

} // namespace cellfolio
