// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/plain_body.h"

#include "widgets/bridge/cell_format.h"
#include "widgets/style/fonts.h"

#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

namespace cellfolio {

using namespace Qt::StringLiterals;

PlainBody::PlainBody(Axis axis, QWidget* parent)
    : CardBody(parent), m_axis(axis), m_text(new QLabel(this)), m_turn(new QToolButton(this)), m_edit(new QToolButton(this))
{
    m_text->setFont(fonts::table());
    m_text->setTextFormat(Qt::PlainText);
    m_text->setWordWrap(true);
    for (QToolButton* button : {m_turn, m_edit}) {
        button->setFont(fonts::table());
        button->setProperty("word", true);
    }
    m_edit->setText(u"Edit"_s);
    m_edit->setToolTip(u"Change it in the line above the tabs"_s);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(4);
    buttons->addWidget(m_turn);
    buttons->addWidget(m_edit);
    buttons->addStretch(1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(24, 0, 6, 8);
    column->setSpacing(2);
    column->addWidget(m_text);
    column->addLayout(buttons);
    connect(m_turn, &QToolButton::clicked, this, [this] {
        FilterRule rule = m_card.rule;
        rule.negated = !rule.negated;
        Q_EMIT ruleEdited(rule);
    });
    connect(m_edit, &QToolButton::clicked, this, &PlainBody::editRequested);
}

void PlainBody::setCard(const FilterCard& card)
{
    m_card = card;
    const QString many = m_axis == Axis::Obs ? u"cells"_s : u"genes"_s;
    QStringList lines;
    if (card.rule.kind == FilterRule::Kind::File)
        lines.append(card.rule.name);
    if (card.picked)
        lines.append(countedText(*card.picked, m_axis == Axis::Obs ? u"cell"_s : u"gene"_s, many) + u" picked by hand"_s);
    if (card.alone && card.enabled && card.step != 0)
        lines.append(u"%1 of %2 %3 stay"_s.arg(countText(card.chosen), countText(card.before), many));
    m_text->setText(lines.join(u'\n'));
    m_text->setVisible(!lines.isEmpty());
    m_text->setEnabled(card.enabled);
    m_turn->setVisible(!card.picked);
    m_turn->setText(card.rule.negated ? u"Only these instead"_s : u"Take out instead"_s);
    m_edit->setVisible(card.rule.kind == FilterRule::Kind::Other && !card.picked);
}

QString PlainBody::words() const
{
    return m_card.picked ? QString() : m_card.rule.words();
}

QString PlainBody::text() const
{
    return m_text->text();
}

} // namespace cellfolio
