// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/matrix/gene_index_settings.h"
#include "core/matrix/gene_sources.h"
#include "core/run/progress.h"
#include "widgets/bridge/latest.h"
#include "widgets/bridge/model_context.h"

#include <QtCore/QElapsedTimer>
#include <QtCore/QObject>
#include <QtCore/QString>
#include <QtCore/QTimer>

#include <deque>
#include <memory>
#include <optional>
#include <set>

namespace cellfolio {

// Gene indexes of the open file ("prepared genes" to people): offers one once a pass has shown what
// a gene costs without, builds them one after the other off the UI thread, and hands them to the
// sources at once, for colours and filters alike. UI thread only; never blocks.
class GenePreparation : public QObject
{
    Q_OBJECT
public:
    explicit GenePreparation(ModelContext context, QObject* parent = nullptr);
    ~GenePreparation() override;

    // Another file: what is being built for the one before is given up.
    void setSources(std::shared_ptr<GeneSources> sources);
    // Indexes of at most so many bytes are built without a question; 0: none are.
    void setUnasked(Index bytes) { m_unasked = bytes; }
    // A pass that takes less than so many seconds is nothing to offer an index for.
    void setWorth(double seconds) { m_worth = seconds; }

    // A matrix was read: if that took a pass, and an index would make a difference, it is offered,
    // or built unasked. Cheap to call after each reading.
    void consider(const Element& matrix);

    struct Offer {
        const Element* matrix = nullptr;
        double scanSeconds = 0; // what a gene takes now
        GeneIndexStore::Estimate estimate;
    };
    // "This file is stored cell by cell, so a gene takes 19 s. Preparing it once takes 4 min and
    // 8.2 GiB in your cache folder (210 GiB free); then each gene is instant. Your file is not
    // touched." Or why it cannot be done.
    static QString sentenceOf(const Offer& offer);
    const std::optional<Offer>& offer() const { return m_offer; }
    void accept();
    void decline(); // not offered again for this matrix while the file is open

    // Builds the index of a matrix, offered or not. Nothing where there is one already.
    void prepare(const Element& matrix);
    // Takes the index of a matrix away; what is being built for it, too.
    void drop(const Element& matrix);
    // Gives up what is being built and what waits.
    void cancel();

    bool isBuilding() const { return m_building != nullptr; }
    struct Activity {
        const Element* matrix = nullptr;
        Index done = 0;
        Index total = 0;
        double seconds = 0; // since it began
    };
    std::optional<Activity> activity() const;

    static constexpr Index kUnasked = Index{1} << 30;
    static constexpr double kWorth = 0.05;
    static constexpr int kEvery = 250; // ms between signals of progress

Q_SIGNALS:
    void offerChanged();
    void activityChanged();
    void prepared(const cellfolio::Element* matrix); // its genes are instant from now on
    void dropped(const cellfolio::Element* matrix);
    void said(const QString& sentence);
    void failed(const cellfolio::Error& error);

private:
    void offerIt(Offer offer);
    void buildNext();

    ModelContext m_context;
    std::shared_ptr<GeneSources> m_sources;
    Index m_unasked = kUnasked;
    double m_worth = kWorth;
    std::optional<Offer> m_offer;
    std::set<const Element*> m_considered;
    std::deque<const Element*> m_waiting;
    const Element* m_building = nullptr;
    qint64 m_generation = 0; // of builds
    std::stop_source m_stop;
    std::shared_ptr<Progress> m_progress;
    QElapsedTimer m_clock;
    QTimer m_timer;
    Latest m_estimateRequest;
    Latest m_dropRequest;
    RequestPool m_pool; // of its own, with one thread: a build may take minutes
};

// "4 s", "40 s", "4 min", "1 h 20 min": of a wait, rounded up as people are told of it.
QString waitText(double seconds);

} // namespace cellfolio
