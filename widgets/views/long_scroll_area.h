// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/views/long_scroll.h"

#include <QtWidgets/QAbstractScrollArea>

namespace cellfolio
{

// What a table and a grid of any extent share: two positions of 64 bits behind the scroll bars,
// wheel and page steps in whole lines, copying by key, tooltips, a repaint when the focus comes or
// goes. The subclass says how long a step is, what stands where, and paints.
//
// Keys: Ctrl+C copies, Ctrl+Shift+C with names; they win over actions of the window.
class LongScrollArea : public QAbstractScrollArea
{
    Q_OBJECT
public:
    explicit LongScrollArea(QWidget* parent = nullptr);

    // Where it is scrolled to, in pixels of the content; what a view that is filled anew goes back
    // to. Clamped.
    struct Offset {
        qint64 x = 0;
        qint64 y = 0;
        bool operator==(const Offset&) const = default;
    };
    Offset offset() const { return {m_horizontal.position(), m_vertical.position()}; }
    void setOffset(Offset offset);

    enum class CopyHeaders { Without, With };
    virtual void copy(CopyHeaders headers) = 0;

Q_SIGNALS:
    void copied(qint64 rows, qint64 columns);
    void copyRefused(const QString& sentence); // nothing was copied, and why

protected:
    // Pixels of a step down and across: one row, one column or part of it.
    virtual int rowStep() const = 0;
    virtual int columnStep() const = 0;
    virtual QString toolTipAt(QPoint viewportPos) const = 0; // empty: none
    // Whether the key is the view's own while it has the focus; the copy keys always are.
    virtual bool ownsKey(const QKeyEvent& key) const;
    // After a position or the extent has changed: repaint what follows it. The base repaints the
    // viewport.
    virtual void moved();

    // Copies if the key asks for it.
    bool copyByKey(const QKeyEvent& key);
    void setExtent(QSize room, qint64 width, qint64 height);
    // After a position has moved by anything but its bar.
    void scrolled();

    bool event(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void wheelEvent(QWheelEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

    LongScroll m_vertical;
    LongScroll m_horizontal;

private:
    void barAction(Qt::Orientation orientation, int action);
};

} // namespace cellfolio
