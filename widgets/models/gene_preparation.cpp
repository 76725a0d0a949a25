// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/gene_preparation.h"

#include "widgets/bridge/cell_format.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cellfolio {

using namespace Qt::StringLiterals;

GenePreparation::GenePreparation(ModelContext context, QObject* parent)
    : QObject(parent), m_context(context), m_estimateRequest(context.patient), m_dropRequest(context.patient),
      m_pool(1)
{
    m_timer.setInterval(kEvery);
    connect(&m_timer, &QTimer::timeout, this, &GenePreparation::activityChanged);
}

GenePreparation::~GenePreparation()
{
    m_stop.request_stop();
}

void GenePreparation::setSources(std::shared_ptr<GeneSources> sources)
{
    cancel();
    m_estimateRequest.cancel();
    m_dropRequest.cancel();
    m_considered.clear();
    m_sources = std::move(sources);
    if (std::exchange(m_offer, std::nullopt))
        Q_EMIT offerChanged();
}

void GenePreparation::consider(const Element& matrix)
{
    const auto source = m_sources ? m_sources->known(matrix) : nullptr;
    const auto store = m_sources ? m_sources->store() : std::nullopt;
    if (!source || !store || source->index() || source->scanSeconds() <= 0 || source->scanSeconds() < m_worth
        || m_building == &matrix || m_considered.count(&matrix) > 0 || m_estimateRequest.isBusy())
        return;
    m_considered.insert(&matrix);
    m_estimateRequest.request<Offer>(
        [source, store = *store, matrix = &matrix](std::stop_token stop) -> Result<Offer> {
            auto estimate = source->indexEstimate(store, stop);
            if (!estimate)
                return std::move(estimate).error();
            return Offer{matrix, source->scanSeconds(), *std::move(estimate)};
        },
        [this](Result<Offer> offer) {
            // One that cannot be reckoned is not offered; genes come as they did.
            if (offer)
                offerIt(*std::move(offer));
        });
}

void GenePreparation::offerIt(Offer offer)
{
    if (offer.estimate.fits() && offer.estimate.output <= m_unasked) {
        prepare(*offer.matrix);
        return;
    }
    m_offer = std::move(offer);
    Q_EMIT offerChanged();
}

QString GenePreparation::sentenceOf(const Offer& offer)
{
    const QString why = u"%1 is stored cell by cell, so a gene takes %2."_s.arg(
        offer.matrix->path == "X" ? u"This file"_s : toQString(offer.matrix->path), waitText(offer.scanSeconds));
    if (!offer.estimate.fits())
        return why + u" Prepared genes would be instant, but there is no room for them: "_s
             + toQString(offer.estimate.reason);
    return why
         + u" Preparing it once takes %1 and %2 in your cache folder (%3 free); then each gene is instant. Your file "
           u"is not touched."_s.arg(waitText(offer.estimate.seconds), sizeText(offer.estimate.output),
                                    sizeText(offer.estimate.free));
}

void GenePreparation::accept()
{
    if (const auto offer = std::exchange(m_offer, std::nullopt)) {
        Q_EMIT offerChanged();
        prepare(*offer->matrix);
    }
}

void GenePreparation::decline()
{
    if (std::exchange(m_offer, std::nullopt))
        Q_EMIT offerChanged();
}

void GenePreparation::prepare(const Element& matrix)
{
    if (!m_sources || m_building == &matrix
        || std::find(m_waiting.begin(), m_waiting.end(), &matrix) != m_waiting.end())
        return;
    if (const Result<void> can = GeneIndexStore::canHave(matrix); !can) {
        Q_EMIT failed(can.error());
        return;
    }
    if (!m_sources->store()) {
        Q_EMIT failed(Error(ErrorCode::Refused, "There is no place for prepared genes.")
                          .advise("Choose one in the settings."));
        return;
    }
    m_considered.insert(&matrix);
    m_waiting.push_back(&matrix);
    buildNext();
}

