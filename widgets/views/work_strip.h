// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

class QToolButton;

namespace cellfolio
{

class ElidedLabel;

// In a status line: a piece of work that goes on, how far it is, and the way to end it. Hidden while
// nothing goes on.
class WorkStrip : public QWidget
{
    Q_OBJECT
public:
    // `stopText`: tooltip and accessible name of the button, "Stop reading".
    explicit WorkStrip(const QString& stopText, QWidget* parent = nullptr);

    // `share`: 0 … 1; negative: not known.
    void setWork(const QString& text, double share);
    void clear(); // nothing goes on
    QString text() const;
    double share() const { return m_share; }
    QToolButton* stopButton() const { return m_stop; }

Q_SIGNALS:
    void stopRequested();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    ElidedLabel* m_label = nullptr;
    QToolButton* m_stop = nullptr;
    double m_share = -1;
};

} // namespace cellfolio
