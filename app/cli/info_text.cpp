// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/info_text.h"

#include "app/cli/element_json.h"
#include "app/cli/failure.h"
#include "app/cli/text_table.h"
#include "app/cli/value_text.h"
#include "core/base/text.h"

namespace cellfolio::cli {
namespace {

// Members of one table or mapping that are listed before the rest is only counted.
constexpr std::size_t kMembers = 60;

std::string lengthText(std::optional<Index> n, std::string_view what)
{
    return n ? grouped(*n) + " " + std::string(what) : "? " + std::string(what);
}

std::string headline(const Dataset& dataset)
{
    std::string text(nameOf(dataset.format()));
    if (dataset.generation())
        text += " " + *dataset.generation();
    text += " · " + lengthText(dataset.nObs(), "obs") + " × " + lengthText(dataset.nVars(), "var");
    return text + " · " + byteText(dataset.file().size());
}

std::string storageText(const Element& element)
{
    std::string text;
    const auto add = [&text](const std::string& part) {
        text += (text.empty() || part.empty() ? "" : ", ") + part;
    };
    if (element.isSparse() && element.stored)
        add(grouped(*element.stored) + " stored");
    if (element.values) {
        for (const hdf5::Filter& filter : element.values.info().filters)
            add(filter.text());
    }
    if (element.bigEndian)
        add("big-endian");
    if (!element.aliasOf.empty())
        add("stored as " + element.aliasOf);
    if (element.linkType == "soft")
        add("link to " + element.linkTarget);
    return text;
}

class InfoText
{
public:
    InfoText(Session& session, const std::shared_ptr<const Dataset>& dataset)
        : m_session(session), m_dataset(dataset)
    {
    }

    Result<void> members(const Element& parent, std::size_t indent)
    {
        std::size_t listed = 0;
        for (const auto& child : parent.children) {
            if (auto on = m_session.mayGoOn(); !on)
                return on;
            if (listed++ == kMembers && parent.children.size() > kMembers + 5) {
                m_table.row({std::string(indent, ' ') + "… " +
                             grouped(narrow<Index>(parent.children.size() - kMembers)) + " more"});
                break;
            }
            line(*child, indent);
            if (auto below = members(*child, indent + 2); !below)
                return below;
        }
        return {};
    }

    void write() { m_table.write(m_session.output); }

private:
    void line(const Element& element, std::size_t indent)
    {
        std::string what = element.kind == ElementKind::Table && element.shape
                             ? "table " + shapeText(*element.shape)
                             : shortKind(element);
        if (!element.readable && element.whyNot)
            what += " (cannot be shown)";
        std::string more = storageText(element);
        if (const auto holds = holdsOf(m_session, m_dataset, element))
            more += (more.empty() ? "" : ", ") + holds->text();
        if (m_session.arguments.has("sizes")) {
            const auto bytes = storedBytes(m_session, *m_dataset, element);
            if (bytes && *bytes)
                more += (more.empty() ? "" : ", ") + byteText(**bytes);
        }
        m_table.row({std::string(indent, ' ') + element.name, what, more});
    }

    Session& m_session;
    const std::shared_ptr<const Dataset>& m_dataset;
    TextTable m_table;
};

} // namespace

std::string findingText(const Finding& finding)
{
    std::string text = finding.id + " " + std::string(nameOf(finding.severity)) + "  "
                     + (finding.element == "/" ? std::string() : finding.element + ": ")
                     + finding.message;
    if (!finding.fix.empty())
        text += "\n      " + finding.fix;
    return toUtf8(text);
}

Result<void> writeInfoText(Session& session, const std::shared_ptr<const Dataset>& dataset)
{
    Output& output = session.output;
    output.write(toUtf8(dataset->location()) + "\n" + headline(*dataset) + "\n");
    if (!dataset->modalities().empty()) {
        TextTable modalities;
        for (const Modality& modality : dataset->modalities())
            modalities.row({"  " + modality.name, lengthText(modality.nObs, "obs"),
                            lengthText(modality.nVars, "var")});
        modalities.write(output);
    }
    output.write('\n');
    InfoText text(session, dataset);
    if (auto members = text.members(dataset->root(), 0); !members)
        return members;
    text.write();
    if (!dataset->findings().empty()) {
        output.write("\n" +
                     counted(narrow<Index>(dataset->findings().size()), "finding", "findings") +
                     "\n");
        for (const Finding& finding : dataset->findings())
            output.write("  " + findingText(finding) + "\n");
    }
    return {};
}

} // namespace cellfolio::cli
