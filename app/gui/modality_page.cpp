// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/modality_page.h"

#include "widgets/bridge/cell_format.h"
#include "widgets/models/element_text.h"
#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"

#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QListWidget>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

constexpr int kRowHeight = 40;

} // namespace

ModalityPage::ModalityPage(QWidget* parent)
    : QWidget(parent), m_title(new QLabel(this)), m_sentence(new QLabel(this)), m_list(new QListWidget(this))
{
    setProperty("surface", u"base"_s);
    m_title->setFont(fonts::heading());
    m_sentence->setProperty("role", u"quiet"_s);
    m_sentence->setWordWrap(true);
    m_list->setAccessibleName(u"Data sets of the file"_s);
    m_list->setIconSize({measures::kToolIcon, measures::kToolIcon});
    m_list->setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    auto* column = new QVBoxLayout;
    column->addStretch(1);
    column->addWidget(m_title);
    column->addSpacing(8);
    column->addWidget(m_sentence);
    column->addSpacing(16);
    column->addWidget(m_list);
    column->addStretch(2);
    auto* row = new QHBoxLayout(this);
    row->addStretch(1);
    row->addLayout(column, 2);
    row->addStretch(1);
    connect(m_list, &QListWidget::itemActivated, this,
            [this](QListWidgetItem* item) { Q_EMIT chosen(item->data(Qt::UserRole).toString()); });
    connect(m_list, &QListWidget::itemClicked, this,
            [this](QListWidgetItem* item) { Q_EMIT chosen(item->data(Qt::UserRole).toString()); });
}

void ModalityPage::setDataset(const Dataset& dataset)
{
    const bool mudata = dataset.format() == FileFormat::H5mu;
    m_title->setText(u"%1 holds %2"_s.arg(
        fileNameOf(dataset),
        countedText(static_cast<Index>(dataset.modalities().size()), mudata ? u"modality"_s : u"genome"_s,
                    mudata ? u"modalities"_s : u"genomes"_s)));
    m_sentence->setText(u"Each is a data set of its own. Choose the one to look at; another can be opened beside it."_s);
    m_list->clear();
    for (const Modality& modality : dataset.modalities()) {
        QStringList extent;
        if (modality.nObs)
            extent.append(countedText(*modality.nObs, u"cell"_s, u"cells"_s));
        if (modality.nVars)
            extent.append(countedText(*modality.nVars, u"feature"_s, u"features"_s));
        auto* item = new QListWidgetItem(icon("grid-dots"),
                                         u"  "_s + toQString(modality.name) + u"      "_s + extent.join(u" × "_s), m_list);
        item->setData(Qt::UserRole, toQString(modality.name));
        item->setSizeHint({200, kRowHeight});
    }
    m_list->setFixedHeight(kRowHeight * std::min(m_list->count(), 10) + 2);
    m_list->setCurrentRow(0);
    m_list->setFocus();
}

int ModalityPage::count() const
{
    return m_list->count();
}

} // namespace cellfolio
