// SPDX-License-Identifier: GPL-3.0-or-later
// The part of the export dialog that says what a choice comes to, and starts it.
#include "app/gui/export_dialog.h"
#include "app/gui/export_effects.h"
#include "app/gui/program.h"
#include "app/gui/session.h"
#include "core/export/export_job.h"
#include "core/export/export_size.h"
#include "core/select/selection_text.h"
#include "core/write/staged_file.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/bridge/job_bridge.h"
#include "widgets/models/element_text.h"
#include "widgets/models/equal_expression.h"
#include "widgets/style/style_sheet.h"
#include "widgets/views/elided_label.h"

#include <QtCore/QFileInfo>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QMessageBox>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QToolButton>

#include <algorithm>
#include <filesystem>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t kLongestPositions = 2000; // characters of picked rows in a command

// Why this target cannot be; before anything is read.
std::optional<Error> targetProblem(const ExportTask& task, bool folder)
{
    const std::filesystem::path target(task.output);
    if (task.output.empty())
        return Error(ErrorCode::BadUsage, "Where to?").advise("Name the new file.");
    if (!target.is_absolute())
        return Error(ErrorCode::BadUsage, "Give a whole path, from the root of the disk.");
    if (task.isSplit() != (task.output.find("{}") != std::string::npos))
        return Error(ErrorCode::BadUsage, task.isSplit() ? "The name needs {} where the value goes, as in cells-{}.h5ad."
                                                         : "{} in the name stands for a value; choose a column for it, or take it out.");
    const auto ending = fileKindByName(task.output);
    if (!folder && ending != task.file.kind)
        return Error(ErrorCode::BadUsage, "The name of the new file must end as its kind does.");
    std::error_code failure;
    if (folder && !task.isSplit() && std::filesystem::exists(target, failure))
        return Error(ErrorCode::TargetExists, "A folder or file of that name is there already.").advise("Choose another name.");
    return std::nullopt;
}

Result<ExportPreview> previewOf(ExportTask task, Index memory, bool folder, std::stop_token stop)
{
    ExportPreview preview;
    if ((preview.problem = targetProblem(task, folder)))
        return preview;
    Reading::Options options;
    options.budget = memory;
    const ExportContext context{std::make_shared<Reading>(options), stop, nullptr, {}};
    const auto parts = exportParts(task, context);
    if (!parts) {
        if (parts.error().code() == ErrorCode::Cancelled)
            return parts.error();
        preview.problem = parts.error();
        return preview;
    }
    preview.files = static_cast<Index>(parts->size());
    // What is there is asked about when the job is started; here it is looked at as if it might go.
    task.file.options.overwrite = true;
    for (const ExportPart& part : *parts) {
        std::error_code failure;
        if (std::filesystem::exists(part.output, failure))
            preview.existing.append(toQString(part.output));
        for (const auto& left : StagedFile::leftovers(part.output))
            preview.leftovers.append(toQString(left.string()));
    }
    auto estimate = estimateParts(task, *parts, context);
    if (!estimate) {
        if (estimate.error().code() == ErrorCode::Cancelled)
            return std::move(estimate).error();
        preview.problem = std::move(estimate).error();
        return preview;
    }
    preview.estimate = *std::move(estimate);
    preview.estimate.memory = std::max<Index>(0, preview.estimate.memory - kProcessBytes);
    std::error_code failure;
    const auto space = std::filesystem::space(std::filesystem::path(task.output).parent_path(), failure);
    preview.freeBytes = failure ? 0 : static_cast<Index>(space.available);
    if (!preview.estimate.fits())
        preview.problem = Error(ErrorCode::Refused, preview.estimate.reason);
    return preview;
}

ExportEffects::Effect effect(const char* iconName, const QString& sentence, const QString& note = {},
                             ExportEffects::Tone tone = ExportEffects::Tone::Plain)
{
    return {QString::fromLatin1(iconName), sentence, note, tone};
}

QString shortList(const QStringList& names)
{
    constexpr qsizetype kMost = 4;
    QString text = names.mid(0, kMost).join(u", "_s);
    return names.size() > kMost ? text + u" and %1 more"_s.arg(names.size() - kMost) : text;
}

} // namespace

Index ExportDialog::jobMemory() const
{
    const MemoryBudget& budget = m_program.context().reading->budget();
    return std::max(MemoryBudget::kSmallest, std::min(Job::kUsualMemory, budget.limit() / 2));
}

QString ExportDialog::viewTitle() const
{
    if (!m_viewName.isEmpty())
        return u"View “%1”"_s.arg(m_viewName);
    return m_view.isAll() ? u"All cells and genes"_s : u"The view that is shown"_s;
}

