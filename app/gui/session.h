// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/matrix/holds.h"
#include "widgets/bridge/latest.h"
#include "widgets/bridge/model_context.h"
#include "widgets/models/dataset_summary.h"
#include "widgets/models/gene_preparation.h"
#include "widgets/models/gene_queue.h"
#include "widgets/models/kept_view_list.h"
#include "widgets/models/view_model.h"

#include <QtCore/QDateTime>
#include <QtCore/QObject>
#include <QtCore/QTimer>

#include <memory>
#include <optional>
#include <vector>

namespace cellfolio {

// One file of one window: opens it in the background, finds out what it says about itself and what
// its matrices hold, and notices when it is changed on disk. UI thread only.
class Session : public QObject
{
    Q_OBJECT
public:
    Session(ModelContext context, QObject* parent = nullptr);

    enum class State { Empty, Opening, Open, Failed };
    State state() const { return m_state; }
    const ModelContext& context() const { return m_context; }

    // PATH or PATH::MODALITY. What was open stays open until the new one is.
    void open(const QString& location);
    void reload() { open(m_location); }
    // Gives up an opening that takes too long; it does not come back.
    void abandon();

    const QString& location() const { return m_location; }
    const std::shared_ptr<const Dataset>& dataset() const { return m_dataset; }
    const std::optional<Error>& problem() const { return m_problem; }
    const DatasetFacts& facts() const { return m_facts; }
    bool factsKnown() const { return m_factsKnown; }
    const std::vector<KnownHolds>& holds() const { return m_holds; }
    bool holdsKnown() const { return m_holdsKnown; }
    const HoldsResult* holdsOf(const Element& matrix) const;
    bool isChangedOnDisk() const { return m_changed; }
    // What of the file is shown: for every tab, filter and export.
    ViewModel& view() { return m_view; }
    KeptViewList& keptViews() { return m_kept; }
    // Its genes, and the indexes that make them instant.
    GeneQueue& genes() { return m_genes; }
    GenePreparation& preparation() { return m_preparation; }
    // Indexes are where the settings say; also looks whether those in use are still there.
    void readGeneSettings();

Q_SIGNALS:
    void opening();
    void opened();
    void failed(); // problem() says why
    void factsFound();
    void holdsFound(const cellfolio::Element* matrix);
    void changedOnDisk(const QDateTime& when);
    void writerFound(); // another program holds the file open for writing
    void sizeFound(const cellfolio::Element* element, qint64 bytes);
    void said(const QString& sentence); // something worth a line of the status bar

private:
    void take(std::shared_ptr<const Dataset> dataset);
    void makeSources();
    std::optional<GeneIndexStore> storeOfSettings();
    void considerGenes();
    void sampleNext(std::size_t place);
    void look();
    void findSizes();
    void askForWriter();

    ModelContext m_context;
    State m_state = State::Empty;
    QString m_location;
    std::shared_ptr<const Dataset> m_dataset;
    std::optional<Error> m_problem;
    DatasetFacts m_facts;
    bool m_factsKnown = false;
    std::vector<const Element*> m_matrices;
    std::vector<KnownHolds> m_holds;
    bool m_holdsKnown = false;
    bool m_changed = false;
    QString m_takenLocation; // of the dataset that is open
    ViewModel m_view;
    KeptViewList m_kept;
    GeneQueue m_genes;
    GenePreparation m_preparation;
    QTimer m_watch;
    Latest m_openRequest;
    Latest m_factsRequest;
    Latest m_holdsRequest;
    Latest m_watchRequest;
    Latest m_sizesRequest;
    Latest m_writerRequest;
    Latest m_indexRequest;
};

} // namespace cellfolio
