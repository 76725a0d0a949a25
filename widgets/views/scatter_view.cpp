// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/scatter_view.h"

#include "widgets/style/fonts.h"
#include "widgets/style/theme.h"
#include "widgets/views/number_text.h"
#include "widgets/views/scatter_axes.h"
#include "widgets/views/scatter_names.h"
#include "widgets/views/scatter_renderer.h"

#include <QtGui/QKeyEvent>
#include <QtGui/QMouseEvent>
#include <QtGui/QPainter>
#include <QtGui/QPainterPath>
#include <QtGui/QWheelEvent>

#include <algorithm>
#include <cmath>

namespace cellfolio
{

namespace
{

constexpr double kMargin = 28;
constexpr double kMostZoom = 5'000;
constexpr double kLeastZoom = 0.2;
constexpr double kLargestPoint = 24;
constexpr double kHoverReach = 6; // beyond the edge of a point
constexpr double kClickSlack = 4; // a drag of fewer pixels is a click

ScatterInk inkOf(const Theme& theme)
{
    return {theme.base, theme.missing, theme.bar, theme.outside, theme.isDark()};
}

} // namespace

struct ScatterView::Private {
    ScatterRenderer* renderer = nullptr;
    ScatterPoints points;
    ScatterColor color = ScatterPlain{};
    std::shared_ptr<const IndexSet> inside;
    std::optional<std::uint32_t> emphasis;
    ScatterBounds bounds;
    bool haveBounds = false;
    std::shared_ptr<const ScatterGrid> grid;
    ScatterFrame frame;
    bool outdated = true; // the frame shows something else than what is wished

    // The view: zoom and the data point in the middle, so that a resize keeps what is seen.
    double zoom = 1;
    QPointF centre;
    bool yDown = false;

    QString xName;
    QString yName;
    QString caption;
    QString noun;
    QStringList names;
    bool namesShown = false;
    std::vector<ScatterLabel> labels;

    bool dragging = false;
    bool dragged = false;
    QPointF dragFrom;
    QPointF dragCentre;
    std::int64_t hoveredPoint = -1;
    bool focusByKey = false; // a frame shows where the keyboard is; after a click nobody asks

    // Pixels a data unit at zoom 1.
    double fitScale(QSize size) const
    {
        const double wide = std::max(1.0, size.width() - 2 * kMargin);
        const double high = std::max(1.0, size.height() - 2 * kMargin);
        const double x = bounds.width() > 0 ? wide / bounds.width() : 0;
        const double y = bounds.height() > 0 ? high / bounds.height() : 0;
        if (x > 0 && y > 0)
            return std::min(x, y);
        return x > 0 || y > 0 ? std::max(x, y) : 1.0; // a line, or one point
    }

    ScatterTransform transform(QSize size) const
    {
        ScatterTransform t;
        t.scale = fitScale(size) * zoom;
        t.ySign = yDown ? 1 : -1;
        t.dx = size.width() / 2.0 - t.scale * centre.x();
        t.dy = size.height() / 2.0 - t.ySign * t.scale * centre.y();
        return t;
    }

    QPointF middle() const
    {
        return {(bounds.left + bounds.right) / 2, (bounds.bottom + bounds.top) / 2};
    }

