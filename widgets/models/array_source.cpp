// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/array_source.h"

#include "core/anndata/column_reader.h"
#include "core/paging/array_reader.h"
#include "widgets/models/element_text.h"

#include <algorithm>
#include <limits>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

Index widthOf(const std::vector<Index>& shape)
{
    Index width = 1;
    for (std::size_t axis = 1; axis < shape.size(); ++axis)
        width *= shape[axis];
    return width;
}

// Texts of the values, with what is missing marked.
Result<Values> readAsColumn(const std::shared_ptr<const Dataset>& dataset, const Element& element, Slice part,
                            const std::shared_ptr<Reading>& reading, std::stop_token stop)
{
    auto reader = ColumnReader::open(dataset, element, reading);
    if (!reader)
        return std::move(reader).error();
    auto column = reader->read(Selection::of(reader->rows(), part), stop);
    if (!column)
        return std::move(column).error();
    std::vector<std::string> texts;
    std::vector<std::uint8_t> missing;
    for (Index i = 0; i < column->size(); ++i) {
        texts.push_back(column->text(i));
        missing.push_back(column->isMissing(i) ? 1 : 0);
    }
    Values values(std::move(texts));
    values.setMissing(std::move(missing));
    return values;
}

} // namespace

ArraySource::ArraySource(ModelContext context, std::shared_ptr<const Dataset> dataset,
                         const Element& array, QObject* parent)
    : TableSource(parent), m_context(context), m_dataset(std::move(dataset)), m_element(array),
      m_pieces(context.quick, context.reading, MemoryTag::Strings, Index{4} << 20)
{
    if (array.kind == ElementKind::Records && array.values && array.values.member < 0) {
        const auto& members = array.values.info().type.members;
        for (std::size_t field = 0; field < members.size(); ++field) {
            ArrayRef ref = array.values;
            ref.member = static_cast<int>(field);
            m_fields.push_back(ref);
        }
        m_rows = array.values.length();
        m_columns = static_cast<int>(m_fields.size());
    } else if (array.values) {
        m_shape = array.values.shape();
        m_rows = m_shape.empty() ? array.values.length() : m_shape.front();
        const Index width = widthOf(m_shape);
        m_columns = static_cast<int>(std::min<Index>(width, std::numeric_limits<int>::max()));
    }
    m_asColumn = m_shape.size() == 1
        && (array.categories || array.mask || !array.fixedCategories.empty());
    m_pieces.arrived = [this](const std::vector<PieceKey>&) { Q_EMIT changed(0, m_rows - 1); };
    m_pieces.failed = [this](const Error& error) {
        Q_EMIT readFailed(error);
        Q_EMIT changed(0, m_rows - 1);
    };
    installReader();
}

ArraySource::~ArraySource() = default;

void ArraySource::installReader()
{
    m_pieces.setReader([reading = m_context.reading, fields = m_fields, shape = m_shape, rows = m_rows,
                        dataset = m_dataset, element = &m_element, asColumn = m_asColumn](
                           const std::vector<PieceKey>& keys,
                           std::stop_token stop) -> Result<Fetcher::Pieces> {
        Fetcher::Pieces pieces;
        for (const PieceKey& key : keys) {
            const Index first = key.first * kRows;
            const Index count = std::min(kRows, rows - first);
            Block block;
            if (asColumn) {
                auto values = readAsColumn(dataset, *element, {first, 1, count}, reading, stop);
                if (!values)
                    return std::move(values).error();
                block.values = std::move(*values);
            } else if (!fields.empty()) {
                const ArrayRef& field = fields[at(key.second)];
                auto values = ArrayReader(field, reading, element->path).rows(first, count, stop);
                if (!values)
                    return std::move(values).error();
                block.columns = std::max<Index>(1, values->size() / std::max<Index>(count, 1));
                block.values = std::move(*values);
            } else if (shape.size() == 2) {
                const Index left = key.second * kColumns;
                block.columns = std::min(kColumns, shape[1] - left);
                auto values = ArrayReader(element->values, reading, element->path)
                                  .block({first, left}, {count, block.columns}, stop);
                if (!values)
                    return std::move(values).error();
                block.values = std::move(*values);
            } else {
                const ArrayReader reader(element->values, reading, element->path);
                auto values = shape.empty() ? reader.all(stop) : reader.rows(first, count, stop);
                if (!values)
                    return std::move(values).error();
                block.columns = widthOf(shape);
                block.values = std::move(*values);
            }
            pieces.emplace_back(key, std::move(block));
        }
        return pieces;
    });
}

