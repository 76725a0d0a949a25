// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/impute/stored_plan_parts.h"

#include "core/anndata/dataset.h"
#include "core/base/text.h"
#include "core/impute/numpy_file.h"
#include "core/paging/array_reader.h"

#include <algorithm>
#include <cmath>

namespace cellfolio::impute {

namespace {

namespace fs = std::filesystem;

Error noPlan(const std::string& location, const std::string& why)
{
    return Error(ErrorCode::Refused, location + " is no transport plan: " + why + ".")
        .advise("A plan is a matrix of numbers, spatial cells × reference cells: dense, sparse, or "
                "factors Q, R and g.");
}

// Arrays of NumPy.

StoredNumbers numbersOf(const NumpyArray& array)
{
    return {array.count(),
            [array](Index first, Index count, double* into) { return array.read(first, count, into); },
            [array](Index first, Index count, Index* into) { return array.read(first, count, into); }};
}

// Rectangles of an array whose lines lie one behind the other; `fortran`: its columns do.
StoredGrid gridOf(const NumpyArray& array)
{
    StoredGrid grid;
    grid.rows = array.shape()[0];
    grid.columns = array.shape()[1];
    grid.read = [array, rows = grid.rows, columns = grid.columns](
                    Index row, Index rowCount, Index column, Index columnCount,
                    double* into) -> Result<void> {
        if (!array.isFortran()) {
            if (column == 0 && columnCount == columns)
                return array.read(row * columns, rowCount * columns, into);
            for (Index i = 0; i < rowCount; ++i)
                if (auto done = array.read((row + i) * columns + column, columnCount,
                                           into + i * columnCount);
                    !done)
                    return done;
            return {};
        }
        std::vector<double> line(at(rowCount));
        for (Index k = 0; k < columnCount; ++k) {
            if (auto done = array.read((column + k) * rows + row, rowCount, line.data()); !done)
                return done;
            for (Index i = 0; i < rowCount; ++i)
                into[i * columnCount + k] = line[at(i)];
        }
        return {};
    };
    return grid;
}

Result<PlanParts> ofNumpy(const NumpyArray& array)
{
    if (array.shape().size() != 2)
        return noPlan(array.name(), "it has " + counted(static_cast<Index>(array.shape().size()),
                                                        "dimension", "dimensions"));
    if (!isReal(array.dtype()))
        return noPlan(array.name(), "it holds no real numbers");
    PlanParts parts;
    parts.grid = gridOf(array);
    return parts;
}

// Factors from three arrays, checked and held.
Result<PlanParts> ofFactors(const std::string& location, const StoredGrid& q, const StoredGrid& r,
                            const StoredNumbers& g, const std::shared_ptr<Reading>& reading)
{
    if (q.columns != r.columns || q.columns != g.length || g.length < 1)
        return noPlan(location, "its factors are " + grouped(q.rows) + " × " + grouped(q.columns)
                                    + ", " + grouped(r.rows) + " × " + grouped(r.columns) + " and "
                                    + grouped(g.length));
    const Index bytes = (q.rows + r.rows) * q.columns * Index{sizeof(double)};
    if (bytes > reading->budget().limit() / 2)
        return Error(ErrorCode::OutOfBudget, "The factors of " + location + " take "
                                                 + byteText(bytes)
                                                 + ", more than half the memory budget.")
            .advise("Give at least " + byteText(2 * bytes) + " with --memory.");
    Factors factors;
    factors.rank = g.length;
    factors.q.resize(at(q.rows * q.columns));
    factors.r.resize(at(r.rows * r.columns));
    factors.g.resize(at(g.length));
    if (auto done = q.read(0, q.rows, 0, q.columns, factors.q.data()); !done)
        return std::move(done).error();
    if (auto done = r.read(0, r.rows, 0, r.columns, factors.r.data()); !done)
        return std::move(done).error();
    if (auto done = g.reals(0, g.length, factors.g.data()); !done)
        return std::move(done).error();
    for (const auto* list : {&factors.q, &factors.r, &factors.g})
        if (!std::all_of(list->begin(), list->end(), [](double v) { return std::isfinite(v); }))
            return noPlan(location, "its factors hold what is no finite number");
    PlanParts parts;
    parts.factors = std::move(factors);
    return parts;
}

Result<PlanParts> ofArchive(const std::string& location, const std::shared_ptr<Reading>& reading,
                            const fs::path& scratch, std::stop_token stop)
{
    auto archive = NumpyArchive::open(location, scratch, stop);
    if (!archive)
        return std::move(archive).error();
    if (archive->holds("Q") && archive->holds("R") && archive->holds("g")) {
        auto q = archive->array("Q");
        auto r = archive->array("R");
        auto g = archive->array("g");
        for (auto* part : {&q, &r, &g})
            if (!*part)
                return std::move(*part).error();
        if (q->shape().size() != 2 || r->shape().size() != 2 || g->shape().size() != 1)
            return noPlan(location, "its factors Q, R and g are no matrices and list");
        return ofFactors(location, gridOf(*q), gridOf(*r), numbersOf(*g), reading);
    }
    if (archive->holds("data") && archive->holds("indptr") && archive->holds("indices")
        && archive->holds("shape") && archive->holds("format")) {
        auto format = archive->array("format");
        if (!format)
            return std::move(format).error();
        auto form = format->text();
        if (!form)
            return std::move(form).error();
        if (*form != "csr" && *form != "csc")
            return noPlan(location, "it is sparse in the form \"" + *form + "\"; csr and csc are read");
        PlanParts parts;
        StoredLines lines;
        lines.byRows = *form == "csr";
        auto shape = archive->array("shape");
        if (!shape)
            return std::move(shape).error();
        Index extents[2] = {0, 0};
        if (shape->count() != 2)
            return noPlan(location, "its shape is no pair");
        if (auto done = shape->read(0, 2, extents); !done)
            return std::move(done).error();
        lines.rows = extents[0];
        lines.columns = extents[1];
        for (const auto& [name, numbers] : {std::pair{"data", &lines.data},
                                            std::pair{"indices", &lines.indices},
                                            std::pair{"indptr", &lines.indptr}}) {
            auto array = archive->array(name);
            if (!array)
                return std::move(array).error();
            *numbers = numbersOf(*array);
        }
        parts.lines = std::move(lines);
        return parts;
    }
    const std::vector<std::string> names = archive->names();
    if (names.size() != 1)
        return noPlan(location, "it holds " + grouped(static_cast<Index>(names.size()))
                                    + " arrays, neither one matrix, nor a sparse one, nor Q, R and g");
    auto array = archive->array(names.front());
    if (!array)
        return std::move(array).error();
    return ofNumpy(*array);
}

// Arrays of HDF5.

StoredNumbers numbersOf(const ArrayReader& reader)
{
    StoredNumbers numbers;
    numbers.length = reader.array().length();
    numbers.reals = [reader](Index first, Index count, double* into) -> Result<void> {
        auto values = reader.rows(first, count);
        if (!values)
            return std::move(values).error();
        for (Index k = 0; k < count; ++k)
            into[k] = values->number(k);
        return {};
    };
    numbers.integers = [reader](Index first, Index count, Index* into) -> Result<void> {
        auto values = reader.rows(first, count);
        if (!values)
            return std::move(values).error();
        for (Index k = 0; k < count; ++k)
            into[k] = values->integer(k);
        return {};
    };
    return numbers;
}

StoredGrid gridOf(const ArrayReader& reader)
{
    StoredGrid grid;
    grid.rows = reader.array().shape()[0];
    grid.columns = reader.array().shape()[1];
    grid.read = [reader](Index row, Index rows, Index column, Index columns,
                         double* into) -> Result<void> {
        auto values = reader.block({row, column}, {rows, columns});
        if (!values)
            return std::move(values).error();
        visitReal(values->type(), [&]<typename T>(const T*) {
            const T* from = std::as_const(*values).template as<T>().data();
            std::transform(from, from + rows * columns, into, [](T value) { return toDouble(value); });
        });
        return {};
    };
    return grid;
}

struct Hdf5Place {
    std::shared_ptr<const hdf5::File> file;
    const hdf5::Object* object = nullptr;
};

// "FILE::ELEMENT"; a file whose own name holds "::" wins.
Result<Hdf5Place> findIn(const std::string& location)
{
    std::string path = location;
    std::string inside;
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
        const std::size_t mark = location.rfind("::");
        if (mark != std::string::npos) {
            path = location.substr(0, mark);
            inside = location.substr(mark + 2);
        }
    }
    auto file = hdf5::File::open(path);
    if (!file)
        return std::move(file).error();
    if (inside.empty())
        return Error(ErrorCode::BadUsage, "Which element of " + path + " is the plan?")
            .advise("Name it behind the file, such as " + path + "::uns/transport.");
    std::string_view name = inside;
    while (name.starts_with('/'))
        name.remove_prefix(1);
    Hdf5Place place{*file, (*file)->root().find(name)};
    if (place.object != nullptr)
        return place;
    // Perhaps spelled as the current layout has it, in a file that is older.
    auto dataset = Dataset::open(path);
    if (dataset) {
        auto element = (*dataset)->find(name);
        if (element && (*element)->object != nullptr) {
            place.file = (*dataset)->filePointer();
            place.object = (*element)->object;
            return place;
        }
        if (!element)
            return std::move(element).error();
    }
    return Error(ErrorCode::NotFound, path + " has no element \"" + inside + "\".").at(inside);
}

std::optional<std::vector<Index>> shapeOf(const hdf5::Object& group)
{
    for (const char* name : {"shape", "h5sparse_shape"})
        if (const hdf5::Attribute* attribute = group.attribute(name);
            attribute != nullptr && attribute->integers.size() == 2)
            return std::vector<Index>{attribute->integers[0], attribute->integers[1]};
    return std::nullopt;
}

std::string formatOf(const hdf5::Object& group)
{
    for (const char* name : {"encoding-type", "h5sparse_format"})
        if (const hdf5::Attribute* attribute = group.attribute(name); attribute != nullptr)
            if (const auto text = attribute->text())
                return *text;
    return {};
}

class Hdf5Parts
{
public:
    Hdf5Parts(Hdf5Place place, std::string location, const std::shared_ptr<Reading>& reading)
        : m_place(std::move(place)), m_location(std::move(location)), m_reading(reading)
    {
    }

