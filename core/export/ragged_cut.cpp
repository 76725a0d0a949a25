// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/ragged_cut.h"

#include "core/anndata/rules.h"
#include "core/base/text.h"
#include "core/export/ragged_stretches.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

namespace cellfolio {

namespace {

using Kind = AwkwardNode::Kind;

// What the stretches of a level and of its content take while it is gone through, and one reading
// beside them. What stays throughout is a chunk of each new buffer.
constexpr Index kLevelBytes = RaggedStretches::kWindow * 48;
constexpr Index kReadBytes = Index{4} << 20;

bool isCategorical(const AwkwardNode& node)
{
    return (node.kind == Kind::Indexed || node.kind == Kind::IndexedOption)
        && node.meaning == "categorical";
}

Index chunkBytes(const AwkwardNode& node)
{
    Index bytes = 0;
    for (const AwkwardBuffer& buffer : node.buffers) {
        const auto width = static_cast<Index>(sizeOf(buffer.type()));
        Index values = kUsualChunk;
        for (const Index length : buffer.array.info().chunk)
            values = std::max(values, length);
        bytes += std::min({values * width, kLargestChunkBytes, buffer.length() * width + 1024});
    }
    for (const AwkwardNode& content : node.contents)
        bytes += chunkBytes(content);
    return bytes;
}

Index memoryOf(const AwkwardNode& root)
{
    return kReadBytes + root.depth() * kLevelBytes + chunkBytes(root);
}

Index largestOf(DType type)
{
    switch (type) {
    case DType::Int32: return std::numeric_limits<std::int32_t>::max();
    case DType::UInt32: return std::numeric_limits<std::uint32_t>::max();
    default: return AwkwardNode::kNoEnd;
    }
}

std::vector<std::string> namesOf(const AwkwardNode& node)
{
    std::vector<std::string> names;
    for (const AwkwardBuffer& buffer : node.buffers)
        names.push_back(buffer.name);
    for (const AwkwardNode& content : node.contents) {
        const auto below = namesOf(content);
        names.insert(names.end(), below.begin(), below.end());
    }
    return names;
}

} // namespace

// A level of the form while it is cut.
struct RaggedCut::Level {
    AwkwardNode node; // its contents are in `contents`
    std::vector<ArrayReader> readers; // one a buffer, as are the next two
    std::vector<DType> types;         // of the new buffers
    std::vector<ArrayWriter> writers; // when it is written
    std::vector<Level> contents;
    Index items = 0;          // picked in this pass
    Index planned = 0;        // picked by plan()
    Index largest = -1;       // index met, of categoricals
    Index bitsWritten = 0;
    unsigned bits = 0;        // of the last, unfinished byte of a mask

    Level(AwkwardNode form, const ExportContext& context, const std::string& path)
        : node(std::move(form))
    {
        for (const AwkwardBuffer& buffer : node.buffers) {
            readers.emplace_back(buffer.array, context.reading, path + "/" + buffer.name);
            types.push_back(buffer.type());
        }
        for (AwkwardNode& content : node.contents)
            contents.emplace_back(std::move(content), context, path);
        node.contents.clear();
    }

    void rewind()
    {
        items = 0;
        bitsWritten = 0;
        bits = 0;
        for (Level& content : contents)
            content.rewind();
    }

    // Keeps what was counted, and widens types that it would overflow.
    void settle(std::vector<std::string>& widened)
    {
        planned = items;
        Index most = 0;
        for (const Level& content : contents)
            most = std::max(most, content.items);
        const bool counts = node.kind == Kind::Offsets || node.kind == Kind::Spans
                         || node.kind == Kind::Union || node.kind == Kind::Indexed
                         || node.kind == Kind::IndexedOption;
        if (counts && !isCategorical(node) && most > largestOf(types.back())) {
            std::replace(types.begin(), types.end(), types.back(), DType::Int64);
            widened.push_back(node.key);
        }
        for (Level& content : contents)
            content.settle(widened);
    }

