// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/export_effects.h"

#include "widgets/bridge/cell_format.h"
#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"

#include <QtWidgets/QGridLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QProgressBar>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

constexpr int kIndent = 24;

QLabel* heading(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setFont(fonts::tableSemibold());
    return label;
}

} // namespace

ExportEffects::ExportEffects(QWidget* parent) : QWidget(parent), m_list(new QWidget(this))
{
    setProperty("surface", u"base"_s);
    setAttribute(Qt::WA_StyledBackground);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(20, 20, 20, 12);
    column->setSpacing(10);
    column->addWidget(heading(u"What this will take"_s, this));
    m_memory = addNeed(column, "device-sd-card", u"Memory"_s);
    m_disk = addNeed(column, "database", u"Disk"_s);
    m_time = addNeed(column, "clock", u"Time"_s);
    column->addSpacing(6);
    column->addWidget(heading(u"What it does"_s, this));
    auto* list = new QVBoxLayout(m_list);
    list->setContentsMargins(0, 0, 0, 0);
    list->setSpacing(8);
    column->addWidget(m_list);
    column->addStretch(1);
}

ExportEffects::Line ExportEffects::addNeed(QVBoxLayout* column, const char* iconName, const QString& name)
{
    Line line;
    auto* sign = new QLabel(this);
    sign->setPixmap(icon(iconName).pixmap(16, 16));
    auto* title = new QLabel(name, this);
    line.value = new QLabel(this);
    line.value->setFont(fonts::tableSemibold());
    line.note = new QLabel(this);
    line.note->setFont(fonts::caption());
    line.note->setProperty("role", u"quiet"_s);
    line.note->setWordWrap(true);
    line.bar = new QProgressBar(this);
    line.bar->setRange(0, 1000);
    line.bar->setTextVisible(false);
    line.bar->setAccessibleName(name);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(4);
    grid->setColumnMinimumWidth(0, kIndent - 8);
    grid->setColumnStretch(1, 1);
    grid->addWidget(sign, 0, 0);
    grid->addWidget(title, 0, 1);
    grid->addWidget(line.value, 0, 2, Qt::AlignRight);
    grid->addWidget(line.bar, 1, 1, 1, 2);
    grid->addWidget(line.note, 2, 1, 1, 2);
    column->addLayout(grid);
    return line;
}

void ExportEffects::show(const Line& line, const Need& need)
{
    line.value->setText(need.value);
    line.note->setText(need.note);
    line.note->setVisible(!need.note.isEmpty());
    line.bar->setVisible(need.share >= 0);
    line.bar->setValue(std::clamp(static_cast<int>(need.share * 1000), need.share > 0 ? 4 : 0, 1000));
}

void ExportEffects::setNeeds(const Need& memory, const Need& disk, const Need& time)
{
    show(m_memory, memory);
    show(m_disk, disk);
    show(m_time, time);
}

void ExportEffects::setEffects(const std::vector<Effect>& effects)
{
    m_effects = effects;
    const auto old = m_list->findChildren<QWidget*>(Qt::FindDirectChildrenOnly);
    for (QWidget* widget : old) {
        widget->hide();
        widget->deleteLater();
    }
    for (const Effect& effect : effects) {
        auto* row = new QWidget(m_list);
        auto* sign = new QLabel(row);
        const IconTone tone = effect.tone == Tone::Warning   ? IconTone::Warn
                            : effect.tone == Tone::Refusal ? IconTone::Err
                            : effect.tone == Tone::Good    ? IconTone::Ok
                                                             : IconTone::Normal;
        sign->setPixmap(icon(effect.icon, tone).pixmap(16, 16));
        auto* sentence = new QLabel(effect.sentence, row);
        sentence->setFont(fonts::table());
        sentence->setWordWrap(true);
        sentence->setTextFormat(Qt::PlainText);
        if (effect.tone == Tone::Refusal)
            sentence->setProperty("role", u"error"_s);
        auto* grid = new QGridLayout(row);
        grid->setContentsMargins(0, 0, 0, 0);
        grid->setHorizontalSpacing(8);
        grid->setVerticalSpacing(1);
        grid->setColumnMinimumWidth(0, kIndent - 8);
        grid->setColumnStretch(1, 1);
        grid->addWidget(sign, 0, 0, Qt::AlignTop);
        grid->addWidget(sentence, 0, 1);
        if (!effect.note.isEmpty()) {
            auto* note = new QLabel(effect.note, row);
            note->setFont(fonts::caption());
            note->setWordWrap(true);
            note->setTextFormat(Qt::PlainText);
            note->setProperty("role", effect.tone == Tone::Warning ? u"warning"_s : u"quiet"_s);
            grid->addWidget(note, 1, 1);
        }
        m_list->layout()->addWidget(row);
        row->show();
    }
}

QString ExportEffects::memoryText() const
{
    return m_memory.value->text();
}

QString ExportEffects::diskText() const
{
    return m_disk.value->text();
}

QString ExportEffects::timeText() const
{
    return m_time.value->text();
}

} // namespace cellfolio
