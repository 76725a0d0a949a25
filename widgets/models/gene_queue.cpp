// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/gene_queue.h"

#include "widgets/bridge/cell_format.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

constexpr int kThreads = 2; // matrices read at once
// Of the budget: room for the values of one batch, as read and as shown.
constexpr Index kShare = 4;
constexpr float kNotKnown = std::numeric_limits<float>::quiet_NaN();

void copyAsFloats(const Values& values, Index first, Index count, std::vector<float>& to)
{
    visitReal(values.type(), [&]<typename T>(const T*) {
        const std::span<const T> from = values.as<T>();
        for (Index i = first; i < first + count; ++i)
            to[at(i)] = static_cast<float>(toDouble(from[at(i)]));
    });
}

} // namespace

// Where the reading thread puts what has come, and the UI thread looks.
struct GeneQueue::Canvas {
    std::mutex mutex;
    std::vector<Index> genes; // distinct, ascending
    std::vector<std::vector<float>> values;
    Index known = 0;
    Index damaged = 0;
    QString damage;
    std::shared_ptr<MemoryReservation> charge;

    Result<void> read(GeneSource& source, Reading& reading, std::stop_token stop, Progress* progress);
};

Result<void> GeneQueue::Canvas::read(GeneSource& source, Reading& reading, std::stop_token stop,
                                     Progress* progress)
{
    const Index cells = source.cells();
    if (!isReal(source.dtype()))
        return Error(ErrorCode::Refused, source.element().path + " holds "
                                             + std::string(nameOf(source.dtype()))
                                             + " values, which have no order to colour by.")
            .at(source.element().path);
    if (genes.back() >= source.genes())
        return Error(ErrorCode::Corrupt, source.element().path + " has no column "
                                             + std::to_string(genes.back()) + ".")
            .at(source.element().path);
    const auto count = static_cast<Index>(genes.size());
    // Twice: what is handed out while it grows is a copy.
    auto room = reading.budget().reserve(MemoryTag::Plot, cells * count * Index{sizeof(float)} * 2);
    if (!room)
        return std::move(room).error().at(source.element().path);
    {
        const std::lock_guard lock(mutex);
        charge = std::make_shared<MemoryReservation>(*std::move(room));
        values.assign(genes.size(), std::vector<float>(at(cells), kNotKnown));
    }
    GeneSource::Request request{genes};
    request.stop = stop;
    request.progress = progress;
    request.part = [this](const GenePart& part) {
        const std::lock_guard lock(mutex);
        for (std::size_t k = 0; k < part.genes.size() && k < values.size(); ++k)
            copyAsFloats(part.genes[k], part.first, part.count, values[k]);
        known = part.first + part.count;
    };
    auto found = source.read(request);
    if (!found)
        return std::move(found).error();
    const std::lock_guard lock(mutex);
    // Without parts (some were in memory) all of it comes now.
    for (std::size_t k = 0; known < cells && k < values.size(); ++k)
        copyAsFloats(found->genes[k], 0, cells, values[k]);
    known = cells;
    damaged = found->damage.places;
    if (!found->damage.errors.empty())
        damage = toQString(found->damage.errors.front().message());
    for (Index cell = 0; damaged > 0 && cell < cells; ++cell)
        if (found->damage.unknown[at(cell)] != 0)
            for (std::vector<float>& gene : values)
                gene[at(cell)] = kNotKnown;
    return {};
}

GeneQueue::GeneQueue(ModelContext context, QObject* parent)
    : QObject(parent), m_context(context), m_pool(kThreads)
{
    connect(&m_timer, &QTimer::timeout, this, &GeneQueue::handOut);
}

GeneQueue::~GeneQueue()
{
    for (const auto& batch : m_batches)
        batch->stop.request_stop();
}

void GeneQueue::setSources(std::shared_ptr<GeneSources> sources)
{
    for (const auto& batch : m_batches)
        batch->stop.request_stop();
    m_batches.clear(); // their answers find nobody
    m_waiting.clear();
    m_timer.stop();
    m_sources = std::move(sources);
    Q_EMIT activityChanged();
}

