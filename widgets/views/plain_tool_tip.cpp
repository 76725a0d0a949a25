// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/plain_tool_tip.h"

#include <QtGui/QHelpEvent>
#include <QtGui/QTextDocument>
#include <QtWidgets/QToolTip>

#include <algorithm>

namespace cellfolio
{

namespace
{

constexpr qsizetype kLine = 90;     // letters from which a line is wrapped
constexpr qsizetype kWhole = 2'000; // letters that are shown at all
constexpr qsizetype kWord = 60;     // a word longer than this may be broken anywhere

} // namespace

QString plainToolTip(const QString& text)
{
    const QString shown =
        text.size() > kWhole ? text.left(kWhole) + QChar(0x2026) : text;
    const QStringList lines = shown.split(u'\n');
    const bool fits = std::all_of(lines.begin(), lines.end(),
                                  [](const QString& line) { return line.size() <= kLine; });
    if (fits && !Qt::mightBeRichText(shown))
        return shown;
    // Rich text wraps at spaces alone; names often have none.
    QString breakable;
    qsizetype run = 0;
    for (const QChar letter : shown) {
        run = letter.isSpace() ? 0 : run + 1;
        breakable += letter;
        if (run == kWord) {
            breakable += QChar(0x200B);
            run = 0;
        }
    }
    return QStringLiteral("<qt>") + breakable.toHtmlEscaped().replace(u'\n', QStringLiteral("<br>")) +
           QStringLiteral("</qt>");
}

void showPlainToolTip(const QHelpEvent& event, const QString& text, QWidget* widget)
{
    if (text.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(event.globalPos(), plainToolTip(text), widget);
}

} // namespace cellfolio
