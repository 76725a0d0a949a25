// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/select/index_set.h"
#include "widgets/style/palettes.h"

#include <QtCore/QPointF>
#include <QtCore/QRectF>
#include <QtWidgets/QWidget>

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace cellfolio
{

// Where the points lie. Both columns have the same length; a point with a coordinate that is not
// finite is not drawn and not counted as drawn. Shared and never changed once given.
struct ScatterPoints {
    std::shared_ptr<const std::vector<float>> x;
    std::shared_ptr<const std::vector<float>> y;
    std::int64_t size() const { return x ? std::int64_t(x->size()) : 0; }
};

// How points are coloured. Columns have one entry a point.
struct ScatterPlain {
};
struct ScatterCategories {
    std::shared_ptr<const std::vector<std::uint32_t>> codes; // >= colors.size(): missing
    std::vector<QColor> colors; // as in figures; the view adapts them to a dark canvas
};
struct ScatterValues {
    std::shared_ptr<const std::vector<float>> values; // NaN: missing
    NumberMap map = NumberMap::Viridis;
    float low = 0; // values are clamped to low..high
    float high = 1;
    bool byMagnitude = false; // signed: the largest |value| on top instead of the largest value
    bool zerosApart = false;  // 0 in a pale tint of the map's low end (zeroTint) below the others
};
using ScatterColor = std::variant<ScatterPlain, ScatterCategories, ScatterValues>;

// An embedding: all cells as points, drawn off the UI thread by splatting into private images, in
// steps (every k-th point first, then all), so that the window never waits for it. Axes have equal
// scale. Missing points lie at the bottom; numbers ascend; categories are shuffled with a fixed
// seed so that none hides another by its place in the file.
//
// Wheel zooms at the pointer, drag pans, double click or fit() resets; + − 0 and arrows do the same
// by key. All functions from the UI thread.
class ScatterView : public QWidget
{
    Q_OBJECT
public:
    explicit ScatterView(QWidget* parent = nullptr);
    ~ScatterView() override;

    // Keeps the zoom when the same coordinates are given again, else fits.
    void setPoints(ScatterPoints points);
    void setColor(ScatterColor color);
    // The points that the filters leave; the others are drawn below them, thin and pale. Null: all.
    void setInside(std::shared_ptr<const IndexSet> inside);
    const ScatterPoints& points() const;

    void setAxisNames(const QString& x, const QString& y);
    // Bottom right; empty: "All 700 cells drawn" made by the view.
    void setCaption(const QString& caption);
    // Noun of the points in captions: "cells" (default) or "genes".
    void setNoun(const QString& plural);
    void setYDown(bool down); // over an image; default: up

    // Keeps one category as it is and pales the others; nullopt ends that. For a legend's hover.
    void setEmphasis(std::optional<std::uint32_t> code);

    // Names of categories written at the middle of their points. Empty: none.
    void setCategoryNames(const QStringList& names);
    void setNamesShown(bool shown);

    void fit();
    void zoomBy(double factor, QPointF at);
    double zoom() const;          // 1 when everything is shown
    double pointDiameter() const; // logical pixels, as drawn now

    QPointF toWidget(QPointF point) const;
    QPointF toData(QPointF pos) const;

    // The drawn point whose centre is nearest to `pos` within `radius` logical pixels; -1: none.
    std::int64_t nearest(QPointF pos, double radius) const;

    // Waits until what is shown is complete and returns it. For pictures and tests, not the window.
    QImage finishedImage();
    bool isFinished() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void hovered(qint64 point); // -1: none
    void clicked(qint64 point);
    void viewChanged();
    void finished(); // everything is drawn
    void contextMenuRequested(qint64 point, const QPoint& globalPos);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;

private:
    void wish();
    void collect();
    void hoverAt(QPointF pos);
    void paintCaption(QPainter& painter) const;
    void paintNames(QPainter& painter);

    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace cellfolio
