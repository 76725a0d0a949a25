// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/gene_adder.h"

#include "app/gui/choice_box.h"
#include "app/gui/name_field.h"
#include "core/query/gene_lookup.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"

#include <QtGui/QKeyEvent>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QVBoxLayout>

namespace cellfolio {

using namespace Qt::StringLiterals;

GeneAdder::GeneAdder(ModelContext context, UnitOf unitOf, QWidget* parent)
    : QFrame(parent), m_context(context), m_unitOf(std::move(unitOf)), m_matrices(new ChoiceBox(u"Matrix"_s, this)),
      m_field(new NameField(context, u"Gene"_s, this)), m_request(context.quick)
{
    setProperty("surface", u"frame"_s);
    m_matrices->setToolTip(u"Which values of the gene are compared"_s);
    m_field->setIconName(u"helix"_s);
    m_field->setToolTip(u"A gene by symbol or id"_s);
    auto* close = new QToolButton(this);
    close->setIcon(icon("x"));
    close->setToolTip(u"Close"_s);
    close->setAccessibleName(u"Close the choice of a gene"_s);
    auto* first = new QHBoxLayout;
    first->setSpacing(4);
    first->addWidget(m_field, 1);
    first->addWidget(close);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 8, 8, 8);
    column->setSpacing(6);
    column->addLayout(first);
    column->addWidget(m_matrices);
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    connect(m_matrices, qOverload<int>(&ChoiceBox::activated), this, &GeneAdder::choose);
    connect(m_field, &NameField::picked, this, [this](qint64 row, const QString& name) { take(row, name); });
    connect(m_field, &SearchField::cancelled, this, &QWidget::hide);
    hide();
}

void GeneAdder::setDataset(std::shared_ptr<const Dataset> dataset)
{
    m_request.cancel();
    m_dataset = std::move(dataset);
    m_symbols = nullptr;
    m_rawSymbols = nullptr;
    hide();
    fill();
}

void GeneAdder::setSymbols(const Element* var, const Element* rawVar)
{
    m_symbols = var;
    m_rawSymbols = rawVar;
    fill(); // with what their values are
}

bool GeneAdder::hasMatrices() const
{
    return !m_choices.empty();
}

void GeneAdder::fill()
{
    const int before = m_matrices->currentIndex();
    m_matrices->clear();
    m_choices.clear();
    const auto add = [this](const Element* matrix, RuleSubject subject) {
        const bool fits = matrix != nullptr && matrix->readable && matrix->kind == ElementKind::Matrix && matrix->dtype
            && isReal(*matrix->dtype) && m_dataset->namesOf(*matrix, 1) != nullptr;
        if (!fits)
            return;
        m_choices.push_back({matrix, std::move(subject)});
        const QString unit = m_unitOf ? m_unitOf(*matrix) : QString();
        const QString path = toQString(matrix->path);
        m_matrices->addChoice(u"grid-dots"_s, unit.isEmpty() ? path : path + u" · "_s + unit);
    };
    if (m_dataset) {
        const Element& root = m_dataset->root();
        RuleSubject subject;
        subject.kind = RuleSubject::Kind::Gene;
        add(root.child("X"), subject);
        if (const Element* layers = root.child("layers")) {
            subject.kind = RuleSubject::Kind::Layer;
            for (const auto& layer : layers->children) {
                subject.more = toQString(layer->name);
                add(layer.get(), subject);
            }
        }
        subject.more.clear();
        subject.kind = RuleSubject::Kind::Raw;
        if (const Element* raw = root.child("raw"))
            add(raw->child("X"), subject);
    }
    if (before > 0 && before < m_matrices->count())
        m_matrices->setCurrentIndex(before);
    choose();
}

void GeneAdder::choose()
{
    const int place = m_matrices->currentIndex();
    if (place < 0 || m_choices.empty()) {
        m_field->setPlace({});
        return;
    }
    const Choice& choice = m_choices[static_cast<std::size_t>(place)];
    const Element* var = m_dataset->namesOf(*choice.matrix, 1);
    m_field->setPlace({m_dataset, var, choice.subject.kind == RuleSubject::Kind::Raw ? m_rawSymbols : m_symbols, {}, 12});
}

void GeneAdder::open()
{
    m_field->clear();
    show();
    m_field->setFocus(Qt::OtherFocusReason);
}

// The symbol where it means this gene and no other, so that the expression can be read.
void GeneAdder::take(Index row, const QString& name)
{
    const int place = m_matrices->currentIndex();
    if (place < 0)
        return;
    const Choice choice = m_choices[static_cast<std::size_t>(place)];
    QString symbol;
    for (const NameMatch& match : m_field->matches())
        if (match.row == row)
            symbol = toQString(match.symbol);
    const Element* var = m_dataset->namesOf(*choice.matrix, 1);
    m_request.request<QString>(
        [dataset = m_dataset, var, row, wished = toStdString(symbol.isEmpty() ? name : symbol),
         reading = m_context.reading](std::stop_token stop) -> Result<QString> {
            auto good = nameOfGene(dataset, *var, row, wished, reading, stop);
            if (!good)
                return std::move(good).error();
            return toQString(*good);
        },
        [this, choice, name](Result<QString> known) {
            RuleSubject gene = choice.subject;
            // One that shares each of its names says so when it is filtered by.
            gene.name = known && !known->isEmpty() ? *known : name;
            hide();
            Q_EMIT picked(gene);
        });
}

void GeneAdder::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape)
        hide();
    else
        QFrame::keyPressEvent(event);
}

} // namespace cellfolio
