// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/range_body.h"

#include "widgets/bridge/cell_format.h"
#include "widgets/models/filter_box.h"
#include "widgets/style/fonts.h"
#include "widgets/style/style_sheet.h"
#include "widgets/views/elided_label.h"
#include "widgets/views/range_histogram.h"

#include <QtCore/QSignalBlocker>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QLineEdit>
#include <QtWidgets/QVBoxLayout>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

constexpr int kAskEvery = 120; // ms while a handle is dragged
constexpr int kField = 92;

QString fieldText(const std::optional<RuleBound>& bound, bool high)
{
    if (!bound)
        return {};
    return bound->included ? bound->text : (high ? u"< "_s : u"> "_s) + bound->text;
}

} // namespace

RangeBody::RangeBody(QWidget* parent)
    : CardBody(parent), m_histogram(new RangeHistogram(this)), m_caption(new ElidedLabel(this)),
      m_low(new QLineEdit(this)), m_high(new QLineEdit(this)), m_missing(new QCheckBox(this))
{
    m_caption->setQuiet(true);
    m_caption->setFont(fonts::caption());
    m_caption->setElideMode(Qt::ElideRight);
    m_caption->hide();
    m_missing->setFont(fonts::table());
    m_missing->hide();
    for (QLineEdit* field : {m_low, m_high}) {
        field->setFont(fonts::table());
        field->setMinimumWidth(64);
        field->setMaximumWidth(kField);
    }
    m_low->setAccessibleName(u"From"_s);
    m_high->setAccessibleName(u"To"_s);
    auto* to = new QLabel(u"to"_s, this);
    to->setProperty("role", u"quiet"_s);
    to->setFont(fonts::table());
    auto* fields = new QHBoxLayout;
    fields->setContentsMargins(7, 2, 7, 0);
    fields->addWidget(m_low, 4);
    fields->addStretch(1);
    fields->addWidget(to);
    fields->addStretch(1);
    fields->addWidget(m_high, 4);
    auto* captions = new QHBoxLayout;
    captions->setContentsMargins(7, 0, 7, 2);
    captions->addWidget(m_caption);
    auto* box = new QHBoxLayout;
    box->setContentsMargins(7, 4, 7, 0);
    box->addWidget(m_missing);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 2, 0, 8);
    column->setSpacing(0);
    column->addWidget(m_histogram);
    column->addLayout(captions);
    column->addLayout(fields);
    column->addLayout(box);

    setFocusProxy(m_histogram);
    m_wait.setSingleShot(true);
    m_wait.setInterval(kAskEvery);
    connect(&m_wait, &QTimer::timeout, this, &RangeBody::announce);
    connect(m_histogram, &RangeHistogram::edited, this, &RangeBody::dragged);
    connect(m_low, &QLineEdit::editingFinished, this, [this] { written(false); });
    connect(m_high, &QLineEdit::editingFinished, this, [this] { written(true); });
    connect(m_missing, &QCheckBox::toggled, this, [this](bool keeps) {
        m_card.rule.keepsMissing = keeps;
        announce();
    });
}

void RangeBody::setUnit(const QString& unit)
{
    m_unit = unit;
    showCaption();
}

void RangeBody::setCard(const FilterCard& card)
{
    // What is being dragged is newer than what has come of it.
    if (m_wait.isActive() && card.key == m_card.key) {
        const FilterRule rule = m_card.rule;
        m_card = card;
        m_card.rule = rule;
        return;
    }
    m_card = card;
    m_zerosApart = card.rule.subject.isOfMatrix();
    const QString name = card.rule.subject.shown();
    m_histogram->setAccessibleName(u"Range of "_s + name);
    setEnabled(card.enabled);
    showRule();
}

void RangeBody::showRule()
{
    const FilterRule& rule = m_card.rule;
    const auto value = [](const std::optional<RuleBound>& bound) {
        return bound ? std::optional(bound->value) : std::nullopt;
    };
    m_histogram->setRange(value(rule.low), value(rule.high));
    const auto show = [](QLineEdit* field, const QString& text) {
        if (field->hasFocus() && field->isModified())
            return;
        field->setText(text);
        field->setModified(false);
        setStyleProperty(field, "refused", false);
        field->setToolTip({});
    };
    show(m_low, fieldText(rule.low, false));
    show(m_high, fieldText(rule.high, true));
    const QSignalBlocker blocker(m_missing);
    // Nothing is left out while no end is set: the box says what would be.
    m_missing->setChecked(rule.keepsMissing);
    m_missing->setVisible(m_missingCount > 0);
}

