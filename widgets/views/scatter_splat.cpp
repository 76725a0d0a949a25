// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/scatter_splat.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <thread>

namespace cellfolio
{

namespace
{

constexpr std::size_t kStopEvery = 1 << 15;
constexpr std::int64_t kMostDiscs = 120'000; // in view; above it smooth edges cost too much time
constexpr double kSmallestDisc = 2.5;
constexpr double kRimFrom = 5;    // logical pixels
constexpr double kRimOpacity = 0.75;

struct Disc {
    float x;
    float y;
    std::uint32_t key;
    std::uint32_t index;
};

// The rectangle of data that can touch the picture.
struct DataRect {
    double left, right, bottom, top;
};

DataRect visibleData(const SplatTask& task)
{
    const double margin = task.diameter / 2 + 2;
    const QPointF a = task.transform.unmap({-margin, -margin});
    const QPointF b =
        task.transform.unmap({task.size.width() + margin, task.size.height() + margin});
    return {std::min(a.x(), b.x()), std::max(a.x(), b.x()), std::min(a.y(), b.y()),
            std::max(a.y(), b.y())};
}

bool useGrid(const SplatTask& task, const DataRect& view)
{
    // Through the grid points come in no order, each a miss of the cache: worth it only when it
    // leaves most of them out.
    return task.grid && task.grid->isValid() && task.stride == 1 &&
           task.grid->countNear(view.left, view.right, view.bottom, view.top) * 4 <
               std::int64_t(task.x->size());
}

// One horizontal run of pixels for each line of a disc of whole pixels.
struct Footprint {
    struct Run {
        int dy, from, to;
    };
    std::vector<Run> runs;
    int before = 0; // how far it reaches left and up of the centre pixel
    int after = 0;
};

Footprint footprintOf(double diameter)
{
    const int side = std::clamp(int(std::lround(diameter)), 1, 64);
    Footprint print;
    print.before = (side - 1) / 2;
    print.after = side - 1 - print.before;
    const double middle = (side - 1) / 2.0;
    for (int row = 0; row < side; ++row) {
        const double dy = row - middle;
        double half = middle;
        if (side > 3) // up to 3 pixels a square is rounder than a cross
            half = std::sqrt(std::max(0.0, side * side / 4.0 - dy * dy)) - 0.5;
        print.runs.push_back({row - print.before, int(std::ceil(middle - half)) - print.before,
                              int(std::floor(middle + half)) - print.before});
    }
    return print;
}

class KeyImage
{
public:
    KeyImage(QSize size)
        : m_width(size.width())
        , m_height(size.height())
        , m_pixels(std::size_t(m_width) * std::size_t(m_height), 0)
    {
    }

    // Keys are stored plus one, so that 0 stays "nothing here".
    void put(const Footprint& print, int x, int y, std::uint32_t key)
    {
        const std::uint32_t stored = key + 1;
        if (print.runs.size() == 1) {
            if (x >= 0 && y >= 0 && x < m_width && y < m_height) {
                auto& pixel = m_pixels[std::size_t(y) * std::size_t(m_width) + std::size_t(x)];
                pixel = std::max(pixel, stored);
            }
            return;
        }
        if (x + print.after < 0 || x - print.before >= m_width)
            return;
        for (const auto& run : print.runs) {
            const int line = y + run.dy;
            if (line < 0 || line >= m_height)
                continue;
            const int from = std::max(0, x + run.from);
            const int to = std::min(m_width - 1, x + run.to);
            std::uint32_t* pixels = m_pixels.data() + std::size_t(line) * std::size_t(m_width);
            for (int i = from; i <= to; ++i)
                pixels[i] = std::max(pixels[i], stored);
        }
    }

    void merge(const KeyImage& other)
    {
        for (std::size_t i = 0; i < m_pixels.size(); ++i)
            m_pixels[i] = std::max(m_pixels[i], other.m_pixels[i]);
    }

