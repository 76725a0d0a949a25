// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/element_axes.h"
#include "core/matrix/stats.h"

#include <functional>
#include <string>
#include <vector>

namespace cellfolio::cli {

// A quantile as it was typed, which is its key in the answer.
struct Quantile {
    std::string text;
    double probability = 0;
};

// The figures of every line along an axis, worked out in windows.
struct LineFigures {
    const ChosenAxis* axis = nullptr;
    std::string by; // "obs" or "var"
    Index window = 1;
    std::function<Result<std::vector<Figures>>(Index first, Index count)> read;
};

// Writes the figures in the form asked for: JSON, CSV, or text for people.
struct StatsAnswer {
    Session& session;
    const Target& target;
    const ChosenAxes& axes;
    const std::vector<Quantile>& quantiles;

    Result<void> write(const MatrixStats& stats) const;
    Result<void> write(const LineFigures& lines) const;
    Result<void> write(const ColumnStats& stats) const;

private:
    // One figure: its key, and its value as exact text; empty where there is none.
    struct Entry {
        std::string key;
        std::function<std::string(const Figures&)> text;
        bool quantile = false;
    };
    std::vector<Entry> entries() const;
    std::vector<Index> chosenShape() const;
    void writeShape(DType dtype) const;
    void writeJson(const Figures& figures) const;
    void writePairs(const std::vector<std::pair<std::string, std::string>>& pairs) const;
    void writeLine(const std::vector<std::string>& cells) const;
    Result<void> writeLinesJson(const LineFigures& lines) const;
    void writeCategories(const ColumnStats& stats) const;
    void writeColumnJson(const ColumnStats& stats) const;
};

} // namespace cellfolio::cli
