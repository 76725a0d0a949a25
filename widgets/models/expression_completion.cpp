// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/expression_completion.h"

#include "core/anndata/column_reader.h"
#include "core/query/lexer.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/models/element_text.h"
#include "widgets/models/name_search.h"

#include <algorithm>
#include <array>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

using Kind = CompletionPlace::Kind;

// A piece of an expression that need not be whole: the lexer of the language asks for closed quotes.
struct Piece {
    enum class Kind { Word, Quoted, Text, Number, Symbol };
    Kind kind = Kind::Symbol;
    QString text;
    int from = 0;
    int end = 0;
    bool closed = true; // quotes
};

bool startsWord(QChar c)
{
    return c.isLetter() || c == u'_' || c.unicode() >= 0x80;
}

bool continuesWord(QChar c)
{
    return startsWord(c) || c.isDigit() || c == u'.';
}

Piece quotedPiece(const QString& text, int from)
{
    const QChar quote = text[from];
    Piece piece{quote == u'"' ? Piece::Kind::Text : Piece::Kind::Quoted, {}, from, from + 1, false};
    while (piece.end < text.size()) {
        const QChar c = text[piece.end++];
        const QChar next = piece.end < text.size() ? text[piece.end] : QChar();
        if (quote == u'"' && c == u'\\' && (next == u'"' || next == u'\\')) {
            piece.text += next;
            ++piece.end;
        } else if (quote == u'`' && c == u'`' && next == u'`') {
            piece.text += c;
            ++piece.end;
        } else if (c == quote) {
            piece.closed = true;
            break;
        } else {
            piece.text += c;
        }
    }
    return piece;
}

std::vector<Piece> piecesOf(const QString& text)
{
    std::vector<Piece> pieces;
    for (int at = 0; at < text.size();) {
        const QChar c = text[at];
        if (c.isSpace()) {
            ++at;
            continue;
        }
        Piece piece{Piece::Kind::Symbol, c, at, at + 1, true};
        const auto grow = [&](auto belongs) {
            while (piece.end < text.size() && belongs(text[piece.end]))
                ++piece.end;
            piece.text = text.mid(at, piece.end - at);
        };
        if (c == u'"' || c == u'`') {
            piece = quotedPiece(text, at);
        } else if (startsWord(c)) {
            piece.kind = Piece::Kind::Word;
            grow(continuesWord);
        } else if (c.isDigit() || c == u'.') {
            piece.kind = Piece::Kind::Number;
            grow([](QChar d) { return d.isDigit() || d == u'.' || d == u'e' || d == u'E'; });
        } else if (QStringView(u"=!<>~").contains(c)) {
            grow([](QChar d) { return QStringView(u"=<>*").contains(d); });
        }
        at = piece.end;
        pieces.push_back(std::move(piece));
    }
    return pieces;
}

bool isWord(const Piece& piece, QStringView word)
{
    return piece.kind == Piece::Kind::Word && piece.text == word;
}

bool isSymbol(const Piece& piece, QStringView symbol)
{
    return piece.kind == Piece::Kind::Symbol && piece.text == symbol;
}

const Element* columnOf(const Piece& piece, const Element& table)
{
    const bool named = piece.kind == Piece::Kind::Quoted
        || (piece.kind == Piece::Kind::Word && !isReservedWord(toStdString(piece.text)));
    return named ? table.child(toStdString(piece.text)) : nullptr;
}

// The column that a value behind these pieces is compared with; null: no value stands here.
const Element* comparedColumn(const std::vector<Piece>& before, const Element& table)
{
    std::size_t i = before.size();
    if (i == 0)
        return nullptr;
    // In a list: back to its bracket, over whole values and commas.
    if (isSymbol(before[i - 1], u"[") || isSymbol(before[i - 1], u",")) {
        while (i > 0 && !isSymbol(before[i - 1], u"["))
            --i;
        if (i < 2 || !isWord(before[i - 2], u"in"))
            return nullptr;
        i -= 2;
        if (i > 0 && isWord(before[i - 1], u"not"))
            --i;
        return i > 0 ? columnOf(before[i - 1], table) : nullptr;
    }
    const Piece& last = before[i - 1];
    const bool compares = last.kind == Piece::Kind::Symbol
        && QStringList{u"=="_s, u"="_s, u"!="_s, u"<>"_s, u"<"_s, u"<="_s, u">"_s, u">="_s}.contains(last.text);
    const bool searches = isWord(last, u"contains") || isWord(last, u"startswith") || isWord(last, u"endswith");
    if (!compares && !searches)
        return nullptr;
    --i;
    if (i > 0 && isWord(before[i - 1], u"not"))
        --i;
    return i > 0 ? columnOf(before[i - 1], table) : nullptr;
}

