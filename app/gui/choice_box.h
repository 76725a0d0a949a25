// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QComboBox>

namespace cellfolio {

// A combo box whose list can be searched once it is long: files have thousands of columns.
class ChoiceBox : public QComboBox
{
    Q_OBJECT
public:
    explicit ChoiceBox(const QString& accessibleName, QWidget* parent = nullptr);

    // Adds a choice with a bundled icon.
    void addChoice(const QString& iconName, const QString& text, const QVariant& value = {});
    void insertChoice(int place, const QString& iconName, const QString& text, const QVariant& value = {});

    void showPopup() override;

    static constexpr int kSearchFrom = 16;

protected:
    void paintEvent(QPaintEvent* event) override; // long names are elided, not cut
};


} // namespace cellfolio