    // Values of each of the new buffers.
    Index lengthOf() const
    {
        switch (node.kind) {
        case Kind::Numbers: return planned * node.numbersOfItem();
        case Kind::Offsets: return planned + 1;
        case Kind::BitMasked: return (planned + 7) / 8;
        default: return planned;
        }
    }
};

// One pass through the rows.
struct RaggedCut::Work {
    const ExportContext& context;
    const std::string& path;
    bool writing = false;

    Error outside(const std::string& what) const
    {
        return Error(ErrorCode::Corrupt, what).at(path);
    }

    Error noItem(const Level& level, Index item) const
    {
        const std::string part = level.node.key.empty() ? std::string("a part") : inQuotes(level.node.key);
        return outside("it points to item " + std::to_string(item) + " of " + part + ", which has "
                       + std::to_string(level.node.length));
    }

    // The items of these stretches, which follow those that were picked before.
    Result<void> pick(Level& level, const RaggedStretches& wanted)
    {
        if (wanted.count() == 0)
            return {};
        if (context.stop.stop_requested())
            return Error::cancelled();
        for (const RaggedStretches::Run& run : wanted.runs())
            if (run.first < 0 || run.first > level.node.length - run.count)
                return noItem(level, run.first < 0 ? run.first : run.first + run.count - 1);
        if (wanted.count() > RaggedStretches::kMost - level.items)
            return outside("it has more items than can be counted");
        level.items += wanted.count();
        switch (level.node.kind) {
        case Kind::Empty: return {};
        case Kind::Numbers: return writing ? copyNumbers(level, wanted) : Result<void>();
        case Kind::Fixed: {
            const Index size = level.node.size;
            RaggedStretches below;
            for (const RaggedStretches::Run& run : wanted.runs()) {
                if (size > 0 && run.first + run.count > RaggedStretches::kMost / size)
                    return outside("it has more items than can be counted");
                below.add(run.first * size, run.count * size);
            }
            return pick(level.contents.front(), below);
        }
        case Kind::Record:
        case Kind::Unmasked:
            for (Level& content : level.contents)
                if (auto picked = pick(content, wanted); !picked)
                    return picked;
            return {};
        default:
            return wanted.forEachWindow([&](const RaggedStretches& window) -> Result<void> {
                switch (level.node.kind) {
                case Kind::Offsets: return offsets(level, window);
                case Kind::Spans: return spans(level, window);
                case Kind::Union: return kinds(level, window);
                case Kind::ByteMasked: return bytes(level, window);
                case Kind::BitMasked: return bits(level, window);
                default: return indices(level, window);
                }
            });
        }
    }

    // What does not depend on the rows: lists of categories, the last bits of a mask.
    Result<void> finish(Level& level)
    {
        if (isCategorical(level.node)) {
            Level& list = level.contents.front();
            const Index length = list.node.length == AwkwardNode::kNoEnd ? level.largest + 1
                                                                         : list.node.length;
            RaggedStretches all;
            all.add(0, length);
            if (auto picked = pick(list, all); !picked)
                return picked;
        }
        if (writing && level.node.kind == Kind::BitMasked && level.items % 8 != 0) {
            const auto last = static_cast<std::byte>(level.bits);
            if (auto written = append(level, 0, &last, 1); !written)
                return written;
        }
        for (Level& content : level.contents)
            if (auto finished = finish(content); !finished)
                return finished;
        return {};
    }

    Result<void> append(Level& level, std::size_t buffer, const std::byte* values, Index count)
    {
        if (auto written = level.writers[buffer].append(values, count); !written)
            return written;
        if (context.progress != nullptr)
            context.progress->advance(count * static_cast<Index>(sizeOf(level.types[buffer])));
        return {};
    }

