// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/h5ad_walk.h"

#include "core/anndata/encoding.h"
#include "core/anndata/rules.h"
#include "core/base/text.h"
#include "core/export/portal_columns.h"
#include "core/export/ragged_export.h"
#include "core/paging/array_reader.h"

#include <algorithm>

namespace cellfolio {

namespace {

bool isMatrixSlot(const std::string& path)
{
    return path == "X" || path.starts_with("layers/");
}

bool hasUsableIndices(const Element& element)
{
    return element.indices.dtype() == element.indptr.dtype() && isSignedInteger(element.indices.dtype())
        && sizeOf(element.indices.dtype()) >= 4;
}

bool isColumnLike(const Element& element)
{
    return element.column == ColumnKind::Categorical || element.column == ColumnKind::NullableInteger
        || element.column == ColumnKind::NullableBoolean || element.column == ColumnKind::NullableString;
}

// The element's own object, as the format of today has one.
const hdf5::Object* ownObject(const ExportRun& run, const Element& element)
{
    const FileFormat format = run.dataset()->format();
    const bool sameFormat = format == FileFormat::H5ad || format == FileFormat::H5mu;
    return sameFormat && element.object != nullptr && element.values.member < 0 && !element.transposed ? element.object
                                                                                                       : nullptr;
}

bool isUndescribed(const hdf5::Object& object)
{
    return storedEncoding(object).encoding == Encoding::None || object.attribute("encoding-version") == nullptr;
}

} // namespace

H5adWalk::H5adWalk(ExportRun& run)
    : m_run(run), m_tables(run),
      m_matrices({run.dataset(), run.context.reading, run.context.stop, run.context.progress, run.options.temporary}, run.writer)
{
}

Result<void> H5adWalk::run()
{
    if (auto written = m_run.options.isPlainCopy() ? everything() : root(); !written)
        return written;
    std::vector<std::string> lost;
    if (auto finished = m_run.copier.finish(&lost); !finished)
        return finished;
    for (const std::string& path : lost)
        m_run.found("A047", path.substr(1), "\"" + path.substr(1) + "\" referred to something that is not in the new file.");
    return {};
}

// What is not looked at cannot be changed: not even what no element stands for is lost.
Result<void> H5adWalk::everything()
{
    const hdf5::Object& object = *m_run.dataset()->root().object;
    if (auto copied = m_run.copier.copyAttributes(object, "/"); !copied)
        return copied;
    for (const auto& child : object.children)
        if (auto copied = m_run.copier.copy(*child, "/" + child->name); !copied)
            return copied;
    for (const auto& element : m_run.dataset()->root().children)
        m_run.did(element->path, Action::Copied);
    return {};
}

Result<void> H5adWalk::root()
{
    const Element& root = m_run.dataset()->root();
    const bool keeps = m_run.options.profile == Profile::Keep;
    if (const hdf5::Object* object = ownObject(m_run, root))
        if (auto copied = m_run.copier.copyAttributes(
                *object, "/", keeps ? std::vector<std::string>{} : std::vector<std::string>{"encoding-type", "encoding-version"});
            !copied)
            return copied;
    if (!keeps || root.object == nullptr || m_run.dataset()->format() != FileFormat::H5ad)
        if (auto described = m_run.writer.describe("", "anndata", "0.1.0"); !described)
            return described;

    // Graphs of old files lie in uns and answer to obsp: there they can follow the view.
    if (const Element* obsp = root.child("obsp"); obsp != nullptr && !(keeps && m_run.options.view.obs().isAll()))
        for (const auto& graph : obsp->children)
            if (!graph->aliasOf.empty() && m_run.wants(graph->path))
                m_moved.insert(graph->object);

    const Element* raw = m_run.dataset()->raw();
    const bool fromRaw = m_run.options.fromRaw;
    for (const char* name : {"obs", "var"}) {
        const Element* element = fromRaw && name[0] == 'v' ? raw->child("var") : root.child(name);
        const bool sound = element != nullptr && element->kind == ElementKind::Table && element->readable;
        auto written = sound ? table(*element, name)
                             : missingTable(name, name[0] == 'o' ? m_run.options.view.obs().size()
                                                                 : m_run.options.genes().size());
        if (!written)
            return written;
    }
    for (const auto& child : root.children) {
        if (auto on = m_run.mayGoOn(); !on)
            return on;
        const std::string& name = child->name;
        const std::string path = name;
        if (name == "obs" || name == "var")
            continue;
        if (fromRaw && (name == "X" || name == "layers" || name == "varm" || name == "varp" || name == "raw")) {
            if (name != "X" && name != "raw" && m_run.wants(name))
                m_run.drop(*child, "it belongs to the genes of X, and the file is made from raw.", "A041");
            continue;
        }
        if (!m_run.wants(path))
            continue;
        Result<void> written;
        if (name == "X")
            written = aligned(*child, path);
        else if (name == "layers" || name == "obsm" || name == "varm" || name == "obsp" || name == "varp")
            written = mapping(*child, path);
        else if (name == "raw")
            written = this->raw(*child);
        else if (name == "uns")
            written = loose(*child, path);
        else
            written = unreadable(*child, path, m_run.options.view.obs().isAll() && m_run.options.genes().isAll());
        if (!written)
            return written;
    }
    if (!fromRaw)
        return {};
    if (const Element* x = raw->child("X"); x != nullptr && m_run.wants("X"))
        if (auto written = aligned(*x, "X"); !written)
            return written;
    if (const Element* varm = raw->child("varm"); varm != nullptr && m_run.wants("varm"))
        return mapping(*varm, "varm");
    return {};
}

Result<void> H5adWalk::missingTable(const char* name, Index rows)
{
    const Element* stored = m_run.dataset()->root().child(name);
    if (m_run.options.profile == Profile::Keep && stored == nullptr)
        return {};
    if (auto begun = m_run.writer.beginTable(name, {}); !begun)
        return begun;
    auto names = m_run.writer.array(std::string(name) + "/_index", DType::String, rows);
    if (!names)
        return std::move(names).error();
    const Selection& selection = name[0] == 'o' ? m_run.options.view.obs() : m_run.options.genes();
    constexpr Index kWindow = Index{1} << 14;
    for (Index first = 0; first < rows; first += kWindow) {
        std::vector<std::string> texts;
        selection.forEach(first, std::min(kWindow, rows - first), [&](Index p) { texts.push_back(std::to_string(p)); });
        if (auto written = names->append(texts); !written)
            return written;
    }
    Finding& finding = m_run.found("A005", name, std::string("The table ") + name + " of the source "
                                                     + (stored == nullptr ? "is missing" : "cannot be read")
                                                     + "; the new file has one with numbers as names.");
    finding.severity = Severity::Warning;
    m_run.did(name, Action::Created);
    return names->finish();
}

Result<void> H5adWalk::table(const Element& element, const std::string& path)
{
    if (m_tables.canCopy(element, path))
        return copied(element, path);
    if (auto written = m_tables.write(element, path); !written)
        return written;
    m_run.did(path, Action::Rewritten);
    return {};
}

Result<void> H5adWalk::openGroup(const Element& element, const std::string& path, const char* type)
{
    const hdf5::Object* object = ownObject(m_run, element);
    if (object == nullptr || !object->isGroup() || object->soft) {
        if (auto made = m_run.writer.file().createGroup("/" + path); !made)
            return made;
        return m_run.writer.describe(path, type, "0.1.0");
    }
    if (auto made = m_run.copier.copyGroup(*object, "/" + path); !made)
        return made;
    if (m_run.options.profile != Profile::Keep && isUndescribed(*object))
        return m_run.writer.describe(path, type, "0.1.0");
    return {};
}

Result<void> H5adWalk::mapping(const Element& element, const std::string& path)
{
    if (element.kind != ElementKind::Mapping)
        return unreadable(element, path, slotIsWhole(element));
    if (auto opened = openGroup(element, path, "dict"); !opened)
        return opened;
    for (const auto& child : element.children) {
        if (auto on = m_run.mayGoOn(); !on)
            return on;
        const std::string inside = path + "/" + child->name;
        if (!m_run.wants(inside))
            continue;
        if (!child->aliasOf.empty() && m_moved.count(child->object) == 0)
            continue;
        if (auto written = aligned(*child, inside); !written)
            return std::move(written).error().within("writing " + inside);
    }
    return {};
}

Result<void> H5adWalk::raw(const Element& element)
{
    if (element.kind != ElementKind::Mapping)
        return unreadable(element, "raw", m_run.options.view.obs().isAll());
    if (auto opened = openGroup(element, "raw", "raw"); !opened)
        return opened;
    for (const auto& child : element.children) {
        const std::string path = "raw/" + child->name;
        if (!m_run.wants(path))
            continue;
        Result<void> written;
        if (child->name == "var" && child->kind == ElementKind::Table)
            written = table(*child, path);
        else if (child->name == "varm")
            written = mapping(*child, path);
        else
            written = aligned(*child, path);
        if (!written)
            return written;
    }
    return {};
}

// Whether the view leaves all of what lies in the slot of an element, aligned or not.
bool H5adWalk::slotIsWhole(const Element& element) const
{
    const std::vector<std::string> parts = splitPath(element.path);
    std::size_t k = parts.size() > 2 && parts[0] == "mod" ? 2 : 0;
    const std::string slot = parts.size() > k ? parts[k] : "";
    const bool obs = slot == "X" || slot == "layers" || slot == "obsm" || slot == "obsp" || slot == "raw" || slot == "obs";
    const bool var = slot == "X" || slot == "layers" || slot == "varm" || slot == "varp" || slot == "var";
    return (!obs || m_run.options.view.obs().isAll()) && (!var || m_run.options.genes().isAll());
}

MatrixForm H5adWalk::formOf(const std::string& path) const
{
    const ExportOptions& options = m_run.options;
    MatrixForm form;
    if (options.converts(path)) {
        form.storage = options.storage;
        form.dtype = options.dtype;
        form.rounding = options.rounding;
        form.width = options.indexWidth;
    }
    if (isMatrixSlot(path) || path == "raw/X") {
        if (options.profile == Profile::CellxGene) {
            form.storage = Storage::Csr;
            form.dropZeros = true;
            if (path == "raw/X" || (path == "X" && m_run.dataset()->raw() == nullptr))
                form.dtype = DType::Float32;
        }
        if (options.profile == Profile::SeuratDisk && path == "X" && options.storage == Storage::None)
            form.storage = Storage::Csr;
    }
    return form;
}

bool H5adWalk::canCopy(const Element& element, const std::string& path) const
{
    const hdf5::Object* object = ownObject(m_run, element);
    if (object == nullptr || !m_run.isWhole(element) || object->kind == hdf5::ObjectKind::Damaged)
        return false;
    const MatrixForm form = formOf(path);
    if ((form.storage != Storage::None && form.storage != element.storage)
        || (form.dtype && form.dtype != element.dtype) || form.dropZeros)
        return false;
    if (element.isSparse() && form.width != IndexWidth::Keep) {
        const DType wanted = form.width == IndexWidth::Wide ? DType::Int64 : DType::Int32;
        if (element.indices.dtype() != wanted || element.indptr.dtype() != wanted)
            return false;
    }
    if (m_run.options.storing.as == Storing::As::Chosen || m_run.options.storing.chunk > 0)
        return false;
    if (m_run.options.profile == Profile::Keep)
        return true;
    if (element.isSparse())
        return storedEncoding(*object).exact && object->attribute("shape") != nullptr && !isUndescribed(*object)
            && object->attribute("shape")->reals.empty() && hasUsableIndices(element);
    return element.shape && element.values && element.values.shape().size() == element.shape->size();
}

std::optional<std::string> H5adWalk::linkOf(const Element& element) const
{
    const hdf5::Object* object = ownObject(m_run, element);
    if (object == nullptr || !object->soft)
        return std::nullopt;
    std::string target = object->linkTarget;
    if (!target.starts_with('/'))
        target = object->path.substr(0, object->path.rfind('/') + 1) + target;
    const std::string& rootPath = m_run.dataset()->root().object->path;
    if (rootPath != "/")
        return std::nullopt; // of a modality: paths change
    const auto found = m_run.dataset()->find(target.substr(1));
    if (!found || !m_run.wants((*found)->path) || (*found)->firstAxis != element.firstAxis
        || (*found)->secondAxis != element.secondAxis || (*found)->ofRaw != element.ofRaw || (*found)->object == nullptr
        || (*found)->object->path != target || m_run.options.fromRaw)
        return std::nullopt;
    return object->linkTarget;
}

Result<void> H5adWalk::aligned(const Element& element, const std::string& path)
{
    if (auto link = linkOf(element)) {
        m_run.did(path, Action::Copied);
        return m_run.writer.file().createSoftLink("/" + path, *link);
    }
    const bool needsAxis = !element.firstAxis && !slotIsWhole(element);
    if (element.kind == ElementKind::Awkward && element.firstAxis)
        return unreadable(element, path, m_run.isWhole(element));
    switch (element.kind) {
    case ElementKind::Table:
        if (!element.readable || needsAxis)
            break;
        return table(element, path);
    case ElementKind::Matrix:
    case ElementKind::Array:
        if (!element.readable || needsAxis)
            break;
        return array(element, path);
    default:
        break;
    }
    return unreadable(element, path, slotIsWhole(element));
}

Result<void> H5adWalk::array(const Element& element, const std::string& path)
{
    if (isColumnLike(element) && element.shape && element.shape->size() == 1) {
        const hdf5::Object* object = ownObject(m_run, element);
        if (object != nullptr && m_run.isWhole(element) && ColumnExport::isModern(element, m_run.options.profile))
            return copied(element, path);
        m_run.did(path, Action::Rewritten);
        return ColumnExport(m_run).write(element, path);
    }
    if (canCopy(element, path))
        return copied(element, path);
    // The same matrix under two names is written once.
    const std::uint64_t address = element.object != nullptr && element.values.member < 0 ? element.object->address : 0;
    if (const auto known = m_rewritten.find(address); address != 0 && known != m_rewritten.end()) {
        const Element& first = *known->second.second;
        if (first.firstAxis == element.firstAxis && first.secondAxis == element.secondAxis && first.ofRaw == element.ofRaw
            && isMatrixSlot(first.path) == isMatrixSlot(path)
            && m_run.options.converts(first.path) == m_run.options.converts(path)) {
            m_run.did(path, Action::Copied);
            return m_run.writer.file().createHardLink("/" + path, "/" + known->second.first);
        }
    }
    const MatrixForm form = formOf(path);
    auto written = m_matrices.write(element, path, form, {m_run.along(element, 0), m_run.along(element, 1)});
    if (!written)
        return written;
    if (address != 0)
        m_rewritten.emplace(address, std::pair(path, &element));
    const bool converted = (form.storage != Storage::None && form.storage != element.storage)
                        || (form.dtype && form.dtype != element.dtype);
    m_run.did(path, converted ? Action::Converted : Action::Rewritten);
    return {};
}

Result<void> H5adWalk::copied(const Element& element, const std::string& path)
{
    const hdf5::Object& object = *element.object;
    if (auto done = m_run.copier.copy(object, "/" + path); !done)
        return done;
    m_run.did(path, Action::Copied);
    if (m_run.options.profile == Profile::Keep || object.soft || !isUndescribed(object))
        return {};
    // Its values are as they were, but readers of today want to be told what they are.
    const bool text = element.dtype == DType::String;
    switch (element.kind) {
    case ElementKind::Scalar:
        if (object.array && !object.array->isScalar)
            return m_run.writer.describe(path, text ? "string-array" : "array", "0.2.0");
        return m_run.writer.describe(path, text ? "string" : "numeric-scalar", "0.2.0");
    case ElementKind::Records: return m_run.writer.describe(path, "rec-array", "0.2.0");
    case ElementKind::Matrix:
    case ElementKind::Array:
        if (!element.isSparse())
            return m_run.writer.describe(path, text ? "string-array" : "array", "0.2.0");
        if (auto described = m_run.writer.describe(path, element.storage == Storage::Csr ? "csr_matrix" : "csc_matrix", "0.1.0");
            !described)
            return described;
        if (object.attribute("shape") == nullptr && element.shape)
            return m_run.writer.file().setAttribute(
                "/" + path, "shape", std::vector<std::int64_t>{(*element.shape)[0], (*element.shape)[1]});
        return {};
    default: return {};
    }
}

Result<void> H5adWalk::unreadable(const Element& element, const std::string& path, bool whole)
{
    const Profile profile = m_run.options.profile;
    if (m_run.options.unreadable == Unreadable::Stop && profile != Profile::Keep)
        return Error(ErrorCode::Refused, "\"" + element.path + "\" has no form that older readers know.")
            .at(element.path)
            .advise("Leave it out (--unreadable drop), or keep it (--unreadable keep).");
    const bool dropped = (m_run.options.unreadable == Unreadable::Drop && profile != Profile::Keep)
                      || profile == Profile::R || profile == Profile::SeuratDisk;
    if (dropped) {
        m_run.drop(element, "older readers have no form for it.");
        return {};
    }
    const hdf5::Object* object = ownObject(m_run, element);
    if (!whole && element.kind == ElementKind::Awkward && element.firstAxis && element.readable)
        return ragged(element, path);
    if (!whole || object == nullptr || object->kind == hdf5::ObjectKind::Damaged) {
        m_run.drop(element, !whole ? "it is stored in a way that cannot follow the view."
                                   : element.whyNot ? element.whyNot->message()
                                                    : std::string("it cannot be copied."),
                   element.whyNot && !element.whyNot->ruleId().empty() ? element.whyNot->ruleId() : std::string("A015"));
        return {};
    }
    if (auto done = m_run.copier.copy(*object, "/" + path); !done)
        return done;
    m_run.did(path, Action::Copied);
    keptForSome(element, "as it is stored");
    return {};
}

void H5adWalk::keptForSome(const Element& element, const std::string& how)
{
    if (m_run.options.profile == Profile::Keep)
        return;
    Finding& finding = m_run.found("A044", element.path,
                                   "\"" + element.path + "\" is kept " + how + " ("
                                       + std::string(nameOf(element.kind)) + "); not every reader knows it.");
    finding.fix = "Leave it out (--unreadable drop).";
}

Result<void> H5adWalk::ragged(const Element& element, const std::string& path)
{
    auto written = RaggedExport(m_run).write(element, path);
    if (!written)
        return std::move(written).error();
    if (*written) {
        m_run.did(path, Action::Rewritten);
        keptForSome(element, "as a ragged array");
    }
    return {};
}

Result<void> H5adWalk::colours(const Element& element, const std::string& path, const TableExport::Left& left)
{
    auto values = ArrayReader(element.values, m_run.context.reading, element.path).all(m_run.context.stop);
    if (!values)
        return std::move(values).error();
    m_run.did(path, Action::Rewritten);
    return m_run.writer.array(path, values->gather(left.categories));
}

Result<void> H5adWalk::loose(const Element& element, const std::string& path)
{
    if (!m_run.wants(path) || m_moved.count(element.object) > 0)
        return {};
    if (auto on = m_run.mayGoOn(); !on)
        return on;
    if (m_run.options.profile == Profile::CellxGene && element.parent != nullptr && element.parent->name == "uns"
        && isPortalEntry(element.name)) {
        m_run.drop(element, "the portal adds this entry itself.", "C004");
        return {};
    }
    constexpr std::string_view kColours = "_colors";
    if (element.name.ends_with(kColours) && element.kind == ElementKind::Array && element.readable
        && element.dtype == DType::String && element.shape && element.shape->size() == 1) {
        const auto left = m_tables.left().find(element.name.substr(0, element.name.size() - kColours.size()));
        if (left != m_tables.left().end() && element.shape->front() >= left->second.before)
            return colours(element, path, left->second);
    }
    const hdf5::Object* object = ownObject(m_run, element);
    switch (element.kind) {
    case ElementKind::Mapping:
        if (auto opened = openGroup(element, path, "dict"); !opened)
            return opened;
        m_run.did(path, Action::Copied);
        for (const auto& child : element.children)
            if (auto written = loose(*child, path + "/" + child->name); !written)
                return written;
        return {};
    case ElementKind::Table:
        if (element.readable)
            return table(element, path);
        break;
    case ElementKind::Matrix:
    case ElementKind::Array:
    case ElementKind::Records:
        if (object != nullptr && isColumnLike(element) && element.readable)
            return array(element, path);
        if (object != nullptr && object->kind != hdf5::ObjectKind::Damaged)
            return copied(element, path);
        if (element.readable && element.kind != ElementKind::Records)
            return array(element, path);
        break;
    case ElementKind::Scalar: {
        // Very old files have single texts of fixed length as lists of one.
        const bool storedAsArray = object != nullptr && object->array && !object->array->isScalar
                                && !object->array->type.variable;
        if (object != nullptr && !(storedAsArray && m_run.options.profile != Profile::Keep))
            return copied(element, path);
        if (!element.values || element.dtype != DType::String)
            break;
        auto values = ArrayReader(element.values, m_run.context.reading, element.path).all(m_run.context.stop);
        if (!values)
            return std::move(values).error();
        m_run.did(path, Action::Rewritten);
        return m_run.writer.scalar(path, toUtf8(values->texts().at(0)));
    }
    default:
        break;
    }
    return unreadable(element, path, true);
}

} // namespace cellfolio
