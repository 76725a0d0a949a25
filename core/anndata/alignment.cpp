// SPDX-License-Identifier: GPL-3.0-or-later
// Which axes of the data set each element follows, and whether its shape agrees.
#include "core/anndata/data_set_builder.h"
#include "core/anndata/sparse_rules.h"

#include "core/base/text.h"

namespace cellfolio {

namespace {

Element* childOf(Element& parent, std::string_view name)
{
    for (const auto& child : parent.children)
        if (child->name == name)
            return child.get();
    return nullptr;
}

bool isArrayLike(const Element& element)
{
    return element.kind == ElementKind::Array || element.kind == ElementKind::Matrix;
}

// A table tells its number of rows if it has names or at least one column.
std::optional<Index> rowsOf(const Element* table)
{
    if (!table || table->kind != ElementKind::Table || !table->readable)
        return std::nullopt;
    if (table->index || table->storage == Storage::Compound)
        return table->rows;
    for (const auto& column : table->children)
        if (column->readable)
            return table->rows;
    return std::nullopt;
}

void setAxis(BuildContext& context, Element& table, Axis axis, bool ofRaw)
{
    if (table.index && table.index->dtype && *table.index->dtype != DType::String)
        context.report("A026", table.path,
                       "The row names of " + inQuotes(table.path) +
                           " are numbers; Python turns them into text.");
    table.firstAxis = axis;
    table.ofRaw = ofRaw;
    if (table.index) {
        table.index->firstAxis = axis;
        table.index->ofRaw = ofRaw;
    }
    for (const auto& column : table.children) {
        column->firstAxis = axis;
        column->ofRaw = ofRaw;
    }
}

class Aligner
{
public:
    Aligner(BuildContext& context, Element& root) : m_context(context), m_root(root) {}

    Axes run();

private:
    void findAxes();
    void alignTable(const char* name, Axis axis, std::optional<Index> rows);
    void alignX(Element& x);
    void alignLayer(Element& layer);
    void alignRaw(Element& raw);
    // One entry of obsm, varm, obsp, varp.
    void alignEntry(Element& entry, Axis axis, bool square, std::optional<Index> extent,
                    bool ofRaw);
    void alignMapping(Element* mapping, Axis axis, bool square, std::optional<Index> extent,
                      bool ofRaw = false);
    void checkLooseSparse(Element& element);
    bool checkMatrixType(Element& matrix);

