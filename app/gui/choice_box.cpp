// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/choice_box.h"

#include "app/gui/search_popup.h"
#include "widgets/style/icons.h"

#include <QtWidgets/QStyleOption>
#include <QtWidgets/QStylePainter>

namespace cellfolio {

namespace {

constexpr int kMeasured = 100;

} // namespace

ChoiceBox::ChoiceBox(const QString& accessibleName, QWidget* parent) : QComboBox(parent)
{
    setAccessibleName(accessibleName);
    setSizeAdjustPolicy(QComboBox::AdjustToContents);
    setMaximumWidth(240);
    setMaxVisibleItems(kSearchFrom);
}

void ChoiceBox::addChoice(const QString& iconName, const QString& text, const QVariant& value)
{
    insertChoice(count(), iconName, text, value);
}

void ChoiceBox::insertChoice(int place, const QString& iconName, const QString& text, const QVariant& value)
{
    insertItem(place, icon(iconName), text, value);
    if (count() == kMeasured) { // measuring thousands of names at each layout takes too long
        setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        setMinimumContentsLength(18);
    }
}

void ChoiceBox::paintEvent(QPaintEvent*)
{
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    const QRect field = style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this);
    const int room = field.width() - (option.currentIcon.isNull() ? 0 : option.iconSize.width() + 6);
    option.currentText = fontMetrics().elidedText(option.currentText, Qt::ElideMiddle, room);
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

void ChoiceBox::showPopup()
{
    if (count() < kSearchFrom) {
        QComboBox::showPopup();
        return;
    }
    auto* popup = new SearchPopup(accessibleName(), this);
    popup->setAttribute(Qt::WA_DeleteOnClose);
    std::vector<SearchPopup::Entry> entries;
    for (int i = 0; i < count(); ++i)
        entries.push_back({itemText(i), QString(), itemIcon(i), i});
    popup->setEntries(std::move(entries));
    popup->setCurrentValue(currentIndex());
    connect(popup, &SearchPopup::picked, this, [this](int row) {
        setCurrentIndex(row);
        Q_EMIT activated(row);
    });
    popup->showBelow(this);
}

} // namespace cellfolio
