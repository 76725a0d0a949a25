// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/start_page.h"

#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"
#include "widgets/style/style_sheet.h"
#include "widgets/style/theme.h"
#include "widgets/views/memory_meter.h"
#include "widgets/views/recent_list.h"

#include <QtCore/QMimeData>
#include <QtGui/QDragEnterEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QVBoxLayout>

namespace cellfolio
{

namespace
{

constexpr int kLeftColumn = 248;
constexpr int kPageWidth = 920;

QStringList localFiles(const QMimeData* data)
{
    QStringList paths;
    for (const QUrl& url : data->urls()) {
        if (url.isLocalFile())
            paths.append(url.toLocalFile());
    }
    return paths;
}

class MarkBox : public QWidget
{
public:
    explicit MarkBox(QWidget* parent) : QWidget(parent) { setFixedSize(60, 60); }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        paintMark(painter, QRectF(rect()));
    }
};

// Says that files may be dropped; the page itself takes them anywhere.
class DropZone : public QWidget
{
public:
    explicit DropZone(QWidget* parent) : QWidget(parent) { setFixedHeight(measures::scaled(92)); }

    void setActive(bool active)
    {
        m_active = active;
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const Theme& theme = Theme::current();
        QPen pen(m_active ? theme.accent : theme.line, m_active ? 2 : 1);
        pen.setDashPattern({4, 3});
        painter.setPen(pen);
        painter.setBrush(m_active ? theme.accentSoft : theme.frame);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
        const QColor ink = m_active ? theme.accent : theme.text2;
        paintIcon(painter, QStringLiteral("file-plus"), QRectF((width() - 22) / 2.0, 16, 22, 22),
                  ink);
        painter.setPen(ink);
        painter.setFont(fonts::table());
        painter.drawText(QRect(0, measures::scaled(45), width(), measures::scaled(18)),
                         Qt::AlignCenter, StartPage::tr("Drop files here"));
        painter.setFont(fonts::caption());
        painter.drawText(QRect(0, measures::scaled(63), width(), measures::scaled(18)),
                         Qt::AlignCenter, QStringLiteral(".h5ad  .h5mu  .h5 (10x)  .loom"));
    }

private:
    bool m_active = false;
};

class Promise : public QWidget
{
public:
    Promise(const QString& iconName, const QString& text, QWidget* parent)
        : QWidget(parent), m_icon(iconName), m_label(new QLabel(text, this))
    {
        m_label->setWordWrap(true);
        m_label->setFont(fonts::table());
        m_label->setProperty("role", QStringLiteral("quiet"));
        auto* row = new QHBoxLayout(this);
        row->setContentsMargins(28, 0, 0, 0);
        row->addWidget(m_label);
    }

    void setText(const QString& text) { m_label->setText(text); }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        paintIcon(painter, m_icon, QRectF(0, 1, 16, 16), Theme::current().text2);
    }

private:
    QString m_icon;
    QLabel* m_label;
};

} // namespace

struct StartPage::Private {
    QPushButton* open = nullptr;
    QPushButton* example = nullptr;
    QPushButton* clear = nullptr;
    DropZone* drop = nullptr;
    Promise* memory = nullptr;
    RecentList* recent = nullptr;
    QWidget* page = nullptr;
    QScrollArea* scroll = nullptr;
    QVBoxLayout* outer = nullptr;
};

namespace
{

QWidget* makeHead(QWidget* parent)
{
    auto* head = new QWidget(parent);
    auto* title = new QLabel(QStringLiteral("Cellfolio"), head);
    title->setFont(fonts::title());
    auto* sentence = new QLabel(StartPage::tr("Leaf through single-cell files of any size."), head);
    QFont font = fonts::body();
    font.setPixelSize(font.pixelSize() + 1);
    sentence->setFont(font);
    sentence->setProperty("role", QStringLiteral("quiet"));
    auto* words = new QVBoxLayout;
    words->setSpacing(2);
    words->addWidget(title);
    words->addWidget(sentence);
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(16);
    row->addWidget(new MarkBox(head));
    row->addLayout(words);
    row->addStretch(1);
    return head;
}

QLabel* makeTitle(const QString& text, const QFont& font, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setFont(font);
    return label;
}

} // namespace

