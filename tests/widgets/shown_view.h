// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <QtGui/QColor>
#include <QtGui/QImage>
#include <QtTest/QTest>

namespace cellfolio::test
{

inline QString s(const char* text)
{
    return QString::fromUtf8(text);
}

// A view over a source in a window of its own, painted once, so that it has asked for what is
// visible.
template <typename View, int width = 600, int height = 400>
struct Shown {
    template <typename Source>
    explicit Shown(Source& source)
    {
        view.resize(width, height);
        view.setSource(&source);
        view.show();
        if (!QTest::qWaitForWindowExposed(&view))
            qFatal("no window");
        paint();
    }

    QImage paint()
    {
        QImage image(view.viewport()->size(), QImage::Format_RGB32);
        view.viewport()->render(&image);
        return image;
    }

    View view;
};

// Pixels of `where` that are darker than `lightness`: text on a light ground.
inline int inked(const QImage& image, const QRect& where, int lightness = 120)
{
    int count = 0;
    for (int y = where.top(); y <= where.bottom(); ++y) {
        for (int x = where.left(); x <= where.right(); ++x) {
            if (image.rect().contains(x, y) && QColor(image.pixel(x, y)).lightness() < lightness)
                ++count;
        }
    }
    return count;
}

} // namespace cellfolio::test