// What an argument of a function is, by the function and the arguments before it.
Kind argumentKind(const std::vector<Piece>& before)
{
    const std::size_t i = before.size();
    if (i >= 2 && isSymbol(before[i - 1], u"(")) {
        const Piece& function = before[i - 2];
        if (isWord(function, u"gene"))
            return Kind::Gene;
        if (isWord(function, u"raw"))
            return Kind::RawGene;
        if (isWord(function, u"layer"))
            return Kind::Layer;
        if (isWord(function, u"obsm"))
            return Kind::ObsmKey;
        if (isWord(function, u"selection"))
            return Kind::Selection;
    }
    if (i >= 4 && isSymbol(before[i - 1], u",") && isSymbol(before[i - 3], u"(") && isWord(before[i - 4], u"layer"))
        return Kind::Gene;
    return Kind::None;
}

// How well a name fits what was typed: 0 begins with it, 1 holds it, 2 not at all.
int fit(const QString& name, const QString& typed)
{
    if (name.startsWith(typed, Qt::CaseInsensitive))
        return 0;
    return name.contains(typed, Qt::CaseInsensitive) ? 1 : 2;
}

class Collector
{
public:
    explicit Collector(const CompletionQuery& query) : m_query(query) {}

    void offer(const QString& name, Completion completion, bool beginsOnly = false)
    {
        const int how = fit(name, m_query.place.typed);
        if (how == 2 || (beginsOnly && how == 1) || m_found[how].size() >= m_query.most)
            return;
        completion.shown = completion.shown.isEmpty() ? name : completion.shown;
        m_found[how].push_back(std::move(completion));
    }

    std::vector<Completion> take()
    {
        std::vector<Completion> all = std::move(m_found[0]);
        for (Completion& more : m_found[1])
            all.push_back(std::move(more));
        if (all.size() > m_query.most)
            all.resize(m_query.most);
        return all;
    }

private:
    const CompletionQuery& m_query;
    std::array<std::vector<Completion>, 2> m_found;
};

// A text as it is written: within its quotes, which are closed unless they are already.
QString textInsert(const CompletionQuery& query, const QString& value, const QString& closing)
{
    QString insert = toQString(quotedText(toStdString(value)));
    const QStringView rest = QStringView(query.text).mid(query.place.to).trimmed();
    for (const QChar c : closing)
        if (!rest.contains(c))
            insert += c;
    return insert;
}

void offerWords(const CompletionQuery& query, Collector& collector)
{
    for (const auto& column : query.table->children)
        if (column->readable)
            collector.offer(toQString(column->name),
                            {{}, columnTypeText(*column), toQString(columnText(column->name)), iconOf(*column)});
    struct Function {
        QStringView name;
        QStringView note;
        bool ofCells;
    };
    static constexpr std::array functions{
        Function{u"gene", u"a gene of X", true},          Function{u"raw", u"a gene of raw", true},
        Function{u"layer", u"a gene of a layer", true},   Function{u"obsm", u"a coordinate", true},
        Function{u"selection", u"a kept view", false}};
    for (const Function& function : functions)
        if (!function.ofCells || query.table == query.dataset->obs())
            collector.offer(function.name.toString(), {function.name.toString() + u"(\"…\")"_s, function.note.toString(),
                                                       function.name.toString() + u"(\""_s, u"helix"_s}, true);
    for (const QStringView word : {u"and", u"or", u"not ", u"in [", u"between ", u"is missing", u"is not missing", u"missing",
                                   u"contains \"", u"startswith \"", u"endswith \"", u"true", u"false", u"name"})
        collector.offer(word.toString().remove(u'"').remove(u'[').trimmed(), {{}, u"word"_s, word.toString(), {}}, true);
    for (const QStringView word : {u"log1p", u"log10", u"log2", u"log", u"exp", u"sqrt", u"abs", u"round", u"min",
                                   u"max", u"mean", u"sd", u"median", u"quantile"})
        collector.offer(word.toString(), {{}, u"function"_s, word.toString() + u"("_s, {}}, true);
}

