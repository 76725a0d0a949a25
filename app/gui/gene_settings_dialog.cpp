// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/gene_settings_dialog.h"

#include "app/gui/program.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/style/fonts.h"
#include "widgets/style/style_sheet.h"
#include "widgets/style/theme.h"

#include <QtCore/QDir>
#include <QtWidgets/QDoubleSpinBox>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QGridLayout>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QVBoxLayout>

#include <cmath>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;
constexpr int kWidth = 560;

QString totalText(const GeneIndexStore::Total& total)
{
    return total.indexes == 0 ? u"nothing"_s
                              : countedText(total.indexes, u"matrix"_s, u"matrices"_s) + u", "_s + sizeText(total.bytes);
}

} // namespace

GeneSettingsDialog::GeneSettingsDialog(Program& program, QWidget* parent)
    : QDialog(parent), m_program(program), m_place(new QLineEdit(this)), m_limit(new QDoubleSpinBox(this)),
      m_usage(new QLabel(this)), m_consequence(new QLabel(this)), m_trouble(new QLabel(this)),
      m_clear(new QPushButton(u"Remove all"_s, this)), m_save(new QPushButton(u"Save"_s, this)),
      m_measureRequest(program.context().patient), m_changeRequest(program.context().patient)
{
    setWindowTitle(u"Prepared genes"_s);
    setFixedWidth(kWidth);
    auto* about = new QLabel(u"A matrix stored cell by cell gives a gene only after all of it was read. Prepared, each gene "
                             u"comes at once. What is prepared lies here, beside none of your files, and can be "
                             u"removed at any time."_s,
                             this);
    about->setWordWrap(true);
    about->setProperty("role", u"quiet"_s);
    auto* choose = new QPushButton(u"Choose…"_s, this);
    m_place->setAccessibleName(u"Place"_s);
    m_limit->setAccessibleName(u"At most"_s);
    m_limit->setRange(0, 100'000);
    m_limit->setDecimals(1);
    m_limit->setSuffix(u" GiB"_s);
    m_limit->setFixedWidth(140);
    m_consequence->setWordWrap(true);
    m_consequence->setProperty("role", u"warning"_s);
    m_trouble->setWordWrap(true);
    m_trouble->setProperty("role", u"error"_s);
    m_trouble->hide();
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(12);
    const auto caption = [&](int row, const QString& text) {
        auto* label = new QLabel(text, this);
        grid->addWidget(label, row, 0);
    };
    caption(0, u"Place"_s);
    grid->addWidget(m_place, 0, 1);
    grid->addWidget(choose, 0, 2);
    caption(1, u"At most"_s);
    grid->addWidget(m_limit, 1, 1, Qt::AlignLeft);
    caption(2, u"Now"_s);
    grid->addWidget(m_usage, 2, 1);
    grid->addWidget(m_clear, 2, 2);
    grid->setColumnStretch(1, 1);
    auto* cancel = new QPushButton(u"Cancel"_s, this);
    m_save->setProperty("primary", true);
    m_save->setDefault(true);
    auto* foot = new QHBoxLayout;
    foot->addStretch();
    foot->addWidget(cancel);
    foot->addWidget(m_save);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(20, 20, 20, 16);
    column->setSpacing(16);
    column->addWidget(about);
    column->addLayout(grid);
    column->addWidget(m_consequence);
    column->addWidget(m_trouble);
    column->addLayout(foot);

    if (const auto settings = GeneIndexSettings::read())
        m_before = *settings;
    else
        sayTrouble(settings.error()); // saving puts it right
    m_place->setText(toQString(m_before.folder.string()));
    m_limit->setValue(static_cast<double>(m_before.limit) / kGiB);
    connect(choose, &QPushButton::clicked, this, [this] {
        const QString folder = QFileDialog::getExistingDirectory(this, u"Place of prepared genes"_s, m_place->text());
        if (!folder.isEmpty())
            m_place->setText(folder);
    });
    connect(m_place, &QLineEdit::textChanged, this, &GeneSettingsDialog::refresh);
    connect(m_limit, &QDoubleSpinBox::valueChanged, this, &GeneSettingsDialog::refresh);
    connect(m_clear, &QPushButton::clicked, this, &GeneSettingsDialog::clearAll);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_save, &QPushButton::clicked, this, &GeneSettingsDialog::save);
    measure();
    refresh();
}

QString GeneSettingsDialog::usage() const
{
    return m_usage->text();
}

QString GeneSettingsDialog::consequence() const
{
    return m_consequence->text();
}

GeneIndexSettings GeneSettingsDialog::chosen() const
{
    GeneIndexSettings settings;
    settings.folder = toStdString(QDir::cleanPath(m_place->text().trimmed()));
    // What was not touched stays as it was to the byte.
    const double before = static_cast<double>(m_before.limit) / kGiB;
    settings.limit = std::abs(m_limit->value() - before) < 0.06 ? m_before.limit
                                                                : static_cast<Index>(m_limit->value() * kGiB);
    return settings;
}

void GeneSettingsDialog::refresh()
{
    const GeneIndexSettings settings = chosen();
    const bool absolute = settings.folder.is_absolute();
    const bool moved = settings.folder != m_before.folder;
    setStyleProperty(m_place, "refused", !absolute);
    m_save->setEnabled(absolute);
    m_usage->setText(m_total ? totalText(*m_total) : u"is being counted"_s);
    m_clear->setEnabled(m_total && m_total->indexes > 0);
    QString text;
    if (!absolute)
        text = u"Give a whole path, from the root of the disk."_s;
    else if (moved && m_total && m_total->indexes > 0)
        text = u"What is prepared in the old place (%1) will be removed, and prepared again when it is needed."_s.arg(
            totalText(*m_total));
    else if (m_total && m_total->bytes > settings.limit)
        text = u"More is prepared than that: what was not used for longest will be removed."_s;
    m_consequence->setText(text);
    m_consequence->setVisible(!text.isEmpty());
}

void GeneSettingsDialog::measure()
{
    m_measureRequest.request<GeneIndexStore::Total>(
        [store = m_before.store()](std::stop_token) -> Result<GeneIndexStore::Total> { return store.total(); },
        [this](Result<GeneIndexStore::Total> total) {
            if (total)
                m_total = *total;
            refresh();
        });
}

void GeneSettingsDialog::clearAll()
{
    m_clear->setEnabled(false);
    m_changeRequest.request<GeneIndexStore::Total>(
        [store = m_before.store()](std::stop_token) { return store.clear(); },
        [this](Result<GeneIndexStore::Total> gone) {
            if (!gone)
                sayTrouble(gone.error());
            m_program.geneSettingsChanged();
            measure();
        });
}

void GeneSettingsDialog::save()
{
    const GeneIndexSettings settings = chosen();
    m_save->setEnabled(false);
    m_changeRequest.request<bool>(
        [settings, before = m_before](std::stop_token) -> Result<bool> {
            if (Result<void> written = settings.write(); !written)
                return std::move(written).error();
            if (settings.folder != before.folder)
                if (auto gone = before.store().clear(); !gone)
                    return std::move(gone).error();
            settings.store().shrinkTo(settings.limit);
            return true;
        },
        [this](Result<bool> saved) {
            m_program.geneSettingsChanged();
            if (saved) {
                accept();
                return;
            }
            sayTrouble(saved.error());
            refresh();
        });
}

void GeneSettingsDialog::sayTrouble(const Error& error)
{
    m_trouble->setText(errorText(error));
    m_trouble->show();
}

} // namespace cellfolio
