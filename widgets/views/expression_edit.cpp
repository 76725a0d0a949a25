// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/expression_edit.h"

#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"
#include "widgets/style/style_sheet.h"
#include "widgets/style/theme.h"
#include "widgets/views/expression_colors.h"

#include <QtCore/QMimeData>
#include <QtGui/QKeyEvent>
#include <QtGui/QTextBlock>
#include <QtWidgets/QListWidget>
#include <QtWidgets/QScrollBar>

#include <algorithm>

namespace cellfolio
{

ExpressionEdit::ExpressionEdit(QWidget* parent) : QPlainTextEdit(parent), m_colours(new ExpressionColors(document()))
{
    setProperty("field", true);
    setFont(fonts::mono());
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setTabChangesFocus(true);
    setFixedHeight(measures::kField + 2);
    document()->setDocumentMargin(0);
    // One line stands in the middle.
    setViewportMargins(0, std::max(0, (measures::kField - 2 - fontMetrics().height()) / 2), 0, 0);
    connect(this, &QPlainTextEdit::textChanged, this, [this] {
        if (m_setting)
            return;
        setFault(-1, -1);
        m_recalled = -1;
        Q_EMIT edited();
        ask(false);
    });
}

ExpressionEdit::~ExpressionEdit()
{
    delete m_list;
}

QString ExpressionEdit::text() const
{
    return toPlainText();
}

void ExpressionEdit::setText(const QString& text)
{
    hideList();
    m_setting = true;
    setPlainText(text);
    m_setting = false;
    m_askedCaret = -1;
    setFault(-1, -1);
    setCaret(int(text.size()));
}

int ExpressionEdit::caret() const
{
    return textCursor().position();
}

void ExpressionEdit::setCaret(int place)
{
    QTextCursor cursor = textCursor();
    cursor.setPosition(std::clamp(place, 0, int(text().size())));
    setTextCursor(cursor);
}

void ExpressionEdit::setWords(QStringList words)
{
    m_colours->setWords(std::move(words));
}

void ExpressionEdit::setHistory(QStringList history)
{
    m_history = std::move(history);
    m_recalled = -1;
}

QSize ExpressionEdit::sizeHint() const
{
    return {480, height()};
}

QSize ExpressionEdit::minimumSizeHint() const
{
    return {200, height()};
}

void ExpressionEdit::ask(bool byHand)
{
    m_askedText = text();
    m_askedCaret = caret();
    Q_EMIT completionsWanted(m_askedText, m_askedCaret, byHand);
}

void ExpressionEdit::setCompletions(int from, int to, std::vector<Offer> offers)
{
    if (m_askedCaret != caret() || m_askedText != text())
        return;
    m_from = from;
    m_to = to;
    m_offers = std::move(offers);
    // The only offer is what stands there already: nothing to choose.
    const bool same = m_offers.size() == 1 && text().mid(from, to - from) == m_offers.front().insert;
    if (m_offers.empty() || same || !hasFocus())
        hideList();
    else
        showList();
}

bool ExpressionEdit::isListShown() const
{
    return m_list != nullptr && m_list->isVisible();
}

void ExpressionEdit::hideList()
{
    if (m_list != nullptr)
        m_list->hide();
}

void ExpressionEdit::showList()
{
    if (m_list == nullptr) {
        m_list = new QListWidget(window());
        m_list->setProperty("popup", true);
        m_list->setFont(fonts::table());
        m_list->setAccessibleName(tr("Completions"));
        m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        m_list->setTextElideMode(Qt::ElideMiddle);
        m_list->setFocusPolicy(Qt::NoFocus);
        connect(m_list, &QListWidget::itemClicked, this,
                [this](QListWidgetItem* item) { take(m_list->row(item)); });
    }
    m_list->clear();
    int wide = 220;
    for (const Offer& offer : m_offers) {
        const QString text = offer.note.isEmpty() ? offer.shown : offer.shown + QStringLiteral("  ·  ") + offer.note;
        auto* item = new QListWidgetItem(text, m_list);
        if (!offer.icon.isEmpty())
            item->setIcon(icon(offer.icon));
        wide = std::max(wide, m_list->fontMetrics().horizontalAdvance(text) + 60);
    }
    const int rowHeight = std::max(24, m_list->sizeHintForRow(0));
    m_list->resize(std::min(wide, 520), rowHeight * int(m_offers.size()) + 12);
    QTextCursor start = textCursor();
    start.setPosition(std::min(m_from, int(text().size())));
    const int left = viewport()->mapTo(window(), cursorRect(start).topLeft()).x() - 12;
    const int top = mapTo(window(), QPoint(0, height() + 2)).y();
    m_list->move(std::clamp(left, 8, std::max(8, window()->width() - m_list->width() - 8)), top);
    m_list->setCurrentRow(-1);
    m_list->raise();
    m_list->show();
}

void ExpressionEdit::take(int place)
{
    if (place < 0 || place >= int(m_offers.size()))
        return;
    hideList();
    const Offer offer = m_offers[std::size_t(place)];
    m_offers.clear();
    QTextCursor cursor = textCursor();
    cursor.setPosition(m_from);
    cursor.setPosition(std::min(m_to, int(text().size())), QTextCursor::KeepAnchor);
    cursor.insertText(offer.insert);
    setTextCursor(cursor);
}

void ExpressionEdit::recall(int step)
{
    const int next = std::clamp(m_recalled + step, -1, int(m_history.size()) - 1);
    if (next == m_recalled)
        return;
    if (m_recalled < 0)
        m_draft = text();
    const int now = next;
    setText(now < 0 ? m_draft : m_history[now]);
    m_recalled = now;
    Q_EMIT edited();
}

void ExpressionEdit::keyPressEvent(QKeyEvent* event)
{
    const int current = isListShown() ? m_list->currentRow() : -1;
    switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (current >= 0) {
            take(current);
        } else {
            hideList();
            Q_EMIT applied();
        }
        return;
    case Qt::Key_Tab:
        if (isListShown()) {
            take(std::max(current, 0));
            return;
        }
        break;
    case Qt::Key_Escape:
        if (isListShown())
            hideList();
        else
            Q_EMIT restored();
        return;
    case Qt::Key_Up:
        if (isListShown())
            m_list->setCurrentRow(current <= 0 ? m_list->count() - 1 : current - 1);
        else
            recall(1);
        return;
    case Qt::Key_Down:
        if (isListShown())
            m_list->setCurrentRow((current + 1) % m_list->count());
        else
            recall(-1);
        return;
    case Qt::Key_Space:
        if (event->modifiers().testFlag(Qt::ControlModifier)) {
            ask(true);
            return;
        }
        break;
    default:
        break;
    }
    QPlainTextEdit::keyPressEvent(event);
}

