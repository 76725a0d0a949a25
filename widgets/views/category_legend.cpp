// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/category_legend.h"

#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"
#include "widgets/style/numbers.h"
#include "widgets/style/theme.h"
#include "widgets/views/elided_label.h"
#include "widgets/views/number_text.h"
#include "widgets/views/search_field.h"

#include <QtGui/QHelpEvent>
#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>
#include <QtWidgets/QAbstractScrollArea>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QScrollBar>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QToolTip>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace cellfolio
{

namespace
{

constexpr int kMargin = 12;
constexpr int kRuleHeight = 15; // the line before others and missing

} // namespace

// The rows; painted, one scroll step a pixel.
class LegendList : public QAbstractScrollArea
{
    Q_OBJECT
public:
    enum class Kind { Category, Others, Outside, Missing, Rule, Note };
    struct Row {
        Kind kind = Kind::Category;
        std::size_t entry = 0;
    };

    explicit LegendList(QWidget* parent) : QAbstractScrollArea(parent)
    {
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        viewport()->setMouseTracking(true);
        setFrameShape(QFrame::NoFrame);
    }

    void set(const LegendContent* content, const QString& filter)
    {
        m_content = content;
        m_rows.clear();
        for (std::size_t i = 0; i < content->entries.size(); ++i) {
            if (filter.isEmpty() || content->entries[i].name.contains(filter, Qt::CaseInsensitive))
                m_rows.push_back({Kind::Category, i});
        }
        if (m_rows.empty() && !filter.isEmpty())
            m_rows.push_back({Kind::Note, 0});
        const bool others = content->othersCategories > 0 && filter.isEmpty();
        const bool missing = content->missing.has_value() && filter.isEmpty();
        const bool outside = content->outside.has_value() && filter.isEmpty();
        if ((others || outside || missing) && !m_rows.empty())
            m_rows.push_back({Kind::Rule, 0});
        if (others)
            m_rows.push_back({Kind::Others, 0});
        if (outside)
            m_rows.push_back({Kind::Outside, 0});
        if (missing)
            m_rows.push_back({Kind::Missing, 0});
        updateBar();
        viewport()->update();
    }

    int contentHeight() const
    {
        int height = 8;
        for (const Row& row : m_rows)
            height += heightOf(row);
        return height;
    }

Q_SIGNALS:
    void hovered(qint64 code);
    void clicked(qint64 code);

protected:
    void resizeEvent(QResizeEvent*) override { updateBar(); }
    void scrollContentsBy(int, int) override { viewport()->update(); }

    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(viewport());
        painter.fillRect(viewport()->rect(), Theme::current().base);
        painter.setFont(fonts::table());
        int y = -verticalScrollBar()->value();
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            const int height = heightOf(m_rows[i]);
            if (y + height >= 0 && y < viewport()->height())
                paintRow(painter, i, QRect(0, y, viewport()->width(), height));
            y += height;
        }
    }

    void mouseMoveEvent(QMouseEvent* event) override { setHover(rowAt(event->pos().y())); }
    void leaveEvent(QEvent*) override { setHover(-1); }

    void mouseReleaseEvent(QMouseEvent* event) override
    {
        const qint64 code = codeAt(rowAt(event->pos().y()));
        if (event->button() == Qt::LeftButton && code >= 0)
            Q_EMIT clicked(code);
    }

    bool viewportEvent(QEvent* event) override
    {
        if (event->type() == QEvent::Leave)
            setHover(-1);
        if (event->type() == QEvent::ToolTip) {
            const auto* help = static_cast<QHelpEvent*>(event);
            const int row = rowAt(help->pos().y());
            const qint64 code = codeAt(row);
            if (code >= 0) {
                const auto& entry = m_content->entries[m_rows[std::size_t(row)].entry];
                QToolTip::showText(help->globalPos(), entry.name, this);
            } else {
                QToolTip::hideText();
            }
            return true;
        }
        return QAbstractScrollArea::viewportEvent(event);
    }

