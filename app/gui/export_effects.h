// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

#include <vector>

class QLabel;
class QProgressBar;
class QVBoxLayout;

namespace cellfolio {

// The right part of a job dialog: what it takes (memory, disk, time), what it changes, what stays.
class ExportEffects : public QWidget
{
    Q_OBJECT
public:
    explicit ExportEffects(QWidget* parent = nullptr);

    struct Need {
        QString value;    // "64 MiB at most"
        QString note;     // "of 2 GiB budget"
        double share = 0; // of what there is; negative: no bar
    };
    void setNeeds(const Need& memory, const Need& disk, const Need& time);

    enum class Tone { Plain, Warning, Refusal, Good };
    struct Effect {
        QString icon;
        QString sentence;
        QString note;
        Tone tone = Tone::Plain;
    };
    void setEffects(const std::vector<Effect>& effects);
    const std::vector<Effect>& effects() const { return m_effects; }
    QString memoryText() const;
    QString diskText() const;
    QString timeText() const;

private:
    struct Line {
        QLabel* value = nullptr;
        QLabel* note = nullptr;
        QProgressBar* bar = nullptr;
    };
    Line addNeed(QVBoxLayout* column, const char* iconName, const QString& name);
    static void show(const Line& line, const Need& need);

    Line m_memory;
    Line m_disk;
    Line m_time;
    QWidget* m_list = nullptr;
    std::vector<Effect> m_effects;
};

} // namespace cellfolio
