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
constexpr std::int64_t kMostDiscs = 100'000; // in view; above it smooth edges cost too much time
constexpr double kSmallestDisc = 2.5;
constexpr double kRimFrom = 5; // logical pixels
constexpr double kRimOpacity = 0.75;
constexpr double kRingLine = 1.1; // logical pixels; points outside the filters are hollow
constexpr double kFarthest = 64; // no point is larger; what lies farther outside is not seen

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
    int side = 1;
    int before = 0; // how far it reaches left and up of the centre pixel
    int after = 0;
};

Footprint footprintOf(double diameter)
{
    Footprint print;
    print.side = std::clamp(int(std::lround(diameter)), 1, 64);
    print.before = (print.side - 1) / 2;
    print.after = print.side - 1 - print.before;
    const double middle = (print.side - 1) / 2.0;
    for (int row = 0; row < print.side; ++row) {
        const double dy = row - middle;
        double half = middle;
        if (print.side > 3) // up to 3 pixels a square is rounder than a cross
            half = std::sqrt(std::max(0.0, print.side * print.side / 4.0 - dy * dy)) - 0.5;
        print.runs.push_back({row - print.before, int(std::ceil(middle - half)) - print.before,
                              int(std::floor(middle + half)) - print.before});
    }
    return print;
}

// The largest key seen at each pixel, plus one, so that 0 stays "nothing here". A border around
// the picture takes what hangs over its edges, so that small squares need no clipping.
class KeyImage
{
public:
    static constexpr int kBorder = 4;

    explicit KeyImage(QSize size)
        : m_width(size.width()), m_height(size.height()), m_stride(m_width + 2 * kBorder),
          m_pixels(std::size_t(m_stride) * std::size_t(m_height + 2 * kBorder), 0)
    {
    }

    // A square of Side pixels, 1 to 3. Requires x and y within two pixels of the picture.
    template <int Side>
    void putSquare(int x, int y, std::uint32_t key)
    {
        constexpr int kBefore = (Side - 1) / 2;
        std::uint32_t* line = at(x - kBefore, y - kBefore);
        for (int dy = 0; dy < Side; ++dy, line += m_stride) {
            for (int dx = 0; dx < Side; ++dx)
                line[dx] = std::max(line[dx], key + 1);
        }
    }

    void put(const Footprint& print, int x, int y, std::uint32_t key)
    {
        for (const auto& run : print.runs) {
            const int line = y + run.dy;
            if (line < 0 || line >= m_height)
                continue;
            const int from = std::max(0, x + run.from);
            const int to = std::min(m_width - 1, x + run.to);
            std::uint32_t* pixels = at(0, line);
            for (int i = from; i <= to; ++i)
                pixels[i] = std::max(pixels[i], key + 1);
        }
    }

    void merge(const KeyImage& other)
    {
        for (std::size_t i = 0; i < m_pixels.size(); ++i)
            m_pixels[i] = std::max(m_pixels[i], other.m_pixels[i]);
    }

    QImage toImage(const ScatterKeys& keys, QRgb base)
    {
        QImage image(m_width, m_height, QImage::Format_RGB32);
        for (int y = 0; y < m_height; ++y) {
            auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
            const std::uint32_t* pixels = at(0, y);
            for (int x = 0; x < m_width; ++x)
                line[x] = pixels[x] ? keys.colorOf(pixels[x] - 1) | 0xff000000U : base;
        }
        return image;
    }

private:
    std::uint32_t* at(int x, int y)
    {
        return m_pixels.data() + std::size_t(y + kBorder) * std::size_t(m_stride) +
               std::size_t(x + kBorder);
    }

    int m_width;
    int m_height;
    int m_stride;
    std::vector<std::uint32_t> m_pixels;
};

// Rounds down. std::floor is a call without SSE 4.1, and this runs once a point.
int floorOf(double value)
{
    return int(value + 128.0) - 128; // requires value > -128
}

// Calls `take(index, x, y)` with the pixel position of the points [from, to) of the file, in
// steps, that come within `margin` pixels of the picture. False when it was stopped.
template <typename Take>
bool scan(const SplatTask& task, std::size_t from, std::size_t to, double margin, Take&& take)
{
    const float* x = task.x->data();
    const float* y = task.y->data();
    const double sx = task.transform.scale;
    const double sy = task.transform.ySign * task.transform.scale;
    const double dx = task.transform.dx;
    const double dy = task.transform.dy;
    const double width = task.size.width() + margin;
    const double height = task.size.height() + margin;
    for (std::size_t i = from; i < to;) {
        if (task.stopped && task.stopped())
            return false;
        const std::size_t until = std::min(to, i + kStopEvery * task.stride);
        for (; i < until; i += task.stride) {
            const double px = sx * double(x[i]) + dx;
            const double py = sy * double(y[i]) + dy;
            if (px > -margin && py > -margin && px < width && py < height) // false for NaN, too
                take(i, px, py);
        }
    }
    return true;
}

