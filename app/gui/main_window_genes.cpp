// SPDX-License-Identifier: GPL-3.0-or-later
// The part of the window that has to do with genes: what is read, and what is prepared.
#include "app/gui/embedding_tab.h"
#include "app/gui/gene_field.h"
#include "app/gui/gene_settings_dialog.h"
#include "app/gui/gene_status.h"
#include "app/gui/main_window.h"
#include "app/gui/program.h"
#include "app/gui/session.h"
#include "app/gui/status_line.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/models/gene_color.h"

#include <QtWidgets/QMenu>
#include <QtWidgets/QToolBar>

namespace cellfolio {

using namespace Qt::StringLiterals;

void MainWindow::connectGenes()
{
    m_geneStatus = new GeneStatus(*m_session, m_status);
    m_status->addWork(m_geneStatus);
    connect(m_session.get(), &Session::said, this, &MainWindow::say);
    GenePreparation& preparation = m_session->preparation();
    if (!m_program.remembersViews())
        preparation.setUnasked(0); // a picture leaves no trace
    connect(m_file, &FilePage::settingsRequested, this, &MainWindow::showGeneSettings);
    connect(&preparation, &GenePreparation::said, this, &MainWindow::say);
    connect(&preparation, &GenePreparation::failed, this, [this](const Error& error) { say(errorText(error)); });
}

void MainWindow::makeGeneBox(QToolBar* bar)
{
    m_genes = new GeneField(m_program.context(), bar);
    m_genes->setFixedWidth(232);
    m_genes->setToolTip(u"Colour the map by a gene, or go to it, by name, symbol or id · Ctrl+G"_s);
    connect(m_genes, &GeneField::picked, this, [this](const GeneField::Match& match) {
        m_file->showGene(match.gene.row, match.ofRaw, match.name());
        if (QWidget* tab = m_file->currentWidget())
            tab->setFocus();
    });
    bar->addWidget(m_genes);
}

// The matrix that the map shows a gene of, else X, else whatever can be prepared.
const Element* MainWindow::matrixToPrepare() const
{
    const auto& gene = m_file->embedding()->gene();
    if (gene)
        return gene->matrix;
    const Element* first = nullptr;
    for (const Element* matrix : geneMatrices(*m_session->dataset()))
        if (first == nullptr && GeneIndexStore::canHave(*matrix))
            first = matrix;
    const Element* x = m_session->dataset()->x();
    return first != nullptr ? first : x;
}

void MainWindow::makeGeneActions(QMenu* menu)
{
    menu->addSeparator();
    GenePreparation& preparation = m_session->preparation();
    m_fileActions.push_back(add(menu, u"prepareGenes"_s, u"Prepare genes"_s,
                                u"Make each gene of this matrix come at once, from a file in your cache folder"_s, {},
                                {}, [this, &preparation] {
                                    if (const Element* matrix = matrixToPrepare())
                                        preparation.prepare(*matrix);
                                    else
                                        say(u"This file has no matrix of cells × genes."_s);
                                }));
    m_fileActions.push_back(add(menu, u"dropGenes"_s, u"Remove prepared genes"_s,
                                u"Remove what was prepared for this matrix from your cache folder"_s, {}, {},
                                [this, &preparation] {
                                    if (const Element* matrix = matrixToPrepare())
                                        preparation.drop(*matrix);
                                }));
    add(menu, u"geneSettings"_s, u"Settings of prepared genes…"_s, u"Place and size of prepared genes"_s, {},
        u"settings"_s, [this] { showGeneSettings(); });
}

void MainWindow::showGeneSettings()
{
    auto* dialog = new GeneSettingsDialog(m_program, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

// Again once it is known what raw holds.
void MainWindow::updateGeneBox()
{
    if (!m_session->dataset() || !m_session->factsKnown())
        return;
    GeneField::Place place{m_session->dataset(), m_session->facts().symbols, m_session->facts().rawSymbols, {}};
    const Element* raw = place.dataset->raw();
    if (const Element* matrix = raw != nullptr ? raw->child("X") : nullptr)
        if (const HoldsResult* holds = m_session->holdsOf(*matrix); holds != nullptr && holds->holds != Holds::Unknown)
            place.rawUnit = toQString(holds->text());
    m_genes->setPlace(std::move(place));
}

} // namespace cellfolio