void RangeBody::setFigures(const CardFigures& figures)
{
    const RuleSubject& subject = m_card.rule.subject;
    const ProfileData* whole = figures.profile(subject);
    if (whole == nullptr) {
        m_histogram->setToolTip(figures.problem(subject));
        return;
    }
    RangeHistogramData drawn;
    drawn.first = whole->lowest.value_or(0);
    drawn.last = whole->highest.value_or(0);
    drawn.barWidth = barWidth(*whole);
    drawn.whole = whole->whole;
    drawn.bars.assign(whole->histogram.begin(), whole->histogram.end());
    const ProfilePart* part = figures.part(subject);
    if (!figures.allInView()) {
        drawn.inView.assign(drawn.bars.size(), 0);
        if (part != nullptr && part->histogram.size() == drawn.bars.size())
            drawn.inView.assign(part->histogram.begin(), part->histogram.end());
        else if (part == nullptr && m_histogram->data().inView.size() == drawn.bars.size())
            drawn.inView = m_histogram->data().inView; // until the new ones are there
    }
    if (subject.isOfMatrix() && !whole->counts.empty()) {
        const Index zeros = whole->counts.front();
        const Index shown = figures.allInView() ? zeros : part != nullptr ? part->counts.front() : 0;
        drawn.zeros = static_cast<double>(zeros);
        drawn.zerosInView = static_cast<double>(shown);
        m_zeros = countedText(zeros, u"zero"_s, u"zeros"_s);
    }
    m_lowest = drawn.zeros ? std::min(0.0, drawn.first) : drawn.first;
    m_highest = drawn.last;
    m_known = whole->lowest.has_value() || drawn.zeros.has_value();
    m_missingCount = whole->missing;
    m_exact = whole->exact;
    m_histogram->setData(std::move(drawn));
    m_missing->setText((whole->exact ? QString() : u"≈ "_s) + u"keep %1 without a value"_s.arg(countText(m_missingCount)));
    m_low->setPlaceholderText(m_known ? numberText(m_lowest, 6) : QString());
    m_high->setPlaceholderText(m_known ? numberText(m_highest, 6) : QString());
    showRule();
    showCaption();
}

void RangeBody::showCaption()
{
    QStringList parts;
    if (!m_zeros.isEmpty())
        parts.append(m_zeros);
    if (!m_unit.isEmpty())
        parts.append(m_unit);
    m_caption->setText(parts.join(u" · "_s));
    m_caption->setVisible(!parts.isEmpty());
}

QString RangeBody::caption() const
{
    return m_caption->text();
}

QString RangeBody::words() const
{
    return m_card.rule.words();
}

void RangeBody::dragged()
{
    const auto take = [](std::optional<RuleBound>& bound, std::optional<double> value) {
        if (!value)
            bound.reset();
        else if (!bound || bound->value != *value)
            bound = RuleBound::of(*value);
    };
    take(m_card.rule.low, m_histogram->low());
    take(m_card.rule.high, m_histogram->high());
    m_low->setText(fieldText(m_card.rule.low, false));
    m_high->setText(fieldText(m_card.rule.high, true));
    Q_EMIT wordsChanged();
    if (!m_wait.isActive())
        m_wait.start();
}

void RangeBody::written(bool high)
{
    QLineEdit* field = high ? m_high : m_low;
    if (!field->isModified())
        return;
    field->setModified(false);
    QString text = field->text().trimmed();
    bool included = true;
    if (text.startsWith(u'<') || text.startsWith(u'>') || text.startsWith(QChar(0x2264)) || text.startsWith(QChar(0x2265))) {
        included = text.size() > 1 && text[1] == u'=';
        included = included || text[0] == QChar(0x2264) || text[0] == QChar(0x2265);
        text = text.mid(text.size() > 1 && text[1] == u'=' ? 2 : 1).trimmed();
    }
    std::optional<RuleBound>& bound = high ? m_card.rule.high : m_card.rule.low;
    if (text.isEmpty()) {
        bound.reset();
    } else if (const auto number = writtenNumber(text)) {
        bound = RuleBound{*number, number->toDouble(), included};
    } else {
        setStyleProperty(field, "refused", true);
        field->setToolTip(u"“%1” is no number. Write 5, or > 5 to leave 5 itself out; nothing for no limit."_s.arg(text));
        return;
    }
    setStyleProperty(field, "refused", false);
    announce();
}

void RangeBody::announce()
{
    m_wait.stop();
    // Rows without a value stay as the box says. Where there are none, no rule needs to speak of them.
    FilterRule rule = m_card.rule;
    const bool limits = rule.low || rule.high;
    if (m_exact && m_missingCount == 0)
        rule.keepsMissing = !limits;
    else if (!limits && m_missingCount < 0)
        rule.keepsMissing = true;
    m_card.rule = rule;
    Q_EMIT wordsChanged();
    Q_EMIT ruleEdited(rule);
}

} // namespace cellfolio