int GeneQueue::want(const GeneRef& gene, Receiver receiver)
{
    const int ticket = ++m_lastTicket;
    m_waiting.push_back({ticket, gene, std::move(receiver)});
    // All that is asked for in one turn of the event loop goes together.
    QTimer::singleShot(0, this, &GeneQueue::startNext);
    return ticket;
}

void GeneQueue::release(int ticket)
{
    const auto isIt = [ticket](const Wish& wish) { return wish.ticket == ticket; };
    std::erase_if(m_waiting, isIt);
    for (const auto& batch : m_batches)
        std::erase_if(batch->wishes, isIt);
    if (m_answering != nullptr)
        std::erase_if(m_answering->wishes, isIt);
    stopUnwanted();
}

void GeneQueue::stopUnwanted()
{
    for (const auto& batch : m_batches)
        if (batch->wishes.empty())
            batch->stop.request_stop();
}

void GeneQueue::abandon()
{
    std::vector<Wish> all = std::exchange(m_waiting, {});
    for (const auto& batch : m_batches)
        for (Wish& wish : std::exchange(batch->wishes, {}))
            all.push_back(std::move(wish));
    stopUnwanted();
    for (const Wish& wish : all)
        wish.receiver(Error::cancelled());
    Q_EMIT activityChanged();
}

void GeneQueue::startNext()
{
    std::vector<const Element*> matrices;
    for (const Wish& wish : m_waiting)
        if (std::find(matrices.begin(), matrices.end(), wish.gene.matrix) == matrices.end())
            matrices.push_back(wish.gene.matrix);
    for (const Element* matrix : matrices)
        if (std::none_of(m_batches.begin(), m_batches.end(),
                         [matrix](const auto& batch) { return batch->matrix == matrix; }))
            start(matrix);
}

// All waiting genes of a matrix that there is room for; those at hand go by themselves, so that they
// need not wait for a pass.
void GeneQueue::start(const Element* matrix)
{
    if (!m_sources)
        return;
    const Index cells = matrix->shape && !matrix->shape->empty() ? matrix->shape->front() : 1;
    const Index each = std::max<Index>(1, cells) * Index{4 * sizeof(float)};
    const Index most = std::clamp(m_context.reading->budget().limit() / kShare / each, Index{1},
                                  GeneSource::kMostAtOnce);
    const auto source = m_sources->known(*matrix);
    const auto isAtHand = [&source](const Wish& wish) {
        return source && source->cost({{wish.gene.gene}, {}, {}, nullptr, {}}).way == GeneWay::Memory;
    };
    const bool onlyAtHand = std::any_of(m_waiting.begin(), m_waiting.end(), [&](const Wish& wish) {
        return wish.gene.matrix == matrix && isAtHand(wish);
    });
    auto batch = std::make_unique<Batch>();
    batch->canvas = std::make_shared<Canvas>();
    std::vector<Index>& genes = batch->canvas->genes;
    std::vector<Wish> left;
    for (Wish& wish : m_waiting) {
        const bool known = std::find(genes.begin(), genes.end(), wish.gene.gene) != genes.end();
        const bool fits = known || static_cast<Index>(genes.size()) < most;
        if (wish.gene.matrix != matrix || !fits || (onlyAtHand && !isAtHand(wish))) {
            left.push_back(std::move(wish));
            continue;
        }
        if (!known)
            genes.push_back(wish.gene.gene);
        batch->wishes.push_back(std::move(wish));
    }
    m_waiting = std::move(left);
    std::sort(genes.begin(), genes.end());
    for (Wish& wish : batch->wishes)
        wish.place = static_cast<std::size_t>(
            std::lower_bound(genes.begin(), genes.end(), wish.gene.gene) - genes.begin());
    batch->number = ++m_lastBatch;
    batch->matrix = matrix;
    batch->progress = std::make_shared<Progress>();
    batch->clock.start();
    ++m_readings;
    batch->stop = m_pool.run<bool>(
        this,
        [sources = m_sources, matrix, canvas = batch->canvas, progress = batch->progress,
         reading = m_context.reading](std::stop_token stop) -> Result<bool> {
            auto opened = sources->of(*matrix, stop);
            if (!opened)
                return std::move(opened).error();
            if (Result<void> done = canvas->read(**opened, *reading, stop, progress.get()); !done)
                return std::move(done).error();
            return true;
        },
        [this, number = batch->number](Result<bool> outcome) {
            finished(number, outcome ? Result<void>() : Result<void>(outcome.error()));
        });
    m_batches.push_back(std::move(batch));
    m_timer.start(m_every);
    Q_EMIT activityChanged();
}

