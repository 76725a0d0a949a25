// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset_view.h"
#include "core/run/job_runner.h"
#include "widgets/bridge/latest.h"
#include "widgets/models/export_choice.h"

#include <QtCore/QTimer>
#include <QtWidgets/QDialog>

#include <optional>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QToolButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace cellfolio {

class ChoiceBox;
class ElidedLabel;
class ExportEffects;
class Program;
class Session;

// What a choice comes to; found in the background.
struct ExportPreview {
    ExportEstimate estimate;     // of memory: what the job itself takes
    Index files = 1;
    QStringList existing;        // files that are there already
    Index freeBytes = 0;         // where the new file goes; 0: not known
    QStringList leftovers;       // unfinished files of earlier runs
    std::optional<Error> problem; // why it cannot be done at all
};

// Exports the view that the window shows when the dialog opens: first for whom, then what, how and
// where; at the right, live, what it will take and change. Starts a job. UI thread only; what must be
// read is read in the background.
class ExportDialog : public QDialog
{
    Q_OBJECT
public:
    ExportDialog(Program& program, Session& session, QWidget* parent = nullptr);

    const ExportChoice& choice() const { return m_choice; }
    void setAudience(Audience audience);
    void setElement(const QString& path);
    void setForm(const QString& ending);
    void setSplit(const QString& column);
    void setTarget(const QString& path);
    // Leaves an element of the tree out, or takes it in again. False: there is none of this path.
    bool setWanted(const QString& path, bool wanted);
    // Whether what is at the right belongs to what is at the left.
    bool isSettled() const { return !m_wait.isActive() && !m_request.isBusy() && m_preview.has_value(); }
    const std::optional<ExportPreview>& preview() const { return m_preview; }
    QString command() const; // empty: none says it
    QString problemText() const; // why it cannot be exported so; empty: it can
    ExportEffects* effects() const { return m_effects; }
    QTreeWidget* tree() const { return m_tree; }
    QLineEdit* targetField() const { return m_target; }
    QPushButton* exportButton() const { return m_export; }
    QCheckBox* dropUnusedBox() const { return m_dropUnused; }
    QCheckBox* fromRawBox() const { return m_fromRaw; }
    QToolButton* audienceButton(Audience audience) const;
    ChoiceBox* splitBox() const { return m_split; }

Q_SIGNALS:
    void started(qint64 job);

private:
    void makeLeft(QWidget* left);
    void fillTree();
    void fillElements();
    void fillSplit();
    void updateControls();
    void readControls();
    void changed();
    void ask();
    void show(Result<ExportPreview> preview);
    void updateFoot();
    void chooseTarget();
    void start();
    void propose();
    ViewWords viewWords() const;
    QString commandWith(const ViewWords& words, const ExportChoice& choice) const;
    QString viewTitle() const;
    QStringList leftOut() const;
    Index jobMemory() const;

    Program& m_program;
    Session& m_session;
    const DatasetView m_view;
    const QString m_viewName; // kept name of it; empty: none
    ExportChoice m_choice;
    bool m_ownTarget = false; // somebody has named the new file
    std::optional<ExportPreview> m_preview;
    std::vector<QToolButton*> m_audiences;
    QTreeWidget* m_tree = nullptr;
    ChoiceBox* m_element = nullptr;
    ChoiceBox* m_form = nullptr;
    ChoiceBox* m_storage = nullptr;
    ChoiceBox* m_compression = nullptr;
    ChoiceBox* m_split = nullptr;
    QLabel* m_elementCaption = nullptr;
    QLabel* m_formCaption = nullptr;
    QLabel* m_storageCaption = nullptr;
    QLabel* m_treeCaption = nullptr;
    QLabel* m_about = nullptr;
    QCheckBox* m_fromRaw = nullptr;
    QCheckBox* m_dropUnused = nullptr;
    QCheckBox* m_keep = nullptr;
    QLineEdit* m_target = nullptr;
    ElidedLabel* m_command = nullptr;
    QToolButton* m_copy = nullptr;
    QPushButton* m_export = nullptr;
    ExportEffects* m_effects = nullptr;
    QTimer m_wait;
    Latest m_request;
};

} // namespace cellfolio
