// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/session.h"

#include "widgets/bridge/cell_format.h"
#include "widgets/models/element_text.h"

#include <algorithm>

namespace cellfolio {

namespace {

constexpr int kLookEvery = 2000; // ms
constexpr Index kFewChunks = 2000;
constexpr std::size_t kMostSizes = 500;

Index chunkCount(const hdf5::ArrayInfo& info)
{
    Index count = 1;
    for (std::size_t axis = 0; axis < info.chunk.size() && axis < info.shape.size(); ++axis)
        count *= (info.shape[axis] + info.chunk[axis] - 1) / std::max<Index>(info.chunk[axis], 1);
    return count;
}

} // namespace

Session::Session(ModelContext context, QObject* parent)
    : QObject(parent), m_context(context), m_view(context), m_kept(context, m_view), m_genes(context),
      m_preparation(context), m_openRequest(context.quick), m_factsRequest(context.quick),
      m_holdsRequest(context.patient), m_watchRequest(context.patient),
      m_sizesRequest(context.patient), m_writerRequest(context.patient), m_indexRequest(context.patient)
{
    m_watch.setInterval(kLookEvery);
    connect(&m_watch, &QTimer::timeout, this, &Session::look);
    connect(&m_genes, &GeneQueue::matrixRead, this, &Session::considerGenes);
    // A filter may have taken a pass as well.
    connect(&m_view, &ViewModel::evaluating, this, [this](bool busy) {
        if (!busy)
            considerGenes();
    });
}

void Session::open(const QString& location)
{
    m_location = location;
    m_state = State::Opening;
    m_problem.reset();
    Q_EMIT opening();
    m_openRequest.request<std::shared_ptr<const Dataset>>(
        [path = toStdString(location)](std::stop_token) { return Dataset::open(path); },
        [this](Result<std::shared_ptr<const Dataset>> answer) {
            if (answer) {
                take(std::move(*answer));
                return;
            }
            m_state = State::Failed;
            m_problem = answer.error();
            Q_EMIT failed();
        });
}

void Session::abandon()
{
    m_openRequest.cancel();
    m_state = m_dataset ? State::Open : State::Empty;
}

void Session::take(std::shared_ptr<const Dataset> dataset)
{
    // Answers about the file before this one name its elements, which may be gone by now.
    for (Latest* request : {&m_factsRequest, &m_holdsRequest, &m_watchRequest, &m_sizesRequest, &m_writerRequest})
        request->cancel();
    m_state = State::Open;
    m_dataset = std::move(dataset);
    m_facts = {};
    m_factsKnown = false;
    m_holds.clear();
    m_holdsKnown = false;
    m_changed = false;
    m_matrices = matricesOf(*m_dataset);
    m_watch.start();
    makeSources();
    const bool again = m_takenLocation == m_location;
    m_takenLocation = m_location;
    if (again)
        m_view.setDatasetAgain(m_dataset);
    else
        m_view.setDataset(m_dataset);
    m_kept.setDataset(m_dataset);
    Q_EMIT opened();
    m_factsRequest.request<DatasetFacts>(
        [dataset = m_dataset, reading = m_context.reading](std::stop_token stop) {
            return readFacts(dataset, reading, stop);
        },
        [this](Result<DatasetFacts> facts) {
            // Without them the window says less and works the same.
            if (facts)
                m_facts = std::move(*facts);
            m_factsKnown = true;
            Q_EMIT factsFound();
        });
    sampleNext(0);
}

void Session::makeSources()
{
    std::optional<GeneIndexStore> store = storeOfSettings();
    auto sources = std::make_shared<GeneSources>(m_dataset, m_context.reading, std::move(store));
    m_genes.setSources(sources);
    m_preparation.setSources(sources);
    m_view.setGenes(std::move(sources));
}

std::optional<GeneIndexStore> Session::storeOfSettings()
{
    const auto settings = GeneIndexSettings::read();
    if (settings)
        return settings->store();
    Q_EMIT said(errorText(settings.error())); // genes come as they are stored
    return std::nullopt;
}

void Session::readGeneSettings()
{
    const std::shared_ptr<GeneSources>& sources = m_genes.sources();
    if (!sources)
        return;
    const auto store = storeOfSettings();
    sources->setStore(store);
    m_indexRequest.request<bool>(
        [sources, store](std::stop_token stop) -> Result<bool> {
            for (const auto& source : sources->allKnown()) {
                if (!store || !source->index())
                    continue;
                // Not found now, which is what makes the source let go of it.
                const Result<void> found = source->lookForIndex(*store, stop);
                if (!found && found.error().code() == ErrorCode::Cancelled)
                    return found.error();
            }
            return true;
        },
        [](Result<bool>) {});
}

void Session::considerGenes()
{
    const std::shared_ptr<GeneSources>& sources = m_genes.sources();
    if (!sources)
        return;
    for (const std::string& remark : sources->takeRemarks())
        Q_EMIT said(toQString(remark));
    for (const std::shared_ptr<GeneSource>& source : sources->allKnown())
        m_preparation.consider(source->element());
}

void Session::sampleNext(std::size_t place)
{
    if (place >= m_matrices.size()) {
        m_holdsKnown = true;
        Q_EMIT holdsFound(nullptr);
        findSizes();
        askForWriter();
        return;
    }
    const Element* matrix = m_matrices[place];
    m_holdsRequest.request<HoldsResult>(
        [dataset = m_dataset, matrix, reading = m_context.reading](std::stop_token stop) {
            return sampleHolds(dataset, *matrix, reading, stop);
        },
        [this, place, matrix](Result<HoldsResult> holds) {
            // A matrix that cannot be sampled says so where it is shown; the others go on.
            if (holds)
                m_holds.push_back({matrix, *holds});
            Q_EMIT holdsFound(matrix);
            sampleNext(place + 1);
        });
}

// Bytes on disk of what is cheap to ask: finding those of a dataset walks the index of its chunks.
// The others are asked for one by one, when they are chosen.
void Session::findSizes()
{
    using Sizes = std::vector<std::pair<const Element*, Index>>;
    m_sizesRequest.request<Sizes>(
        [dataset = m_dataset](std::stop_token stop) -> Result<Sizes> {
            Sizes sizes;
            for (const Element* element : dataset->elements()) {
                if (stop.stop_requested())
                    return Error::cancelled();
                if (sizes.size() == kMostSizes)
                    break;
                const std::vector<ArrayRef> arrays = arraysOf(*element);
                Index chunks = 0;
                for (const ArrayRef& array : arrays)
                    chunks += chunkCount(array.info());
                if (arrays.empty() || chunks > kFewChunks)
                    continue;
                Index total = 0;
                bool known = true;
                for (const ArrayRef& array : arrays) {
                    const auto bytes = dataset->file().storedBytes(*array.object, stop);
                    known = known && bytes.ok();
                    total += bytes.ok() ? *bytes : 0;
                }
                if (known)
                    sizes.emplace_back(element, total);
            }
            return sizes;
        },
        [this](Result<Sizes> sizes) {
            if (!sizes)
                return; // sizes are for orientation; each can still be asked for by itself
            for (const auto& [element, bytes] : *sizes)
                Q_EMIT sizeFound(element, bytes);
        });
}

void Session::askForWriter()
{
    m_writerRequest.request<bool>(
        [dataset = m_dataset](std::stop_token) -> Result<bool> { return dataset->file().lockedByWriter(); },
        [this](Result<bool> locked) {
            if (locked && *locked)
                Q_EMIT writerFound();
        });
}

const HoldsResult* Session::holdsOf(const Element& matrix) const
{
    for (const KnownHolds& known : m_holds)
        if (known.matrix == &matrix)
            return &known.holds;
    return nullptr;
}

void Session::look()
{
    if (m_changed || m_watchRequest.isBusy() || !m_dataset)
        return;
    m_watchRequest.request<bool>(
        [dataset = m_dataset](std::stop_token) -> Result<bool> { return dataset->file().changedOnDisk(); },
        [this](Result<bool> changed) {
            if (!changed || !*changed)
                return;
            m_changed = true;
            Q_EMIT changedOnDisk(QDateTime::currentDateTime());
        });
}

} // namespace cellfolio
