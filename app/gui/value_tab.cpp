// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/value_tab.h"

#include "app/gui/bar.h"
#include "app/gui/farewell.h"
#include "app/gui/table_tab.h"
#include "core/anndata/column_reader.h"
#include "core/paging/array_reader.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/models/array_source.h"
#include "widgets/models/element_text.h"
#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"
#include "widgets/views/elided_label.h"
#include "widgets/views/empty_view.h"
#include "widgets/views/paged_table_view.h"

#include <QtWidgets/QHeaderView>
#include <QtWidgets/QPlainTextEdit>
#include <QtWidgets/QStackedWidget>
#include <QtWidgets/QTreeWidget>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

// Short arrays are written out beside their key; longer ones say their shape.
constexpr Index kWrittenOut = 8;

Result<std::string> shortValue(const std::shared_ptr<const Dataset>& dataset, const Element& member,
                               const std::shared_ptr<Reading>& reading, std::stop_token stop)
{
    const bool scalar = member.kind == ElementKind::Scalar;
    const bool vector = member.kind == ElementKind::Array && member.storage == Storage::Dense && member.shape
        && member.shape->size() == 1 && member.shape->front() <= kWrittenOut;
    if (!member.readable || !member.values || (!scalar && !vector))
        return std::string();
    std::string text;
    if (vector && (member.categories || member.mask || !member.fixedCategories.empty())) {
        auto reader = ColumnReader::open(dataset, member, reading);
        auto column = reader ? reader->read(Selection::all(reader->rows()), stop)
                             : Result<ColumnValues>(reader.error());
        if (!column)
            return std::move(column).error();
        for (Index i = 0; i < column->size(); ++i)
            text += (i > 0 ? ", " : "") + (column->isMissing(i) ? "NULL" : column->text(i));
        return "[" + text + "]";
    }
    auto values = ArrayReader(member.values, reading, member.path).all(stop);
    if (!values)
        return std::move(values).error();
    for (Index i = 0; i < values->size(); ++i)
        text += (i > 0 ? ", " : "") + values->text(i);
    return vector ? "[" + text + "]" : text;
}

} // namespace

ValueTab::ValueTab(ModelContext context, QWidget* parent)
    : QWidget(parent), m_context(context), m_path(new ElidedLabel(this)), m_kind(new ElidedLabel(this)),
      m_stack(new QStackedWidget(this)), m_text(new QPlainTextEdit(this)), m_members(new QTreeWidget(this)),
      m_arrayView(new PagedTableView(this)), m_table(new TableTab(context, TableTab::Form::Compact, this)),
      m_empty(new EmptyView(this)), m_request(context.quick)
{
    auto* bar = new Bar(this);
    m_path->setFont(fonts::bodySemibold());
    m_path->setCopyable(true);
    m_kind->setQuiet(true);
    bar->addControl(m_path);
    bar->addControl(m_kind);
    bar->addStretch();
    m_path->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
    m_kind->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
    m_text->setReadOnly(true);
    m_text->setFont(fonts::mono());
    m_text->setProperty("flat", true);
    m_text->setAccessibleName(u"Text of the value"_s);
    m_members->setColumnCount(3);
    m_members->setHeaderLabels({u"Key"_s, u"Value"_s, u"Type"_s});
    m_members->setRootIsDecorated(false);
    m_members->setUniformRowHeights(true);
    m_members->header()->setFixedHeight(30);
    m_members->header()->setFont(fonts::tableSemibold());
    m_members->setIndentation(8);
    m_members->setFont(fonts::table());
    m_members->setAccessibleName(u"Members"_s);
    for (QWidget* page : std::initializer_list<QWidget*>{m_text, m_members, m_arrayView, m_table, m_empty})
        m_stack->addWidget(page);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(bar);
    layout->addWidget(m_stack, 1);
    connect(m_members, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) {
        const auto place = static_cast<std::size_t>(item->data(0, Qt::UserRole).toInt());
        if (m_element != nullptr && place < m_element->children.size())
            Q_EMIT elementRequested(m_element->children[place].get());
    });
    connect(m_table, &TableTab::filled, this, &ValueTab::filled);
    connect(m_table, &TableTab::statusMessage, this, &ValueTab::statusMessage);
}

