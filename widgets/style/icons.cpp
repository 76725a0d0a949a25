// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/style/icons.h"

#include "widgets/style/theme.h"

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QHash>
#include <QtGui/QIconEngine>
#include <QtGui/QPainter>
#include <QtGui/QPixmapCache>
#include <QtSvg/QSvgRenderer>

#include <algorithm>
#include <cmath>

// A resource in a static library has to be asked for by name, from outside any namespace.
static void registerIcons()
{
    Q_INIT_RESOURCE(icons);
}

namespace cellfolio
{

namespace
{

QString folder()
{
    static const bool registered = [] {
        registerIcons();
        return true;
    }();
    Q_UNUSED(registered);
    return QStringLiteral(":/cellfolio/icons/");
}

// Sources by name; empty for a name that does not exist, said once.
const QByteArray& source(const QString& name)
{
    static QHash<QString, QByteArray> sources;
    auto found = sources.constFind(name);
    if (found == sources.constEnd()) {
        QFile file(folder() + name + QStringLiteral(".svg"));
        QByteArray bytes;
        if (file.open(QIODevice::ReadOnly))
            bytes = file.readAll();
        else
            qWarning("No icon is called \"%s\".", qPrintable(name));
        found = sources.insert(name, bytes);
    }
    return *found;
}

// QtSvg paints currentColor black, so the colour is put in; strokes are thinner where there is
// room.
QByteArray coloured(const QString& name, const QColor& colour, double logicalSize)
{
    QByteArray svg = source(name);
    svg.replace("currentColor", colour.name().toLatin1());
    if (logicalSize > 14)
        svg.replace("stroke-width=\"2\"", "stroke-width=\"1.75\"");
    return svg;
}

QPixmap render(const QString& name, const QColor& colour, QSize devicePixels, double ratio)
{
    if (devicePixels.isEmpty() || source(name).isEmpty())
        return {};
    const QString key = QStringLiteral("cellfolio-icon/%1/%2/%3x%4/%5")
                            .arg(name, colour.name())
                            .arg(devicePixels.width())
                            .arg(devicePixels.height())
                            .arg(ratio);
    QPixmap pixmap;
    if (QPixmapCache::find(key, &pixmap))
        return pixmap;
    pixmap = QPixmap(devicePixels);
    pixmap.fill(Qt::transparent);
    const double side = std::min(devicePixels.width(), devicePixels.height());
    QSvgRenderer renderer(coloured(name, colour, side / ratio));
    QPainter painter(&pixmap);
    renderer.render(&painter, QRectF((devicePixels.width() - side) / 2,
                                     (devicePixels.height() - side) / 2, side, side));
    painter.end();
    pixmap.setDevicePixelRatio(ratio);
    QPixmapCache::insert(key, pixmap);
    return pixmap;
}

QColor toneColour(IconTone tone, QIcon::Mode mode, QIcon::State state)
{
    const Theme& theme = Theme::current();
    if (mode == QIcon::Disabled)
        return theme.disabled;
    switch (tone) {
    case IconTone::Normal:
        return state == QIcon::On || mode == QIcon::Selected ? theme.accent : theme.text2;
    case IconTone::Text:
        return theme.text;
    case IconTone::Accent:
        return theme.accent;
    case IconTone::OnAccent:
        return theme.onAccent;
    case IconTone::Ok:
        return theme.ok;
    case IconTone::Warn:
        return theme.warn;
    case IconTone::Err:
        return theme.err;
    }
    return theme.text2;
}

// Looks the colour up when it draws, so an icon that is set once follows every change of theme.
class ToneIconEngine : public QIconEngine
{
public:
    ToneIconEngine(QString name, IconTone tone) : m_name(std::move(name)), m_tone(tone) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override
    {
        paintIcon(*painter, m_name, rect, toneColour(m_tone, mode, state));
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        return render(m_name, toneColour(m_tone, mode, state), size, 1.0);
    }

    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state,
                         qreal scale) override
    {
        return render(m_name, toneColour(m_tone, mode, state), size, scale);
    }

    QList<QSize> availableSizes(QIcon::Mode, QIcon::State) override
    {
        return {QSize(16, 16), QSize(18, 18), QSize(32, 32)};
    }

    bool isNull() override { return source(m_name).isEmpty(); }
    QString iconName() override { return m_name; }
    QString key() const override { return QStringLiteral("cellfolio"); }
    QIconEngine* clone() const override { return new ToneIconEngine(m_name, m_tone); }

private:
    QString m_name;
    IconTone m_tone;
};

QByteArray markSource()
{
    QByteArray svg = source(QStringLiteral("mark"));
    const Theme& theme = Theme::current();
    if (theme.isDark()) {
        svg.replace("#CDD4F4", mixed(theme.base, theme.accentFill, 0.34).name().toLatin1());
        svg.replace("#95A5E8", mixed(theme.base, theme.accentFill, 0.62).name().toLatin1());
        svg.replace("#3F5BD6", theme.accentFill.name().toLatin1());
    }
    return svg;
}

} // namespace

QIcon icon(const QString& name, IconTone tone)
{
    if (source(name).isEmpty())
        return {};
    return QIcon(new ToneIconEngine(name, tone));
}

QIcon icon(const char* name, IconTone tone)
{
    return icon(QString::fromLatin1(name), tone);
}

void paintIcon(QPainter& painter, const QString& name, const QRectF& where, const QColor& colour)
{
    const double ratio = painter.device()->devicePixelRatio();
    const double side = std::min(where.width(), where.height());
    const int pixels = int(std::lround(side * ratio));
    const QPixmap pixmap = render(name, colour, QSize(pixels, pixels), ratio);
    if (pixmap.isNull())
        return;
    // On a device pixel, or a sharp picture is smeared over two.
    const double x = std::round((where.center().x() - side / 2) * ratio) / ratio;
    const double y = std::round((where.center().y() - side / 2) * ratio) / ratio;
    painter.drawPixmap(QPointF(x, y), pixmap);
}

void paintMark(QPainter& painter, const QRectF& where)
{
    QSvgRenderer renderer(markSource());
    renderer.render(&painter, where);
}

QPixmap markPixmap(int size, double pixelRatio)
{
    QPixmap pixmap(QSize(size, size) * pixelRatio);
    pixmap.setDevicePixelRatio(pixelRatio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paintMark(painter, QRectF(0, 0, size, size));
    return pixmap;
}

QIcon windowIcon()
{
    QIcon icon;
    for (const int size : {16, 24, 32, 48, 64, 128, 256})
        icon.addPixmap(markPixmap(size, 1.0));
    return icon;
}

QStringList iconNames()
{
    QStringList names;
    for (const QString& file : QDir(folder()).entryList({QStringLiteral("*.svg")}, QDir::Files)) {
        if (!file.endsWith(u"-light.svg") && !file.endsWith(u"-dark.svg")) // of the style sheet
            names.append(file.chopped(4));
    }
    return names;
}

} // namespace cellfolio
