// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/findings_tab.h"

#include "widgets/bridge/cell_format.h"
#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"
#include "widgets/style/theme.h"
#include "widgets/views/empty_view.h"

#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtGui/QPainter>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QListView>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QStyledItemDelegate>
#include <QtWidgets/QVBoxLayout>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

class FindingDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const Theme& theme = Theme::current();
        painter->save();
        const bool picked = (option.state & QStyle::State_Selected) != 0;
        if (picked || (option.state & QStyle::State_MouseOver) != 0)
            painter->fillRect(option.rect, picked ? theme.accentSoft : theme.hover);
        painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1), theme.rowLine);
        const auto severity = static_cast<Severity>(index.data(FindingsModel::SeverityRole).toInt());
        const QColor ink = severity == Severity::Error ? theme.err
            : severity == Severity::Warning            ? theme.warn
                                                       : theme.text2;
        const QRect row = option.rect.adjusted(16, 8, -16, -8);
        paintIcon(*painter, index.data(FindingsModel::IconRole).toString(), QRectF(row.left(), row.top() + 2, 16, 16), ink);
        const int left = row.left() + 28;
        painter->setFont(fonts::body());
        painter->setPen(theme.text);
        const int width = row.right() - left;
        painter->drawText(QRect(left, row.top(), width, 20), Qt::AlignLeft | Qt::AlignVCenter,
                          painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, width));
        painter->setFont(fonts::caption());
        painter->setPen(theme.text2);
        const QString where = index.data(FindingsModel::ElementRole).toString() + u"  ·  "_s
            + index.data(FindingsModel::IdRole).toString();
        painter->drawText(QRect(left, row.top() + 21, width, 18), Qt::AlignLeft | Qt::AlignVCenter,
                          painter->fontMetrics().elidedText(where, Qt::ElideMiddle, width));
        painter->restore();
    }
    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {200, 58}; }
};

} // namespace

FindingsTab::FindingsTab(QWidget* parent)
    : QWidget(parent), m_model(new FindingsModel(this)), m_list(new QListView(this)),
      m_detail(new QWidget(this)), m_title(new QLabel(this)), m_text(new QLabel(this)),
      m_show(new QPushButton(u"Show the element"_s, this)), m_copy(new QPushButton(u"Copy details"_s, this)),
      m_empty(new EmptyView(this))
{
    m_list->setModel(m_model);
    m_list->setItemDelegate(new FindingDelegate(m_list));
    m_list->setMouseTracking(true);
    m_list->setUniformItemSizes(true);
    m_list->setAccessibleName(u"Findings"_s);
    m_detail->setFixedWidth(360);
    m_detail->setProperty("surface", u"frame"_s);
    m_title->setFont(fonts::heading());
    m_title->setWordWrap(true);
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto* inner = new QVBoxLayout(m_detail);
    inner->setContentsMargins(24, 24, 24, 16);
    inner->setSpacing(12);
    inner->addWidget(m_title);
    inner->addWidget(m_text);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_show);
    buttons->addWidget(m_copy);
    buttons->addStretch(1);
    inner->addLayout(buttons);
    inner->addStretch(1);
    m_empty->setContent({u"circle-check"_s, u"Nothing to say about this file"_s,
                         u"It opens fully and keeps to the format, as far as a quick look can tell."_s,
                         {}, {}, false});
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(m_list, 1);
    row->addWidget(m_detail);
    row->addWidget(m_empty, 1);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex& index) { showFinding(index.row()); });
    connect(m_list, &QListView::activated, this, [this](const QModelIndex& index) {
        Q_EMIT elementRequested(index.data(FindingsModel::ElementRole).toString());
    });
    connect(m_show, &QPushButton::clicked, this, [this] {
        Q_EMIT elementRequested(m_list->currentIndex().data(FindingsModel::ElementRole).toString());
    });
    connect(m_copy, &QPushButton::clicked, this, [this] {
        if (m_list->currentIndex().isValid())
            QGuiApplication::clipboard()->setText(m_model->detailsOf(m_list->currentIndex().row()));
    });
    setFindings({});
}

void FindingsTab::setFindings(std::vector<Finding> findings)
{
    const bool any = !findings.empty();
    m_model->setFindings(std::move(findings));
    m_list->setVisible(any);
    m_detail->setVisible(any);
    m_empty->setVisible(!any);
    if (any)
        m_list->setCurrentIndex(m_model->index(0, 0));
}

void FindingsTab::showFinding(int row)
{
    if (row < 0)
        return;
    const Finding& finding = m_model->findingAt(row);
    m_title->setText(toQString(finding.message));
    QStringList lines = m_model->detailsOf(row).split(u'\n');
    lines.removeAt(1); // the sentence stands above
    m_text->setText(lines.join(u"\n\n"_s));
    m_show->setEnabled(finding.element != "/" && !finding.element.empty());
}

} // namespace cellfolio
