// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/bridge/model_context.h"

#include <QtCore/QElapsedTimer>
#include <QtCore/QTimer>
#include <QtWidgets/QStatusBar>

class QLabel;
class QPushButton;

namespace cellfolio {

class MemoryMeter;

// The line at the foot: what is shown, what was found, what is picked; memory, disk, and that the
// original is kept as it is.
class StatusLine : public QStatusBar
{
    Q_OBJECT
public:
    StatusLine(ModelContext context, QWidget* parent = nullptr);

    void setExtent(const QString& text);
    void setFindings(const QString& text); // empty: none
    void setSelection(const QString& text);
    void setFileOpen(bool open);
    // A passing sentence in place of the selection, for some seconds.
    void say(const QString& sentence);
    QString sentence() const;
    // Something that goes on, left of the memory bar.
    void addWork(QWidget* work);
    // Looks at memory and disk now; otherwise once a second.
    void measure();
    MemoryMeter* meter() const { return m_meter; }

Q_SIGNALS:
    void findingsClicked();

private:

    ModelContext m_context;
    QLabel* m_extent = nullptr;
    QPushButton* m_findings = nullptr;
    QLabel* m_selection = nullptr;
    QLabel* m_sentence = nullptr;
    QWidget* m_work = nullptr;
    MemoryMeter* m_meter = nullptr;
    QLabel* m_disk = nullptr;
    QLabel* m_lockIcon = nullptr;
    QLabel* m_kept = nullptr;
    QTimer m_timer;
    QTimer m_sayTimer;
    QElapsedTimer m_since;
    Index m_readBefore = 0;
};

} // namespace cellfolio
