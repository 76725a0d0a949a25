// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/filter_bar.h"

#include "app/gui/filter_chips.h"
#include "core/query/lexer.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"
#include "widgets/style/style_sheet.h"
#include "widgets/style/theme.h"
#include "widgets/views/elided_label.h"
#include "widgets/views/expression_colors.h"
#include "widgets/views/expression_edit.h"

#include <QtCore/QEvent>
#include <QtCore/QSettings>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

#include <algorithm>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype kMostHistory = 50;
constexpr std::size_t kMostSuggestions = 4;
const QString kHistoryKey = u"filter/history"_s;

// The place of a byte of the expression among its QChars.
int placeOf(const QString& text, Index byte)
{
    const QByteArray bytes = text.toUtf8();
    return static_cast<int>(QString::fromUtf8(bytes.left(static_cast<qsizetype>(byte))).size());
}

struct Span {
    int from = 0;
    int to = 0;
};

int endOfQuoted(const QString& text, int from)
{
    const QChar quote = text[from];
    int end = from + 1;
    while (end < text.size() && text[end] != quote)
        end += quote == u'"' && text[end] == u'\\' ? 2 : 1;
    return std::min(end + 1, static_cast<int>(text.size()));
}

// The name, text or sign that begins here.
Span pieceAt(const QString& text, int from)
{
    if (from >= text.size())
        return {static_cast<int>(text.size()), static_cast<int>(text.size())};
    const auto belongs = [](QChar c) { return c.isLetterOrNumber() || c == u'_' || c == u'.'; };
    if (text[from] == u'"' || text[from] == u'`')
        return {from, endOfQuoted(text, from)};
    int end = from + 1;
    if (belongs(text[from]))
        while (end < text.size() && belongs(text[end]))
            ++end;
    return {from, end};
}

// What a suggestion stands for: a name itself, or the last text within the brackets of a function.
Span suggestedSpan(const QString& text, int from, ErrorCode code)
{
    Span piece = pieceAt(text, from);
    if (code == ErrorCode::BadUsage) { // of the language: the word or sign itself, "&&" at once
        while (piece.from < piece.to && piece.to < text.size() && text[piece.to] == text[piece.from])
            ++piece.to;
        return piece;
    }
    if (piece.to >= text.size() || text[piece.to] != u'(')
        return piece;
    Span inner = piece;
    for (int at = piece.to; at < text.size() && text[at] != u')';) {
        if (text[at] == u'"') {
            inner = {at, endOfQuoted(text, at)};
            at = inner.to;
        } else {
            ++at;
        }
    }
    return inner;
}

// What to do, in words of the window: advice speaks of the command line's options.
QString fixText(const Error& error)
{
    QString fix = toQString(error.fix());
    fix.replace(u"it belongs into --where-var."_s, u"write it in the tab Genes."_s);
    fix.replace(u"it belongs into --where."_s, u"write it in the tab Cells."_s);
    return fix;
}

} // namespace

