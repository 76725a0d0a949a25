// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/views/scatter_index.h"
#include "widgets/views/scatter_keys.h"

#include <QtCore/QObject>
#include <QtGui/QImage>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace cellfolio
{

// A picture to draw: the newest wish wins, older ones are dropped half way.
struct ScatterWish {
    ScatterTransform transform; // data to logical pixels
    QSize size;                 // logical pixels
    double pixelRatio = 1;
    double diameter = 1; // logical pixels
    ScatterInk ink;
    std::optional<std::uint32_t> emphasis;
};

struct ScatterFrame {
    QImage image;
    ScatterTransform transform;
    QSize size;
    bool complete = false; // every point is in it
};

// The drawing thread of one ScatterView. It owns nothing of the widget; results are collected by
// the UI thread after ready(). Functions from the UI thread.
class ScatterRenderer : public QObject
{
    Q_OBJECT
public:
    explicit ScatterRenderer(QObject* parent = nullptr);
    ~ScatterRenderer() override; // stops and joins

    void setPoints(ScatterPoints points);
    void setColor(ScatterColor color);
    void setInside(std::shared_ptr<const IndexSet> inside);
    void setWish(const ScatterWish& wish);

    // What has come since the last call; each may be empty.
    struct News {
        std::optional<ScatterBounds> bounds;
        std::shared_ptr<const ScatterGrid> grid;
        std::optional<ScatterFrame> frame;
    };
    News collect();

    // Blocks until there is nothing left to do. For pictures without a window and for tests.
    void waitIdle();

Q_SIGNALS:
    void ready(); // from the UI thread's event loop

private:
    // A copy of what there is to do, taken under the lock.
    struct Work {
        ScatterPoints points;
        std::shared_ptr<const ScatterColor> color; // never null
        std::shared_ptr<const IndexSet> inside;    // null: all points
        std::optional<ScatterWish> wish;
        std::uint64_t pointsRevision = 0;
        std::uint64_t colorRevision = 0;
        std::uint64_t wishRevision = 0;
    };

    void run();
    bool hasWork() const; // under the lock
    void step(const Work& work);
    void draw(const Work& work);
    void publish(News news);

    mutable std::mutex m_mutex;
    std::condition_variable m_wake;
    std::condition_variable m_idle;
    Work m_todo;
    News m_news;
    bool m_announced = false;
    bool m_quit = false;
    bool m_busy = false;
    std::atomic<bool> m_stale{false}; // something newer has come: give up what is being done

    // Of the drawing thread alone; the revisions are compared under the lock.
    ScatterBounds m_bounds;
    std::shared_ptr<const ScatterGrid> m_grid;
    ScatterKeys m_keys;
    std::uint64_t m_boundsOf = 0;
    std::uint64_t m_gridOf = 0;
    std::uint64_t m_drawn = 0;
    struct KeysOf {
        std::uint64_t points = 0, color = 0;
        ScatterInk ink;
        std::optional<std::uint32_t> emphasis;
        bool operator==(const KeysOf&) const = default;
    } m_keysOf;

    std::thread m_thread;
};

} // namespace cellfolio