ValueTab::~ValueTab()
{
    partFromChildren(*this);
    m_arrayView->setSource(nullptr);
}

void ValueTab::clear()
{
    m_request.cancel();
    m_arrayView->setSource(nullptr);
    m_array.reset();
    m_table->clear();
    m_members->clear();
    m_text->clear();
    m_element = nullptr;
    m_dataset.reset();
}

void ValueTab::showElement(std::shared_ptr<const Dataset> dataset, const Element& element)
{
    clear();
    m_dataset = std::move(dataset);
    m_element = &element;
    m_path->setText(pathOf(element));
    m_kind->setText(storedAs(element) + (element.shape && !element.shape->empty()
                                             ? u" · "_s + shapeText(*element.shape)
                                             : QString()));
    if (!element.readable && element.whyNot) {
        say(u"alert-circle"_s, pathOf(element) + u" cannot be read"_s, errorText(*element.whyNot), true);
        return;
    }
    switch (element.kind) {
    case ElementKind::Scalar: showText(); return;
    case ElementKind::Mapping: showMapping(); return;
    case ElementKind::Table: showTable(); return;
    case ElementKind::Array:
    case ElementKind::Matrix:
    case ElementKind::Records: showArray(); return;
    case ElementKind::Column: showTable(); return;
    case ElementKind::Null:
        say(u"minus"_s, u"No value"_s, u"The file says that there is nothing here (null)."_s);
        return;
    case ElementKind::Link:
        say(u"link"_s, u"A link that is not followed"_s,
            u"It leads to %1. Open that file to see it."_s.arg(toQString(element.linkTarget)));
        return;
    case ElementKind::Awkward:
        say(u"list-details"_s, u"Lists of different lengths"_s,
            u"%1. They are kept as they are; this version does not show what is in them."_s.arg(
                countedText(element.awkwardLength, u"list"_s, u"lists"_s)));
        return;
    case ElementKind::Unknown:
        say(u"help"_s, u"An encoding that this version does not know"_s,
            u"It is kept as it is. Encoding: %1."_s.arg(
                element.encoding ? toQString(*element.encoding) : u"none"_s));
        return;
    }
}

void ValueTab::say(const QString& icon, const QString& title, const QString& sentence, bool error)
{
    m_empty->setContent({icon, title, sentence, {}, {}, error});
    m_stack->setCurrentWidget(m_empty);
    Q_EMIT filled();
}

void ValueTab::showText()
{
    m_stack->setCurrentWidget(m_text);
    m_text->setPlainText(u"…"_s);
    m_request.request<std::string>(
        [element = m_element, reading = m_context.reading](std::stop_token stop) -> Result<std::string> {
            auto value = ArrayReader(element->values, reading, element->path).all(stop);
            if (!value)
                return std::move(value).error();
            return value->empty() ? std::string() : value->text(0);
        },
        [this](Result<std::string> answer) {
            if (!answer) {
                say(u"alert-circle"_s, pathOf(*m_element) + u" cannot be read"_s, errorText(answer.error()),
                    true);
                return;
            }
            std::string text = std::move(*answer);
            const auto length = static_cast<Index>(text.size());
            if (length > kLongestText) {
                text.resize(at(kLongestText));
                Q_EMIT statusMessage(u"The first %1 of %2 are shown."_s.arg(sizeText(kLongestText), sizeText(length)));
            }
            m_text->setPlainText(toQString(text));
            Q_EMIT filled();
        });
}