Result<void> offerCategories(const CompletionQuery& query, Collector& collector,
                             const std::shared_ptr<Reading>& reading, std::stop_token stop)
{
    const Element& column = *query.place.column;
    if (column.column == ColumnKind::Boolean || column.column == ColumnKind::NullableBoolean) {
        for (const QStringView word : {u"true", u"false"})
            if (!query.place.inText)
                collector.offer(word.toString(), {{}, {}, word.toString(), {}});
        return {};
    }
    // A barcode column can be a categorical with as many categories as cells.
    constexpr Index most = 100'000;
    if (column.column != ColumnKind::Categorical || column.categoryCount.value_or(0) > most)
        return {};
    auto reader = ColumnReader::open(query.dataset, column, reading);
    if (!reader)
        return std::move(reader).error();
    auto names = reader->categories(stop);
    if (!names)
        return std::move(names).error();
    const bool numbers = isReal((*names)->type());
    if (numbers && query.place.inText)
        return {};
    for (Index i = 0; i < (*names)->size(); ++i) {
        const QString name = toQString((*names)->text(i));
        collector.offer(name, {{}, {}, numbers ? name : textInsert(query, name, {}), u"tag"_s});
    }
    return {};
}

Result<std::vector<Completion>> genes(const CompletionQuery& query, const std::shared_ptr<Reading>& reading,
                                      std::stop_token stop)
{
    const bool raw = query.place.kind == Kind::RawGene;
    const Element* table = query.dataset->var();
    if (raw) {
        const auto found = query.dataset->find("raw/var");
        table = found ? *found : nullptr;
    }
    std::vector<Completion> list;
    if (table == nullptr || !table->readable || (query.place.typed.isEmpty() && !query.asked))
        return list;
    NameQuery search{query.dataset, table, raw ? query.rawSymbols : query.symbols, toStdString(query.place.typed),
                     query.most};
    auto matches = findNames(search, reading, stop);
    if (!matches)
        return std::move(matches).error();
    for (const NameMatch& match : *matches) {
        const QString name = toQString(match.name);
        const QString symbol = toQString(match.symbol);
        const QString written = symbol.isEmpty() ? name : symbol;
        list.push_back({written, symbol.isEmpty() ? QString() : name, textInsert(query, written, u")"_s), u"helix"_s});
    }
    return list;
}

void offerMembers(const CompletionQuery& query, const char* group, const QString& closing, Collector& collector)
{
    if (const Element* members = query.dataset->root().child(group))
        for (const auto& member : members->children)
            collector.offer(toQString(member->name),
                            {{}, {}, textInsert(query, toQString(member->name), closing), iconOf(*member)});
}

} // namespace

CompletionPlace completionPlace(const QString& text, int caret, const Element& table)
{
    CompletionPlace place;
    place.from = place.to = caret;
    std::vector<Piece> before;
    for (Piece& piece : piecesOf(text)) {
        const bool open = piece.kind == Piece::Kind::Text || piece.kind == Piece::Kind::Quoted
            ? piece.from < caret && (caret < piece.end || (!piece.closed && caret == piece.end))
            : piece.kind == Piece::Kind::Word && piece.from < caret && caret <= piece.end;
        if (open) {
            place.from = piece.from;
            place.to = piece.closed ? piece.end : caret; // an open quote runs to the end of the text
            place.inText = piece.kind == Piece::Kind::Text;
            const int skip = piece.kind == Piece::Kind::Word ? 0 : 1;
            place.typed = text.mid(piece.from + skip, caret - piece.from - skip);
            break;
        }
        if (piece.kind == Piece::Kind::Number && piece.from < caret && caret <= piece.end)
            return place;
        if (piece.from >= caret)
            break;
        before.push_back(std::move(piece));
    }
    place.column = comparedColumn(before, table);
    if (place.column != nullptr) {
        place.kind = Kind::Category;
    } else if (place.inText) {
        place.kind = argumentKind(before);
    } else {
        place.kind = Kind::Word;
    }
    return place;
}

Result<std::vector<Completion>> completionsFor(const CompletionQuery& query,
                                               const std::shared_ptr<Reading>& reading, std::stop_token stop)
{
    Collector collector(query);
    switch (query.place.kind) {
    case Kind::None:
        break;
    case Kind::Word:
        if (!query.place.typed.isEmpty() || query.asked)
            offerWords(query, collector);
        break;
    case Kind::Category:
        if (auto offered = offerCategories(query, collector, reading, stop); !offered)
            return std::move(offered).error();
        break;
    case Kind::Gene:
    case Kind::RawGene:
        return genes(query, reading, stop);
    case Kind::Layer:
        offerMembers(query, "layers", u","_s, collector);
        break;
    case Kind::ObsmKey:
        offerMembers(query, "obsm", u","_s, collector);
        break;
    case Kind::Selection:
        for (const QString& name : query.selections)
            collector.offer(name, {{}, {}, textInsert(query, name, u")"_s), u"bookmark"_s});
        break;
    }
    return collector.take();
}

} // namespace cellfolio
