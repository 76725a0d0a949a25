// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/anndata/sparse_rules.h"

#include "core/anndata/encoding.h"
#include "core/base/text.h"

#include <algorithm>
#include <limits>

namespace cellfolio {

namespace {

constexpr Index kInt32Max = std::numeric_limits<std::int32_t>::max();

Index majorOf(const Element& element, const std::vector<Index>& shape)
{
    return element.storage == Storage::Csc ? shape[1] : shape[0];
}

// An undescribed matrix may be stored by rows or by columns: the number of pointers tells.
void settleStorage(Element& element, const std::vector<Index>& shape)
{
    if (!element.object || storedEncoding(*element.object).encoding != Encoding::None)
        return;
    const Index pointers = element.indptr.length();
    if (pointers != shape[0] + 1 && pointers == shape[1] + 1)
        element.storage = Storage::Csc;
}

void settleShape(BuildContext& context, Element& element, const ExpectedShape& expected)
{
    const Index pointers = element.indptr ? element.indptr.length() : 0;
    if (!element.shape) {
        if (expected.first && expected.second) {
            element.shape = std::vector<Index>{*expected.first, *expected.second};
            settleStorage(element, *element.shape);
            context
                .report("A029", element.path,
                        "The sparse matrix " + inQuotes(element.path) +
                            " does not say its shape; " + shapeText(*element.shape) +
                            " is taken from the tables.")
                .fix = "Write its shape.";
            return;
        }
        context.refuse("A029", element, ErrorCode::Corrupt,
                       "The sparse matrix " + inQuotes(element.path) +
                           " does not say its shape, and no table tells it.");
        return;
    }
    settleStorage(element, *element.shape);
    if (!expected.first || !expected.second)
        return;
    const std::vector<Index> wanted{*expected.first, *expected.second};
    const Index major = majorOf(element, *element.shape);
    const Index wantedMajor = majorOf(element, wanted);
    const bool minorAgrees = element.storage == Storage::Csc ? (*element.shape)[0] == wanted[0]
                                                             : (*element.shape)[1] == wanted[1];
    if (major != wantedMajor && minorAgrees && pointers == wantedMajor + 1) {
        context
            .report("A029", element.path,
                    "The matrix " + inQuotes(element.path) + " says " + shapeText(*element.shape) +
                        ", the tables say " + shapeText(wanted) +
                        "; its pointers fit the tables, which are taken.")
            .fix = "Write the right shape.";
        element.shape = wanted;
    }
}

void checkPointers(BuildContext& context, Element& element)
{
    const Index values = element.values.length();
    const Index indices = element.indices.length();
    const bool narrow = element.indptr.dtype() == DType::Int32;
    if (values != indices)
        context.refuse("A033", element, ErrorCode::Corrupt,
                       "The matrix " + inQuotes(element.path) + " stores " + grouped(values) +
                           " values but " + grouped(indices) + " indices.");
    const auto ends = context.ends(element.indptr, element.path);
    if (!ends)
        return;
    const auto [first, last] = *ends;
    if (first != 0)
        context.refuse("A031", element, ErrorCode::Corrupt,
                       "The pointers (indptr) of " + inQuotes(element.path) + " start at " +
                           std::to_string(first) + ", not at 0.");
    if (last < 0) {
        context.refuse("A036", element, ErrorCode::Corrupt,
                       "The row pointers of " + inQuotes(element.path) +
                           " overflowed 32 bits when this file was written (the last is " +
                           std::to_string(last) + "); later rows are unreadable as they stand.");
        return;
    }
    if (narrow && last == kInt32Max && values != kInt32Max) {
        // The line in front of the first such pointer is the first whose end is lost.
        const bool columns = element.storage == Storage::Csc;
        const auto stuck = context.firstNotBelow(element.indptr, kInt32Max);
        const std::string from =
            stuck ? std::string(columns ? ", from column " : ", from row ") +
                        std::to_string(std::max<Index>(*stuck - 1, 0)) + " on"
                  : std::string();
        context.refuse("A036", element, ErrorCode::Corrupt,
                       std::string(columns ? "The column" : "The row") + " pointers of " +
                           inQuotes(element.path) +
                           " are stuck at 2147483647, the most that 32 bits hold" + from +
                           "; what follows is unreadable as it stands.");
    }
    if (values != indices)
        return;
    const Index stored = values;
    if (last > stored) {
        context.refuse("A033", element, ErrorCode::Corrupt,
                       "The matrix " + inQuotes(element.path) + " claims " + grouped(last) +
                           " values and stores " + grouped(stored) + ".");
    } else if (last < stored) {
        Finding& finding = context.report("A033", element.path,
                                          grouped(stored - last) + " stored values of " +
                                              inQuotes(element.path) + " belong to no row.");
        finding.severity = Severity::Warning;
        finding.fix = "Cut them off.";
        finding.fixable = true;
        finding.count = stored - last;
    }
}

void checkTypes(BuildContext& context, Element& element)
{
    const DType indices = element.indices.dtype();
    const DType indptr = element.indptr.dtype();
    for (const auto& [array, type] : {std::pair{"indices", indices}, std::pair{"indptr", indptr}})
        if (!isInteger(type))
            context.refuse("A035", element, ErrorCode::UnsupportedEncoding,
                           "The array \"" + std::string(array) + "\" of " + inQuotes(element.path) +
                               " holds no whole numbers (" + std::string(nameOf(type)) + ").");
    if (!element.readable)
        return;
    const std::string types = std::string(nameOf(indices)) + " and " + std::string(nameOf(indptr));
    if (indices == DType::UInt64 || indptr == DType::UInt64)
        context
            .report("A035", element.path,
                    "The index types of " + inQuotes(element.path) + " are " + types +
                        ": scipy cannot use the matrix at all.")
            .severity = Severity::Error;
    else if (indices != indptr || isUnsignedInteger(indices))
        context.report("A035", element.path,
                       "The index types of " + inQuotes(element.path) + " are " + types +
                           ": scipy cannot select columns.");
    if (!element.dtype)
        return;
    if (*element.dtype == DType::Float16 || isComplex(*element.dtype))
        context.report("A037", element.path,
                       "The sparse matrix " + inQuotes(element.path) + " holds " +
                           std::string(nameOf(*element.dtype)) +
                           " values, which most programs cannot use.");
    else if (!isReal(*element.dtype))
        context.refuse("A037", element, ErrorCode::UnsupportedEncoding,
                       "The sparse matrix " + inQuotes(element.path) + " does not hold numbers.");
}

} // namespace

std::string shapeText(const std::vector<Index>& shape)
{
    std::string text;
    for (const Index extent : shape)
        text += (text.empty() ? "" : " × ") + grouped(extent);
    return text;
}

void checkSparse(BuildContext& context, Element& element, const ExpectedShape& expected)
{
    settleShape(context, element, expected);
    if (!element.indptr || !element.indices || !element.values || !element.shape ||
        element.indptr.info().rank() != 1 || element.indices.info().rank() != 1 ||
        element.values.info().rank() != 1)
        return; // A028 has been said
    const Index major = majorOf(element, *element.shape);
    const Index pointers = element.indptr.length();
    if (pointers != major + 1)
        context.refuse("A030", element, ErrorCode::Corrupt,
                       "The matrix " + inQuotes(element.path) + " has " + grouped(pointers) +
                           " pointers (indptr) for " + grouped(major) +
                           (element.storage == Storage::Csc ? " columns" : " rows") +
                           "; there should be " + grouped(major + 1) + ".");
    checkTypes(context, element);
    if (pointers == major + 1)
        checkPointers(context, element);
}

} // namespace cellfolio