    QImage toImage(const ScatterKeys& keys, QRgb base) const
    {
        QImage image(m_width, m_height, QImage::Format_RGB32);
        for (int y = 0; y < m_height; ++y) {
            auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
            const std::uint32_t* pixels =
                m_pixels.data() + std::size_t(y) * std::size_t(m_width);
            for (int x = 0; x < m_width; ++x)
                line[x] = pixels[x] ? keys.colorOf(pixels[x] - 1) | 0xff000000U : base;
        }
        return image;
    }

private:
    int m_width;
    int m_height;
    std::vector<std::uint32_t> m_pixels;
};

// Calls `take(index, pixelX, pixelY)` for the points [from, to) of the file in steps.
template <typename Take>
bool scan(const SplatTask& task, std::size_t from, std::size_t to, Take&& take)
{
    const float* x = task.x->data();
    const float* y = task.y->data();
    const double sx = task.transform.scale;
    const double sy = task.transform.ySign * task.transform.scale;
    const double dx = task.transform.dx;
    const double dy = task.transform.dy;
    const double width = task.size.width() + 64;
    const double height = task.size.height() + 64;
    std::size_t untilStop = 0;
    for (std::size_t i = from; i < to; i += task.stride) {
        if (untilStop-- == 0) {
            untilStop = kStopEvery;
            if (task.stopped && task.stopped())
                return false;
        }
        const double px = sx * double(x[i]) + dx;
        const double py = sy * double(y[i]) + dy;
        if (px > -64 && py > -64 && px < width && py < height) // false for NaN, too
            take(i, float(px), float(py));
    }
    return true;
}

QImage splatPixels(const SplatTask& task)
{
    const Footprint print = footprintOf(task.diameter);
    // The centre of an even footprint lies on a pixel's edge.
    const float shift = print.runs.size() % 2 == 0 ? -0.5F : 0.0F;
    const auto put = [&](KeyImage& image, std::size_t i, float px, float py) {
        image.put(print, int(std::floor(px + shift)), int(std::floor(py + shift)),
                  task.keys->keyOf(i));
    };
    const DataRect view = visibleData(task);
    KeyImage image(task.size);
    if (useGrid(task, view)) {
        const ScatterTransform& t = task.transform;
        task.grid->forEachNear(view.left, view.right, view.bottom, view.top, [&](std::uint32_t i) {
            const QPointF at = t.map((*task.x)[i], (*task.y)[i]);
            put(image, i, float(at.x()), float(at.y()));
        });
        return task.stopped && task.stopped() ? QImage() : image.toImage(*task.keys, task.base);
    }

    const std::size_t n = std::min(task.x->size(), task.y->size());
    const auto threads = std::size_t(std::clamp(task.threads, 1, 16));
    std::size_t share = (n + threads - 1) / threads;
    share = (share + task.stride - 1) / task.stride * task.stride;
    std::vector<KeyImage> others(threads - 1, KeyImage(task.size));
    std::atomic<bool> whole{true};
    std::vector<std::thread> helpers;
    const auto part = [&](KeyImage& into, std::size_t from, std::size_t to) {
        if (!scan(task, from, to,
                  [&](std::size_t i, float px, float py) { put(into, i, px, py); }))
            whole = false;
    };
    for (std::size_t t = 1; t < threads; ++t) {
        const std::size_t from = std::min(n, t * share);
        const std::size_t to = std::min(n, from + share);
        helpers.emplace_back([&, t, from, to] { part(others[t - 1], from, to); });
    }
    part(image, 0, std::min(n, share));
    for (std::thread& helper : helpers)
        helper.join();
    if (!whole)
        return {};
    for (const KeyImage& other : others)
        image.merge(other);
    return image.toImage(*task.keys, task.base);
}

void blend(QRgb& pixel, QRgb over, float alpha)
{
    const auto mix = [alpha](int under, int top) {
        return int(float(under) + alpha * float(top - under) + 0.5F);
    };
    pixel = qRgb(mix(qRed(pixel), qRed(over)), mix(qGreen(pixel), qGreen(over)),
                 mix(qBlue(pixel), qBlue(over)));
}

void drawDisc(QImage& image, const SplatTask& task, const Disc& disc, QRgb colour)
{
    const float radius = float(task.diameter / 2);
    const bool rimmed = task.diameter / task.pixelRatio >= kRimFrom;
    const float rim = rimmed ? float(task.pixelRatio) : 0.0F;
    const float reach = radius + rim + 0.5F;
    const int left = std::max(0, int(std::floor(disc.x - reach)));
    const int right = std::min(image.width() - 1, int(std::ceil(disc.x + reach)));
    const int top = std::max(0, int(std::floor(disc.y - reach)));
    const int bottom = std::min(image.height() - 1, int(std::ceil(disc.y + reach)));
    for (int y = top; y <= bottom; ++y) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
        const float dy = float(y) + 0.5F - disc.y;
        for (int x = left; x <= right; ++x) {
            const float dx = float(x) + 0.5F - disc.x;
            const float distance = std::sqrt(dx * dx + dy * dy);
            if (rimmed) {
                const float cover = std::clamp(radius + rim + 0.5F - distance, 0.0F, 1.0F);
                if (cover > 0)
                    blend(line[x], task.base, cover * float(kRimOpacity));
            }
            const float cover = std::clamp(radius + 0.5F - distance, 0.0F, 1.0F);
            if (cover > 0)
                blend(line[x], colour, cover);
        }
    }
}

// Null where it was stopped; `tooMany` where discs are not the way.
QImage splatDiscs(const SplatTask& task, bool& tooMany)
{
    std::vector<Disc> discs;
    const DataRect view = visibleData(task);
    const auto take = [&](std::size_t i, float px, float py) {
        discs.push_back({px, py, task.keys->keyOf(i), std::uint32_t(i)});
    };
    if (useGrid(task, view)) {
        if (task.grid->countNear(view.left, view.right, view.bottom, view.top) > 2 * kMostDiscs) {
            tooMany = true;
            return {};
        }
        task.grid->forEachNear(view.left, view.right, view.bottom, view.top, [&](std::uint32_t i) {
            const QPointF at = task.transform.map((*task.x)[i], (*task.y)[i]);
            take(i, float(at.x()), float(at.y()));
        });
    } else {
        bool whole = scan(task, 0, std::min(task.x->size(), task.y->size()),
                          [&](std::size_t i, float px, float py) {
                              if (discs.size() <= std::size_t(kMostDiscs))
                                  take(i, px, py);
                          });
        if (!whole)
            return {};
    }
    if (discs.size() > std::size_t(kMostDiscs)) {
        tooMany = true;
        return {};
    }
    std::sort(discs.begin(), discs.end(), [](const Disc& a, const Disc& b) {
        return a.key != b.key ? a.key < b.key : a.index < b.index;
    });
    QImage image(task.size, QImage::Format_RGB32);
    image.fill(task.base);
    std::size_t done = 0;
    for (const Disc& disc : discs) {
        if (++done % 4096 == 0 && task.stopped && task.stopped())
            return {};
        drawDisc(image, task, disc, task.keys->colorOf(disc.key));
    }
    return image;
}

} // namespace

QImage splat(const SplatTask& task)
{
    if (task.size.isEmpty())
        return {};
    if (task.diameter >= kSmallestDisc) {
        bool tooMany = false;
        QImage image = splatDiscs(task, tooMany);
        if (!tooMany)
            return image;
    }
    return splatPixels(task);
}

} // namespace cellfolio
