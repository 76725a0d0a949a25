// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/impute/gene_matching.h"

#include "core/anndata/column_reader.h"
#include "core/base/text.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace cellfolio::impute {

namespace {

// Lower-case beginnings (MERSCOPE, Xenium, CosMx, seqFISH, smFISH).
constexpr std::string_view kProbeBeginnings[] = {
    "blank-", "blank_", "negcontrol", "negprb", "negative", "neg_ctrl", "antisense_", "unassignedcodeword",
    "deprecatedcodeword", "genomiccontrol", "systemcontrol", "falsecode", "intergenic_region"};

std::string listed(const std::vector<std::string>& names)
{
    std::string text;
    for (std::size_t k = 0; k < std::min(names.size(), std::size_t{10}); ++k)
        text += (k > 0 ? ", " : "") + names[k];
    return names.size() > 10 ? text + " …" : text;
}

// The number of each name; the ones that stand more than once besides.
struct Named {
    std::unordered_map<std::string, Index> place;
    std::unordered_set<std::string> repeated;
};

Named numbered(const std::vector<std::string>& names, NameCase nameCase)
{
    Named named;
    for (std::size_t k = 0; k < names.size(); ++k) {
        if (names[k].empty())
            continue;
        std::string key = nameCase == NameCase::Ignored ? lowerCase(names[k]) : names[k];
        if (!named.place.emplace(key, static_cast<Index>(k)).second)
            named.repeated.insert(std::move(key));
    }
    return named;
}

Index sharedCount(const std::vector<std::string>& x, const std::vector<std::string>& y,
                  NameCase nameCase)
{
    const Named left = numbered(x, nameCase);
    const Named right = numbered(y, nameCase);
    return std::count_if(left.place.begin(), left.place.end(),
                         [&](const auto& entry) { return right.place.contains(entry.first); });
}

} // namespace

std::string lowerCase(std::string text)
{
    for (char& c : text)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return text;
}

bool isControlProbe(const std::string& name)
{
    const std::string lower = lowerCase(name);
    return std::any_of(std::begin(kProbeBeginnings), std::end(kProbeBeginnings),
                       [&](std::string_view begin) { return lower.starts_with(begin); });
}

Result<std::vector<std::string>> geneNames(const std::shared_ptr<const Dataset>& dataset,
                                           const Element& matrix, const std::string& column,
                                           const Selection& genes,
                                           const std::shared_ptr<Reading>& reading,
                                           std::stop_token stop)
{
    const Element* table = dataset->namesOf(matrix, 1);
    if (table == nullptr)
        return Error(ErrorCode::NotFound, "The genes of " + matrix.path + " have no table of names.")
            .at(matrix.path);
    const Element* named = column.empty() ? nullptr : table->child(column);
    if (named == nullptr)
        return readNames(dataset, *table, genes, reading, stop);
    auto reader = ColumnReader::open(dataset, *named, reading);
    if (!reader)
        return std::move(reader).error();
    auto values = reader->read(genes, stop);
    if (!values)
        return std::move(values).error();
    std::vector<std::string> names;
    for (Index k = 0; k < values->size(); ++k)
        names.push_back(values->text(k));
    return names;
}

Result<GeneMatch> matchGenes(const std::vector<std::string>& spatial,
                             const std::vector<std::string>& reference, NameCase nameCase)
{
    const Named here = numbered(spatial, nameCase);
    const Named there = numbered(reference, nameCase);
    GeneMatch match;
    std::vector<std::string> twice;
    for (std::size_t k = 0; k < reference.size(); ++k) {
        if (reference[k].empty())
            continue;
        const std::string key =
            nameCase == NameCase::Ignored ? lowerCase(reference[k]) : reference[k];
        const auto found = here.place.find(key);
        if (found == here.place.end())
            continue;
        if (isControlProbe(reference[k])) {
            ++match.probes;
            continue;
        }
        if (here.repeated.contains(key) || there.repeated.contains(key)) {
            if (std::find(twice.begin(), twice.end(), reference[k]) == twice.end())
                twice.push_back(reference[k]);
            continue;
        }
        match.spatial.push_back(found->second);
        match.reference.push_back(static_cast<Index>(k));
        match.names.push_back(reference[k]);
    }
    if (!twice.empty())
        return Error(ErrorCode::Ambiguous,
                     counted(static_cast<Index>(twice.size()), "shared gene name stands",
                             "shared gene names stand")
                         + " more than once in a file: " + listed(twice) + ".")
            .advise("Match by a column with unique names (--genes-by), or choose the genes with "
                    "--reference-var and --spatial-var.");
    const Index folded =
        nameCase == NameCase::Ignored ? match.size() : sharedCount(spatial, reference, NameCase::Ignored);
    match.onlyIgnoringCase = std::max(Index{0}, folded - match.size() - match.probes);
    if (match.size() == 0) {
        std::string message = "The two files share no gene name";
        if (!spatial.empty() && !reference.empty())
            message += " (" + spatial.front() + " … there, " + reference.front() + " … here)";
        message += nameCase == NameCase::Matters && folded > 0
                     ? "; " + grouped(folded) + " if case is ignored."
                     : ".";
        return Error(ErrorCode::NotFound, message)
            .advise(folded > 0 && nameCase == NameCase::Matters
                        ? "Try --ignore-case."
                        : "Match by another column of var (--genes-by), or by an obsm of both "
                          "(--features obsm:KEY).");
    }
    return match;
}

} // namespace cellfolio::impute
