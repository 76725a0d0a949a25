// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGui/QColor>
#include <QtWidgets/QWidget>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace cellfolio
{

// What a legend of categories shows. Made by the caller, who knows names only for as many
// categories as it wants to show: a column can have as many categories as cells.
struct LegendContent {
    struct Entry {
        std::uint32_t code = 0;
        QString name;
        QColor color;            // as in figures; others in grey
        std::int64_t count = -1; // -1: not known yet
    };
    QString title;
    QString subtitle; // "10 categories · cells shown"
    std::vector<Entry> entries;
    std::int64_t othersCategories = 0; // categories that share the grey
    std::int64_t othersCount = -1;
    std::optional<std::int64_t> outside; // points outside the filters; its own row when set
    std::optional<std::int64_t> missing; // shown as its own row when set
};

// The column beside an embedding: title, categories with their colours and counts, search.
// Scrolls by itself; rows are painted, so a thousand categories cost nothing.
class CategoryLegend : public QWidget
{
    Q_OBJECT
public:
    explicit CategoryLegend(QWidget* parent = nullptr);
    ~CategoryLegend() override;

    void setContent(LegendContent content);
    const LegendContent& content() const;
    // Also opened by the glass in the title.
    void setSearchShown(bool shown);

    QSize sizeHint() const override;

Q_SIGNALS:
    void hovered(qint64 code); // -1: none
    void clicked(qint64 code);

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace cellfolio