ViewWords ExportDialog::viewWords() const
{
    ViewWords words;
    if (!m_viewName.isEmpty()) {
        words.options = {u"--view"_s, m_viewName};
        return words;
    }
    for (const Axis axis : {Axis::Obs, Axis::Var}) {
        const bool obs = axis == Axis::Obs;
        if (m_view.of(axis).isAll() || (!obs && m_choice.fromRaw))
            continue;
        const Element* table = obs ? m_view.dataset()->obs() : m_view.dataset()->var();
        const EqualExpression equal = equalExpression(m_session.view().steps(axis), table);
        if (equal.isWhole() && !equal.text.isEmpty()) {
            words.options += {obs ? u"--where"_s : u"--where-var"_s, equal.text};
            continue;
        }
        const std::string positions = selectionText(m_view.of(axis));
        if (positions.size() > kLongestPositions) {
            words.problem = u"Rows were picked by hand: keep this view (Ctrl+Shift+K), and a command can name it."_s;
            return words;
        }
        words.options += {obs ? u"--obs"_s : u"--var"_s, toQString(positions)};
    }
    return words;
}

QString ExportDialog::command() const
{
    return commandWith(viewWords(), m_choice);
}

QString ExportDialog::commandWith(const ViewWords& words, const ExportChoice& choice) const
{
    return words.problem.isEmpty() ? commandOf(choice, m_session.location(), words, jobMemory()) : QString();
}

QString ExportDialog::problemText() const
{
    return m_preview && m_preview->problem ? errorText(*m_preview->problem) : QString();
}

void ExportDialog::changed()
{
    m_preview.reset();
    m_request.cancel();
    m_wait.start();
    updateFoot();
}

void ExportDialog::ask()
{
    m_request.request<ExportPreview>(
        [task = m_choice.task(m_view), memory = jobMemory(), folder = m_choice.makesFolder()](std::stop_token stop) {
            return previewOf(task, memory, folder, stop);
        },
        [this](Result<ExportPreview> preview) { show(std::move(preview)); });
}

void ExportDialog::show(Result<ExportPreview> answer)
{
    if (answer) {
        m_preview = *std::move(answer);
    } else {
        m_preview = ExportPreview{};
        m_preview->problem = std::move(answer).error();
    }
    updateFoot();
}

