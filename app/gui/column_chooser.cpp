// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/column_chooser.h"

#include "widgets/bridge/cell_format.h"
#include "widgets/models/element_text.h"
#include "widgets/models/frame_source.h"
#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"
#include "widgets/views/search_field.h"

#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QListWidget>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>
#include <set>

namespace cellfolio {

using namespace Qt::StringLiterals;

ColumnChooser::ColumnChooser(const FrameSource& source, QWidget* parent)
    : QDialog(parent), m_before(source.shownColumns()), m_list(new QListWidget(this)), m_count(new QLabel(this))
{
    setWindowTitle(u"Columns of "_s + pathOf(source.table()));
    resize(460, 520);
    auto* search = new SearchField(u"Find a column"_s, this);
    m_list->setFont(fonts::table());
    m_list->setUniformItemSizes(true);
    m_list->setAccessibleName(u"Columns"_s);
    const std::set<int> shown(m_before.begin(), m_before.end());
    for (int any = 0; any < source.allColumnCount(); ++any) {
        const Element* column = source.elementOfColumn(any);
        const QString brief = column == nullptr ? u"names"_s : briefOf(*column);
        auto* item = new QListWidgetItem(icon(column == nullptr ? u"key"_s : iconOf(*column)),
                                         source.nameOfColumn(any) + u"   "_s + brief, m_list);
        item->setData(Qt::UserRole, source.nameOfColumn(any));
        item->setCheckState(shown.contains(any) ? Qt::Checked : Qt::Unchecked);
    }
    auto* all = new QPushButton(u"Tick these"_s, this);
    auto* none = new QPushButton(u"Untick these"_s, this);
    for (QPushButton* button : {all, none}) {
        button->setProperty("soft", true);
        button->setProperty("small", true);
        button->setAutoDefault(false);
    }
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    QPushButton* show = buttons->addButton(u"Show these columns"_s, QDialogButtonBox::AcceptRole);
    show->setProperty("primary", true);
    m_count->setProperty("role", u"quiet"_s);

    auto* tools = new QHBoxLayout;
    tools->addWidget(all);
    tools->addWidget(none);
    tools->addStretch(1);
    tools->addWidget(m_count);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 20, 20, 16);
    layout->setSpacing(8);
    layout->addWidget(search);
    layout->addWidget(m_list, 1);
    layout->addLayout(tools);
    layout->addWidget(buttons);

    connect(search, &QLineEdit::textChanged, this, &ColumnChooser::filter);
    connect(all, &QPushButton::clicked, this, [this] { tickShown(true); });
    connect(none, &QPushButton::clicked, this, [this] { tickShown(false); });
    connect(m_list, &QListWidget::itemChanged, this, &ColumnChooser::updateCount);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    updateCount();
}

void ColumnChooser::filter(const QString& text)
{
    for (int row = 0; row < m_list->count(); ++row) {
        QListWidgetItem* item = m_list->item(row);
        item->setHidden(!item->data(Qt::UserRole).toString().contains(text, Qt::CaseInsensitive));
    }
}

void ColumnChooser::tickShown(bool ticked)
{
    {
        const QSignalBlocker quiet(m_list); // else every tick counts them all
        for (int row = 0; row < m_list->count(); ++row)
            if (!m_list->item(row)->isHidden())
                m_list->item(row)->setCheckState(ticked ? Qt::Checked : Qt::Unchecked);
    }
    m_list->viewport()->update();
    updateCount();
}

void ColumnChooser::updateCount()
{
    int ticked = 0;
    for (int row = 0; row < m_list->count(); ++row)
        ticked += m_list->item(row)->checkState() == Qt::Checked ? 1 : 0;
    m_count->setText(u"%1 of %2"_s.arg(countText(ticked), countText(m_list->count())));
}

std::vector<int> ColumnChooser::chosen() const
{
    std::vector<int> columns;
    for (const int any : m_before)
        if (m_list->item(any)->checkState() == Qt::Checked)
            columns.push_back(any);
    const std::set<int> known(columns.begin(), columns.end());
    for (int any = 0; any < m_list->count(); ++any)
        if (m_list->item(any)->checkState() == Qt::Checked && !known.contains(any))
            columns.push_back(any);
    if (columns.empty())
        columns.push_back(0);
    return columns;
}

} // namespace cellfolio
