// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"
#include "core/matrix/matrix_reader.h"
#include "widgets/bridge/latest.h"
#include "widgets/bridge/model_context.h"
#include "widgets/models/profile_data.h"
#include "widgets/views/facts_list.h"

#include <QtWidgets/QWidget>

#include <memory>
#include <optional>

namespace cellfolio {

class ElidedLabel;
class Session;

// Everything about the chosen element: how it is stored, its chunks and filters, what a cell and a
// gene cost to read, its attributes; what must be read for it comes later by itself.
class DetailsPanel : public QWidget
{
    Q_OBJECT
public:
    DetailsPanel(Session& session, QWidget* parent = nullptr);

    void showElement(const Element* element);
    // A value picked in the matrix: stands first until another element is chosen.
    void showValue(const QString& cell, const QString& gene, const QString& value);
    const Element* element() const { return m_element; }
    const std::vector<Fact>& facts() const { return m_list->facts(); }
    void refresh();

Q_SIGNALS:
    void bytesFound(const cellfolio::Element* element, qint64 bytes);

private:
    struct Found { // by reading
        std::optional<Index> bytes;
        std::optional<CostEstimate> rowCost;
        std::optional<CostEstimate> columnCost;
        std::optional<ProfileData> profile;
        std::optional<std::string> value; // of a scalar
    };
    void ask();

    Session& m_session;
    const Element* m_element = nullptr;
    Found m_found;
    std::vector<Fact> m_value;
    ElidedLabel* m_path = nullptr;
    FactsList* m_list = nullptr;
    Latest m_request;
    Latest m_bytesRequest;
};

} // namespace cellfolio
