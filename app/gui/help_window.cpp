// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/help_window.h"

#include "widgets/style/fonts.h"

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QUrl>
#include <QtGui/QDesktopServices>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QListWidget>
#include <QtWidgets/QTextBrowser>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

// The first heading of a page is its name.
QString titleOf(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return QFileInfo(path).baseName();
    while (!file.atEnd()) {
        const QString line = QString::fromUtf8(file.readLine()).trimmed();
        if (line.startsWith(u"# "_s))
            return line.mid(2);
    }
    return QFileInfo(path).baseName();
}

} // namespace

HelpWindow::HelpWindow(const QString& folder, QWidget* parent)
    : QDialog(parent), m_folder(folder), m_list(new QListWidget(this)), m_text(new QTextBrowser(this))
{
    setWindowTitle(u"Manual – Cellfolio"_s);
    setModal(false);
    resize(920, 680);
    m_list->setFixedWidth(220);
    m_list->setProperty("surface", u"frame"_s);
    m_list->setAccessibleName(u"Pages of the manual"_s);
    m_text->setOpenLinks(false);
    m_text->setProperty("flat", true);
    m_text->setFont(fonts::body());
    m_text->document()->setDocumentMargin(28);
    m_text->setAccessibleName(u"Page of the manual"_s);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(m_list);
    row->addWidget(m_text, 1);
    if (!folder.isEmpty()) {
        QStringList names = QDir(folder).entryList({u"*.md"_s}, QDir::Files, QDir::Name);
        if (names.removeOne(u"index.md"_s))
            names.prepend(u"index.md"_s);
        for (const QString& name : names) {
            auto* item = new QListWidgetItem(titleOf(QDir(folder).filePath(name)), m_list);
            item->setData(Qt::UserRole, name);
        }
    }
    connect(m_list, &QListWidget::currentItemChanged, this, [this](QListWidgetItem* item) {
        if (item != nullptr)
            showPage(item->data(Qt::UserRole).toString());
    });
    connect(m_text, &QTextBrowser::anchorClicked, this, [this](const QUrl& url) {
        if (url.scheme() == "http"_L1 || url.scheme() == "https"_L1)
            QDesktopServices::openUrl(url);
        else if (url.path().endsWith(".md"_L1))
            showPage(QFileInfo(url.path()).fileName());
        else if (url.hasFragment())
            m_text->scrollToAnchor(url.fragment());
    });
}

void HelpWindow::showPage(const QString& fileName)
{
    QFile file(QDir(m_folder).filePath(fileName));
    if (m_folder.isEmpty() || !file.open(QIODevice::ReadOnly)) {
        m_text->setMarkdown(u"# The manual is not installed\n\nIts pages belong into "
                            u"`share/cellfolio/manual`; install the program again to have them."_s);
        return;
    }
    m_text->setSearchPaths({m_folder});
    m_text->setMarkdown(QString::fromUtf8(file.readAll()));
    for (int row = 0; row < m_list->count(); ++row)
        if (m_list->item(row)->data(Qt::UserRole).toString() == fileName) {
            const QSignalBlocker quiet(m_list);
            m_list->setCurrentRow(row);
        }
}

QStringList HelpWindow::pages() const
{
    QStringList names;
    for (int row = 0; row < m_list->count(); ++row)
        names.append(m_list->item(row)->data(Qt::UserRole).toString());
    return names;
}

QString HelpWindow::shownText() const
{
    return m_text->toPlainText();
}

} // namespace cellfolio