    Result<PlanParts> open()
    {
        if (m_place.object->isDataset())
            return dense();
        if (!m_place.object->isGroup())
            return noPlan(m_location, "it cannot be read");
        if (m_place.object->child("Q") != nullptr && m_place.object->child("R") != nullptr
            && m_place.object->child("g") != nullptr)
            return factors();
        if (m_place.object->child("indptr") != nullptr)
            return sparse();
        return noPlan(m_location, "it is a group without a matrix");
    }

private:
    ArrayReader reader(const hdf5::Object& dataset) const
    {
        return {ArrayRef{m_place.file, &dataset}, m_reading, m_location};
    }
    static bool isNumbers(const hdf5::Object* dataset, Index rank)
    {
        return dataset != nullptr && dataset->isDataset() && dataset->array->rank() == rank
            && isReal(dataset->array->type.value);
    }

    Result<PlanParts> dense() const
    {
        if (!isNumbers(m_place.object, 2))
            return noPlan(m_location, "it is no matrix of numbers");
        PlanParts parts;
        parts.grid = gridOf(reader(*m_place.object));
        return parts;
    }

    Result<PlanParts> factors() const
    {
        const hdf5::Object* q = m_place.object->child("Q");
        const hdf5::Object* r = m_place.object->child("R");
        const hdf5::Object* g = m_place.object->child("g");
        if (!isNumbers(q, 2) || !isNumbers(r, 2) || !isNumbers(g, 1))
            return noPlan(m_location, "its factors Q, R and g are no matrices and list");
        return ofFactors(m_location, gridOf(reader(*q)), gridOf(reader(*r)), numbersOf(reader(*g)),
                         m_reading);
    }