const ArraySource::Block* ArraySource::blockAt(qint64 row, int column, Index& place) const
{
    const bool tiled = m_fields.empty() && m_shape.size() == 2;
    const Index part = !m_fields.empty() ? column : tiled ? column / kColumns : 0;
    const Block* block = m_pieces.peek({row / kRows, part});
    if (block == nullptr)
        return nullptr;
    const Index within = !m_fields.empty() ? 0 : tiled ? column % kColumns : column;
    place = (row % kRows) * block->columns + within;
    return place < block->values.size() ? block : nullptr;
}

TableCell ArraySource::cell(qint64 row, int column) const
{
    TableCell cell;
    Index place = 0;
    const Block* block = blockAt(row, column, place);
    if (block == nullptr) {
        const bool tiled = m_fields.empty() && m_shape.size() == 2;
        const Index part = !m_fields.empty() ? column : tiled ? column / kColumns : 0;
        cell.pending = !m_pieces.hasFailed({row / kRows, part});
        if (!cell.pending)
            cell.text = u"cannot be read"_s;
        return cell;
    }
    if (!m_fields.empty() && block->columns > 1) {
        QStringList parts;
        for (Index i = 0; i < block->columns; ++i)
            parts.append(toQString(block->values.text(place + i)));
        cell.text = parts.join(u", "_s);
        return cell;
    }
    cell.missing = block->values.isMissing(place);
    const DType type = block->values.type();
    cell.number = isReal(type) && type != DType::Bool;
    cell.text = cell.number ? groupedText(toQString(block->values.text(place)))
                            : toQString(block->values.text(place));
    return cell;
}

QString ArraySource::fullText(qint64 row, int column) const
{
    Index place = 0;
    const Block* block = blockAt(row, column, place);
    return block == nullptr ? QString() : toQString(block->values.text(place));
}

ColumnProfile ArraySource::profile(int column) const
{
    ColumnProfile profile;
    profile.icon = m_element.dtype == DType::String ? u"letter-t"_s : u"numbers"_s;
    if (!m_fields.empty()) {
        const hdf5::Member& member = m_element.values.info().type.members[static_cast<std::size_t>(column)];
        profile.name = toQString(member.name);
        profile.type = toQString(member.type.describe());
    } else {
        profile.name = m_columns == 1 ? toQString(m_element.name) : countText(column);
        profile.type = m_element.dtype ? toQString(nameOf(*m_element.dtype)) : QString();
    }
    return profile;
}

void ArraySource::want(qint64 firstRow, qint64 lastRow, int firstColumn, int lastColumn)
{
    std::vector<PieceKey> keys;
    if (m_rows > 0 && lastRow >= firstRow && lastColumn >= firstColumn) {
        const bool tiled = m_fields.empty() && m_shape.size() == 2;
        const Index last = std::min<Index>(lastColumn, m_columns - 1);
        const Index firstPart = !m_fields.empty() ? firstColumn : tiled ? firstColumn / kColumns : 0;
        const Index lastPart = !m_fields.empty() ? last : tiled ? last / kColumns : 0;
        for (Index block = std::max<Index>(firstRow, 0) / kRows;
             block <= std::min<Index>(lastRow, m_rows - 1) / kRows; ++block)
            for (Index part = firstPart; part <= lastPart; ++part)
                keys.push_back({block, part});
    }
    m_pieces.want(std::move(keys));
}

} // namespace cellfolio
