// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/gene_threshold.h"

#include "widgets/style/fonts.h"
#include "widgets/style/style_sheet.h"
#include "widgets/style/theme.h"
#include "widgets/views/number_text.h"

#include <QtCore/QLocale>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QVBoxLayout>

#include <cmath>

namespace cellfolio
{

namespace
{

constexpr int kMargin = 12;

struct Comparison {
    const char16_t* shown;
    const char* written;
};
constexpr Comparison kComparisons[]{{u">", ">"}, {u"≥", ">="}, {u"<", "<"}, {u"≤", "<="}};

} // namespace

GeneThreshold::GeneThreshold(QWidget* parent)
    : QWidget(parent), m_title(new QLabel(tr("Only cells where it is"), this)),
      m_comparison(new QComboBox(this)), m_field(new QLineEdit(this)),
      m_apply(new QPushButton(tr("Only these"), this)), m_unit(new QLabel(this)),
      m_count(new QLabel(this))
{
    for (const Comparison& comparison : kComparisons)
        m_comparison->addItem(QString::fromUtf16(comparison.shown),
                              QString::fromLatin1(comparison.written));
    m_comparison->setAccessibleName(tr("Above or below"));
    m_comparison->setFixedWidth(52);
    m_field->setAccessibleName(tr("Value"));
    m_field->setMinimumWidth(40);
    m_apply->setProperty("small", true);
    for (QLabel* label : {m_title, m_unit, m_count}) {
        label->setFont(fonts::caption());
        label->setProperty("role", QStringLiteral("quiet"));
    }
    m_unit->setWordWrap(true);
    m_count->setWordWrap(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(kMargin, 8, kMargin, 12);
    column->setSpacing(6);
    column->addWidget(m_title);
    auto* row = new QHBoxLayout;
    row->setSpacing(6);
    row->addWidget(m_comparison);
    row->addWidget(m_field, 1);
    row->addWidget(m_apply);
    column->addLayout(row);
    column->addWidget(m_count);
    column->addWidget(m_unit);
    column->addStretch();
    connect(m_comparison, &QComboBox::currentIndexChanged, this, [this] {
        refresh();
        Q_EMIT changed();
    });
    connect(m_field, &QLineEdit::textChanged, this, [this] {
        refresh();
        Q_EMIT changed();
    });
    connect(m_field, &QLineEdit::returnPressed, this, &GeneThreshold::apply);
    connect(m_apply, &QPushButton::clicked, this, &GeneThreshold::apply);
    refresh();
}

void GeneThreshold::setGene(const QString& gene, const QString& matrix, const QString& unit)
{
    const bool same = gene == m_gene && matrix == m_matrix;
    m_gene = gene;
    m_matrix = matrix;
    m_unitText = unit;
    if (!same) {
        m_comparison->setCurrentIndex(0);
        m_field->setText(QStringLiteral("0"));
    }
    refresh();
}

void GeneThreshold::setRefusal(const QString& sentence)
{
    m_refusal = sentence;
    refresh();
}

void GeneThreshold::setCount(std::optional<std::int64_t> kept, std::int64_t of)
{
    m_count->setText(kept ? tr("%1 of %2 cells shown").arg(cellfolio::countText(*kept), cellfolio::countText(of))
                          : QString());
}

QString GeneThreshold::comparison() const
{
    return m_comparison->currentData().toString();
}

std::optional<double> GeneThreshold::value() const
{
    bool ok = false;
    const QString text = m_field->text().trimmed();
    double number = QLocale::c().toDouble(text, &ok);
    if (!ok)
        number = QLocale().toDouble(text, &ok);
    return ok && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

QString GeneThreshold::sentence() const
{
    const QString where = m_unitText.isEmpty() ? m_matrix : tr("%1 (%2)").arg(m_matrix, m_unitText);
    return tr("%1 %2 %3, in %4")
        .arg(m_gene, m_comparison->currentText(), m_field->text().trimmed(), where);
}

QString GeneThreshold::countText() const
{
    return m_count->text();
}

void GeneThreshold::refresh()
{
    const bool number = value().has_value();
    setStyleProperty(m_field, "refused", !number);
    m_field->setToolTip(number ? QString() : tr("Write a number, as 1 or 0.5."));
    m_apply->setEnabled(number && m_refusal.isEmpty());
    m_apply->setToolTip(m_refusal.isEmpty() ? sentence() : m_refusal);
    m_unit->setText(m_refusal.isEmpty() ? sentence() : m_refusal);
    if (!number)
        m_count->clear();
}

void GeneThreshold::apply()
{
    if (m_apply->isEnabled())
        Q_EMIT applied();
}

} // namespace cellfolio