// All points of the task through `put(image, x, y, key)`.
template <typename Put>
QImage splatWith(const SplatTask& task, double margin, double shift, Put&& put)
{
    const bool plain = task.keys->keys.empty();
    const std::uint32_t plainKey = plain ? task.keys->keyOf(0) : 0;
    const std::uint32_t* keys = task.keys->keys.data();
    const auto takeInto = [&](KeyImage& image) {
        return [&image, &put, keys, plain, plainKey, shift](std::size_t i, double px, double py) {
            put(image, floorOf(px + shift), floorOf(py + shift), plain ? plainKey : keys[i]);
        };
    };
    const DataRect view = visibleData(task);
    KeyImage image(task.size);
    if (useGrid(task, view)) {
        const auto take = takeInto(image);
        const double width = task.size.width() + margin;
        const double height = task.size.height() + margin;
        task.grid->forEachNear(view.left, view.right, view.bottom, view.top, [&](std::uint32_t i) {
            const QPointF at = task.transform.map(double((*task.x)[i]), double((*task.y)[i]));
            if (at.x() > -margin && at.y() > -margin && at.x() < width && at.y() < height)
                take(i, at.x(), at.y());
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
        if (!scan(task, from, to, margin, takeInto(into)))
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

QImage splatPixels(const SplatTask& task)
{
    const Footprint print = footprintOf(task.diameter);
    const Footprint thin = footprintOf(task.diameter / 2); // points outside the filters
    // The centre of an even footprint lies on a pixel's edge.
    const double shift = print.side % 2 == 0 ? -0.5 : 0.0;
    switch (print.side) {
    case 1:
        return splatWith(task, 1, shift, [](KeyImage& image, int x, int y, std::uint32_t key) {
            image.putSquare<1>(x, y, key);
        });
    case 2:
        return splatWith(task, 1, shift, [](KeyImage& image, int x, int y, std::uint32_t key) {
            if (key == kOutsideKey)
                image.putSquare<1>(x, y, key);
            else
                image.putSquare<2>(x, y, key);
        });
    case 3:
        return splatWith(task, 1, shift, [](KeyImage& image, int x, int y, std::uint32_t key) {
            if (key == kOutsideKey)
                image.putSquare<1>(x, y, key);
            else
                image.putSquare<3>(x, y, key);
        });
    default:
        return splatWith(task, kFarthest, shift,
                         [&print, &thin](KeyImage& image, int x, int y, std::uint32_t key) {
                             image.put(key == kOutsideKey ? thin : print, x, y, key);
                         });
    }
}

// A smooth disc drawn beforehand, at sixteen places within a pixel: for every pixel how much of
// what was there stays, the rim's share of the base colour already multiplied, and the disc's
// share, in 256ths.
class Stamps
{
public:
    static constexpr int kPhases = 4; // each way

    struct Pixel {
        std::uint32_t keep = 256;
        std::uint32_t disc = 0;
        std::uint32_t baseRedBlue = 0;
        std::uint32_t baseGreen = 0;
    };

    enum class Form { Disc, Ring };

    Stamps(const SplatTask& task, Form form)
    {
        const double radius = task.diameter / 2;
        const bool rimmed = form == Form::Disc && task.diameter / task.pixelRatio >= kRimFrom;
        const double hole = form == Form::Ring ? radius - kRingLine * task.pixelRatio : 0.0;
        const double rim = rimmed ? task.pixelRatio : 0.0;
        m_reach = int(std::ceil(radius + rim + 0.5));
        m_side = 2 * m_reach + 2;
        for (int phase = 0; phase < kPhases * kPhases; ++phase) {
            const double cx = m_reach + (phase % kPhases + 0.5) / kPhases;
            const double cy = m_reach + (phase / kPhases + 0.5) / kPhases;
            for (int y = 0; y < m_side; ++y) {
                for (int x = 0; x < m_side; ++x) {
                    const double distance = std::hypot(x + 0.5 - cx, y + 0.5 - cy);
                    double disc = std::clamp(radius + 0.5 - distance, 0.0, 1.0);
                    double inner = 0; // of a ring; the base colour, so that rings do not add up
                    if (hole > 0)
                        inner = std::clamp(hole + 0.5 - distance, 0.0, 1.0);
                    disc -= inner;
                    const double ring =
                        rimmed ? kRimOpacity * std::clamp(radius + rim + 0.5 - distance, 0.0, 1.0)
                               : 0.0;
                    Pixel pixel;
                    pixel.disc = std::uint32_t(std::lround(disc * 256));
                    const auto base = std::uint32_t(std::lround(std::max(ring * (1 - disc), inner) * 256));
                    pixel.keep = 256 - pixel.disc - std::min(base, 256 - pixel.disc);
                    const std::uint32_t share = 256 - pixel.disc - pixel.keep;
                    pixel.baseRedBlue = (task.base & 0xff00ffU) * share;
                    pixel.baseGreen = (task.base & 0x00ff00U) * share;
                    m_pixels.push_back(pixel);
                }
            }
        }
    }

    void draw(QImage& image, double x, double y, QRgb colour) const
    {
        const int left = floorOf(x) - m_reach;
        const int top = floorOf(y) - m_reach;
        const auto phase = std::size_t(int((x - floorOf(x)) * kPhases) +
                                       int((y - floorOf(y)) * kPhases) * kPhases);
        const Pixel* stamp = m_pixels.data() + phase * std::size_t(m_side) * std::size_t(m_side);
        const int fromX = std::max(0, -left);
        const int toX = std::min(m_side, image.width() - left);
        const int toY = std::min(m_side, image.height() - top);
        const std::uint32_t redBlue = colour & 0xff00ffU;
        const std::uint32_t green = colour & 0x00ff00U;
        for (int row = std::max(0, -top); row < toY; ++row) {
            auto* line = reinterpret_cast<QRgb*>(image.scanLine(top + row)) + left;
            const Pixel* pixels = stamp + row * m_side;
            for (int column = fromX; column < toX; ++column) {
                const Pixel& p = pixels[column];
                if (p.keep == 256)
                    continue;
                const QRgb under = line[column];
                const std::uint32_t rb =
                    ((under & 0xff00ffU) * p.keep + p.baseRedBlue + redBlue * p.disc) >> 8;
                const std::uint32_t g =
                    ((under & 0x00ff00U) * p.keep + p.baseGreen + green * p.disc) >> 8;
                line[column] = 0xff000000U | (rb & 0xff00ffU) | (g & 0x00ff00U);
            }
        }
    }

private:
    int m_reach = 0;
    int m_side = 0;
    std::vector<Pixel> m_pixels;
};

// From a few thousand points, whether far more are in view than can be discs.
bool clearlyTooMany(const SplatTask& task)
{
    const std::size_t n = std::min(task.x->size(), task.y->size());
    if (n <= std::size_t(kMostDiscs))
        return false;
    SplatTask sample = task;
    sample.stride = std::max<std::size_t>(1, n / 4'096);
    sample.stopped = nullptr;
    std::size_t seen = 0;
    scan(sample, 0, n, 0, [&seen](std::size_t, double, double) { ++seen; });
    return seen * sample.stride > 2 * std::size_t(kMostDiscs);
}

// Null where it was stopped; `tooMany` where discs are not the way.
QImage splatDiscs(const SplatTask& task, bool& tooMany)
{
    std::vector<Disc> discs;
    const QPointF middle(task.size.width() / 2.0, task.size.height() / 2.0);
    const DataRect view = visibleData(task);
    const auto take = [&](std::size_t i, double px, double py) {
        discs.push_back({float(px), float(py), task.keys->keyOf(i), std::uint32_t(i)});
    };
    if (useGrid(task, view)) {
        if (task.grid->countNear(view.left, view.right, view.bottom, view.top) > 2 * kMostDiscs) {
            tooMany = true;
            return {};
        }
        task.grid->forEachNear(view.left, view.right, view.bottom, view.top, [&](std::uint32_t i) {
            const QPointF at = task.transform.map(double((*task.x)[i]), double((*task.y)[i]));
            if (std::abs(at.x() - middle.x()) < middle.x() + kFarthest &&
                std::abs(at.y() - middle.y()) < middle.y() + kFarthest)
                take(i, at.x(), at.y());
        });
    } else if (clearlyTooMany(task)) {
        tooMany = true;
        return {};
    } else {
        const bool whole = scan(task, 0, std::min(task.x->size(), task.y->size()), kFarthest,
                                [&](std::size_t i, double px, double py) {
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
    const Stamps stamps(task, Stamps::Form::Disc);
    const Stamps rings(task, Stamps::Form::Ring);
    std::size_t done = 0;
    for (const Disc& disc : discs) {
        if (++done % 4096 == 0 && task.stopped && task.stopped())
            return {};
        (disc.key == kOutsideKey ? rings : stamps)
            .draw(image, double(disc.x), double(disc.y), task.keys->colorOf(disc.key));
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