    // As scanpy's area of 120 000 / n, grown with the square root of the zoom.
    double diameter() const
    {
        const double n = std::max<double>(1, double(bounds.drawn));
        const double atOne = std::clamp(std::sqrt(120'000.0 / n) * 0.6, 1.0, 8.0);
        return std::clamp(atOne * std::sqrt(std::max(zoom, 0.25)), 1.0, kLargestPoint);
    }
};

ScatterView::ScatterView(QWidget* parent) : QWidget(parent), d(std::make_unique<Private>())
{
    d->renderer = new ScatterRenderer(this);
    d->noun = tr("cells");
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    connect(d->renderer, &ScatterRenderer::ready, this, [this] { collect(); });
}

ScatterView::~ScatterView() = default;

void ScatterView::setPoints(ScatterPoints points)
{
    const bool same = points.x == d->points.x && points.y == d->points.y && points.x;
    d->points = std::move(points);
    if (same)
        return;
    d->haveBounds = false;
    d->bounds = {};
    d->grid.reset();
    d->frame = {};
    d->labels.clear();
    d->hoveredPoint = -1;
    d->zoom = 1;
    d->renderer->setPoints(d->points);
    update();
}

const ScatterPoints& ScatterView::points() const
{
    return d->points;
}

void ScatterView::setColor(ScatterColor color)
{
    d->color = std::move(color);
    d->emphasis.reset();
    d->renderer->setColor(d->color);
    d->labels.clear();
    d->outdated = true;
    wish();
}

void ScatterView::setInside(std::shared_ptr<const IndexSet> inside)
{
    if (inside == d->inside)
        return;
    d->inside = std::move(inside);
    d->renderer->setInside(d->inside);
    d->labels.clear();
    d->outdated = true;
    wish();
}

void ScatterView::setAxisNames(const QString& x, const QString& y)
{
    d->xName = x;
    d->yName = y;
    update();
}

void ScatterView::setCaption(const QString& caption)
{
    d->caption = caption;
    update();
}

void ScatterView::setNoun(const QString& plural)
{
    d->noun = plural;
    update();
}

void ScatterView::setYDown(bool down)
{
    d->yDown = down;
    wish();
}

void ScatterView::setEmphasis(std::optional<std::uint32_t> code)
{
    if (code == d->emphasis)
        return;
    d->emphasis = code;
    wish();
}

void ScatterView::setCategoryNames(const QStringList& names)
{
    d->names = names;
    d->labels.clear();
    update();
}

void ScatterView::setNamesShown(bool shown)
{
    d->namesShown = shown;
    update();
}

void ScatterView::fit()
{
    d->zoom = 1;
    d->centre = d->middle();
    wish();
    Q_EMIT viewChanged();
}

double ScatterView::zoom() const
{
    return d->zoom;
}

double ScatterView::pointDiameter() const
{
    return d->diameter();
}

void ScatterView::zoomBy(double factor, QPointF at)
{
    if (!d->haveBounds || d->bounds.empty())
        return;
    const double zoom = std::clamp(d->zoom * factor, kLeastZoom, kMostZoom);
    // What is under the pointer stays there.
    const QPointF anchor = d->transform(size()).unmap(at);
    d->zoom = zoom;
    const QPointF now = d->transform(size()).unmap(at);
    d->centre += anchor - now;
    wish();
    Q_EMIT viewChanged();
}

QPointF ScatterView::toWidget(QPointF point) const
{
    return d->transform(size()).map(point.x(), point.y());
}

QPointF ScatterView::toData(QPointF pos) const
{
    return d->transform(size()).unmap(pos);
}

std::int64_t ScatterView::nearest(QPointF pos, double radius) const
{
    if (!d->grid || !d->haveBounds)
        return -1;
    const ScatterTransform t = d->transform(size());
    const QPointF at = t.unmap(pos);
    return d->grid->nearest(*d->points.x, *d->points.y, at.x(), at.y(), radius / t.scale);
}

// Tells the drawing thread what should be seen now.
void ScatterView::wish()
{
    d->outdated = true;
    update();
    if (!d->haveBounds || size().isEmpty() || !d->points.x)
        return;
    ScatterWish wanted;
    wanted.transform = d->transform(size());
    wanted.size = size();
    wanted.pixelRatio = devicePixelRatioF();
    wanted.diameter = d->diameter();
    wanted.ink = inkOf(Theme::current());
    wanted.emphasis = d->emphasis;
    d->renderer->setWish(wanted);
}

void ScatterView::collect()
{
    ScatterRenderer::News news = d->renderer->collect();
    if (news.bounds) {
        d->bounds = *news.bounds;
        d->haveBounds = true;
        d->centre = d->middle();
        wish();
    }
    if (news.grid)
        d->grid = news.grid;
    if (!news.frame)
        return;
    d->frame = std::move(*news.frame);
    d->outdated = !(d->frame.complete && d->frame.size == size() &&
                    d->frame.transform == d->transform(size()));
    update();
    if (d->frame.complete)
        Q_EMIT finished();
}

bool ScatterView::isFinished() const
{
    return !d->outdated;
}

QImage ScatterView::finishedImage()
{
    QImage image(size() * devicePixelRatioF(), QImage::Format_RGB32);
    image.setDevicePixelRatio(devicePixelRatioF());
    render(&image); // a widget that was never shown gets its size only now
    // Bounds, then the picture, then the grid: each answer brings the next wish.
    for (int round = 0; round < 4; ++round) {
        d->renderer->waitIdle();
        collect();
    }
    render(&image);
    return image;
}

void ScatterView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const Theme& theme = Theme::current();
    painter.fillRect(rect(), theme.base);
    if (!d->frame.image.isNull()) {
        const ScatterTransform now = d->transform(size());
        if (d->frame.transform == now && d->frame.size == size()) {
            painter.drawImage(QPointF(0, 0), d->frame.image);
        } else {
            // The last picture moved and stretched to where it belongs, until the next has come.
            const double k = now.scale / d->frame.transform.scale;
            const QRectF target(now.dx - k * d->frame.transform.dx,
                                now.dy - k * d->frame.transform.dy, d->frame.size.width() * k,
                                d->frame.size.height() * k);
            painter.drawImage(target, d->frame.image);
        }
    }
    if (!d->haveBounds || d->bounds.empty()) {
        if (d->points.x && d->haveBounds) {
            painter.setFont(fonts::table());
            painter.setPen(theme.text2);
            painter.drawText(rect(), Qt::AlignCenter,
                             tr("None of the %1 has coordinates here.").arg(d->noun));
        }
        return;
    }
    if (d->namesShown)
        paintNames(painter);
    if (d->hoveredPoint >= 0) {
        const auto i = std::size_t(d->hoveredPoint);
        const QPointF at = toWidget({(*d->points.x)[i], (*d->points.y)[i]});
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme.base, 4));
        const double r = d->diameter() / 2 + 2.5;
        painter.drawEllipse(at, r, r);
        painter.setPen(QPen(theme.text, 1.6));
        painter.drawEllipse(at, r, r);
        painter.setRenderHint(QPainter::Antialiasing, false);
    }
    paintScatterAxes(painter, size(), d->xName, d->yName, d->yDown);
    paintCaption(painter);
    if (d->focusByKey) {
        painter.setPen(theme.accentLine);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void ScatterView::paintCaption(QPainter& painter) const
{
    const Theme& theme = Theme::current();
    QString text = d->caption;
    if (text.isEmpty()) {
        const qint64 all = d->points.size();
        text = all == d->bounds.drawn ? tr("All %1 %2 drawn").arg(countText(all), d->noun)
                                      : tr("%1 of %2 %3 drawn · %4 without coordinates")
                                            .arg(countText(d->bounds.drawn), countText(all),
                                                 d->noun, countText(all - d->bounds.drawn));
        if (d->inside)
            text = tr("%1 of %2 %3 inside the filters")
                       .arg(countText(d->inside->size()), countText(all), d->noun);
        if (!d->frame.complete)
            text = tr("Drawing %1 %2…").arg(countText(all), d->noun);
    }
    painter.setFont(fonts::caption());
    const QFontMetrics metrics(painter.font());
    text = metrics.elidedText(text, Qt::ElideRight, std::max(40, width() - 160));
    const int wide = metrics.horizontalAdvance(text);
    const QRect where(width() - 14 - wide, height() - 10 - metrics.height(), wide,
                      metrics.height());
    QColor veil = theme.base;
    veil.setAlphaF(0.82F);
    painter.fillRect(where.adjusted(-4, -2, 4, 2), veil);
    painter.setPen(theme.text2);
    painter.drawText(where, Qt::AlignLeft | Qt::AlignVCenter, text);
}

void ScatterView::paintNames(QPainter& painter)
{
    const auto* categories = std::get_if<ScatterCategories>(&d->color);
    if (!categories || !categories->codes || d->names.isEmpty())
        return;
    if (d->labels.empty())
        d->labels = placeLabels(d->points, *categories, d->names, d->inside.get());
    const Theme& theme = Theme::current();
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(fonts::tableSemibold());
    const QFontMetrics metrics(painter.font());
    for (const ScatterLabel& label : d->labels) {
        const QPointF at = toWidget(label.at);
        const QString text = metrics.elidedText(label.text, Qt::ElideMiddle, 180);
        QPainterPath path;
        path.addText(at.x() - metrics.horizontalAdvance(text) / 2.0,
                     at.y() + metrics.ascent() / 2.0 - 1, painter.font(), text);
        QColor halo = theme.base;
        halo.setAlphaF(0.88F);
        painter.strokePath(path, QPen(halo, 4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.fillPath(path, theme.text);
    }
    painter.restore();
}

void ScatterView::resizeEvent(QResizeEvent*)
{
    wish();
}

void ScatterView::wheelEvent(QWheelEvent* event)
{
    const int delta = event->angleDelta().y();
    if (delta == 0)
        return;
    zoomBy(std::pow(1.2, delta / 120.0), event->position());
    event->accept();
}

void ScatterView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    d->dragging = true;
    d->dragged = false;
    d->dragFrom = event->position();
    d->dragCentre = d->centre;
}

void ScatterView::mouseMoveEvent(QMouseEvent* event)
{
    if (d->dragging) {
        const QPointF moved = event->position() - d->dragFrom;
        if (!d->dragged && moved.manhattanLength() < kClickSlack)
            return;
        d->dragged = true;
        setCursor(Qt::ClosedHandCursor);
        const ScatterTransform t = d->transform(size());
        d->centre = d->dragCentre - QPointF(moved.x() / t.scale, moved.y() / (t.ySign * t.scale));
        wish();
        Q_EMIT viewChanged();
        return;
    }
    hoverAt(event->position());
}

void ScatterView::hoverAt(QPointF pos)
{
    const std::int64_t point = nearest(pos, d->diameter() / 2 + kHoverReach);
    if (point == d->hoveredPoint)
        return;
    d->hoveredPoint = point;
    update();
    Q_EMIT hovered(point);
}

void ScatterView::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !d->dragging)
        return;
    d->dragging = false;
    unsetCursor();
    if (!d->dragged)
        Q_EMIT clicked(nearest(event->position(), d->diameter() / 2 + kHoverReach));
}

void ScatterView::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        fit();
}