// What has come so far, to everyone who waits for it.
void GeneQueue::handOut()
{
    QElapsedTimer clock;
    clock.start();
    // Receivers may ask for more, release, or let all go.
    struct Part {
        int batch;
        int ticket;
        Receiver receiver;
        GeneValues values;
    };
    std::vector<Part> parts;
    for (const auto& batch : m_batches) {
        const std::lock_guard lock(batch->canvas->mutex);
        const Canvas& canvas = *batch->canvas;
        if (canvas.known == batch->shown || canvas.values.empty())
            continue;
        batch->shown = canvas.known;
        for (const Wish& wish : batch->wishes) {
            GeneValues values;
            values.values = std::make_shared<const std::vector<float>>(canvas.values[wish.place]);
            values.known = canvas.known;
            values.charge = canvas.charge;
            parts.push_back({batch->number, wish.ticket, wish.receiver, std::move(values)});
        }
    }
    for (Part& part : parts) {
        const bool wanted = std::any_of(m_batches.begin(), m_batches.end(), [&](const auto& batch) {
            return batch->number == part.batch
                && std::any_of(batch->wishes.begin(), batch->wishes.end(),
                               [&](const Wish& wish) { return wish.ticket == part.ticket; });
        });
        if (wanted)
            part.receiver(std::move(part.values));
    }
    // Many cells take longer to copy and to draw: most of the time is for other things.
    m_timer.setInterval(std::max(m_every, static_cast<int>(clock.elapsed()) * 8));
    if (!m_batches.empty())
        Q_EMIT activityChanged();
}

void GeneQueue::finished(int number, const Result<void>& outcome)
{
    const auto found = std::find_if(m_batches.begin(), m_batches.end(),
                                    [number](const auto& batch) { return batch->number == number; });
    if (found == m_batches.end())
        return; // of another file
    const std::unique_ptr<Batch> batch = std::move(*found);
    m_batches.erase(found);
    if (m_batches.empty())
        m_timer.stop();
    // Started before anybody is told: who waits should not wait for what the others do.
    startNext();
    Canvas& canvas = *batch->canvas;
    std::vector<std::shared_ptr<const std::vector<float>>> values(canvas.values.size());
    for (std::size_t k = 0; k < values.size(); ++k)
        values[k] = std::make_shared<const std::vector<float>>(std::move(canvas.values[k]));
    const auto sources = m_sources;
    Batch* const outer = std::exchange(m_answering, batch.get());
    while (!batch->wishes.empty()) {
        const Wish wish = std::move(batch->wishes.front());
        batch->wishes.erase(batch->wishes.begin());
        if (!outcome) {
            wish.receiver(outcome.error());
            continue;
        }
        GeneValues answer;
        answer.values = values[wish.place];
        answer.known = canvas.known;
        answer.damaged = canvas.damaged;
        answer.damage = canvas.damage;
        answer.complete = true;
        answer.charge = canvas.charge;
        wish.receiver(std::move(answer));
    }
    m_answering = outer;
    Q_EMIT activityChanged();
    if (outcome && sources == m_sources)
        Q_EMIT matrixRead(batch->matrix);
}

std::optional<GeneQueue::Activity> GeneQueue::activity() const
{
    for (const auto& batch : m_batches) {
        if (batch->wishes.empty())
            continue; // being stopped
        Activity activity;
        const auto genes = static_cast<Index>(batch->canvas->genes.size());
        activity.what = genes == 1 ? batch->wishes.front().gene.name
                                   : countedText(genes, u"gene"_s, u"genes"_s);
        activity.done = batch->progress->done();
        activity.total = batch->progress->total();
        activity.seconds = static_cast<double>(batch->clock.elapsed()) / 1000;
        return activity;
    }
    return std::nullopt;
}

} // namespace cellfolio
