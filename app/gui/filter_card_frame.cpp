// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/filter_card_frame.h"

#include "widgets/bridge/cell_format.h"
#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"
#include "widgets/views/elided_label.h"

#include <QtGui/QClipboard>
#include <QtGui/QContextMenuEvent>
#include <QtGui/QGuiApplication>
#include <QtGui/QMouseEvent>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QMenu>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

constexpr int kHead = 32;
constexpr int kSmallIcon = 14;

QToolButton* smallButton(const QString& tip, QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setIconSize({measures::kIcon, measures::kIcon});
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setProperty("word", true); // close together
    return button;
}

} // namespace

FilterCardFrame::FilterCardFrame(CardBody* body, QWidget* parent)
    : QFrame(parent), m_body(body), m_head(new QWidget(this)), m_fold(smallButton(u"Fold"_s, m_head)),
      m_icon(new QLabel(m_head)), m_name(new ElidedLabel(m_head)), m_state(new ElidedLabel(m_head)),
      m_eye(smallButton(u"Switch this filter off"_s, m_head)), m_more(smallButton(u"More"_s, m_head)),
      m_cross(smallButton(u"Remove"_s, m_head)), m_problem(new QLabel(this))
{
    m_fold->setIconSize({kSmallIcon, kSmallIcon});
    m_name->setFont(fonts::tableSemibold());
    // The name has its width first; the state takes what is left.
    m_name->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
    m_state->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_state->setFont(fonts::table());
    m_state->setQuiet(true);
    m_state->setElideMode(Qt::ElideRight);
    m_head->setFixedHeight(measures::scaled(kHead));
    m_head->installEventFilter(this);
    m_problem->setProperty("role", u"error"_s);
    m_problem->setFont(fonts::table());
    m_problem->setWordWrap(true);
    m_problem->setTextFormat(Qt::PlainText);
    m_problem->setContentsMargins(22, 0, 6, 6);
    m_problem->hide();
    auto* row = new QHBoxLayout(m_head);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(2);
    row->addWidget(m_fold);
    row->addWidget(m_icon);
    row->addSpacing(4);
    row->addWidget(m_name, 0);
    row->addSpacing(4);
    row->addWidget(m_state, 1);
    row->addWidget(m_eye);
    row->addWidget(m_more);
    row->addWidget(m_cross);
    m_body->setParent(this);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 0, 8, 0);
    column->setSpacing(0);
    column->addWidget(m_head);
    column->addWidget(m_problem);
    column->addWidget(m_body);

    connect(m_fold, &QToolButton::clicked, this, [this] {
        setFolded(!isFolded());
        Q_EMIT folded();
    });
    connect(m_eye, &QToolButton::clicked, this, [this] { Q_EMIT enableRequested(!m_card.enabled); });
    connect(m_cross, &QToolButton::clicked, this, &FilterCardFrame::removeRequested);
    connect(m_more, &QToolButton::clicked, this, [this] {
        QMenu menu(this);
        fillMenu(menu);
        menu.exec(m_more->mapToGlobal(QPoint(0, m_more->height())));
    });
    connect(m_body, &CardBody::wordsChanged, this, &FilterCardFrame::showWords);
    connect(m_body, &CardBody::ruleEdited, this, &FilterCardFrame::ruleEdited);
    showIcons();
}

QString FilterCardFrame::iconOf(const FilterCard& card)
{
    if (card.picked)
        return u"marquee-2"_s;
    switch (card.rule.kind) {
    case FilterRule::Kind::Categories: return card.rule.literal == RuleLiteral::Boolean ? u"check"_s : u"tag"_s;
    case FilterRule::Kind::Range: return card.rule.subject.isOfMatrix() ? u"helix"_s : u"chart-histogram"_s;
    case FilterRule::Kind::Names:
    case FilterRule::Kind::File: return u"list-details"_s;
    case FilterRule::Kind::Selection: return u"bookmark"_s;
    case FilterRule::Kind::Other: return u"terminal-2"_s;
    }
    return u"filter"_s;
}

