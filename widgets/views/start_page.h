// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

#include <memory>
#include <vector>

namespace cellfolio
{

// One file that was open lately.
struct RecentFile {
    QString path;
    QString name;    // "pbmc68k-reduced.h5ad"
    QString folder;  // "Documents/teaching"
    QString shape;   // "700 × 765"; empty where unknown
    QString size;    // "1.8 MiB"
    QString day;     // "10:31", "Yesterday", "9 Oct"
    QString problem; // why it cannot be opened now; empty: it is there
};

// The first page: open, the example, a place to drop files, what the program will never do, and
// the files open lately. Accepts dropped files anywhere.
class StartPage : public QWidget
{
    Q_OBJECT
public:
    explicit StartPage(QWidget* parent = nullptr);
    ~StartPage() override;

    void setRecentFiles(const std::vector<RecentFile>& files);
    // "now 2 GiB" in the promise about memory.
    void setMemoryBudget(qint64 bytes);
    // Hides the button where no example is installed.
    void setExampleAvailable(bool available);

Q_SIGNALS:
    void openRequested();
    void exampleRequested();
    void fileRequested(const QString& path);
    void filesDropped(const QStringList& paths);
    void clearRequested(); // forget the list
    void forgetRequested(const QString& path);

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace cellfolio
