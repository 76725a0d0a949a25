// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/paging/reading.h"
#include "core/run/memory_budget.h"
#include "widgets/bridge/request_pool.h"

#include <QtCore/QTimer>

#include <algorithm>
#include <functional>
#include <list>
#include <memory>
#include <stop_token>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace cellfolio {

// Keeps the pieces of a table or matrix that were looked at lately, and fetches those that are
// wanted now: all wishes of one turn of the event loop become one request. A request that nobody
// looks at any more is stopped; one that still helps may finish.
//
// Piece: `Index bytes() const`. Memory: at most `room` bytes and what is wanted now, charged to the
// budget. UI thread only; the reader runs on the pool and must capture by value.
template <typename Key, typename Piece, typename Hash>
class PageFetcher
{
public:
    using Pieces = std::vector<std::pair<Key, Piece>>;
    using Read = std::function<Result<Pieces>(const std::vector<Key>& keys, std::stop_token stop)>;

    PageFetcher(RequestPool* pool, std::shared_ptr<Reading> reading, MemoryTag tag, Index room)
        : m_pool(pool), m_reading(std::move(reading)), m_tag(tag), m_room(room)
    {
        m_timer.setSingleShot(true);
        m_timer.setInterval(0);
        QObject::connect(&m_timer, &QTimer::timeout, &m_context, [this] { next(); });
    }
    ~PageFetcher() { m_running.request_stop(); }
    PageFetcher(const PageFetcher&) = delete;
    PageFetcher& operator=(const PageFetcher&) = delete;

    void setReader(Read read)
    {
        m_read = std::move(read);
        clear();
    }
    // Called on the UI thread after pieces have come, and when a request failed.
    std::function<void(const std::vector<Key>& keys)> arrived;
    std::function<void(const Error& error)> failed;

    // Memory only; null: not here.
    const Piece* peek(const Key& key) const
    {
        const auto found = m_pieces.find(key);
        if (found == m_pieces.end())
            return nullptr;
        m_order.splice(m_order.begin(), m_order, found->second.place);
        return &found->second.piece;
    }

    // What is looked at now, most important first; replaces what was wanted before.
    void want(std::vector<Key> keys)
    {
        m_wanted = std::move(keys);
        m_wantedSet = {m_wanted.begin(), m_wanted.end()};
        if (m_busy && std::none_of(m_asked.begin(), m_asked.end(),
                                   [&](const Key& key) { return m_wantedSet.contains(key); }))
            m_running.request_stop();
        m_timer.start();
    }

    // Forgets everything, wanted or not; what is on its way is dropped.
    void clear()
    {
        ++m_generation;
        m_running.request_stop();
        m_busy = false;
        m_pieces.clear();
        m_order.clear();
        m_failed.clear();
        m_bytes = 0;
        m_charge.release();
        m_timer.start();
    }

    bool hasFailed(const Key& key) const { return m_failed.contains(key); }
    // Whether everything wanted has come or failed.
    bool isComplete() const
    {
        return !m_busy && !m_timer.isActive() && missing(1).empty();
    }
    Index bytes() const { return m_bytes; }

private:
    struct Kept {
        Piece piece;
        typename std::list<Key>::iterator place;
    };
    // Enough for a window full of cells; more would only delay the first of them.
    static constexpr std::size_t kMostKeys = 64;

    std::vector<Key> missing(std::size_t most) const
    {
        std::vector<Key> keys;
        for (const Key& key : m_wanted) {
            if (!m_pieces.contains(key) && !m_failed.contains(key))
                keys.push_back(key);
            if (keys.size() == most)
                break;
        }
        return keys;
    }

    void next()
    {
        if (m_busy || !m_read)
            return;
        std::vector<Key> keys = missing(kMostKeys);
        if (keys.empty())
            return;
        m_busy = true;
        m_asked = keys;
        const qint64 generation = m_generation;
        const Read read = m_read;
        m_running = m_pool->run<Pieces>(
            &m_context, [read, keys](std::stop_token stop) { return read(keys, stop); },
            [this, generation](Result<Pieces> answer) {
                if (generation == m_generation)
                    take(std::move(answer));
            });
    }

    void take(Result<Pieces> answer)
    {
        m_busy = false;
        const std::vector<Key> asked = std::exchange(m_asked, {});
        if (!answer) {
            if (answer.error().code() != ErrorCode::Cancelled) {
                m_failed.insert(asked.begin(), asked.end());
                if (failed)
                    failed(answer.error());
            }
        } else {
            for (auto& [key, piece] : *answer)
                keep(key, std::move(piece));
            trim();
            if (arrived)
                arrived(asked);
        }
        m_timer.start();
    }

    void keep(const Key& key, Piece piece)
    {
        m_bytes += piece.bytes();
        if (const auto old = m_pieces.find(key); old != m_pieces.end()) {
            m_bytes -= old->second.piece.bytes();
            m_order.erase(old->second.place);
            m_pieces.erase(old);
        }
        m_order.push_front(key);
        m_pieces.emplace(key, Kept{std::move(piece), m_order.begin()});
    }

    // Oldest first; what is wanted now stays whatever its size.
    void trim()
    {
        auto place = m_order.end();
        while (m_bytes > m_room && place != m_order.begin()) {
            --place;
            if (m_wantedSet.contains(*place))
                continue;
            const auto found = m_pieces.find(*place);
            m_bytes -= found->second.piece.bytes();
            m_pieces.erase(found);
            place = m_order.erase(place);
        }
        m_charge.release();
        m_charge = m_reading->budget().force(m_tag, m_bytes);
    }

    RequestPool* m_pool;
    std::shared_ptr<Reading> m_reading;
    MemoryTag m_tag;
    Index m_room;
    Read m_read;
    QObject m_context;
    QTimer m_timer;
    qint64 m_generation = 0;
    bool m_busy = false;
    std::stop_source m_running;
    std::vector<Key> m_asked;
    std::vector<Key> m_wanted;
    std::unordered_set<Key, Hash> m_wantedSet;
    std::unordered_set<Key, Hash> m_failed;
    std::unordered_map<Key, Kept, Hash> m_pieces;
    mutable std::list<Key> m_order; // newest first
    Index m_bytes = 0;
    MemoryReservation m_charge;
};

// Two numbers that name a piece: block of rows and column, or tile of a matrix.
struct PieceKey {
    Index first = 0;
    Index second = 0;
    bool operator==(const PieceKey&) const = default;
};
struct PieceKeyHash {
    std::size_t operator()(const PieceKey& key) const noexcept
    {
        return std::hash<Index>()(key.first * 0x9E3779B97F4A7C15LL + key.second);
    }
};

} // namespace cellfolio
