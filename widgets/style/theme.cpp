// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/style/theme.h"

#include <QtCore/QList>

#include <algorithm>
#include <cmath>
#include <utility>

namespace cellfolio
{

namespace
{

QColor rgb(unsigned value)
{
    return QColor::fromRgb(QRgb(value));
}

Theme makeLight()
{
    Theme t;
    t.kind = Theme::Kind::Light;
    t.frame = rgb(0xF5F6F8);
    t.base = rgb(0xFFFFFF);
    t.raised = rgb(0xFFFFFF);
    t.hover = rgb(0xEAECF0);
    t.pressed = rgb(0xDFE2E8);
    t.hairline = rgb(0xE1E4E9);
    t.rowLine = rgb(0xEEF0F3);
    t.softLine = rgb(0xD3D8E0);
    t.line = rgb(0x858E9D);
    t.text = rgb(0x1B2330);
    t.text2 = rgb(0x525C6B);
    t.text3 = rgb(0x5F6978);
    t.disabled = rgb(0xA4ACB8);
    t.accent = rgb(0x3653CC);
    t.accentFill = rgb(0x3F5BD6);
    t.accentFillHover = rgb(0x3450C4);
    t.onAccent = rgb(0xFFFFFF);
    t.progress = rgb(0x3F5BD6);
    t.accentSoft = rgb(0xE5EAFB);
    t.accentLine = rgb(0xB4C1F4);
    t.ok = rgb(0x1A7A4C);
    t.okSoft = rgb(0xE3F3EA);
    t.warn = rgb(0x8A5700);
    t.warnSoft = rgb(0xFBF0D9);
    t.warnFill = rgb(0xAD7205);
    t.err = rgb(0xBF2E2A);
    t.errSoft = rgb(0xFCE9E8);
    t.errFill = rgb(0xD6453F);
    t.bar = rgb(0x737F98);
    t.barPale = rgb(0xDDE1E8);
    t.missing = rgb(0xD3D3D3);
    t.outside = rgb(0xC9CFD9);
    t.scrollHandle = rgb(0xC3C9D2);
    t.matrixRamp = {rgb(0xF1F6FB), rgb(0xDAE8F5), rgb(0xB6D3EC), rgb(0x8AB8DF), rgb(0x5A9BD0)};
    t.matrixText = rgb(0x141B26);
    return t;
}

Theme makeDark()
{
    Theme t;
    t.kind = Theme::Kind::Dark;
    t.frame = rgb(0x1F2228);
    t.base = rgb(0x17191E);
    t.raised = rgb(0x282C34);
    t.hover = rgb(0x2C313A);
    t.pressed = rgb(0x363C47);
    t.hairline = rgb(0x31363F);
    t.rowLine = rgb(0x24282F);
    t.softLine = rgb(0x3C424D);
    t.line = rgb(0x717B8B);
    t.text = rgb(0xE3E6EB);
    t.text2 = rgb(0xA9B1BE);
    t.text3 = rgb(0x99A2B0);
    t.disabled = rgb(0x5E6674);
    t.accent = rgb(0x97ABFF);
    t.accentFill = rgb(0x4C67E3);
    t.accentFillHover = rgb(0x425CD9);
    t.onAccent = rgb(0xFFFFFF);
    t.progress = rgb(0x7D93FA);
    t.accentSoft = rgb(0x2A3459);
    t.accentLine = rgb(0x4D5FA6);
    t.ok = rgb(0x62CB95);
    t.okSoft = rgb(0x1D3329);
    t.warn = rgb(0xE8B650);
    t.warnSoft = rgb(0x3A301C);
    t.warnFill = rgb(0xD99A1C);
    t.err = rgb(0xFF8C85);
    t.errSoft = rgb(0x40242A);
    t.errFill = rgb(0xE5564F);
    t.bar = rgb(0x8490A6);
    t.barPale = rgb(0x3A404B);
    t.missing = rgb(0x5A606B);
    t.outside = rgb(0x464D59);
    t.scrollHandle = rgb(0x4A515D);
    t.matrixRamp = {rgb(0x1B242F), rgb(0x1E354C), rgb(0x22496D), rgb(0x276090), rgb(0x2D76B3)};
    t.matrixText = rgb(0xFFFFFF);
    return t;
}

double luminance(const QColor& colour)
{
    const auto linear = [](double channel) {
        return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
           0.0722 * linear(colour.blueF());
}

} // namespace

const Theme& Theme::light()
{
    static const Theme theme = makeLight();
    return theme;
}

const Theme& Theme::dark()
{
    static const Theme theme = makeDark();
    return theme;
}

QPalette Theme::palette() const
{
    QPalette p;
    const auto set = [&p](QPalette::ColorRole role, const QColor& colour) {
        p.setColor(QPalette::All, role, colour);
    };
    set(QPalette::Window, frame);
    set(QPalette::Base, base);
    set(QPalette::AlternateBase, base);
    set(QPalette::Light, base);
    set(QPalette::Button, raised);
    set(QPalette::ToolTipBase, raised);
    set(QPalette::Text, text);
    set(QPalette::WindowText, text);
    set(QPalette::ButtonText, text);
    set(QPalette::BrightText, onAccent);
    set(QPalette::HighlightedText, text);
    set(QPalette::ToolTipText, text);
    set(QPalette::PlaceholderText, text3);
    set(QPalette::Highlight, accentSoft);
    set(QPalette::Link, accent);
    set(QPalette::LinkVisited, accent);
    set(QPalette::Midlight, hover);
    set(QPalette::Mid, hairline);
    set(QPalette::Dark, line);
    set(QPalette::Shadow, isDark() ? QColor(0, 0, 0) : line);
    for (const auto role : {QPalette::Text, QPalette::WindowText, QPalette::ButtonText,
                            QPalette::HighlightedText, QPalette::PlaceholderText, QPalette::Link})
        p.setColor(QPalette::Disabled, role, disabled);
    return p;
}

QString Theme::fill(QString qss) const
{
    QList<std::pair<QString, QColor>> tokens{
        {QStringLiteral("frame"), frame},
        {QStringLiteral("base"), base},
        {QStringLiteral("raised"), raised},
        {QStringLiteral("hover"), hover},
        {QStringLiteral("pressed"), pressed},
        {QStringLiteral("hairline"), hairline},
        {QStringLiteral("rowLine"), rowLine},
        {QStringLiteral("softLine"), softLine},
        {QStringLiteral("line"), line},
        {QStringLiteral("text"), text},
        {QStringLiteral("text2"), text2},
        {QStringLiteral("text3"), text3},
        {QStringLiteral("disabled"), disabled},
        {QStringLiteral("accent"), accent},
        {QStringLiteral("accentFill"), accentFill},
        {QStringLiteral("accentFillHover"), accentFillHover},
        {QStringLiteral("onAccent"), onAccent},
        {QStringLiteral("progress"), progress},
        {QStringLiteral("accentSoft"), accentSoft},
        {QStringLiteral("accentLine"), accentLine},
        {QStringLiteral("ok"), ok},
        {QStringLiteral("okSoft"), okSoft},
        {QStringLiteral("warn"), warn},
        {QStringLiteral("warnSoft"), warnSoft},
        {QStringLiteral("warnFill"), warnFill},
        {QStringLiteral("err"), err},
        {QStringLiteral("errSoft"), errSoft},
        {QStringLiteral("errFill"), errFill},
        {QStringLiteral("barPale"), barPale},
        {QStringLiteral("scrollHandle"), scrollHandle},
    };
    // Longest names first, or @text would eat @text2.
    std::stable_sort(tokens.begin(), tokens.end(),
                     [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
    for (const auto& [name, colour] : tokens)
        qss.replace(u'@' + name, colour.name());
    qss.replace(QStringLiteral("@theme"),
                isDark() ? QStringLiteral("dark") : QStringLiteral("light"));
    return qss;
}

QColor Theme::onCanvas(QColor category) const
{
    if (!isDark())
        return category;
    QColor shown = category;
    for (int step = 1; step <= 12 && contrast(shown, base) < 3.2; ++step)
        shown = mixed(category, QColor(Qt::white), 0.08 * step);
    return shown;
}

QColor Theme::matrixShade(double t) const
{
    const double at = std::clamp(t, 0.0, 1.0) * double(matrixRamp.size() - 1);
    const auto low = std::min(std::size_t(at), matrixRamp.size() - 2);
    return mixed(matrixRamp[low], matrixRamp[low + 1], at - double(low));
}

double contrast(const QColor& a, const QColor& b)
{
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

QColor mixed(const QColor& under, const QColor& over, double opacity)
{
    const auto channel = [opacity](int from, int to) {
        return int(std::lround(double(from) + opacity * double(to - from)));
    };
    return QColor(channel(under.red(), over.red()), channel(under.green(), over.green()),
                  channel(under.blue(), over.blue()));
}

} // namespace cellfolio