void GenePreparation::buildNext()
{
    if (m_building != nullptr || m_waiting.empty())
        return;
    m_building = m_waiting.front();
    m_waiting.pop_front();
    m_progress = std::make_shared<Progress>();
    m_clock.start();
    m_timer.start();
    struct Outcome {
        bool there = false; // before
        GeneIndexStore::Built built;
    };
    const qint64 generation = ++m_generation;
    m_stop = m_pool.run<Outcome>(
        this,
        [sources = m_sources, store = *m_sources->store(), matrix = m_building, reading = m_context.reading,
         progress = m_progress](std::stop_token stop) -> Result<Outcome> {
            auto source = sources->of(*matrix, stop);
            if (!source)
                return std::move(source).error();
            Outcome outcome;
            outcome.there = (*source)->index() != nullptr || (*source)->lookForIndex(store, stop).ok();
            if (outcome.there)
                return outcome;
            auto built = store.build(sources->dataset(), *matrix, reading, stop, progress.get());
            if (!built)
                return std::move(built).error();
            outcome.built = *std::move(built);
            if (Result<void> found = (*source)->lookForIndex(store, stop); !found)
                return std::move(found).error();
            return outcome;
        },
        [this, generation](Result<Outcome> outcome) {
            if (generation != m_generation || m_building == nullptr)
                return; // of another file, or given up
            const Element* matrix = std::exchange(m_building, nullptr);
            m_timer.stop();
            Q_EMIT activityChanged();
            if (outcome) {
                Q_EMIT said(outcome->there
                                ? u"The genes of %1 are prepared already."_s.arg(toQString(matrix->path))
                                : u"The genes of %1 are prepared (%2, in %3): each is instant now."_s.arg(
                                      toQString(matrix->path), sizeText(outcome->built.bytes),
                                      waitText(static_cast<double>(m_clock.elapsed()) / 1000)));
                Q_EMIT prepared(matrix);
            } else if (outcome.error().code() != ErrorCode::Cancelled) {
                Q_EMIT failed(outcome.error());
            }
            buildNext();
        });
    Q_EMIT activityChanged();
}

void GenePreparation::drop(const Element& matrix)
{
    if (!m_sources || !m_sources->store())
        return;
    if (m_building == &matrix)
        cancel();
    m_considered.insert(&matrix); // whoever drops it does not want it back unasked
    m_dropRequest.request<bool>(
        [sources = m_sources, store = *m_sources->store(), matrix = &matrix](std::stop_token stop) -> Result<bool> {
            auto dropped = store.drop(*sources->dataset(), *matrix);
            if (!dropped)
                return dropped;
            // Not found now, which is what makes the source let go of it.
            if (const auto source = sources->known(*matrix))
                if (Result<void> none = source->lookForIndex(store, stop);
                    !none && none.error().code() == ErrorCode::Cancelled)
                    return std::move(none).error();
            return dropped;
        },
        [this, matrix = &matrix](Result<bool> was) {
            if (!was) {
                Q_EMIT failed(was.error());
                return;
            }
            Q_EMIT said((*was ? u"The prepared genes of %1 are gone."_s : u"The genes of %1 were not prepared."_s)
                            .arg(toQString(matrix->path)));
            Q_EMIT dropped(matrix);
        });
}

void GenePreparation::cancel()
{
    m_waiting.clear();
    if (m_building == nullptr)
        return;
    m_stop.request_stop();
    ++m_generation;
    m_building = nullptr;
    m_timer.stop();
    Q_EMIT activityChanged();
}

std::optional<GenePreparation::Activity> GenePreparation::activity() const
{
    if (m_building == nullptr)
        return std::nullopt;
    return Activity{m_building, m_progress->done(), m_progress->total(),
                    static_cast<double>(m_clock.elapsed()) / 1000};
}

QString waitText(double seconds)
{
    if (seconds < 10)
        return u"%1 s"_s.arg(numberText(std::max(0.1, std::ceil(seconds * 10) / 10), 2));
    if (seconds < 100)
        return u"%1 s"_s.arg(static_cast<int>(std::ceil(seconds)));
    const int minutes = static_cast<int>(std::ceil(seconds / 60));
    if (minutes < 60)
        return u"%1 min"_s.arg(minutes);
    return u"%1 h %2 min"_s.arg(minutes / 60).arg(minutes % 60);
}

} // namespace cellfolio
