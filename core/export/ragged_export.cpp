// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/ragged_export.h"

#include "core/base/text.h"

#include <cctype>

namespace cellfolio {

namespace {

// A sentence as it stands behind a colon.
std::string asReason(std::string sentence)
{
    if (!sentence.empty())
        sentence.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(sentence.front())));
    return sentence;
}

} // namespace

Result<std::optional<RaggedCut>> RaggedExport::planned(const Element& element)
{
    const Selection rows = m_run.along(element, 0).value_or(Selection::all(element.awkwardLength));
    auto cut = RaggedCut::plan(element, rows, m_run.context);
    if (cut)
        return std::optional(std::move(*cut));
    const ErrorCode code = cut.error().code();
    if (code != ErrorCode::Corrupt && code != ErrorCode::UnsupportedEncoding)
        return std::move(cut).error();
    m_run.drop(element, "it is a ragged array that cannot follow the view: " + asReason(cut.error().message()));
    return std::optional<RaggedCut>();
}

Result<bool> RaggedExport::canWrite(const Element& element)
{
    auto cut = planned(element);
    if (!cut)
        return std::move(cut).error();
    return cut->has_value();
}

Result<bool> RaggedExport::write(const Element& element, const std::string& path)
{
    auto found = planned(element);
    if (!found)
        return std::move(found).error();
    if (!*found)
        return false;
    RaggedCut& cut = **found;
    if (auto opened = openGroup(element, path); !opened)
        return std::move(opened).error();
    hdf5::OutputFile& file = m_run.writer.file();
    if (auto set = file.setAttribute("/" + path, "form", cut.form()); !set)
        return std::move(set).error();
    if (auto set = file.setAttribute("/" + path, "length", std::int64_t{cut.rows()}); !set)
        return std::move(set).error();
    for (const std::string& name : cut.unnamed()) {
        const std::string whole = joinPath(element.path, name);
        Finding& finding = m_run.found("A015", whole, "\"" + whole + "\" is left out: the form of the ragged array "
                                                      "does not name it, so it cannot follow the view.");
        finding.severity = Severity::Warning;
        finding.fix.clear();
    }
    if (auto written = cut.write(m_run.writer, path, m_run.context); !written)
        return std::move(written).error().within("writing " + element.path);
    return true;
}

Result<void> RaggedExport::openGroup(const Element& element, const std::string& path)
{
    const hdf5::Object* object = element.object;
    if (object != nullptr && object->isGroup() && !object->soft)
        return m_run.copier.copyGroup(*object, "/" + path);
    if (auto made = m_run.writer.file().createGroup("/" + path); !made)
        return made;
    return m_run.writer.describe(path, "awkward-array", "0.1.0");
}

} // namespace cellfolio