void ScatterView::leaveEvent(QEvent*)
{
    hoverAt({-1e6, -1e6});
}

void ScatterView::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    d->focusByKey = event->reason() == Qt::TabFocusReason ||
                    event->reason() == Qt::BacktabFocusReason ||
                    event->reason() == Qt::ShortcutFocusReason;
    update();
}

void ScatterView::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    d->focusByKey = false;
    update();
}

void ScatterView::keyPressEvent(QKeyEvent* event)
{
    const QPointF middle(width() / 2.0, height() / 2.0);
    const auto pan = [this](double x, double y) {
        const ScatterTransform t = d->transform(size());
        d->centre += QPointF(x * width() / 8 / t.scale, y * height() / 8 / (t.ySign * t.scale));
        wish();
        Q_EMIT viewChanged();
    };
    switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        zoomBy(1.25, middle);
        break;
    case Qt::Key_Minus:
        zoomBy(0.8, middle);
        break;
    case Qt::Key_0:
    case Qt::Key_Home:
        fit();
        break;
    case Qt::Key_Left:
        pan(-1, 0);
        break;
    case Qt::Key_Right:
        pan(1, 0);
        break;
    case Qt::Key_Up:
        pan(0, -1);
        break;
    case Qt::Key_Down:
        pan(0, 1);
        break;
    default:
        QWidget::keyPressEvent(event);
    }
}

void ScatterView::contextMenuEvent(QContextMenuEvent* event)
{
    Q_EMIT contextMenuRequested(nearest(event->pos(), d->diameter() / 2 + kHoverReach),
                                event->globalPos());
}

void ScatterView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        wish();
}

bool ScatterView::event(QEvent* event)
{
    // Moved to a screen of another pixel ratio.
    if (event->type() == QEvent::ScreenChangeInternal || event->type() == QEvent::Show)
        wish();
    return QWidget::event(event);
}

QSize ScatterView::sizeHint() const
{
    return {640, 560};
}

QSize ScatterView::minimumSizeHint() const
{
    return {160, 120};
}

} // namespace cellfolio
