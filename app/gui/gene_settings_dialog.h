// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/matrix/gene_index_settings.h"
#include "widgets/bridge/latest.h"

#include <QtWidgets/QDialog>

class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace cellfolio {

class Program;

// Settings of prepared genes: where they lie, how much room they may take, what they take now, and
// the way to be rid of them. UI thread only; the disk is asked in the background.
class GeneSettingsDialog : public QDialog
{
    Q_OBJECT
public:
    explicit GeneSettingsDialog(Program& program, QWidget* parent = nullptr);

    QLineEdit* place() const { return m_place; }
    QDoubleSpinBox* limit() const { return m_limit; } // GiB
    QPushButton* clearButton() const { return m_clear; }
    QPushButton* saveButton() const { return m_save; }
    QString usage() const;      // "2 matrices, 2.3 GiB"
    QString consequence() const; // what saving would do

private:
    GeneIndexSettings chosen() const;
    void refresh();
    void measure();
    void clearAll();
    void save();
    void sayTrouble(const Error& error);

    Program& m_program;
    GeneIndexSettings m_before;
    std::optional<GeneIndexStore::Total> m_total; // of m_before's folder
    QLineEdit* m_place = nullptr;
    QDoubleSpinBox* m_limit = nullptr;
    QLabel* m_usage = nullptr;
    QLabel* m_consequence = nullptr;
    QLabel* m_trouble = nullptr;
    QPushButton* m_clear = nullptr;
    QPushButton* m_save = nullptr;
    Latest m_measureRequest;
    Latest m_changeRequest;
};

} // namespace cellfolio