FilterBar::FilterBar(ModelContext context, ViewModel& view, QWidget* parent)
    : QWidget(parent), m_context(context), m_view(view), m_icon(new QLabel(this)), m_chips(new FilterChips(this)),
      m_field(new ExpressionEdit(this)), m_busy(new QLabel(this)), m_stop(new QToolButton(this)),
      m_clear(new QToolButton(this)), m_cards(new QToolButton(this)), m_help(new QToolButton(this)), m_troubleRow(new QWidget(this)),
      m_trouble(new ElidedLabel(m_troubleRow)), m_completion(context.quick)
{
    setProperty("surface", u"frame"_s);
    setAttribute(Qt::WA_StyledBackground);
    m_icon->setPixmap(icon("filter").pixmap(measures::kIcon, measures::kIcon));
    m_busy->setProperty("role", u"quiet"_s);
    m_busy->setFont(fonts::table());
    m_busy->hide();
    const auto tool = [](QToolButton* button, const char* name, const QString& tip) {
        button->setIcon(icon(QString::fromLatin1(name)));
        button->setIconSize({measures::kIcon, measures::kIcon});
        button->setToolTip(tip);
        button->setAccessibleName(tip);
    };
    tool(m_stop, "x", u"Stop filtering"_s);
    tool(m_cards, "adjustments-horizontal", u"Filter cards: by column, gene, list or view · F10"_s);
    tool(m_help, "help", u"How expressions are written"_s);
    m_stop->hide();
    m_clear->setText(u"Clear all"_s);
    m_clear->setFont(fonts::table());
    m_clear->hide();
    m_field->setWords(ExpressionColors::standardWords());
    m_field->setHistory(QSettings().value(kHistoryKey).toStringList());

    auto* row = new QHBoxLayout;
    row->setContentsMargins(14, 2, 8, 4);
    row->setSpacing(8);
    row->addWidget(m_icon);
    row->addWidget(m_chips);
    row->addWidget(m_field, 1);
    row->addWidget(m_busy);
    row->addWidget(m_stop);
    row->addWidget(m_clear);
    row->addWidget(m_cards);
    row->addWidget(m_help);
    m_troubleLayout = new QHBoxLayout(m_troubleRow);
    m_troubleLayout->setContentsMargins(14, 0, 8, 4);
    m_troubleLayout->setSpacing(6);
    m_trouble->setFont(fonts::table());
    m_trouble->setElideMode(Qt::ElideRight);
    m_trouble->setCopyable(true);
    m_troubleLayout->addWidget(m_trouble);
    m_troubleLayout->addStretch(1);
    m_troubleRow->hide();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(row);
    column->addWidget(m_troubleRow);
    setAxis(Axis::Obs);
    setDataset(nullptr);
    m_field->installEventFilter(this);

    connect(m_field, &ExpressionEdit::applied, this, &FilterBar::apply);
    connect(m_field, &ExpressionEdit::restored, this, &FilterBar::restore);
    connect(m_field, &ExpressionEdit::edited, this, &FilterBar::clearProblem);
    connect(m_field, &ExpressionEdit::completionsWanted, this, &FilterBar::complete);
    connect(m_chips, &FilterChips::editRequested, this, &FilterBar::editStep);
    connect(m_chips, &FilterChips::removeRequested, &m_view, &ViewModel::removeStep);
    connect(m_chips, &FilterChips::enableRequested, &m_view, &ViewModel::setStepEnabled);
    connect(m_stop, &QToolButton::clicked, &m_view, &ViewModel::stop);
    connect(m_clear, &QToolButton::clicked, this, [this] { m_view.reset(m_axis); });
    connect(m_cards, &QToolButton::clicked, this, &FilterBar::cardsRequested);
    connect(m_help, &QToolButton::clicked, this, &FilterBar::helpRequested);
    connect(&m_view, &ViewModel::viewChanged, this, &FilterBar::showSteps);
    connect(&m_view, &ViewModel::failed, this, &FilterBar::sayProblem);
    connect(&m_view, &ViewModel::evaluating, this, &FilterBar::showBusy);
    connect(&m_view, &ViewModel::progressed, this, [this](qint64 done, qint64 total) {
        m_busy->setText(total > 0 ? u"Filtering… %1 %"_s.arg(std::min<qint64>(100 * done / total, 100)) : u"Filtering…"_s);
        m_busy->show();
        m_stop->show();
    });
}

FilterBar::~FilterBar() = default;

void FilterBar::setDataset(std::shared_ptr<const Dataset> dataset)
{
    m_completion.cancel();
    m_dataset = std::move(dataset);
    m_symbols = nullptr;
    m_rawSymbols = nullptr;
    m_field->setText({});
    m_field->setEnabled(m_dataset != nullptr);
    m_edited = 0;
    m_tried = 0;
    clearProblem();
    showSteps();
}

void FilterBar::setSymbols(const Element* var, const Element* rawVar)
{
    m_symbols = var;
    m_rawSymbols = rawVar;
}

void FilterBar::setAxis(Axis axis)
{
    const bool other = axis != m_axis;
    m_axis = axis;
    showHint();
    m_field->setAccessibleName(axis == Axis::Obs ? u"Filter expression for cells"_s
                                                 : u"Filter expression for genes"_s);
    if (!other)
        return;
    m_field->setText({});
    m_edited = 0;
    m_tried = 0;
    clearProblem();
    showSteps();
}

// With an example where there is room for it; it would be wrapped otherwise.
void FilterBar::showHint()
{
    const QString example = m_axis == Axis::Obs ? u"Filter cells: n_genes > 500 and gene(\"CD3E\") > 1"_s
                                                : u"Filter genes: highly_variable and name startswith \"MT-\""_s;
    const bool fits = m_field->fontMetrics().horizontalAdvance(example) + 24 < m_field->width();
    m_field->setPlaceholderText(fits ? example : m_axis == Axis::Obs ? u"Filter cells…"_s : u"Filter genes…"_s);
}