void ValueTab::showMapping()
{
    m_stack->setCurrentWidget(m_members);
    const int count = static_cast<int>(std::min<std::size_t>(m_element->children.size(), kMostMembers));
    QList<QTreeWidgetItem*> items;
    for (int i = 0; i < count; ++i) {
        const Element& member = *m_element->children[static_cast<std::size_t>(i)];
        auto* item = new QTreeWidgetItem({toQString(member.name), briefOf(member), storedAs(member)});
        item->setIcon(0, icon(iconOf(member)));
        item->setToolTip(0, toQString(member.name));
        item->setData(0, Qt::UserRole, i);
        items.append(item);
    }
    m_members->addTopLevelItems(items);
    m_members->setColumnWidth(0, 240);
    m_members->setColumnWidth(1, 360);
    if (count < static_cast<int>(m_element->children.size()))
        Q_EMIT statusMessage(u"The first %1 of %2 entries are listed; the tree has them all."_s.arg(
            countText(count), countText(static_cast<Index>(m_element->children.size()))));
    using Texts = std::vector<std::string>;
    m_request.request<Texts>(
        [dataset = m_dataset, element = m_element, count,
         reading = m_context.reading](std::stop_token stop) -> Result<Texts> {
            Texts texts;
            for (int i = 0; i < count; ++i) {
                if (stop.stop_requested())
                    return Error::cancelled();
                auto text = shortValue(dataset, *element->children[static_cast<std::size_t>(i)], reading, stop);
                texts.push_back(text ? std::move(*text) : text.error().message());
            }
            return texts;
        },
        [this](Result<Texts> texts) {
            if (!texts)
                return;
            for (std::size_t i = 0; i < texts->size(); ++i)
                if (!(*texts)[i].empty())
                    m_members->topLevelItem(static_cast<int>(i))
                        ->setText(1, toQString(std::string_view((*texts)[i]).substr(0, 1000)));
            Q_EMIT filled();
        });
}

void ValueTab::showTable()
{
    const Element* table = m_element->kind == ElementKind::Column ? m_element->parent : m_element;
    m_stack->setCurrentWidget(m_table);
    m_table->setTable(m_dataset, *table, u"row"_s, u"rows"_s);
    if (m_element->kind == ElementKind::Column)
        m_table->goToColumn(*m_element);
}

void ValueTab::showArray()
{
    if (m_element->isSparse() || !m_element->values) {
        say(u"grid-dots"_s, u"A sparse matrix"_s, u"The Matrix tab shows it."_s);
        return;
    }
    m_array = std::make_unique<ArraySource>(m_context, m_dataset, *m_element);
    connect(m_array.get(), &ArraySource::changed, this, &ValueTab::filled);
    connect(m_array.get(), &ArraySource::readFailed, this, [this](const Error& error) {
        say(u"alert-circle"_s, pathOf(*m_element) + u" cannot be read"_s, errorText(error), true);
    });
    m_arrayView->setSource(m_array.get());
    m_stack->setCurrentWidget(m_arrayView);
}

bool ValueTab::isFilled() const
{
    if (m_request.isBusy())
        return false;
    if (m_stack->currentWidget() == m_arrayView)
        return m_array && m_array->isFilled();
    if (m_stack->currentWidget() == m_table)
        return m_table->source() == nullptr || m_table->source()->isFilled();
    return true;
}

QString ValueTab::text() const
{
    const QWidget* page = m_stack->currentWidget();
    if (page == m_text)
        return m_text->toPlainText();
    if (page == m_empty)
        return m_empty->content().title + u'\n' + m_empty->content().sentence;
    QStringList lines;
    for (int i = 0; page == m_members && i < m_members->topLevelItemCount(); ++i)
        lines.append(m_members->topLevelItem(i)->text(0) + u'\t' + m_members->topLevelItem(i)->text(1));
    if (page == m_arrayView && m_array)
        for (qint64 row = 0; row < std::min<qint64>(m_array->rowCount(), 20); ++row) {
            QStringList cells;
            for (int column = 0; column < std::min(m_array->columnCount(), 20); ++column)
                cells.append(m_array->fullText(row, column));
            lines.append(cells.join(u'\t'));
        }
    return lines.join(u'\n');
}

} // namespace cellfolio
