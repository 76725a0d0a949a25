// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/job_runner.h"

#include <QtWidgets/QWidget>

#include <vector>

class QLabel;
class QPlainTextEdit;
class QScrollArea;
class QToolButton;
class QVBoxLayout;

namespace cellfolio {

class JobRow;
class Program;

// The Jobs dock: the jobs of the program, those that run first, then the ones that have ended, the
// latest first. UI thread only.
class JobsPanel : public QWidget
{
    Q_OBJECT
public:
    explicit JobsPanel(Program& program, QWidget* parent = nullptr);

    // The dock's title, with its close button.
    QWidget* titleBar() const { return m_title; }
    const std::vector<JobRow*>& rows() const { return m_rows; } // as they are shown
    JobRow* rowOf(JobId id) const;                              // null: none such
    bool isEmptyShown() const;
    // The text of the window that shows a log.
    static QString logText(const std::vector<JobLog::Line>& lines);

Q_SIGNALS:
    void closeRequested();

private:
    void refresh();
    void rebuild();
    void openResult(JobId id);
    void showInFolder(JobId id);
    void showLog(JobId id);

    Program& m_program;
    QWidget* m_title = nullptr;
    QLabel* m_titleCount = nullptr;
    QLabel* m_sleep = nullptr;
    QToolButton* m_clear = nullptr;
    QScrollArea* m_area = nullptr;
    QVBoxLayout* m_list = nullptr;
    QLabel* m_empty = nullptr;
    std::vector<JobRow*> m_rows;
    std::vector<JobId> m_order; // of the rows
};

} // namespace cellfolio