QString FilterCardFrame::nameOf(const FilterCard& card)
{
    if (card.picked)
        return card.label.isEmpty() ? u"Picked by hand"_s : card.label;
    switch (card.rule.kind) {
    case FilterRule::Kind::Selection: return card.rule.name;
    case FilterRule::Kind::Other: return card.rule.expression;
    case FilterRule::Kind::Names:
    case FilterRule::Kind::File:
        return card.rule.subject.kind == RuleSubject::Kind::Name ? u"List of names"_s : card.rule.subject.shown();
    default: break;
    }
    if (card.rule.subject.kind == RuleSubject::Kind::Obsm)
        return card.rule.subject.more + u' ' + card.rule.subject.name;
    return card.rule.subject.shown();
}

QString FilterCardFrame::nameText() const
{
    return m_name->text();
}

QString FilterCardFrame::stateText() const
{
    return m_state->text();
}

QString FilterCardFrame::problemText() const
{
    return m_problem->isHidden() ? QString() : m_problem->text();
}

void FilterCardFrame::setCard(const FilterCard& card)
{
    m_card = card;
    m_name->setText(nameOf(card));
    m_body->setCard(card);
    m_problem->setText(card.problem);
    m_problem->setVisible(!card.problem.isEmpty());
    setAccessibleName(u"Filter "_s + nameOf(card));
    m_cross->setAccessibleName(u"Remove "_s + nameOf(card));
    showIcons();
    showWords();
}

void FilterCardFrame::showWords()
{
    QString words = m_body->words();
    if (!m_card.enabled)
        words = words.isEmpty() ? u"off"_s : words + u" · off"_s;
    m_state->setText(words);
}

void FilterCardFrame::showIcons()
{
    m_fold->setIcon(icon(isFolded() ? "chevron-right" : "chevron-down"));
    m_fold->setToolTip(isFolded() ? u"Unfold"_s : u"Fold"_s);
    m_icon->setPixmap(icon(iconOf(m_card)).pixmap(measures::kIcon, measures::kIcon));
    m_eye->setIcon(icon(m_card.enabled ? "eye" : "eye-off"));
    m_eye->setVisible(m_card.step != 0);
    m_eye->setToolTip(m_card.enabled ? u"Switch this filter off"_s : u"Switch this filter on"_s);
    m_eye->setAccessibleName(m_eye->toolTip());
    m_more->setIcon(icon("dots"));
    m_cross->setIcon(icon("x"));
    m_name->setEnabled(m_card.enabled);
}

void FilterCardFrame::setFolded(bool folded)
{
    m_body->setVisible(!folded);
    showIcons();
}

bool FilterCardFrame::isFolded() const
{
    return m_body->isHidden();
}

void FilterCardFrame::fillMenu(QMenu& menu)
{
    const bool filters = m_card.step != 0;
    if (!m_card.picked && m_card.rule.kind != FilterRule::Kind::Categories)
        menu.addAction(icon("eraser"), m_card.rule.negated ? u"Show only these"_s : u"Take these out"_s, this,
                       [this] {
                           FilterRule rule = m_card.rule;
                           rule.negated = !rule.negated;
                           Q_EMIT ruleEdited(rule);
                       })
            ->setEnabled(filters);
    if (!m_card.picked && (m_card.rule.kind == FilterRule::Kind::Other || filters))
        menu.addAction(icon("terminal-2"), u"Write it as an expression"_s, m_body, &CardBody::editRequested)
            ->setEnabled(filters);
    if (!m_card.picked)
        menu.addAction(icon("copy"), u"Copy the expression"_s, this,
                       [text = m_card.rule.text()] { QGuiApplication::clipboard()->setText(text); })
            ->setEnabled(filters);
    menu.addAction(icon(m_card.enabled ? "eye-off" : "eye"), m_card.enabled ? u"Switch off"_s : u"Switch on"_s, this,
                   [this] { Q_EMIT enableRequested(!m_card.enabled); })
        ->setEnabled(filters);
    menu.addSeparator();
    menu.addAction(icon("x"), u"Remove"_s, this, &FilterCardFrame::removeRequested);
}

void FilterCardFrame::contextMenuEvent(QContextMenuEvent* event)
{
    if (event->pos().y() > m_head->geometry().bottom())
        return;
    QMenu menu(this);
    fillMenu(menu);
    menu.exec(event->globalPos());
}

// The whole head folds, not only the chevron.
bool FilterCardFrame::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_head && event->type() == QEvent::MouseButtonDblClick) {
        m_fold->click();
        return true;
    }
    return QFrame::eventFilter(watched, event);
}

void FilterCardFrame::changeEvent(QEvent* event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_icon != nullptr)
        showIcons();
}

} // namespace cellfolio
