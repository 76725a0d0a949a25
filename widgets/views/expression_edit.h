// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QPointer>
#include <QtCore/QStringList>
#include <QtWidgets/QPlainTextEdit>

#include <vector>

class QListWidget;

namespace cellfolio
{

class ExpressionColors;

// One line in which an expression is written: coloured by what is a text, a number and a word of
// the language, with a list of completions below the caret and the place of a fault marked. Knows
// no file: who listens to completionsWanted() answers with setCompletions().
//
// Enter applies; Tab or Enter in the list takes a completion; Ctrl+Space asks for the list; Esc
// closes it, then restores(); Up and Down go through what was applied before.
class ExpressionEdit : public QPlainTextEdit
{
    Q_OBJECT
public:
    explicit ExpressionEdit(QWidget* parent = nullptr);
    ~ExpressionEdit() override;

    QString text() const;
    void setText(const QString& text); // the caret goes to the end; nothing is offered
    int caret() const;
    void setCaret(int place);

    struct Offer {
        QString shown;
        QString note;
        QString insert; // replaces [from, to)
        QString icon;
    };
    // For the text and caret of the last completionsWanted(); an answer to older ones is ignored.
    void setCompletions(int from, int to, std::vector<Offer> offers);
    const std::vector<Offer>& completions() const { return m_offers; }
    bool isListShown() const;

    // Marks [from, to) as refused until the text changes; from < 0 ends that.
    void setFault(int from, int to);
    // Where the fault is, in coordinates of this widget; -1: none.
    int faultX() const;
    // Words drawn in the accent.
    void setWords(QStringList words);
    // Newest first, for Up and Down.
    void setHistory(QStringList history);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void edited();  // by the user
    void applied(); // Enter
    void restored(); // Esc with no list open
    void completionsWanted(const QString& text, int caret, bool asked);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void changeEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void insertFromMimeData(const QMimeData* source) override;

private:
    void ask(bool byHand);
    void take(int place);
    void hideList();
    void showList();
    void mark();
    void recall(int step);

    ExpressionColors* m_colours = nullptr;
    QPointer<QListWidget> m_list; // of the window, which may go first
    std::vector<Offer> m_offers;
    int m_from = 0;
    int m_to = 0;
    QString m_askedText;
    int m_askedCaret = -1;
    int m_faultFrom = -1;
    int m_faultTo = -1;
    QStringList m_history;
    int m_recalled = -1;
    QString m_draft; // what was written before Up
    bool m_setting = false;
};

} // namespace cellfolio
