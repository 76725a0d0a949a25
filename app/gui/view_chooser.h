// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/gui/choice_box.h"
#include "widgets/models/kept_view_list.h"

class QMenu;

namespace cellfolio {

// In the tool bar: which view is shown, and a menu with those that are kept, what can be made of
// them, and "Keep this view as…".
class ViewChooser : public ChoiceBox
{
    Q_OBJECT
public:
    ViewChooser(ViewModel& view, KeptViewList& kept, QWidget* parent = nullptr);

    void showPopup() override;
    void fillMenu(QMenu& menu);
    void refresh(); // what it says
    // Asks for a name and keeps what is shown.
    void askAndKeep();
    void askAndRename(const QString& name);
    void askAndRemove(const QString& name);

Q_SIGNALS:
    void exportRequested();

protected:
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    ViewModel& m_view;
    KeptViewList& m_kept;
};

} // namespace cellfolio
