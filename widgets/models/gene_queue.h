// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/matrix/gene_sources.h"
#include "core/run/progress.h"
#include "widgets/bridge/model_context.h"
#include "widgets/bridge/request_pool.h"

#include <QtCore/QElapsedTimer>
#include <QtCore/QObject>
#include <QtCore/QString>
#include <QtCore/QTimer>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace cellfolio {

// A gene of a matrix of the open file.
struct GeneRef {
    const Element* matrix = nullptr;
    Index gene = -1; // its column there
    QString name;    // as people call it
    bool isSame(const GeneRef& other) const { return matrix == other.matrix && gene == other.gene; }
};

// The values of a gene over all cells, as far as they have come.
struct GeneValues {
    std::shared_ptr<const std::vector<float>> values; // one a cell; NaN: not known, or not yet
    Index known = 0;    // cells before this one have been looked at; all of them at the end
    Index damaged = 0;  // cells whose value could not be read
    QString damage;     // what was wrong with the first of them
    bool complete = false;
    std::shared_ptr<MemoryReservation> charge;
};

// Reads genes for whoever wants to see them. Of one matrix one reading is under way at a time; what
// is asked for meanwhile waits and then comes together, in one pass, so that twenty genes cost about
// what one costs. While a pass goes on, what has come so far is handed out several times a second.
// A reading that nobody waits for any more is stopped. UI thread only; never blocks.
class GeneQueue : public QObject
{
    Q_OBJECT
public:
    explicit GeneQueue(ModelContext context, QObject* parent = nullptr);
    ~GeneQueue() override;

    // Another file: what was asked for of the one before is let go without an answer.
    void setSources(std::shared_ptr<GeneSources> sources);
    const std::shared_ptr<GeneSources>& sources() const { return m_sources; }

    // Called on the UI thread with each part (complete: false), then once with all of it or an
    // error; Cancelled after abandon(). It may ask for more genes, or release.
    using Receiver = std::function<void(Result<GeneValues>)>;
    int want(const GeneRef& gene, Receiver receiver);
    // The answer is not wanted any more; none will come. Numbers of answered wishes do no harm.
    void release(int ticket);
    // Gives up everything: each wish is answered with Cancelled.
    void abandon();

    bool isReading() const { return !m_batches.empty(); }
    struct Activity {
        QString what; // "CD3E", "20 genes"
        Index done = 0;
        Index total = 0;
        double seconds = 0; // since it began
    };
    std::optional<Activity> activity() const; // of the reading that began first
    // Passes and other readings begun so far.
    Index readings() const { return m_readings; }

    static constexpr int kEvery = 150; // ms between parts, at least
    void setEvery(int ms) { m_every = ms; }

Q_SIGNALS:
    void activityChanged(); // began, went on, ended
    // A reading of the matrix has ended well; its source may have told what a pass costs.
    void matrixRead(const cellfolio::Element* matrix);

private:
    struct Wish {
        int ticket;
        GeneRef gene;
        Receiver receiver;
        std::size_t place = 0; // among the genes of its batch
    };
    struct Canvas;
    struct Batch {
        int number;
        const Element* matrix;
        std::vector<Wish> wishes;
        std::shared_ptr<Canvas> canvas;
        std::shared_ptr<Progress> progress;
        std::stop_source stop;
        Index shown = 0; // cells handed out
        QElapsedTimer clock;
    };

    void startNext();
    void start(const Element* matrix);
    void finished(int number, const Result<void>& outcome);
    void handOut();
    void stopUnwanted();

    ModelContext m_context;
    std::shared_ptr<GeneSources> m_sources;
    std::vector<Wish> m_waiting;
    std::vector<std::unique_ptr<Batch>> m_batches;
    Batch* m_answering = nullptr; // ended, its wishes being answered
    int m_lastTicket = 0;
    int m_lastBatch = 0;
    Index m_readings = 0;
    int m_every = kEvery;
    QTimer m_timer;
    RequestPool m_pool; // of its own: a pass may take a minute, and nothing should wait behind it
};

} // namespace cellfolio
