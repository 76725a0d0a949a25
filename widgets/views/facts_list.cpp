// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/facts_list.h"

#include "widgets/style/fonts.h"
#include "widgets/views/elided_label.h"

#include <QtWidgets/QGridLayout>
#include <QtWidgets/QLabel>

#include <algorithm>

namespace cellfolio
{

namespace
{

constexpr int kKeyWidth = 74;

QWidget* makeValue(const Fact& fact, QWidget* parent)
{
    if (fact.wrap) {
        auto* label = new QLabel(fact.value, parent);
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        label->setFocusPolicy(Qt::ClickFocus);
        label->setFont(fonts::table());
        // A long sentence must not make the dock wider.
        label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        return label;
    }
    auto* label = new ElidedLabel(fact.value, parent);
    label->setCopyable(true);
    label->setFont(fonts::table());
    label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    label->setToolTip(fact.toolTip);
    return label;
}

} // namespace

FactsList::FactsList(QWidget* parent) : QWidget(parent), m_layout(new QGridLayout(this))
{
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setHorizontalSpacing(8);
    m_layout->setVerticalSpacing(3);
    m_layout->setColumnStretch(1, 1);
}

void FactsList::setFacts(const std::vector<Fact>& facts)
{
    const auto same = [](const Fact& a, const Fact& b) {
        return a.key == b.key && a.value == b.value && a.toolTip == b.toolTip && a.wrap == b.wrap;
    };
    if (std::equal(facts.begin(), facts.end(), m_facts.begin(), m_facts.end(), same))
        return; // a text that is being selected stays selected
    m_facts = facts;
    while (QLayoutItem* item = m_layout->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    m_layout->setColumnMinimumWidth(0, measures::scaled(kKeyWidth));
    int row = 0;
    for (const Fact& fact : m_facts) {
        auto* key = new ElidedLabel(fact.key, this);
        key->setQuiet(true);
        key->setElideMode(Qt::ElideRight);
        key->setFont(fonts::table());
        key->setFixedWidth(measures::scaled(kKeyWidth));
        QWidget* value = makeValue(fact, this);
        value->setAccessibleName(fact.key + QStringLiteral(": ") + fact.value);
        m_layout->addWidget(key, row, 0, Qt::AlignTop);
        m_layout->addWidget(value, row, 1);
        ++row;
    }
}

QString FactsList::asText() const
{
    QString text;
    for (const Fact& fact : m_facts)
        text += fact.key + u'\t' + fact.value + u'\n';
    return text;
}

} // namespace cellfolio