    Result<PlanParts> sparse() const
    {
        const hdf5::Object* data = m_place.object->child("data");
        const hdf5::Object* indices = m_place.object->child("indices");
        const hdf5::Object* indptr = m_place.object->child("indptr");
        const auto shape = shapeOf(*m_place.object);
        if (!isNumbers(data, 1) || !isNumbers(indices, 1) || !isNumbers(indptr, 1) || !shape)
            return noPlan(m_location, "its data, indices, indptr or shape are missing or odd");
        StoredLines lines;
        lines.byRows = !formatOf(*m_place.object).starts_with("csc");
        lines.rows = (*shape)[0];
        lines.columns = (*shape)[1];
        lines.data = numbersOf(reader(*data));
        lines.indices = numbersOf(reader(*indices));
        lines.indptr = numbersOf(reader(*indptr));
        PlanParts parts;
        parts.lines = std::move(lines);
        return parts;
    }

    Hdf5Place m_place;
    std::string m_location;
    const std::shared_ptr<Reading>& m_reading;
};

} // namespace

Result<PlanParts> openPlanParts(const std::string& location, const std::shared_ptr<Reading>& reading,
                                const fs::path& scratch, std::stop_token stop)
{
    Result<PlanParts> parts = [&]() -> Result<PlanParts> {
        if (location.ends_with(".npy")) {
            auto array = NumpyArray::open(location);
            if (!array)
                return std::move(array).error();
            return ofNumpy(*array);
        }
        if (location.ends_with(".npz"))
            return ofArchive(location, reading, scratch, stop);
        auto place = findIn(location);
        if (!place)
            return std::move(place).error();
        return Hdf5Parts(std::move(*place), location, reading).open();
    }();
    if (parts && parts->lines) {
        const StoredLines& lines = *parts->lines;
        const Index count = lines.byRows ? lines.rows : lines.columns;
        if (count < 0 || lines.indptr.length < count + 1)
            return noPlan(location, "its indptr is shorter than its shape");
    }
    return parts;
}

} // namespace cellfolio::impute