    Result<void> append(Level& level, std::size_t buffer, const std::vector<Index>& values)
    {
        if (!writing || values.empty())
            return {};
        Values converted(level.types[buffer], static_cast<Index>(values.size()));
        visitReal(level.types[buffer], [&]<typename T>(const T*) {
            if constexpr (std::is_integral_v<T>)
                std::transform(values.begin(), values.end(), converted.as<T>().begin(),
                               [](Index value) { return static_cast<T>(value); });
        });
        return append(level, buffer, converted.data(), converted.size());
    }

    Result<void> open(Level& level, H5adWriter& writer, const std::string& place)
    {
        for (std::size_t k = 0; k < level.types.size(); ++k) {
            const hdf5::ArrayInfo& stored = level.node.buffers[k].array.info();
            auto made = writer.array(place + "/" + level.node.buffers[k].name, level.types[k],
                                     level.lengthOf(), stored.rank() == 1 ? &stored : nullptr);
            if (!made)
                return std::move(made).error();
            level.writers.push_back(std::move(*made));
        }
        if (level.node.kind == Kind::Offsets)
            if (auto written = append(level, 0, std::vector<Index>{0}); !written)
                return written;
        for (Level& content : level.contents)
            if (auto made = open(content, writer, place); !made)
                return made;
        return {};
    }

    Result<void> close(Level& level)
    {
        for (ArrayWriter& writer : level.writers)
            if (auto finished = writer.finish(); !finished)
                return finished;
        level.writers.clear();
        for (Level& content : level.contents)
            if (auto closed = close(content); !closed)
                return closed;
        return {};
    }

    Result<Values> read(const Level& level, std::size_t buffer, std::span<const RaggedStretches::Run> runs)
    {
        return readStretches(level.readers[buffer], runs, context.stop);
    }

    Result<void> copyNumbers(Level& level, const RaggedStretches& wanted)
    {
        const Index each = level.node.numbersOfItem();
        RaggedStretches numbers;
        for (const RaggedStretches::Run& run : wanted.runs())
            numbers.add(run.first * each, run.count * each);
        return numbers.forEachWindow([&](const RaggedStretches& window) -> Result<void> {
            auto values = read(level, 0, window.runs());
            if (!values)
                return std::move(values).error();
            return append(level, 0, values->data(), values->size());
        });
    }

    Result<void> offsets(Level& level, const RaggedStretches& window)
    {
        Level& content = level.contents.front();
        RaggedStretches below;
        std::vector<Index> ends;
        {
            // One more than there are lists, for each stretch of them.
            std::vector<RaggedStretches::Run> fences;
            for (const RaggedStretches::Run& run : window.runs())
                fences.push_back({run.first, run.count + 1});
            auto stored = read(level, 0, fences);
            if (!stored)
                return std::move(stored).error();
            Index place = 0;
            for (const RaggedStretches::Run& run : window.runs()) {
                for (Index i = 0; i < run.count; ++i, ++place) {
                    const Index begin = stored->integer(place);
                    const Index end = stored->integer(place + 1);
                    if (auto added = list(level, below, run.first + i, begin, end); !added)
                        return added;
                    ends.push_back(content.items + below.count());
                }
                ++place;
            }
        }
        if (auto written = append(level, 0, ends); !written)
            return written;
        return pick(content, below);
    }

    Result<void> spans(Level& level, const RaggedStretches& window)
    {
        Level& content = level.contents.front();
        RaggedStretches below;
        std::vector<Index> starts;
        std::vector<Index> stops;
        {
            auto begins = read(level, 0, window.runs());
            if (!begins)
                return std::move(begins).error();
            auto ends = read(level, 1, window.runs());
            if (!ends)
                return std::move(ends).error();
            Index place = 0;
            for (const RaggedStretches::Run& run : window.runs())
                for (Index i = 0; i < run.count; ++i, ++place) {
                    starts.push_back(content.items + below.count());
                    if (auto added = list(level, below, run.first + i, begins->integer(place),
                                          ends->integer(place));
                        !added)
                        return added;
                    stops.push_back(content.items + below.count());
                }
        }
        if (auto written = append(level, 0, starts); !written)
            return written;
        if (auto written = append(level, 1, stops); !written)
            return written;
        return pick(content, below);
    }

