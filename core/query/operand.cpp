// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/operand.h"

#include "core/query/number_nodes.h"
#include "core/query/test_nodes.h"

namespace cellfolio::query {

Operand::Kind Operand::kind() const
{
    switch (type) {
    case Type::Test: return Kind::Truth;
    case Type::Number: return Kind::Number;
    case Type::Text: return Kind::Text;
    case Type::Category: break;
    }
    if (categories->type() == DType::Bool)
        return Kind::Truth;
    return isReal(categories->type()) ? Kind::Number : Kind::Text;
}

std::string typeText(const Operand& operand)
{
    switch (operand.type) {
    case Operand::Type::Test:
        return operand.column != nullptr || operand.literalTruth ? "true or false" : "a test";
    case Operand::Type::Number: return "a number";
    case Operand::Type::Text: return "text";
    case Operand::Type::Category: break;
    }
    switch (operand.kind()) {
    case Operand::Kind::Text: return "a category of texts";
    case Operand::Kind::Number: return "a category of numbers";
    case Operand::Kind::Truth: return "a category of true and false";
    }
    return {};
}

Operand withoutCategories(Operand operand)
{
    if (operand.type != Operand::Type::Category)
        return operand;
    const Operand::Kind kind = operand.kind();
    if (kind == Operand::Kind::Text) {
        operand.type = Operand::Type::Text;
        operand.text = categoryText(operand.codes, operand.categories);
    } else if (kind == Operand::Kind::Number) {
        operand.type = Operand::Type::Number;
        operand.number = categoryNumber(operand.codes, operand.categories);
        operand.precision = operand.categories->type();
    } else {
        operand.type = Operand::Type::Test;
        std::vector<std::uint8_t> truths;
        for (Index k = 0; k < operand.categories->size(); ++k)
            truths.push_back(truthOf(operand.categories->integer(k) != 0));
        operand.test = categoryTest(operand.codes, std::move(truths));
    }
    return operand;
}

} // namespace cellfolio::query