private:
    static int heightOf(const Row& row)
    {
        return row.kind == Kind::Rule ? kRuleHeight
                                      : measures::rowHeight(fonts::table(), measures::kLegendRow);
    }

    void updateBar()
    {
        verticalScrollBar()->setPageStep(viewport()->height());
        verticalScrollBar()->setSingleStep(measures::kLegendRow);
        verticalScrollBar()->setRange(0, std::max(0, contentHeight() - viewport()->height()));
    }

    int rowAt(int y) const
    {
        int top = -verticalScrollBar()->value();
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            const int height = heightOf(m_rows[i]);
            if (y >= top && y < top + height)
                return int(i);
            top += height;
        }
        return -1;
    }

    qint64 codeAt(int row) const
    {
        if (row < 0 || m_rows[std::size_t(row)].kind != Kind::Category)
            return -1;
        return m_content->entries[m_rows[std::size_t(row)].entry].code;
    }

    void setHover(int row)
    {
        if (row == m_hover)
            return;
        m_hover = row;
        viewport()->update();
        Q_EMIT hovered(codeAt(row));
    }

    void paintRow(QPainter& painter, std::size_t index, const QRect& where) const
    {
        const Theme& theme = Theme::current();
        const Row& row = m_rows[index];
        const QRect inner = where.adjusted(kMargin, 0, -kMargin, 0);
        if (row.kind == Kind::Rule) {
            painter.fillRect(inner.left(), where.center().y(), inner.width(), 1, theme.hairline);
            return;
        }
        if (row.kind == Kind::Note) {
            painter.setPen(theme.text3);
            painter.drawText(inner, Qt::AlignVCenter, tr("No category is called so."));
            return;
        }
        QString name;
        QColor colour = theme.outside;
        qint64 count = -1;
        switch (row.kind) {
        case Kind::Category: {
            const auto& entry = m_content->entries[row.entry];
            name = entry.name;
            colour = theme.onCanvas(entry.color);
            count = entry.count;
            break;
        }
        case Kind::Others:
            name = tr("%1 others").arg(countText(m_content->othersCategories));
            count = m_content->othersCount;
            break;
        case Kind::Outside:
            name = tr("outside the filters");
            count = m_content->outside.value_or(0);
            break;
        case Kind::Missing:
            name = tr("missing");
            colour = theme.missing;
            count = m_content->missing.value_or(0);
            break;
        case Kind::Rule:
        case Kind::Note:
            return;
        }

        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        if (int(index) == m_hover && row.kind == Kind::Category) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(theme.hover);
            painter.drawRoundedRect(where.adjusted(kMargin - 6, 0, -(kMargin - 4), 0), 3, 3);
        }
        const QPointF centre(inner.left() + 5, where.top() + where.height() / 2.0);
        const bool hollow = row.kind == Kind::Outside || (row.kind == Kind::Category && count == 0);
        if (hollow) {
            painter.setPen(QPen(theme.outside, 1.2));
            painter.setBrush(Qt::NoBrush);
            painter.drawEllipse(centre, 4.4, 4.4);
        } else {
            painter.setPen(Qt::NoPen);
            painter.setBrush(colour);
            painter.drawEllipse(centre, 5, 5);
        }
        painter.restore();

        const QString figure = count < 0 ? QString() : countText(count);
        const int figureWidth = figure.isEmpty() ? 0 : int(numberWidth(painter.font(), figure)) + 1;
        const QRect text = inner.adjusted(18, 0, -figureWidth - (figureWidth ? 8 : 0), 0);
        const bool quiet = hollow || row.kind != Kind::Category;
        painter.setPen(quiet ? theme.text2 : theme.text);
        painter.drawText(text, Qt::AlignVCenter | Qt::TextSingleLine,
                         painter.fontMetrics().elidedText(name, Qt::ElideMiddle, text.width()));
        painter.setPen(theme.text2);
        drawNumber(painter, inner, figure);
    }

    const LegendContent* m_content = nullptr;
    std::vector<Row> m_rows;
    int m_hover = -1;
};

struct CategoryLegend::Private {
    LegendContent content;
    ElidedLabel* title = nullptr;
    ElidedLabel* subtitle = nullptr;
    QToolButton* glass = nullptr;
    SearchField* search = nullptr;
    LegendList* list = nullptr;
};

CategoryLegend::CategoryLegend(QWidget* parent) : QWidget(parent), d(std::make_unique<Private>())
{
    setProperty("surface", QStringLiteral("base"));
    setAttribute(Qt::WA_StyledBackground);
    d->title = new ElidedLabel(this);
    d->title->setFont(fonts::bodySemibold());
    d->subtitle = new ElidedLabel(this);
    d->subtitle->setFont(fonts::caption());
    d->subtitle->setQuiet(true);
    d->subtitle->setElideMode(Qt::ElideRight);
    d->glass = new QToolButton(this);
    d->glass->setIcon(icon("search"));
    d->glass->setCheckable(true);
    d->glass->setToolTip(tr("Find a category"));
    d->glass->setAccessibleName(d->glass->toolTip());
    d->search = new SearchField(tr("Find a category"), this);
    d->search->setFont(fonts::table());
    d->search->hide();
    d->list = new LegendList(this);
    d->list->set(&d->content, {});

    auto* words = new QVBoxLayout;
    words->setSpacing(0);
    words->addWidget(d->title);
    words->addWidget(d->subtitle);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(kMargin, 12, 8, 4);
    head->setSpacing(4);
    head->addLayout(words, 1);
    head->addWidget(d->glass, 0, Qt::AlignTop);
    auto* searchRow = new QHBoxLayout;
    searchRow->setContentsMargins(kMargin, 0, kMargin, 4);
    searchRow->addWidget(d->search);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addLayout(searchRow);
    column->addWidget(d->list, 1);

    connect(d->glass, &QToolButton::toggled, this, &CategoryLegend::setSearchShown);
    connect(d->search, &SearchField::cancelled, this, [this] { setSearchShown(false); });
    connect(d->search, &SearchField::searched, this,
            [this](const QString& text) { d->list->set(&d->content, text.trimmed()); });
    connect(d->list, &LegendList::hovered, this, &CategoryLegend::hovered);
    connect(d->list, &LegendList::clicked, this, &CategoryLegend::clicked);
}

CategoryLegend::~CategoryLegend() = default;

void CategoryLegend::setContent(LegendContent content)
{
    const bool sameTitle = content.title == d->content.title;
    d->content = std::move(content);
    d->title->setText(d->content.title);
    d->subtitle->setText(d->content.subtitle);
    d->subtitle->setVisible(!d->content.subtitle.isEmpty());
    if (!sameTitle)
        setSearchShown(false);
    d->list->set(&d->content, d->search->text().trimmed());
    setAccessibleName(d->content.title + u' ' + d->content.subtitle);
}

const LegendContent& CategoryLegend::content() const
{
    return d->content;
}

void CategoryLegend::setSearchShown(bool shown)
{
    d->glass->setChecked(shown);
    d->search->setVisible(shown);
    if (shown)
        d->search->setFocus();
    else
        d->search->clear();
}

QSize CategoryLegend::sizeHint() const
{
    return {measures::kLegend, 60 + d->list->contentHeight()};
}

} // namespace cellfolio

#include "category_legend.moc"