void FilterBar::focusField()
{
    m_field->setFocus(Qt::ShortcutFocusReason);
    m_field->selectAll();
}

QString FilterBar::fieldText() const
{
    const FilterStep* step = m_edited == 0 ? nullptr : m_view.step(m_edited);
    return step == nullptr ? QString() : step->expression;
}

void FilterBar::editStep(int id)
{
    const FilterStep* step = m_view.step(id);
    if (step == nullptr || step->picked)
        return;
    m_edited = id;
    m_tried = 0;
    clearProblem();
    m_field->setText(step->expression);
    m_chips->setEdited(id);
    m_field->setFocus(Qt::OtherFocusReason);
}

void FilterBar::apply()
{
    const QString text = m_field->text().trimmed();
    if (text.isEmpty()) {
        if (m_edited != 0)
            m_view.removeStep(m_edited); // an emptied rule is none
        restore();
        return;
    }
    if (text == fieldText()) {
        restore();
        return;
    }
    // A rule that another control keeps is that control's no more once it is written by hand.
    m_triedText = text;
    m_tried = m_view.setStep(m_axis, m_edited, text);
}

// First back to what is applied, then out of the step, then out of the field.
void FilterBar::restore()
{
    clearProblem();
    m_tried = 0;
    const QString before = fieldText();
    if (m_edited != 0 && m_field->text() != before) {
        m_field->setText(before);
        return;
    }
    const bool empty = m_field->text().isEmpty();
    m_edited = 0;
    m_chips->setEdited(0);
    m_field->setText({});
    if (empty)
        Q_EMIT left();
}

void FilterBar::showSteps()
{
    const std::vector<FilterStep>& steps = m_view.steps(m_axis);
    m_chips->setSteps(m_dataset ? steps : std::vector<FilterStep>());
    m_chips->setVisible(m_dataset && !steps.empty());
    m_clear->setVisible(m_dataset && !steps.empty());
    const bool done = m_tried != 0
        && std::any_of(steps.begin(), steps.end(), [this](const FilterStep& step) {
               return step.id == m_tried && step.expression == m_triedText;
           });
    if (done) {
        m_tried = 0;
        m_edited = 0;
        QStringList history = QSettings().value(kHistoryKey).toStringList();
        history.removeAll(m_triedText);
        history.prepend(m_triedText);
        QSettings().setValue(kHistoryKey, QStringList(history.mid(0, kMostHistory)));
        m_field->setHistory(history);
        m_field->setText({});
        clearProblem();
    } else if (m_edited != 0 && m_view.step(m_edited) == nullptr) {
        m_edited = 0; // taken away elsewhere
        m_field->setText({});
        clearProblem();
    }
    m_chips->setEdited(m_edited);
    limitChips();
}

void FilterBar::showBusy(bool busy)
{
    if (busy)
        return; // said by progressed(), once it takes long
    m_busy->hide();
    m_stop->hide();
}

void FilterBar::sayProblem(const StepProblem& problem)
{
    if (problem.axis != m_axis)
        return;
    if (problem.id != m_tried) {
        // A box or a card says its own; the others have no other place.
        if (problem.origin.isEmpty()) {
            clearProblem();
            m_trouble->setText(errorText(problem.error));
            m_troubleRow->show();
        }
        return;
    }
    m_tried = 0;
    m_lastError = problem.error;
    const QString text = m_field->text();
    QString sentence = errorSentence(problem.error);
    clearProblem();
    const auto& names = problem.error.suggestions();
    const QString fix = fixText(problem.error);
    if (!fix.isEmpty() && (names.empty() || !fix.startsWith("Did you mean"_L1)))
        sentence += u' ' + fix;
    if (!names.empty())
        sentence += u" Did you mean:"_s;
    m_trouble->setText(sentence);
    setAccessibleDescription(sentence);
    if (problem.error.position()) {
        const Span span = pieceAt(text, placeOf(text, *problem.error.position()));
        m_field->setFault(span.from, span.to);
        if (m_field->hasFocus())
            m_field->setCaret(span.to);
    } else {
        m_field->setFault(0, static_cast<int>(text.size()));
    }
    for (std::size_t i = 0; i < std::min(names.size(), kMostSuggestions); ++i) {
        auto* button = new QToolButton(m_troubleRow);
        button->setText(toQString(names[i]));
        button->setFont(fonts::table());
        button->setProperty("suggestion", true);
        button->setToolTip(u"Write “%1” instead"_s.arg(button->text()));
        button->setAccessibleName(button->toolTip());
        connect(button, &QToolButton::clicked, this, [this, i] { takeSuggestion(static_cast<int>(i)); });
        m_troubleLayout->insertWidget(m_troubleLayout->count() - 1, button);
        m_suggestions.push_back(button);
    }
    m_troubleRow->show();
    // The sentence stands below the place it speaks of, where there is room for it.
    const int want = m_field->geometry().left() + std::max(0, m_field->faultX());
    const int most = std::max(14, width() - m_trouble->sizeHint().width() - 340);
    m_troubleLayout->setContentsMargins(std::clamp(want, 14, most), 0, 8, 4);
}

