// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QStringList>
#include <QtGui/QSyntaxHighlighter>

namespace cellfolio
{

// Colours of a filter expression: texts, numbers, signs and the words of the language. Knows no
// grammar, so that it can colour what is half written.
class ExpressionColors : public QSyntaxHighlighter
{
    Q_OBJECT
public:
    explicit ExpressionColors(QTextDocument* document) : QSyntaxHighlighter(document) {}
    void setWords(QStringList words);
    // Words that join and compare; functions stay in the colour of names.
    static QStringList standardWords();

protected:
    void highlightBlock(const QString& text) override;

private:
    QStringList m_words;
};

} // namespace cellfolio
