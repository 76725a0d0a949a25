// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

#include <optional>
#include <vector>

namespace cellfolio
{

// A histogram as its caller knows it.
struct RangeHistogramData {
    std::vector<double> bars;   // of all rows, low to high
    std::vector<double> inView; // the solid part; empty: all of it
    double first = 0;           // where the first bar begins
    double barWidth = 1;
    double last = 0;            // the highest value
    bool whole = false;         // values are whole numbers
    std::optional<double> zeros; // rows with the value 0, in a bar of their own at the left
    double zerosInView = 0;

    bool operator==(const RangeHistogramData&) const = default;
};

// A histogram with two handles below its axis. A handle at its end is open: it limits nothing.
// Mouse: drag a handle, click to bring the nearer one. Keys: left and right move the handle in use,
// with Shift ten times as far, Home and End open it, Tab or up and down take the other one.
class RangeHistogram : public QWidget
{
    Q_OBJECT
public:
    explicit RangeHistogram(QWidget* parent = nullptr);

    void setData(RangeHistogramData data);
    const RangeHistogramData& data() const { return m_data; }
    // What is chosen; empty: open. Does not emit.
    void setRange(std::optional<double> low, std::optional<double> high);
    std::optional<double> low() const { return m_low; }
    std::optional<double> high() const { return m_high; }

    // The place of a value in this widget; of a handle, where it stands.
    double xOf(double value) const;
    double handleX(bool high) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void edited(); // by hand: low(), high()

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;

private:
    double end() const { return m_data.first + m_data.barWidth * double(m_data.bars.size()); }
    double plotLeft() const;
    double plotRight() const;
    // The value a handle at x stands for; empty: open.
    std::optional<double> valueAt(double x, bool high) const;
    double rounded(double value) const;
    void moveTo(double x);
    void take(std::optional<double> value);

    RangeHistogramData m_data;
    std::optional<double> m_low;
    std::optional<double> m_high;
    bool m_useHigh = false; // the handle in use
    bool m_dragging = false;
};

} // namespace cellfolio
