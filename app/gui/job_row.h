// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/run/job_runner.h"

#include <QtWidgets/QFrame>

class QLabel;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace cellfolio {

class ElidedLabel;

// A job in the Jobs dock: what it is and how far; once it is over, what came of it.
class JobRow : public QFrame
{
    Q_OBJECT
public:
    explicit JobRow(QWidget* parent = nullptr);

    void setJob(const JobSnapshot& job);
    const JobSnapshot& job() const { return m_job; }
    // What stands in it, for tests and those who cannot see it.
    QString headText() const;
    QString figuresText() const;
    QString detailText() const; // why it failed, what it waits for; empty: nothing of that kind
    QPushButton* cancelButton() const { return m_cancel; }
    QPushButton* openButton() const { return m_open; }
    QPushButton* folderButton() const { return m_folder; }
    QPushButton* logButton() const { return m_log; }
    QToolButton* forgetButton() const { return m_forget; }

Q_SIGNALS:
    void cancelRequested(qint64 id);
    void openRequested(qint64 id);
    void folderRequested(qint64 id);
    void logRequested(qint64 id);
    void forgetRequested(qint64 id);

protected:
    void changeEvent(QEvent* event) override;

private:
    void showIcon();

    JobSnapshot m_job;
    QLabel* m_icon = nullptr;
    QLabel* m_verb = nullptr;
    ElidedLabel* m_what = nullptr;
    QLabel* m_share = nullptr;
    ElidedLabel* m_figures = nullptr;
    QLabel* m_detail = nullptr;
    QProgressBar* m_bar = nullptr;
    QPushButton* m_open = nullptr;
    QPushButton* m_folder = nullptr;
    QPushButton* m_log = nullptr;
    QPushButton* m_cancel = nullptr;
    QToolButton* m_forget = nullptr;
};

// "71 %", whole numbers, never 100 of something that runs.
QString jobShareText(const JobSnapshot& job);
// "Export of T cells to b.h5ad was cancelled": for a line, a note of the desktop.
QString jobEndText(const JobSnapshot& job);

} // namespace cellfolio