StartPage::StartPage(QWidget* parent) : QWidget(parent), d(std::make_unique<Private>())
{
    setAcceptDrops(true);
    d->scroll = new QScrollArea(this);
    d->scroll->setFrameShape(QFrame::NoFrame);
    d->scroll->setWidgetResizable(true);
    d->scroll->setFocusPolicy(Qt::NoFocus);
    d->scroll->viewport()->setAutoFillBackground(false);
    auto* host = new QWidget;
    d->page = new QWidget(host);
    d->page->setMaximumWidth(measures::scaled(kPageWidth));

    d->open =
        new QPushButton(icon("folder-open", IconTone::OnAccent), tr(" Open a file…"), d->page);
    d->open->setProperty("primary", true);
    d->open->setProperty("large", true);
    d->open->setToolTip(
        tr("Open a file (%1)")
            .arg(QKeySequence(QKeySequence::Open).toString(QKeySequence::NativeText)));
    d->example = new QPushButton(icon("flask"), tr(" Open the example"), d->page);
    d->example->setProperty("large", true);
    d->example->setToolTip(tr("700 blood cells with clusters and a UMAP, to look around in"));
    d->drop = new DropZone(d->page);
    d->memory = new Promise(QStringLiteral("device-sd-card"), {}, d->page);

    auto* left = new QVBoxLayout;
    left->setSpacing(0);
    left->addWidget(d->open);
    left->addSpacing(8);
    left->addWidget(d->example);
    left->addSpacing(14);
    left->addWidget(d->drop);
    left->addSpacing(30);
    left->addWidget(makeTitle(tr("What it will never do"), fonts::tableSemibold(), d->page));
    left->addSpacing(10);
    left->addWidget(new Promise(QStringLiteral("cloud-off"),
                                tr("Send anything anywhere. Your data stay on this computer."),
                                d->page));
    left->addSpacing(12);
    left->addWidget(new Promise(
        QStringLiteral("lock"),
        tr("Change your file unasked. The original is kept as it is; results become new files."),
        d->page));
    left->addSpacing(12);
    left->addWidget(d->memory);
    left->addStretch(1);

    d->recent = new RecentList(d->page);
    d->clear = new QPushButton(tr("Clear"), d->page);
    d->clear->setProperty("quiet", true);
    d->clear->setProperty("small", true);
    d->clear->setToolTip(tr("Forget this list; the files stay"));
    auto* recentHead = new QHBoxLayout;
    recentHead->setContentsMargins(0, 0, 4, 4);
    recentHead->addWidget(makeTitle(tr("Recent files"), fonts::bodySemibold(), d->page));
    recentHead->addStretch(1);
    recentHead->addWidget(d->clear);
    auto* right = new QVBoxLayout;
    right->setSpacing(0);
    right->addLayout(recentHead);
    right->addWidget(d->recent);
    right->addStretch(1);

    auto* leftBox = new QWidget(d->page);
    leftBox->setFixedWidth(measures::scaled(kLeftColumn));
    left->setContentsMargins(0, 0, 0, 0);
    leftBox->setLayout(left);
    auto* columns = new QHBoxLayout;
    columns->setSpacing(48);
    columns->addWidget(leftBox);
    columns->addLayout(right, 1);
    auto* page = new QVBoxLayout(d->page);
    page->setContentsMargins(0, 0, 0, 0);
    page->setSpacing(28);
    page->addWidget(makeHead(d->page));
    page->addLayout(columns);
    page->addStretch(1);

    d->outer = new QVBoxLayout(host);
    d->outer->setContentsMargins(24, 72, 24, 24);
    auto* centred = new QHBoxLayout;
    centred->addStretch(1);
    centred->addWidget(d->page, 1000);
    centred->addStretch(1);
    d->outer->addLayout(centred);
    d->outer->addStretch(1);
    d->scroll->setWidget(host);
    host->setAutoFillBackground(false); // setWidget turns it on
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(d->scroll);

    connect(d->open, &QPushButton::clicked, this, &StartPage::openRequested);
    connect(d->example, &QPushButton::clicked, this, &StartPage::exampleRequested);
    connect(d->clear, &QPushButton::clicked, this, &StartPage::clearRequested);
    connect(d->recent, &RecentList::opened, this, &StartPage::fileRequested);
    connect(d->recent, &RecentList::forgotten, this, &StartPage::forgetRequested);
    setMemoryBudget(qint64(2) << 30);
    setRecentFiles({});
}

StartPage::~StartPage() = default;

void StartPage::setRecentFiles(const std::vector<RecentFile>& files)
{
    d->recent->setFiles(files);
    d->clear->setVisible(!files.empty());
}

void StartPage::setMemoryBudget(qint64 bytes)
{
    d->memory->setText(
        tr("Fill your memory. It keeps to the budget you set, now %1.").arg(bytesText(bytes)));
}

void StartPage::setExampleAvailable(bool available)
{
    d->example->setVisible(available);
}

void StartPage::dragEnterEvent(QDragEnterEvent* event)
{
    if (localFiles(event->mimeData()).isEmpty())
        return;
    event->acceptProposedAction();
    d->drop->setActive(true);
}

void StartPage::dragLeaveEvent(QDragLeaveEvent*)
{
    d->drop->setActive(false);
}

void StartPage::dropEvent(QDropEvent* event)
{
    d->drop->setActive(false);
    const QStringList paths = localFiles(event->mimeData());
    if (paths.isEmpty())
        return;
    event->acceptProposedAction();
    Q_EMIT filesDropped(paths);
}

void StartPage::paintEvent(QPaintEvent*)
{
    QPainter(this).fillRect(rect(), Theme::current().base);
}

// The likeliest file is one key away: Enter opens the one used last.
void StartPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (!d->recent->files().empty())
        d->recent->setFocus(Qt::OtherFocusReason);
}

void StartPage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    // Low windows need the room more than the air.
    const QMargins margins = d->outer->contentsMargins();
    d->outer->setContentsMargins(margins.left(), height() < 640 ? 24 : 72, margins.right(), 24);
}

} // namespace cellfolio
