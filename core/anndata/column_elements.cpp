// SPDX-License-Identifier: GPL-3.0-or-later
// Columns, and what is stored like one: categorical and nullable values.
#include "core/anndata/element_builder.h"

#include "core/base/text.h"

namespace cellfolio {

using hdf5::Attribute;
using hdf5::Object;
using hdf5::ObjectKind;

namespace {

const Object* datasetIn(const Object& group, std::string_view name)
{
    const Object* member = group.child(name);
    return member && member->isDataset() && member->array && !member->array->isNull ? member
                                                                                    : nullptr;
}

ColumnKind nullableKind(Encoding encoding)
{
    if (encoding == Encoding::NullableString)
        return ColumnKind::NullableString;
    return encoding == Encoding::NullableBoolean ? ColumnKind::NullableBoolean
                                                 : ColumnKind::NullableInteger;
}

} // namespace

// The list of a categorical: an array, or a group of values and mask (newer writers).
void ElementBuilder::setCategories(Element& element, const Object& categories)
{
    const Object* list = &categories;
    if (categories.isGroup())
        list = datasetIn(categories, "values");
    if (!list || !list->isDataset() || !list->array || list->array->isNull ||
        list->array->type.value == DType::Other || list->array->rank() > 1) {
        m_context.refuse("A017", element, ErrorCode::UnsupportedEncoding,
                         "The category list of \"" + element.path +
                             "\" is stored in a way this program does not know.");
        return;
    }
    element.categories = m_context.ref(*list);
    element.categoryCount = element.categories.length();
    element.dtype = element.categories.dtype();
    element.parts.push_back({"categories", element.categories});
    checkStorage(element, element.categories);
}

void ElementBuilder::fillCategorical(Element& element, const Object& group)
{
    element.kind = ElementKind::Array;
    element.storage = Storage::Dense;
    element.column = ColumnKind::Categorical;
    const std::string quoted = "\"" + element.path + "\"";
    const Object* codes = datasetIn(group, "codes");
    const Object* categories = group.child("categories");
    if (!codes || !isInteger(codes->array->type.value)) {
        m_context.refuse("A017", element, ErrorCode::Corrupt,
                         "The categorical " + quoted +
                             (codes ? " has codes that are no whole numbers." : " has no codes."));
    } else {
        element.values = m_context.ref(*codes);
        element.shape = codes->array->shape;
        element.bigEndian = codes->array->type.bigEndian;
        checkStorage(element, element.values);
    }
    if (!categories || categories->kind == ObjectKind::Dangling)
        m_context.refuse("A017", element, ErrorCode::Corrupt,
                         "The categorical " + quoted + " has no category list.");
    else
        setCategories(element, *categories);

    const Attribute* ordered = group.attribute("ordered");
    element.ordered = ordered && ordered->integer().value_or(0) != 0;
    if (!ordered)
        m_context
            .report("A017", element.path,
                    "The categorical " + quoted +
                        " does not say whether its categories are ordered; anndata refuses it.")
            .fix = "Say that they are not ordered.";
}

void ElementBuilder::fillNullable(Element& element, const Object& group, Encoding encoding)
{
    element.kind = ElementKind::Array;
    element.storage = Storage::Dense;
    element.column = nullableKind(encoding);
    const std::string quoted = "\"" + element.path + "\"";
    const Object* values = datasetIn(group, "values");
    if (!values || values->array->type.value == DType::Other) {
        m_context.refuse("A022", element, ErrorCode::Corrupt,
                         quoted + " has no values beside its mask.", "");
        return;
    }
    element.values = m_context.ref(*values);
    element.shape = values->array->shape;
    element.dtype = values->array->type.value;
    element.bigEndian = values->array->type.bigEndian;
    checkStorage(element, element.values);
    if (encoding == Encoding::NullableString)
        m_context.needsReader(11, element.path, "text that may be missing");

    const Object* mask = datasetIn(group, "mask");
    if (!mask) {
        m_context
            .report("A022", element.path,
                    quoted + " has no mask; nothing is missing in it, but anndata 0.11 and later "
                             "cannot read it.")
            .severity = Severity::Warning;
        return;
    }
    element.mask = m_context.ref(*mask);
    element.parts.push_back({"mask", element.mask});
    checkStorage(element, element.mask);
    const DType type = mask->array->type.value;
    if (type != DType::Bool && !isInteger(type)) {
        m_context.refuse("A022", element, ErrorCode::Corrupt,
                         "The mask of " + quoted + " is " + mask->array->type.describe() +
                             ", not true or false.");
    } else if (mask->array->shape != values->array->shape) {
        m_context.refuse("A022", element, ErrorCode::Corrupt,
                         "The mask of " + quoted + " has " + grouped(element.mask.length()) +
                             " values, the values are " + grouped(element.values.length()) + ".",
                         "");
    }
}

// 0.7: the dataset holds codes, its attribute refers to a list under __categories.
void ElementBuilder::fillOldCategorical(Element& column, const Object& codes, const Object& frame)
{
    const Attribute* reference = codes.attribute("categories");
    const Object* lists = frame.child("__categories");
    const Object* byName = lists && lists->isGroup() ? lists->find(column.name) : nullptr;
    const bool wholeNumbers = isInteger(codes.array->type.value);
    if (!wholeNumbers || (!reference && !byName))
        return;
    const Object* list = nullptr;
    if (reference && reference->references.size() == 1)
        list = m_context.objectAt(reference->references.front());
    if (!list || !list->isDataset()) {
        list = byName;
        Finding& finding = m_context.report(
            "A047", column.path,
            "The category list of \"" + column.path +
                "\" is lost (it was copied by a tool that drops references)" +
                (list ? "; the list of the same name is used." : "; its codes are shown."));
        if (!list) {
            finding.fixable = false;
            finding.fix = "Get the file again from its source.";
            return;
        }
    }
    column.column = ColumnKind::Categorical;
    setCategories(column, *list);
    const Attribute* ordered = list->attribute("ordered");
    column.ordered = ordered && ordered->integer().value_or(0) != 0;
}

std::unique_ptr<Element> ElementBuilder::buildColumn(const Object* object, Element& table,
                                                     const std::string& name, int member)
{
    auto column = start(*object, table, name);
    const std::string quoted = "\"" + name + "\" of " + table.path;
    if (member >= 0) {
        fillArray(*column, *object, member);
    } else if (object->kind == ObjectKind::NamedType) {
        m_context.refuse("A016", *column, ErrorCode::UnsupportedEncoding,
                         "Column " + quoted + " is a data type without data.");
    } else if (!fillLink(*column, *object)) {
        fill(*column, *object);
        if (column->kind == ElementKind::Array && table.object && object->isDataset() &&
            storedEncoding(*object).encoding == Encoding::None)
            fillOldCategorical(*column, *object, *table.object);
    }

    const bool shown = column->kind == ElementKind::Array && column->column != ColumnKind::Opaque;
    if (column->kind == ElementKind::Array && column->shape && column->shape->size() > 1)
        m_context.refuse("A010", *column, ErrorCode::UnsupportedEncoding,
                         "Column " + quoted + " has " + std::to_string(column->shape->size()) +
                             " dimensions; it cannot be shown as a column.");
    else if (!shown && column->readable)
        m_context.refuse("A016", *column, ErrorCode::UnsupportedEncoding,
                         "Column " + quoted + " is a " + std::string(nameOf(column->kind)) +
                             " that does not say what it is; it cannot be shown as a column.");
    if (!column->readable && !shown)
        column->column = ColumnKind::Opaque;
    // Members of what is no column would be elements of the table.
    if (!column->children.empty()) {
        column->children.clear();
        column->index.reset();
    }
    column->kind = ElementKind::Column;
    return column;
}

} // namespace cellfolio