    Result<void> list(const Level& level, RaggedStretches& below, Index number, Index begin, Index end)
    {
        if (end < begin)
            return outside("list " + grouped(number) + " of \"" + level.node.key
                           + "\" ends before it begins");
        below.add(begin, end - begin); // an empty list may lie anywhere
        return {};
    }

    Result<void> indices(Level& level, const RaggedStretches& window)
    {
        const bool option = level.node.kind == Kind::IndexedOption;
        const bool categorical = isCategorical(level.node);
        Level& content = level.contents.front();
        RaggedStretches below;
        std::vector<Index> places;
        {
            auto stored = read(level, 0, window.runs());
            if (!stored)
                return std::move(stored).error();
            for (Index i = 0; i < stored->size(); ++i) {
                const Index index = stored->integer(i);
                if (index < 0 && option) {
                    places.push_back(-1);
                    continue;
                }
                if (index < 0 || index >= content.node.length)
                    return noItem(content, index);
                places.push_back(categorical ? index : content.items + below.count());
                level.largest = std::max(level.largest, index);
                if (!categorical)
                    below.add(index, 1);
            }
        }
        if (auto written = append(level, 0, places); !written)
            return written;
        return pick(content, below);
    }

    Result<void> kinds(Level& level, const RaggedStretches& window)
    {
        std::vector<RaggedStretches> below(level.contents.size());
        std::vector<Index> places;
        auto tags = read(level, 0, window.runs());
        if (!tags)
            return std::move(tags).error();
        auto stored = read(level, 1, window.runs());
        if (!stored)
            return std::move(stored).error();
        for (Index i = 0; i < tags->size(); ++i) {
            const Index tag = tags->integer(i);
            if (tag < 0 || tag >= static_cast<Index>(below.size()))
                return outside("it is said to be of kind " + std::to_string(tag) + " of \""
                               + level.node.key + "\", which has " + std::to_string(below.size()));
            const Level& content = level.contents[at(tag)];
            const Index index = stored->integer(i);
            if (index < 0 || index >= content.node.length)
                return noItem(content, index);
            places.push_back(content.items + below[at(tag)].count());
            below[at(tag)].add(index, 1);
        }
        if (writing)
            if (auto written = append(level, 0, tags->data(), tags->size()); !written)
                return written;
        if (auto written = append(level, 1, places); !written)
            return written;
        for (std::size_t k = 0; k < below.size(); ++k)
            if (auto picked = pick(level.contents[k], below[k]); !picked)
                return picked;
        return {};
    }

    Result<void> bytes(Level& level, const RaggedStretches& window)
    {
        if (writing) {
            auto mask = read(level, 0, window.runs());
            if (!mask)
                return std::move(mask).error();
            if (auto written = append(level, 0, mask->data(), mask->size()); !written)
                return written;
        }
        return pick(level.contents.front(), window);
    }

    Result<void> bits(Level& level, const RaggedStretches& window)
    {
        if (writing)
            if (auto written = copyBits(level, window); !written)
                return written;
        return pick(level.contents.front(), window);
    }

