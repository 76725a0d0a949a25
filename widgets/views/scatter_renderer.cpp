// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/scatter_renderer.h"

#include "widgets/views/scatter_splat.h"

#include <QtCore/QMetaObject>

#include <algorithm>

namespace cellfolio
{

namespace
{

constexpr std::size_t kQuick = 250'000; // points that are drawn in a few milliseconds

} // namespace

ScatterRenderer::ScatterRenderer(QObject* parent) : QObject(parent)
{
    m_todo.color = std::make_shared<const ScatterColor>();
    m_thread = std::thread([this] { run(); });
}

ScatterRenderer::~ScatterRenderer()
{
    {
        const std::lock_guard lock(m_mutex);
        m_quit = true;
        m_stale = true;
    }
    m_wake.notify_all();
    m_thread.join();
}

void ScatterRenderer::setPoints(ScatterPoints points)
{
    const std::lock_guard lock(m_mutex);
    m_todo.points = std::move(points);
    m_todo.wish.reset(); // made for other points
    ++m_todo.pointsRevision;
    m_news = {};
    m_stale = true;
    m_wake.notify_all();
}

void ScatterRenderer::setColor(ScatterColor color)
{
    auto shared = std::make_shared<const ScatterColor>(std::move(color));
    const std::lock_guard lock(m_mutex);
    m_todo.color = std::move(shared);
    ++m_todo.colorRevision;
    ++m_todo.wishRevision;
    m_stale = true;
    m_wake.notify_all();
}

void ScatterRenderer::setInside(std::shared_ptr<const IndexSet> inside)
{
    const std::lock_guard lock(m_mutex);
    m_todo.inside = std::move(inside);
    ++m_todo.colorRevision;
    ++m_todo.wishRevision;
    m_stale = true;
    m_wake.notify_all();
}

void ScatterRenderer::setWish(const ScatterWish& wish)
{
    const std::lock_guard lock(m_mutex);
    m_todo.wish = wish;
    ++m_todo.wishRevision;
    m_stale = true;
    m_wake.notify_all();
}

ScatterRenderer::News ScatterRenderer::collect()
{
    const std::lock_guard lock(m_mutex);
    m_announced = false;
    return std::exchange(m_news, {});
}

void ScatterRenderer::waitIdle()
{
    std::unique_lock lock(m_mutex);
    m_idle.wait(lock, [this] { return !m_busy && !hasWork(); });
}

bool ScatterRenderer::hasWork() const
{
    if (!m_todo.points.x || !m_todo.points.y)
        return false;
    return m_boundsOf != m_todo.pointsRevision || (m_todo.wish && m_drawn != m_todo.wishRevision) ||
           m_gridOf != m_todo.pointsRevision;
}

void ScatterRenderer::run()
{
    std::unique_lock lock(m_mutex);
    while (!m_quit) {
        if (!hasWork()) {
            m_busy = false;
            m_idle.notify_all();
            m_wake.wait(lock, [this] { return m_quit || hasWork(); });
            continue;
        }
        m_busy = true;
        m_stale = false;
        const Work work = m_todo;
        lock.unlock();
        step(work);
        lock.lock();
    }
    m_busy = false;
    m_idle.notify_all();
}

// One thing at a time, the most urgent first: where points lie, what is to be seen, and only when
// nothing else is wanted the grid for picking.
void ScatterRenderer::step(const Work& work)
{
    if (m_boundsOf != work.pointsRevision) {
        m_bounds = boundsOf(*work.points.x, *work.points.y);
        m_grid.reset();
        News news;
        news.bounds = m_bounds;
        {
            const std::lock_guard lock(m_mutex);
            m_boundsOf = work.pointsRevision;
            if (m_todo.pointsRevision != work.pointsRevision)
                return;
        }
        publish(std::move(news));
        return;
    }
    if (work.wish && m_drawn != work.wishRevision) {
        draw(work);
        return;
    }
    if (m_gridOf != work.pointsRevision) {
        auto grid = std::make_shared<const ScatterGrid>(
            ScatterGrid::build(*work.points.x, *work.points.y, m_bounds, m_stale));
        if (!grid->isValid() && !m_bounds.empty())
            return; // something more urgent has come; it is built when that is done
        {
            const std::lock_guard lock(m_mutex);
            m_gridOf = work.pointsRevision;
            if (m_todo.pointsRevision != work.pointsRevision)
                return;
        }
        m_grid = grid;
        News news;
        news.grid = std::move(grid);
        publish(std::move(news));
    }
}

void ScatterRenderer::draw(const Work& work)
{
    const ScatterWish& wish = *work.wish;
    const KeysOf wanted{work.pointsRevision, work.colorRevision, wish.ink, wish.emphasis};
    if (!(m_keysOf == wanted)) {
        m_keys = makeKeys(*work.color, work.points.size(), wish.ink, wish.emphasis,
                          work.inside.get());
        m_keysOf = wanted;
    }

    SplatTask task;
    task.x = work.points.x.get();
    task.y = work.points.y.get();
    task.keys = &m_keys;
    task.grid = m_grid.get();
    const double ratio = wish.pixelRatio;
    task.transform = wish.transform;
    task.transform.scale *= ratio;
    task.transform.dx *= ratio;
    task.transform.dy *= ratio;
    task.size = wish.size * ratio;
    task.diameter = wish.diameter * ratio;
    task.pixelRatio = ratio;
    task.base = wish.ink.base.rgb();
    const auto n = std::size_t(work.points.size());
    task.threads = n > kQuick ? int(std::clamp(std::thread::hardware_concurrency(), 1U, 4U)) : 1;

    const auto frameOf = [&](QImage image, bool complete) {
        image.setDevicePixelRatio(ratio);
        News news;
        news.frame = ScatterFrame{std::move(image), wish.transform, wish.size, complete};
        return news;
    };
    if (n > 2 * kQuick) {
        // A sample first, never given up: while somebody drags, it is all there is to see.
        task.stride = n / kQuick;
        publish(frameOf(splat(task), false));
        task.stride = 1;
        task.stopped = [this] { return m_stale.load(std::memory_order_relaxed); };
    }
    QImage image = splat(task);
    const bool stopped = image.isNull() && !task.size.isEmpty();
    {
        const std::lock_guard lock(m_mutex);
        m_drawn = work.wishRevision;
        if (m_todo.pointsRevision != work.pointsRevision)
            return;
    }
    if (!stopped)
        publish(frameOf(std::move(image), true));
}

void ScatterRenderer::publish(News news)
{
    {
        const std::lock_guard lock(m_mutex);
        if (news.bounds)
            m_news.bounds = news.bounds;
        if (news.grid)
            m_news.grid = news.grid;
        if (news.frame)
            m_news.frame = std::move(news.frame);
        if (m_announced || m_quit)
            return;
        m_announced = true;
    }
    QMetaObject::invokeMethod(
        this, [this] { Q_EMIT ready(); }, Qt::QueuedConnection);
}

} // namespace cellfolio
