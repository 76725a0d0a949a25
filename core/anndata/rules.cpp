// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/anndata/rules.h"

#include <array>
#include <cassert>

namespace cellfolio {

namespace {

struct Rule {
    std::string_view id;
    Severity severity;
    bool fixable;
    std::string_view fix;
};

constexpr Severity kError = Severity::Error;
constexpr Severity kWarning = Severity::Warning;
constexpr Severity kInfo = Severity::Info;

constexpr std::array kRules{
    Rule{"A001", kError, false, "Copy the file again from its source."},
    Rule{"A002", kWarning, false,
         "Close the other program; if it crashed, clear the flag (h5clear -s) on a copy."},
    Rule{"A003", kInfo, true, "Modernize it when other programs must read it."},
    Rule{"A004", kInfo, true, "Import it as h5ad to change it."},
    Rule{"A005", kError, true, "Restore the table, or create one with numbered names."},
    Rule{"A006", kError, false, ""},
    Rule{"A007", kError, true, "Point \"_index\" at the column that holds the row names."},
    Rule{"A008", kError, true, "Remove it from the list."},
    Rule{"A009", kWarning, true, "Add it to the list, or remove it from the table."},
    Rule{"A010", kError, false, ""},
    Rule{"A011", kError, true, "List it once."},
    Rule{"A012", kWarning, true, "Rename one of them."},
    Rule{"A013", kError, true, "Rename it."},
    Rule{"A014", kWarning, true, "Rename it."},
    Rule{"A015", kWarning, true, "It is kept as it is; remove it if anndata must open the file."},
    Rule{"A016", kWarning, true, "Add the description."},
    Rule{"A017", kError, false, ""},
    Rule{"A018", kError, true, "Set these rows to missing."},
    Rule{"A019", kError, true, "Merge the repeated categories."},
    Rule{"A020", kError, true, "Remove the missing category; its rows become missing."},
    Rule{"A022", kError, true, "Add a mask that says nothing is missing."},
    Rule{"A023", kError, true, "Declare the text as UTF-8, or decode it as Latin-1."},
    Rule{"A024", kInfo, true, "Nothing needs to be done; it can be stored with variable width."},
    Rule{"A025", kWarning, true, "Number the empty names."},
    Rule{"A026", kInfo, true, "Nothing needs to be done; the names can be stored as text."},
    Rule{"A028", kError, false, "Get the matrix again from its source."},
    Rule{"A029", kError, false, ""},
    Rule{"A030", kError, false, "Get the matrix again from its source."},
    Rule{"A031", kError, false, "Get the matrix again from its source."},
    Rule{"A032", kError, false, "Get the matrix again from its source."},
    Rule{"A033", kError, false, "Get the matrix again from its source."},
    Rule{"A034", kError, false, "Get the matrix again from its source."},
    Rule{"A035", kWarning, true, "Convert the index types."},
    Rule{"A036", kError, false, "Write the file again with a newer anndata from the source data."},
    Rule{"A037", kWarning, true, "Convert the values to another type."},
    Rule{"A038", kError, false, ""},
    Rule{"A039", kError, false, "Write this element again with one row for each of the data set."},
    Rule{"A040", kWarning, true, "Store it with a second axis of length 1."},
    Rule{"A041", kError, false, "Write raw again from data of the same observations."},
    Rule{"A042", kError, true, "Keep the newer one."},
    Rule{"A043", kInfo, true, "Remove it."},
    Rule{"A044", kInfo, true, "Write the file for anndata 0.8 and later."},
    Rule{"A045", kError, false,
         "Write the file again with gzip, or install a reader that has this filter."},
    Rule{"A046", kError, true, "Remove the link."},
    Rule{"A047", kError, true, "Link the column to its category list again."},
    Rule{"A048", kInfo, false, ""},
    Rule{"A049", kInfo, true, "Store them as booleans named FALSE and TRUE."},
    Rule{"A051", kWarning, true, "Give the table the row names of the data set."},
    Rule{"A053", kWarning, true, "Write the array again in chunks of 64 KiB to 1 MiB."},
    Rule{"A054", kInfo, true, "Repack the file."},
    Rule{"A055", kError, true, "Move it to uns, or remove it."},
    Rule{"A056", kError, false, "Copy the file again from its source."},
};

} // namespace

Finding makeFinding(std::string_view id, std::string element, std::string message)
{
    Finding finding;
    finding.id = std::string(id);
    finding.element = std::move(element);
    finding.message = std::move(message);
    for (const Rule& rule : kRules) {
        if (rule.id == id) {
            finding.severity = rule.severity;
            finding.fixable = rule.fixable;
            finding.fix = std::string(rule.fix);
            return finding;
        }
    }
    assert(false && "unknown rule");
    return finding;
}

std::string findingElement(const std::string& path)
{
    return path.empty() ? "/" : path;
}

} // namespace cellfolio