    Result<void> copyBits(Level& level, const RaggedStretches& window)
    {
        std::vector<RaggedStretches::Run> around;
        for (const RaggedStretches::Run& run : window.runs())
            around.push_back({run.first / 8, (run.first + run.count - 1) / 8 - run.first / 8 + 1});
        auto stored = read(level, 0, around);
        if (!stored)
            return std::move(stored).error();
        const auto place = [&](Index bit) {
            return static_cast<unsigned>(level.node.lowBitFirst ? bit % 8 : 7 - bit % 8);
        };
        std::vector<std::byte> made;
        Index next = level.bitsWritten;
        Index begin = 0;
        for (std::size_t r = 0; r < around.size(); ++r) {
            const RaggedStretches::Run& run = window.runs()[r];
            for (Index i = run.first; i < run.first + run.count; ++i) {
                const auto byte = static_cast<unsigned>(stored->integer(begin + i / 8 - around[r].first));
                level.bits |= (byte >> place(i) & 1U) << place(next);
                if (++next % 8 == 0)
                    made.push_back(static_cast<std::byte>(std::exchange(level.bits, 0U)));
            }
            begin += around[r].count;
        }
        level.bitsWritten = next;
        return made.empty() ? Result<void>() : append(level, 0, made.data(), static_cast<Index>(made.size()));
    }
};

RaggedCut::RaggedCut() = default;
RaggedCut::RaggedCut(RaggedCut&&) noexcept = default;
RaggedCut& RaggedCut::operator=(RaggedCut&&) noexcept = default;
RaggedCut::~RaggedCut() = default;

Index RaggedCut::memory(const Element& element)
{
    auto root = AwkwardNode::read(element);
    return root ? memoryOf(*root) : 0;
}

Result<RaggedCut> RaggedCut::plan(const Element& element, const Selection& rows,
                                  const ExportContext& context)
{
    auto root = AwkwardNode::read(element);
    if (!root)
        return std::move(root).error();
    if (rows.extent() != element.awkwardLength)
        return Error(ErrorCode::Corrupt, "It has " + grouped(element.awkwardLength)
                                             + " rows, and the view is one of " + grouped(rows.extent()) + ".")
            .at(element.path);
    RaggedCut cut;
    auto memory = context.reading->budget().reserve(MemoryTag::Job, memoryOf(*root));
    if (!memory)
        return std::move(memory).error().at(element.path).within("cutting the ragged array "
                                                                 + element.path);
    cut.m_memory = std::move(*memory);
    cut.m_path = element.path;
    cut.m_form = element.awkwardForm;
    cut.m_rows = rows;
    const std::vector<std::string> named = namesOf(*root);
    for (const ElementPart& part : element.parts)
        if (std::find(named.begin(), named.end(), part.name) == named.end())
            cut.m_unnamed.push_back(part.name);
    cut.m_root = std::make_unique<Level>(std::move(*root), context, element.path);
    Work work{context, cut.m_path};
    if (auto passed = cut.pass(work); !passed)
        return std::move(passed).error();
    std::vector<std::string> widened;
    cut.m_root->settle(widened);
    if (!widened.empty())
        cut.m_form = widenedForm(cut.m_form, widened);
    return cut;
}

Result<void> RaggedCut::write(H5adWriter& writer, const std::string& path, const ExportContext& context)
{
    Work work{context, m_path, true};
    if (auto made = work.open(*m_root, writer, path); !made)
        return made;
    if (auto passed = pass(work); !passed)
        return passed;
    return work.close(*m_root);
}

// All rows, window by window.
Result<void> RaggedCut::pass(Work& work)
{
    m_root->rewind();
    const Index rows = m_rows.size();
    for (Index first = 0; first < rows; first += RaggedStretches::kWindow) {
        const Index count = std::min(RaggedStretches::kWindow, rows - first);
        RaggedStretches window;
        m_rows.forEach(first, count, [&](Index position) { window.add(position, 1); });
        auto picked = work.pick(*m_root, window);
        if (!picked && picked.error().code() == ErrorCode::Corrupt && !work.writing)
            return withRow(std::move(picked).error(), work, first, count);
        if (!picked)
            return picked;
    }
    if (auto finished = work.finish(*m_root); !finished)
        return finished;
    return {};
}

// The same fault, in the first of these rows that has it by itself.
Error RaggedCut::withRow(Error why, Work& work, Index first, Index count)
{
    for (Index k = first; k < first + count; ++k) {
        RaggedStretches one;
        one.add(m_rows[k], 1);
        auto picked = work.pick(*m_root, one);
        if (!picked && picked.error().code() == ErrorCode::Corrupt)
            return Error(ErrorCode::Corrupt, "Row " + grouped(m_rows[k]) + " cannot be followed: "
                                                 + picked.error().message() + ".")
                .at(m_path);
    }
    return why;
}

} // namespace cellfolio
