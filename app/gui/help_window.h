// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QDialog>

class QListWidget;
class QTextBrowser;

namespace cellfolio {

// The manual: its pages at the left, the chosen one at the right. Pages are Markdown files of one
// folder; links between them work, links to the web are left to the system's browser.
class HelpWindow : public QDialog
{
    Q_OBJECT
public:
    HelpWindow(const QString& folder, QWidget* parent = nullptr);

    void showPage(const QString& fileName);
    QStringList pages() const;
    QString shownText() const;

private:
    QString m_folder;
    QListWidget* m_list = nullptr;
    QTextBrowser* m_text = nullptr;
};

} // namespace cellfolio
