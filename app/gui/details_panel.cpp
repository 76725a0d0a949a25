// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/details_panel.h"

#include "app/gui/recent_files.h"
#include "app/gui/session.h"
#include "core/paging/array_reader.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/models/element_text.h"
#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"
#include "widgets/views/elided_label.h"

#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QScrollArea>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

// Texts longer than this are shown in their own view.
constexpr std::size_t kLongText = 300;

QString costText(const CostEstimate& cost)
{
    QStringList parts;
    if (cost.entries > 0)
        parts.append((cost.againstStorage ? u"all %1 values"_s : u"≈ %1 values"_s).arg(countText(cost.entries)));
    else if (cost.againstStorage)
        parts.append(u"all of it"_s);
    if (cost.bytesStored > 0)
        parts.append(sizeText(cost.bytesStored));
    return parts.isEmpty() ? u"little"_s : parts.join(u", "_s);
}

QString attributeText(const hdf5::Attribute& attribute)
{
    if (attribute.isNull)
        return u"none"_s;
    if (!attribute.readable)
        return u"not readable"_s;
    QStringList parts;
    const auto add = [&](const auto& values, auto toText) {
        for (const auto& value : values) {
            if (parts.size() == 20) {
                parts.append(u"…"_s);
                return;
            }
            parts.append(toText(value));
        }
    };
    add(attribute.texts, [](const std::string& text) { return toQString(text).left(300); });
    add(attribute.integers, [](std::int64_t value) { return QString::number(value); });
    add(attribute.reals, [](double value) { return numberText(value, 8); });
    if (!attribute.references.empty())
        parts.append(u"reference"_s);
    return parts.join(u", "_s);
}

} // namespace

DetailsPanel::DetailsPanel(Session& session, QWidget* parent)
    : QWidget(parent), m_session(session), m_path(new ElidedLabel(this)), m_list(new FactsList(this)),
      m_request(session.context().patient), m_bytesRequest(session.context().patient)
{
    setProperty("surface", u"frame"_s);
    auto* head = new QWidget(this);
    head->setFixedHeight(measures::kDockTitle);
    auto* title = new QLabel(u"Details"_s, head);
    title->setFont(fonts::tableSemibold());
    m_path->setQuiet(true);
    m_path->setFont(fonts::table());
    m_path->setCopyable(true);
    auto* copyButton = new QToolButton(head);
    copyButton->setIcon(icon("copy"));
    copyButton->setToolTip(u"Copy the details"_s);
    copyButton->setAccessibleName(u"Copy the details"_s);
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(12, 0, 6, 0);
    row->setSpacing(8);
    row->addWidget(title);
    row->addWidget(m_path, 1);
    row->addWidget(copyButton);

    auto* scroll = new QScrollArea(this);
    auto* inner = new QWidget(scroll);
    inner->setProperty("surface", u"frame"_s);
    auto* column = new QVBoxLayout(inner);
    column->setContentsMargins(12, 2, 12, 10);
    column->addWidget(m_list);
    column->addStretch(1);
    scroll->setWidget(inner);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFrameShape(QFrame::NoFrame);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(head);
    layout->addWidget(scroll, 1);
    connect(copyButton, &QToolButton::clicked, this, [this] {
        QGuiApplication::clipboard()->setText(m_path->text() + u'\n' + m_list->asText());
    });
}

void DetailsPanel::showElement(const Element* element)
{
    if (element == m_element)
        return;
    m_element = element;
    m_found = {};
    m_value.clear();
    m_request.cancel();
    m_bytesRequest.cancel();
    refresh();
    if (element != nullptr)
        ask();
}

void DetailsPanel::showValue(const QString& cell, const QString& gene, const QString& value)
{
    m_value = {{u"Cell"_s, cell, {}, false}, {u"Gene"_s, gene, {}, false}, {u"Value"_s, value, {}, false}};
    refresh();
}

void DetailsPanel::ask()
{
    const std::shared_ptr<const Dataset> dataset = m_session.dataset();
    const Element* element = m_element;
    const std::shared_ptr<Reading> reading = m_session.context().reading;
    m_request.request<Found>(
        [dataset, element, reading](std::stop_token stop) -> Result<Found> {
            Found found;
            if (element->kind == ElementKind::Column && element->readable && element->parent != nullptr) {
                auto profile = exactProfile({dataset, element->parent, element, reading}, stop);
                if (!profile)
                    return std::move(profile).error();
                found.profile = std::move(*profile);
            } else if (isShownAsMatrix(*element)) {
                auto reader = MatrixReader::open(dataset, *element, reading);
                if (!reader)
                    return std::move(reader).error();
                found.rowCost = (*reader)->rowCost();
                found.columnCost = (*reader)->columnCost();
            } else if (element->kind == ElementKind::Scalar && element->values && element->readable) {
                auto value = ArrayReader(element->values, reading, element->path).all(stop);
                if (!value)
                    return std::move(value).error();
                found.value = value->empty() ? std::string() : value->text(0);
            }
            return found;
        },
        [this](Result<Found> answer) {
            if (answer) {
                const std::optional<Index> bytes = m_found.bytes;
                m_found = std::move(*answer);
                m_found.bytes = bytes;
            } else {
                m_value.push_back({u"Problem"_s, errorText(answer.error()), {}, true});
            }
            refresh();
        });
    m_bytesRequest.request<Index>(
        [dataset, arrays = arraysOf(*element)](std::stop_token stop) -> Result<Index> {
            Index total = 0;
            for (const ArrayRef& array : arrays) {
                auto bytes = dataset->file().storedBytes(*array.object, stop);
                if (!bytes)
                    return std::move(bytes).error();
                total += *bytes;
            }
            return total;
        },
        [this, element](Result<Index> bytes) {
            if (!bytes)
                return; // a size that cannot be found is left out; nothing depends on it
            m_found.bytes = *bytes;
            Q_EMIT bytesFound(element, *bytes);
            refresh();
        });
}