void ExportDialog::updateFoot()
{
    const ViewWords words = viewWords();
    const QString line = commandWith(words, m_choice);
    m_command->setText(words.problem.isEmpty() ? line : words.problem);
    m_copy->setEnabled(!line.isEmpty());
    const bool ready = m_preview.has_value() && !m_preview->problem;
    m_export->setEnabled(ready);
    setStyleProperty(m_target, "refused", m_preview && m_preview->problem && m_preview->problem->code() != ErrorCode::Refused);

    const MemorySnapshot memory = m_program.context().reading->budget().snapshot();
    using Tone = ExportEffects::Tone;
    if (ready) {
        const ExportEstimate& estimate = m_preview->estimate;
        const Index disk = estimate.output + estimate.temporary;
        const QString free = m_preview->freeBytes > 0 ? u"%1 free"_s.arg(sizeText(m_preview->freeBytes)) : QString();
        const QString temporary = estimate.temporary > 0 ? u"%1 of it for temporary files beside it · "_s.arg(sizeText(estimate.temporary))
                                                         : QString();
        m_effects->setNeeds(
            {u"%1 at most"_s.arg(sizeText(std::min(estimate.memory, jobMemory()))),
             u"%1 reserved of %2 budget, %3 in use now"_s.arg(sizeText(jobMemory()), sizeText(memory.limit), sizeText(memory.total)),
             static_cast<double>(memory.total + jobMemory()) / static_cast<double>(std::max<Index>(1, memory.limit))},
            {u"about %1"_s.arg(sizeText(disk)), temporary + free,
             m_preview->freeBytes > 0 ? static_cast<double>(disk) / static_cast<double>(m_preview->freeBytes) : -1},
            {u"about %1"_s.arg(toQString(durationText(estimate.seconds))), u"tried on a sample of this file"_s, -1});
    } else {
        const QString value = m_preview ? u"–"_s : u"…"_s;
        m_effects->setNeeds({value, {}, 0}, {value, {}, 0}, {value, {}, -1});
    }

    std::vector<ExportEffects::Effect> effects;
    if (m_preview && m_preview->problem) {
        const Error& problem = *m_preview->problem;
        effects.push_back(effect("alert-circle", errorSentence(problem), toQString(problem.fix()), Tone::Refusal));
    }
    const Selection& obs = m_view.obs();
    const Selection& var = m_view.var();
    effects.push_back(effect("filter",
                             obs.size() == obs.extent() ? u"All %1"_s.arg(countedText(obs.size(), u"cell"_s, u"cells"_s))
                                                        : u"%1 of %2 cells"_s.arg(countText(obs.size()), countText(obs.extent())),
                             m_choice.fromRaw                ? u"and all genes of raw"_s
                             : var.size() == var.extent() ? u"and all %1 genes"_s.arg(countText(var.size()))
                                                           : u"and %1 of %2 genes"_s.arg(countText(var.size()), countText(var.extent()))));
    if (m_choice.isH5ad() && !m_choice.without.isEmpty())
        effects.push_back(effect("eraser",
                                 m_choice.without.size() == 1 ? u"1 element is left out"_s
                                                              : u"%1 elements are left out"_s.arg(m_choice.without.size()),
                                 shortList(m_choice.without), Tone::Warning));
    if (!m_choice.split.isEmpty() && m_preview && !m_preview->problem)
        effects.push_back(effect("git-merge", countedText(m_preview->files, u"file"_s, u"files"_s),
                                 u"one for each value of %1; cells without a value are in none"_s.arg(m_choice.split)));
    if (m_choice.isH5ad() && m_choice.dropUnused)
        effects.push_back(effect("tag", u"Categories without cells are dropped"_s, u"colours stay in step"_s, Tone::Warning));
    const auto& holds = m_session.holds();
    if (m_choice.audience == Audience::Seurat && m_session.holdsKnown()) {
        const auto counts = std::find_if(holds.begin(), holds.end(), [](const KnownHolds& k) { return k.holds.holds == Holds::Counts; });
        if (counts != holds.end())
            effects.push_back(effect("grid-dots", u"Whole counts from %1"_s.arg(toQString(counts->matrix->path))));
        else
            effects.push_back(effect("alert-triangle", u"No matrix seems to hold whole counts"_s,
                                     u"Seurat starts from counts. The job looks closer, and ends without a file if there are none."_s,
                                     Tone::Warning));
    }
    if (m_choice.audience == Audience::TenX)
        for (const KnownHolds& known : holds)
            if (toQString(known.matrix->path) == m_choice.element && known.holds.holds != Holds::Counts
                && known.holds.holds != Holds::Unknown)
                effects.push_back(effect("alert-triangle", u"%1 holds %2, not counts"_s.arg(m_choice.element, toQString(known.holds.text())),
                                         u"readers of this layout take it for counts"_s, Tone::Warning));
    if (ready && !m_preview->existing.isEmpty())
        effects.push_back(effect("alert-triangle",
                                 m_preview->existing.size() == 1 ? u"A file of that name is there already"_s
                                                                 : u"%1 of the files are there already"_s.arg(m_preview->existing.size()),
                                 u"you will be asked before it is replaced"_s, Tone::Warning));
    if (m_preview && !m_preview->leftovers.isEmpty())
        effects.push_back(effect("info-circle", u"An earlier run left unfinished files behind"_s, shortList(m_preview->leftovers)));
    effects.push_back(effect("lock", u"Your file is not touched"_s, u"the new one appears whole or not at all"_s, Tone::Good));
    m_effects->setEffects(effects);
}

void ExportDialog::start()
{
    if (!m_preview || m_preview->problem)
        return;
    for (const JobSnapshot& job : m_program.jobs().jobs())
        if (!isOver(job.state) && toQString(job.subject).endsWith(u" to "_s + m_choice.target)) {
            QMessageBox::information(this, u"Export"_s, u"A job that is not done yet writes this file. Choose another name, or wait for it."_s);
            return;
        }
    ExportChoice choice = m_choice;
    if (!m_preview->existing.isEmpty()) {
        QMessageBox box(QMessageBox::Warning, u"Replace?"_s,
                        m_preview->existing.size() == 1
                            ? u"%1 is there already. Replace it?"_s.arg(m_preview->existing.front())
                            : u"%1 of the files are there already. Replace them?"_s.arg(m_preview->existing.size()),
                        QMessageBox::Cancel, this);
        box.setObjectName(u"replaceQuestion"_s);
        QPushButton* replace = box.addButton(u"Replace"_s, QMessageBox::DestructiveRole);
        box.exec();
        if (box.clickedButton() != replace)
            return;
        choice.overwrite = true;
    }
    ExportJob::About about;
    const QString what = !m_viewName.isEmpty() ? m_viewName : countedText(m_view.obs().size(), u"cell"_s, u"cells"_s);
    about.subject = toStdString(what + u" of "_s + fileNameOf(*m_view.dataset()) + u" to "_s + choice.target);
    about.command = toStdString(commandWith(viewWords(), choice));
    about.needs = m_preview->estimate;
    const JobId id = m_program.jobs().start(std::make_unique<ExportJob>(choice.task(m_view), std::move(about)));
    Q_EMIT started(id);
    accept();
}

} // namespace cellfolio
