// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/bridge/latest.h"
#include "widgets/bridge/model_context.h"
#include "widgets/models/filter_rule.h"

#include <QtWidgets/QFrame>

#include <functional>
#include <memory>

namespace cellfolio {

class ChoiceBox;
class NameField;

// Where a gene card begins: which matrix, and which gene by name or symbol.
class GeneAdder : public QFrame
{
    Q_OBJECT
public:
    // `unitOf`: what the values of a matrix are, in words.
    using UnitOf = std::function<QString(const Element& matrix)>;
    GeneAdder(ModelContext context, UnitOf unitOf, QWidget* parent = nullptr);

    void setDataset(std::shared_ptr<const Dataset> dataset);
    // Columns with symbols; null: names will do.
    void setSymbols(const Element* var, const Element* rawVar);
    bool hasMatrices() const;
    void open(); // with the caret in the field
    ChoiceBox* matrices() const { return m_matrices; }
    NameField* field() const { return m_field; }

Q_SIGNALS:
    void picked(const cellfolio::RuleSubject& gene);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void fill();
    void choose();
    void take(Index row, const QString& name);

    ModelContext m_context;
    UnitOf m_unitOf;
    std::shared_ptr<const Dataset> m_dataset;
    const Element* m_symbols = nullptr;
    const Element* m_rawSymbols = nullptr;
    struct Choice {
        const Element* matrix = nullptr;
        RuleSubject subject; // without the gene
    };
    std::vector<Choice> m_choices;
    ChoiceBox* m_matrices = nullptr;
    NameField* m_field = nullptr;
    Latest m_request;
};

} // namespace cellfolio
