// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/expression_colors.h"

#include "widgets/style/theme.h"

#include <algorithm>

namespace cellfolio
{

void ExpressionColors::setWords(QStringList words)
{
    m_words = std::move(words);
    rehighlight();
}

QStringList ExpressionColors::standardWords()
{
    QStringList words;
    for (const char* word : {"not", "and", "or", "between", "in", "is", "missing", "contains", "startswith",
                             "endswith", "true", "false"})
        words.append(QString::fromLatin1(word));
    return words;
}

void ExpressionColors::highlightBlock(const QString& text)
{
    const Theme& theme = Theme::current();
    for (int at = 0; at < text.size();) {
        const QChar c = text[at];
        int end = at + 1;
        if (c == u'"' || c == u'`') {
            while (end < text.size() && text[end] != c)
                end += c == u'"' && text[end] == u'\\' && end + 1 < text.size() ? 2 : 1;
            end = std::min(end + 1, int(text.size()));
            setFormat(at, end - at, c == u'"' ? theme.ok : theme.text);
        } else if (c.isLetter() || c == u'_') {
            while (end < text.size() && (text[end].isLetterOrNumber() || text[end] == u'_' || text[end] == u'.'))
                ++end;
            setFormat(at, end - at, m_words.contains(text.mid(at, end - at)) ? theme.accent : theme.text);
        } else if (c.isDigit()) {
            while (end < text.size() && (text[end].isDigit() || text[end] == u'.' || text[end] == u'e'))
                ++end;
            setFormat(at, end - at, theme.warn);
        } else if (!c.isSpace()) {
            setFormat(at, 1, theme.accent);
        }
        at = end;
    }
}

} // namespace cellfolio
