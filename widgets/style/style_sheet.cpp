// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/style/style_sheet.h"

#include <QtWidgets/QStyle>
#include <QtWidgets/QWidget>

namespace cellfolio
{

QString styleSheetTemplate()
{
    return QStringLiteral(R"(
QMainWindow::separator { background: @frame; width: 5px; height: 5px; }
QMainWindow::separator:hover { background: @accentLine; }
QSplitter::handle { background: @hairline; }
QSplitter::handle:hover { background: @accentLine; }

QWidget[surface="frame"] { background: @frame; }
QWidget[surface="base"] { background: @base; }
QWidget[surface="bar"] { background: @frame; border: 0; border-bottom: 1px solid @hairline; }
QWidget[surface="baseBar"] { background: @base; border: 0; border-bottom: 1px solid @hairline; }

QMenuBar { background: @frame; border: 0; padding: 2px 12px; }
QMenuBar::item { background: transparent; padding: 5px 11px; border-radius: 4px; }
QMenuBar::item:selected { background: @hover; }
QMenuBar::item:pressed { background: @pressed; }
QMenu { background: @raised; border: 1px solid @softLine; padding: 4px 0; }
QMenu::item { padding: 5px 28px 5px 12px; border: 0; }
QMenu::item:selected { background: @hover; }
QMenu::item:disabled { color: @disabled; }
QMenu::icon { padding-left: 10px; }
QMenu::separator { height: 1px; background: @hairline; margin: 4px 0; }
QMenu::indicator { width: 16px; height: 16px; left: 6px; }

QToolBar { background: @frame; border: 0; border-bottom: 1px solid @hairline; padding: 5px 12px;
    spacing: 4px; }
QToolBar::separator { background: @hairline; width: 1px; margin: 6px 8px; }
QToolButton { background: transparent; border: 0; border-radius: 4px; padding: 5px 7px; }
QToolButton:hover { background: @hover; }
QToolButton:pressed { background: @pressed; }
QToolButton:checked { background: @accentSoft; color: @accent; }
QToolButton:disabled { color: @disabled; }
QToolButton:focus { border: 2px solid @accent; padding: 3px 5px; }
QToolButton[tile="true"] { background: @raised; border: 1px solid @softLine; padding: 3px 8px; text-align: left; }
QToolButton[tile="true"]:hover { background: @hover; }
QToolButton[tile="true"]:checked { background: @accentSoft; border: 2px solid @accent; padding: 2px 7px; color: @text; }
QToolButton[tile="true"]:focus { border: 2px solid @accent; padding: 2px 7px; }
QToolButton[suggestion="true"] { color: @accent; border: 1px solid @accentLine; padding: 2px 7px; }
QToolButton[word="true"] { color: @text2; padding: 2px 5px; }
QToolButton[word="true"]:hover { color: @text; }
QToolButton[word="true"]:focus { border: 2px solid @accent; padding: 0 3px; }
QToolButton[word="true"]:checked { color: @accent; background: @accentSoft; }
QToolButton[popupMode="2"]::menu-indicator, QToolButton[popupMode="1"]::menu-indicator { image: none; }

QStatusBar { background: @frame; border-top: 1px solid @hairline; }
QStatusBar::item { border: 0; }

QTabWidget::pane { border: 0; }
QTabBar { background: @frame; }
QTabBar::tab { color: @text2; background: transparent; padding: 0 12px; height: 33px; border: 0;
    border-bottom: 2px solid transparent; }
QTabBar::tab:hover { color: @text; }
QTabBar::tab:selected { color: @text; border-bottom-color: @accent; }
QTabBar::tab:focus { color: @accent; }
QTabBar::close-button { subcontrol-position: right; }

QDockWidget { titlebar-close-icon: none; }
QDockWidget::title { background: @frame; padding: 8px 12px; }

QLineEdit, QSpinBox, QDoubleSpinBox, QPlainTextEdit[field="true"] { background: @base;
    border: 1px solid @line; border-radius: 4px; padding: 0 7px; min-height: 26px;
    selection-background-color: @accentLine; selection-color: @text; }
QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus { border: 2px solid @accent; padding: 0 6px;
    min-height: 24px; }
QLineEdit:disabled { background: @frame; border-color: @softLine; color: @disabled; }
QPlainTextEdit[field="true"]:focus { border: 2px solid @accent; padding: 0 6px; min-height: 24px; }
QPlainTextEdit[field="true"][refused="true"] { border: 2px solid @errFill; padding: 0 6px;
    min-height: 24px; }
QLineEdit[refused="true"] { border: 2px solid @errFill; padding: 0 6px; min-height: 24px; }
QLineEdit[soft="true"] { border-color: @softLine; }
QLineEdit[soft="true"]:focus { border-color: @accent; }
QLineEdit[cell="true"] { border: 0; border-radius: 0; background: @base; padding: 0 8px;
    min-height: 20px; }
QLineEdit[cell="true"][active="true"] { background: @accentSoft; color: @accent; }
QLineEdit[cell="true"]:focus { border: 2px solid @accent; padding: 0 6px; }
QLineEdit[cell="true"][refused="true"] { border: 2px solid @errFill; padding: 0 6px; }
QTextEdit, QPlainTextEdit { background: @base; border: 1px solid @softLine; border-radius: 4px;
    selection-background-color: @accentLine; selection-color: @text; }
QTextEdit[flat="true"], QPlainTextEdit[flat="true"] { border: 0; border-radius: 0; }

QComboBox { background: @base; border: 1px solid @line; border-radius: 4px; padding: 0 7px;
    min-height: 26px; }
QComboBox:hover { background: @hover; }
QComboBox:focus { border: 2px solid @accent; padding: 0 6px; min-height: 24px; }
QComboBox:disabled { border-color: @softLine; color: @disabled; background: @frame; }
QComboBox::drop-down { border: 0; width: 22px; }
QComboBox::down-arrow { image: url(:/cellfolio/icons/chevron-down-@theme.svg); width: 14px;
    height: 14px; }
QComboBox QAbstractItemView { background: @raised; border: 1px solid @softLine; padding: 4px 0;
    outline: 0; selection-background-color: @hover; selection-color: @text; }

QPushButton { background: @raised; border: 1px solid @line; border-radius: 4px; padding: 0 13px;
    min-height: 26px; }
QPushButton:hover { background: @hover; }
QPushButton:pressed { background: @pressed; }
QPushButton:focus { border: 2px solid @accent; padding: 0 12px; min-height: 24px; }
QPushButton:disabled { background: @frame; border-color: @softLine; color: @disabled; }
QPushButton[soft="true"] { border-color: @softLine; }
QPushButton[small="true"] { min-height: 24px; padding: 0 10px; }
QPushButton[small="true"]:focus { min-height: 22px; padding: 0 9px; }
QPushButton[large="true"] { min-height: 28px; }
QPushButton[large="true"]:focus { min-height: 26px; }
QPushButton[primary="true"] { background: @accentFill; border: 1px solid @accentFill;
    color: @onAccent; font-weight: 600; }
QPushButton[primary="true"]:hover { background: @accentFillHover; border-color: @accentFillHover; }
QPushButton[primary="true"]:pressed { background: @accentFillHover; }
QPushButton[primary="true"]:focus { border: 2px solid @text; }
QPushButton[primary="true"]:disabled { background: @hover; border-color: @hover; color: @disabled; }
QPushButton[quiet="true"] { background: transparent; border-color: transparent; padding: 0 7px; }
QPushButton[quiet="true"]:hover { background: @hover; }
QPushButton[quiet="true"]:focus { border: 2px solid @accent; padding: 0 6px; }
QPushButton[quiet="true"]:checked { background: @accentSoft; color: @accent; }
QPushButton[link="true"] { background: transparent; border-color: transparent; padding: 0 4px;
    color: @accent; }
QPushButton[link="true"]:hover { background: @hover; }

QPushButton, QToolButton, QComboBox, QTabBar { outline: 0; } /* their border is the ring */
QCheckBox, QRadioButton { spacing: 8px; }

QAbstractScrollArea { border: 0; }
QAbstractItemView { background: @base; border: 0; outline: 0; }
QTreeView[surface="frame"], QListView[surface="frame"] { background: @frame; }
QAbstractItemView[boxed="true"] { border: 1px solid @softLine; border-radius: 4px; }
QTreeView::item, QListView::item { min-height: 24px; }
QListView[popup="true"] { background: @raised; border: 1px solid @softLine; padding: 4px 0; }
QListView[popup="true"]::item { padding: 0 8px; }
QHeaderView { background: @frame; }
QScrollArea, QScrollArea > QWidget > QWidget[surface="clear"] { background: transparent; }

QScrollBar:vertical { background: transparent; width: 12px; margin: 0; border: 0; }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 0; border: 0; }
QScrollBar::handle:vertical { background: @scrollHandle; border-radius: 3px; min-height: 32px;
    margin: 3px; }
QScrollBar::handle:horizontal { background: @scrollHandle; border-radius: 3px; min-width: 32px;
    margin: 3px; }
QScrollBar::handle:hover { background: @line; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; border: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QAbstractScrollArea::corner { background: transparent; border: 0; }

QProgressBar { background: @barPale; border: 0; border-radius: 2px; max-height: 5px;
    min-height: 5px; }
QProgressBar::chunk { background: @progress; border-radius: 2px; }
QSlider::groove:horizontal { background: @barPale; height: 4px; border-radius: 2px; }
QSlider::sub-page:horizontal { background: @progress; height: 4px; border-radius: 2px; }
QSlider::handle:horizontal { background: @raised; border: 2px solid @progress; width: 10px;
    height: 10px; margin: -5px 0; border-radius: 7px; }
QSlider::handle:horizontal:focus { border-color: @accent; background: @accentSoft; }

QToolTip { background: @raised; color: @text; border: 1px solid @softLine; padding: 4px 6px; }
QGroupBox { border: 0; margin-top: 22px; font-weight: 600; }
QGroupBox::title { subcontrol-origin: margin; left: 0; }

QLabel { background: transparent; }
QLabel[role="title"] { font-weight: 600; }
QLabel[role="caption"], QLabel[role="quiet"] { color: @text2; }
QLabel[role="error"] { color: @err; }
QLabel[role="warning"] { color: @warn; }
QFrame[rule="true"] { background: @hairline; border: 0; max-height: 1px; min-height: 1px; }
)");
}

void setStyleProperty(QWidget* widget, const char* name, const QVariant& value)
{
    if (widget->property(name) == value)
        return;
    widget->setProperty(name, value);
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
    widget->update();
}

} // namespace cellfolio