void DetailsPanel::refresh()
{
    std::vector<Fact> facts = m_value;
    const auto add = [&](const QString& key, const QString& value, bool wrap = false) {
        if (!value.isEmpty())
            facts.push_back({key, value, {}, wrap});
    };
    if (m_element == nullptr) {
        m_path->setText({});
        m_list->setFacts(facts);
        return;
    }
    const Element& element = *m_element;
    m_path->setText(element.path.empty() && m_session.dataset() ? fileNameOf(*m_session.dataset())
                                                                : pathOf(element));
    if (element.path.empty() && m_session.dataset()) {
        const Dataset& dataset = *m_session.dataset();
        add(u"Folder"_s, folderText(QString::fromStdString(dataset.file().path().string())));
        add(u"Format"_s, toQString(nameOf(dataset.format()))
                + (dataset.generation() ? u' ' + toQString(*dataset.generation()) : QString()));
        add(u"Size"_s, sizeText(dataset.file().size()));
        if (dataset.nObs())
            add(u"Cells"_s, countText(*dataset.nObs()));
        if (dataset.nVars())
            add(u"Genes"_s, countText(*dataset.nVars()));
        m_list->setFacts(facts);
        return;
    }
    add(u"Stored as"_s, storedAs(element));
    if (element.shape)
        add(u"Shape"_s, shapeText(*element.shape));
    if (const HoldsResult* holds = m_session.holdsOf(element))
        add(u"Values are"_s, toQString(holds->text()) + (holds->exact ? QString() : u" (sample)"_s));
    if (element.stored)
        add(u"Entries"_s, countText(*element.stored));
    if (element.categoryCount)
        add(u"Categories"_s, countText(*element.categoryCount) + (element.ordered ? u", ordered"_s : QString()));
    if (m_found.value)
        add(u"Value"_s, toQString(std::string_view(*m_found.value).substr(0, kLongText)), true);
    if (m_found.profile) {
        const ProfileData& profile = *m_found.profile;
        if (profile.lowest)
            add(u"Range"_s, u"%1 … %2"_s.arg(numberText(*profile.lowest, 5), numberText(*profile.highest, 5)));
        if (profile.distinct)
            add(u"Different"_s, countText(*profile.distinct)
                    + (profile.exact ? QString() : u" of %1 looked at"_s.arg(countText(profile.rows))));
        add(u"Missing"_s, u"%1 of %2"_s.arg(countText(profile.missing), countText(profile.rows)));
    }
    if (element.values) {
        const hdf5::ArrayInfo& info = element.values.info();
        add(u"Chunks"_s, chunksOf(info));
        if (info.layout == hdf5::Layout::Chunked)
            add(u"Filters"_s, filtersOf(info));
    }
    if (m_found.bytes)
        add(u"On disk"_s, sizeText(*m_found.bytes));
    if (m_found.rowCost) {
        const bool cells = element.firstAxis == Axis::Obs;
        add(cells ? u"One cell"_s : u"One row"_s, costText(*m_found.rowCost));
    }
    if (m_found.columnCost) {
        const bool genes = element.secondAxis == Axis::Var;
        add(genes ? u"One gene"_s : u"One column"_s,
            costText(*m_found.columnCost));
    }
    if (element.encoding)
        add(u"Encoding"_s, toQString(*element.encoding)
                + (element.version ? u' ' + toQString(*element.version) : QString()));
    if (!element.aliasOf.empty())
        add(u"Lies at"_s, toQString(element.aliasOf));
    if (!element.linkTarget.empty())
        add(u"Link to"_s, toQString(element.linkTarget));
    if (element.kind == ElementKind::Awkward)
        add(u"Lists"_s, countText(element.awkwardLength));
    if (element.whyNot)
        add(u"Problem"_s, errorText(*element.whyNot), true);
    for (const ElementPart& part : element.parts)
        if (part.array)
            add(toQString(part.name), toQString(part.array.type().describe()) + u", "_s
                    + shapeText(part.array.shape()) + u", "_s + filtersOf(part.array.info()));
    if (element.object != nullptr)
        for (const hdf5::Attribute& attribute : element.object->attributes)
            if (attribute.name != "encoding-type" && attribute.name != "encoding-version")
                add(toQString(attribute.name), attributeText(attribute));
    m_list->setFacts(facts);
}

} // namespace cellfolio
