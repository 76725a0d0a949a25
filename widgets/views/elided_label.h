// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGui/QPalette>
#include <QtWidgets/QFrame>

namespace cellfolio
{

// One line of text that shrinks: elided (in the middle unless told otherwise) where it does not
// fit, the whole in its tooltip. Text can be selected with the mouse when asked for; Ctrl+C or the
// menu then copies the whole, not the elided text.
class ElidedLabel : public QFrame
{
    Q_OBJECT
public:
    explicit ElidedLabel(QWidget* parent = nullptr);
    explicit ElidedLabel(const QString& text, QWidget* parent = nullptr);

    void setText(const QString& text);
    const QString& text() const { return m_text; }
    void setElideMode(Qt::TextElideMode mode);
    // The second voice: text2 instead of text.
    void setQuiet(bool quiet);
    // A context menu with "Copy".
    void setCopyable(bool copyable);
    void setAlignment(Qt::Alignment alignment);
    bool isElided() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QString m_text;
    Qt::TextElideMode m_mode = Qt::ElideMiddle;
    Qt::Alignment m_alignment = Qt::AlignLeft | Qt::AlignVCenter;
    bool m_quiet = false;
    bool m_copyable = false;
};

} // namespace cellfolio