bool ExpressionEdit::event(QEvent* event)
{
    // With a list open, Tab takes from it instead of going on.
    if (event->type() == QEvent::KeyPress && isListShown()) {
        auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Tab) {
            keyPressEvent(key);
            return true;
        }
    }
    return QPlainTextEdit::event(event);
}

void ExpressionEdit::focusOutEvent(QFocusEvent* event)
{
    QPlainTextEdit::focusOutEvent(event);
    hideList();
}

void ExpressionEdit::changeEvent(QEvent* event)
{
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_colours != nullptr) {
        m_setting = true; // colours are no edit
        m_colours->rehighlight();
        m_setting = false;
        mark();
    }
}

void ExpressionEdit::wheelEvent(QWheelEvent* event)
{
    event->ignore();
}

// One line: what is pasted from several becomes one.
void ExpressionEdit::insertFromMimeData(const QMimeData* source)
{
    insertPlainText(source->text().simplified());
}

void ExpressionEdit::setFault(int from, int to)
{
    m_faultFrom = from;
    m_faultTo = std::max(to, from);
    setStyleProperty(this, "refused", from >= 0);
    mark();
}

int ExpressionEdit::faultX() const
{
    if (m_faultFrom < 0)
        return -1;
    QTextCursor cursor(document());
    cursor.setPosition(std::min(m_faultFrom, int(text().size())));
    return viewport()->mapTo(this, cursorRect(cursor).topLeft()).x();
}

void ExpressionEdit::mark()
{
    QList<QTextEdit::ExtraSelection> marks;
    if (m_faultFrom >= 0) {
        QTextEdit::ExtraSelection selection;
        selection.cursor = QTextCursor(document());
        const int length = int(text().size());
        // A fault at the end has nothing to be drawn under: the last letter stands for it.
        const int from = std::clamp(m_faultFrom, 0, std::max(length - 1, 0));
        selection.cursor.setPosition(from);
        selection.cursor.setPosition(std::clamp(m_faultTo, std::min(from + 1, length), length),
                                     QTextCursor::KeepAnchor);
        selection.format.setBackground(Theme::current().errSoft);
        selection.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        selection.format.setUnderlineColor(Theme::current().errFill);
        marks.append(selection);
    }
    setExtraSelections(marks);
}

} // namespace cellfolio