    BuildContext& m_context;
    Element& m_root;
    Axes m_axes;
};

// From the tables; from X, raw and the layers where a table does not tell.
void Aligner::findAxes()
{
    m_axes.nObs = rowsOf(m_root.child("obs"));
    m_axes.nVars = rowsOf(m_root.child("var"));
    const auto take = [this](const Element* matrix, bool variables) {
        if (!matrix || !isArrayLike(*matrix) || !matrix->shape || matrix->shape->size() < 2)
            return;
        if (!m_axes.nObs)
            m_axes.nObs = (*matrix->shape)[0];
        if (!m_axes.nVars && variables)
            m_axes.nVars = (*matrix->shape)[1];
    };
    take(m_root.child("X"), true);
    if (const Element* layers = m_root.child("layers"))
        for (const auto& layer : layers->children)
            take(layer.get(), true);
    if (const Element* raw = m_root.child("raw"))
        take(raw->child("X"), false);
    // X stored flat for one observation tells the number of variables.
    const Element* x = m_root.child("X");
    if (!m_axes.nVars && x && x->shape && x->shape->size() == 1 && m_axes.nObs == 1)
        m_axes.nVars = x->shape->front();
}

void Aligner::alignTable(const char* name, Axis axis, std::optional<Index> rows)
{
    Element* table = childOf(m_root, name);
    if (!table || table->kind != ElementKind::Table)
        return;
    if (rows && !rowsOf(table)) {
        table->rows = *rows;
        table->shape->front() = *rows;
    }
    setAxis(m_context, *table, axis, false);
}

// Text or records in a matrix can be shown but not computed with.
bool Aligner::checkMatrixType(Element& matrix)
{
    if (matrix.isSparse() || !matrix.dtype || isReal(*matrix.dtype))
        return true;
    if (*matrix.dtype == DType::String)
        m_context.report("A037", matrix.path, inQuotes(matrix.path) + " holds text, not numbers.")
            .fix = "Store numbers in it, and text in obs, obsm or uns.";
    else
        m_context.report("A037", matrix.path,
                         inQuotes(matrix.path) +
                             " holds complex numbers, which most programs cannot use.");
    return false;
}

void Aligner::alignX(Element& x)
{
    if (!isArrayLike(x)) {
        if (x.readable)
            m_context.refuse("A038", x, ErrorCode::UnsupportedEncoding,
                             "X is a " + std::string(nameOf(x.kind)) + ", not a matrix.");
        return;
    }
    if (x.isSparse())
        checkSparse(m_context, x, {m_axes.nObs, m_axes.nVars});
    if (!x.shape)
        return;
    std::vector<Index>& shape = *x.shape;
    if (shape.size() == 1 && m_axes.nObs == 1 && m_axes.nVars == shape[0])
        shape = {1, shape[0]};
    else if (shape.size() == 1 && m_axes.nVars == 1 && m_axes.nObs == shape[0])
        shape = {shape[0], 1};
    if (shape.size() != 2) {
        m_context.refuse("A038", x, ErrorCode::UnsupportedEncoding,
                         "X has " + std::to_string(shape.size()) + " dimensions (" +
                             shapeText(shape) + "), not two.");
        return;
    }
    x.kind = ElementKind::Matrix;
    checkMatrixType(x);
    const std::vector<Index> wanted{m_axes.nObs.value_or(shape[0]),
                                    m_axes.nVars.value_or(shape[1])};
    if (shape != wanted) {
        m_context.refuse("A029", x, ErrorCode::Corrupt,
                         "The matrix X says " + shapeText(shape) + ", the tables say " +
                             shapeText(wanted) + ".");
        return;
    }
    x.firstAxis = Axis::Obs;
    x.secondAxis = Axis::Var;
}

void Aligner::alignLayer(Element& layer)
{
    if (!isArrayLike(layer)) {
        if (layer.readable && layer.kind != ElementKind::Null)
            m_context.report("A038", layer.path,
                             inQuotes(layer.path) + " is a " + std::string(nameOf(layer.kind)) +
                                 ", not a matrix.");
        return;
    }
    if (layer.isSparse())
        checkSparse(m_context, layer, {m_axes.nObs, m_axes.nVars});
    if (!layer.shape)
        return;
    std::vector<Index>& shape = *layer.shape;
    if (shape.size() == 1 && m_axes.nObs == 1 && m_axes.nVars == shape[0])
        shape = {1, shape[0]};
    if (shape.size() == 2)
        layer.kind = ElementKind::Matrix;
    else
        m_context.report("A038", layer.path,
                         "The layer " + inQuotes(layer.path) + " has " +
                             std::to_string(shape.size()) +
                             " dimensions, not two; it is shown as an array.");
    if (shape.size() < 2)
        return;
    checkMatrixType(layer);
    const std::vector<Index> leading{shape[0], shape[1]};
    const std::vector<Index> wanted{m_axes.nObs.value_or(shape[0]),
                                    m_axes.nVars.value_or(shape[1])};
    if (leading != wanted) {
        m_context.refuse("A039", layer, ErrorCode::Corrupt,
                         "The layer " + inQuotes(layer.path) + " is " + shapeText(shape) +
                             ", the data set is " + shapeText(wanted) + ".");
        return;
    }
    layer.firstAxis = Axis::Obs;
    layer.secondAxis = Axis::Var;
}

void Aligner::alignRaw(Element& raw)
{
    Element* var = childOf(raw, "var");
    const std::optional<Index> rawVars = rowsOf(var);
    if (var && var->kind == ElementKind::Table)
        setAxis(m_context, *var, Axis::Var, true);
    else if (!var)
        m_context.report("A041", raw.path, "raw has no table of its variables (raw/var).");
    alignMapping(childOf(raw, "varm"), Axis::Var, false, rawVars, true);

    Element* x = childOf(raw, "X");
    if (!x || !isArrayLike(*x))
        return;
    if (x->isSparse())
        checkSparse(m_context, *x, {m_axes.nObs, rawVars});
    if (!x->shape)
        return;
    std::vector<Index>& shape = *x->shape;
    if (shape.size() == 1 && m_axes.nObs == 1)
        shape = {1, shape[0]};
    if (shape.size() != 2) {
        m_context.refuse("A041", *x, ErrorCode::UnsupportedEncoding,
                         inQuotes(x->path) + " has " + std::to_string(shape.size()) +
                             " dimensions, not two.");
        return;
    }
    x->kind = ElementKind::Matrix;
    checkMatrixType(*x);
    if (m_axes.nObs && shape[0] != *m_axes.nObs) {
        m_context.refuse("A041", *x, ErrorCode::Corrupt,
                         "raw has " + grouped(shape[0]) + " rows, the data set " +
                             grouped(*m_axes.nObs) + " observations.");
        return;
    }
    x->firstAxis = Axis::Obs;
    if (rawVars && shape[1] != *rawVars) {
        m_context.refuse("A041", *x, ErrorCode::Corrupt,
                         "raw/X has " + grouped(shape[1]) + " columns, raw/var " +
                             grouped(*rawVars) + " rows.");
        return;
    }
    x->secondAxis = Axis::Var;
    x->ofRaw = true;
}

void Aligner::alignEntry(Element& entry, Axis axis, bool square, std::optional<Index> extent,
                         bool ofRaw)
{
    if (entry.isSparse())
        checkSparse(m_context, entry, {extent, square ? extent : std::nullopt});
    const bool fits = isArrayLike(entry) || entry.kind == ElementKind::Table ||
                      entry.kind == ElementKind::Awkward;
    if (!fits || !entry.shape || entry.shape->empty())
        return;
    const std::vector<Index>& shape = *entry.shape;
    const char* whole = axis == Axis::Obs ? " observations" : " variables";
    const Index rows = shape.front();
    if (extent && (rows != *extent || (square && (shape.size() < 2 || shape[1] != *extent)))) {
        std::string message = inQuotes(entry.path);
        if (square)
            message += " is " + shapeText(shape);
        else
            message += " has " + grouped(rows) + " rows";
        message += std::string(ofRaw ? ", raw has " : ", the data set has ") + grouped(*extent) +
                   whole + ".";
        m_context.refuse("A039", entry, ErrorCode::Corrupt, std::move(message));
        return;
    }
    if (shape.size() == 1 && isArrayLike(entry) && !square)
        m_context.report("A040", entry.path,
                         inQuotes(entry.path) + " is stored as one column without a second axis.");
    if (entry.kind == ElementKind::Table) {
        setAxis(m_context, entry, axis, ofRaw);
        return;
    }
    entry.firstAxis = axis;
    if (square)
        entry.secondAxis = axis;
    entry.ofRaw = ofRaw;
}

void Aligner::alignMapping(Element* mapping, Axis axis, bool square, std::optional<Index> extent,
                           bool ofRaw)
{
    if (!mapping || mapping->kind != ElementKind::Mapping)
        return;
    for (const auto& entry : mapping->children)
        alignEntry(*entry, axis, square, extent, ofRaw);
}

// Sparse matrices that follow no axis still have rules of their own.
void Aligner::checkLooseSparse(Element& element)
{
    if (element.isSparse())
        checkSparse(m_context, element, {});
    for (const auto& child : element.children)
        if (!child->isDataSet)
            checkLooseSparse(*child);
}

Axes Aligner::run()
{
    findAxes();
    alignTable("obs", Axis::Obs, m_axes.nObs);
    alignTable("var", Axis::Var, m_axes.nVars);
    for (const auto& child : m_root.children) {
        if (child->name == "X")
            alignX(*child);
        else if (child->name == "layers" && child->kind == ElementKind::Mapping)
            for (const auto& layer : child->children)
                alignLayer(*layer);
        else if (child->name == "raw")
            alignRaw(*child);
        else if (child->name == "obsm")
            alignMapping(child.get(), Axis::Obs, false, m_axes.nObs);
        else if (child->name == "varm")
            alignMapping(child.get(), Axis::Var, false, m_axes.nVars);
        else if (child->name == "obsp")
            alignMapping(child.get(), Axis::Obs, true, m_axes.nObs);
        else if (child->name == "varp")
            alignMapping(child.get(), Axis::Var, true, m_axes.nVars);
        else if (child->name != "obs" && child->name != "var" && !child->isDataSet)
            checkLooseSparse(*child);
    }
    return m_axes;
}

} // namespace

Axes alignElements(BuildContext& context, Element& root)
{
    return Aligner(context, root).run();
}

} // namespace cellfolio