QString FilterBar::trouble() const
{
    return m_troubleRow->isHidden() ? QString() : m_trouble->text();
}

QStringList FilterBar::suggestions() const
{
    QStringList list;
    for (const QToolButton* button : m_suggestions)
        list.append(button->text());
    return list;
}

void FilterBar::takeSuggestion(int place)
{
    if (place < 0 || place >= static_cast<int>(m_suggestions.size()) || !m_lastError.position())
        return;
    const std::string name = m_lastError.suggestions()[static_cast<std::size_t>(place)];
    QString text = m_field->text();
    const Span span = suggestedSpan(text, placeOf(text, *m_lastError.position()), m_lastError.code());
    const bool quoted = span.from < text.size() && text[span.from] == u'"';
    const bool asItIs = m_lastError.code() == ErrorCode::BadUsage || name.starts_with('"');
    text.replace(span.from, span.to - span.from,
                 toQString(asItIs ? name : quoted ? quotedText(name) : columnText(name)));
    clearProblem();
    m_field->setText(text);
    m_field->setFocus(Qt::OtherFocusReason);
    apply();
}

void FilterBar::clearProblem()
{
    m_troubleRow->hide();
    m_trouble->setText({});
    m_field->setFault(-1, -1);
    for (QToolButton* button : m_suggestions) {
        button->hide();
        button->deleteLater(); // it may be the one that is being clicked
    }
    m_suggestions.clear();
}

void FilterBar::complete(const QString& text, int caret, bool asked)
{
    const Element* table = !m_dataset ? nullptr : m_axis == Axis::Obs ? m_dataset->obs() : m_dataset->var();
    if (table == nullptr || table->kind != ElementKind::Table) {
        m_field->setCompletions(caret, caret, {});
        return;
    }
    CompletionQuery query;
    query.place = completionPlace(text, caret, *table);
    query.text = text;
    query.dataset = m_dataset;
    query.table = table;
    query.symbols = m_symbols;
    query.rawSymbols = m_rawSymbols;
    query.asked = asked;
    if (const auto& named = m_view.namedRows(m_axis))
        for (const auto& item : *named)
            query.selections.append(toQString(item.first));
    m_completion.request<std::vector<Completion>>(
        [query, reading = m_context.reading](std::stop_token stop) { return completionsFor(query, reading, stop); },
        [this, place = query.place](Result<std::vector<Completion>> found) {
            std::vector<ExpressionEdit::Offer> offers;
            // Without completions one writes by hand; what cannot be read is said on Enter.
            if (found)
                for (Completion& one : *found)
                    offers.push_back({one.shown, one.note, one.insert, one.icon});
            m_field->setCompletions(place.from, place.to, std::move(offers));
            Q_EMIT answered();
        });
}

void FilterBar::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    limitChips();
}

void FilterBar::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_icon != nullptr)
        m_icon->setPixmap(icon("filter").pixmap(measures::kIcon, measures::kIcon));
}

bool FilterBar::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_field && event->type() == QEvent::Resize)
        showHint();
    return QWidget::eventFilter(watched, event);
}

void FilterBar::limitChips()
{
    m_chips->setMaximumWidth(std::max(60, width() * 55 / 100));
    m_chips->updateGeometry();
}

} // namespace cellfolio
