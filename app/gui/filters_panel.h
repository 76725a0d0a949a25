// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/gui/filter_card_list.h"
#include "widgets/models/equal_expression.h"

#include <QtCore/QStringList>
#include <QtWidgets/QWidget>

class QLabel;
class QMenu;
class QPlainTextEdit;
class QProgressBar;
class QStackedWidget;
class QToolButton;

namespace cellfolio {

class ElidedLabel;
class ExpressionColors;
class GeneAdder;
class Session;

// The Filters dock: how much of the file is shown, the expression it comes to, a card for each
// filter, and what adds one. One axis at a time: that of the tab in front.
class FiltersPanel : public QWidget
{
    Q_OBJECT
public:
    explicit FiltersPanel(Session& session, QWidget* parent = nullptr);
    ~FiltersPanel() override;

    // The dock's title, with its close button.
    QWidget* titleBar() const { return m_title; }
    // The session's file; Again: another version of the one that was shown.
    enum class Shown { First, Again };
    void showDataset(Shown shown);
    void setSymbols(const Element* var, const Element* rawVar);
    void setAxis(Axis axis);
    Axis axis() const { return m_axis; }

    FilterCardList* list() const { return m_lists[static_cast<int>(m_axis)]; }
    GeneAdder* geneAdder() const { return m_genes; }
    QString countText() const;
    QString expression() const; // what the box shows
    QString note() const;       // what no expression can say
    bool isSettled() const { return list()->isSettled(); }

    void addColumn(const Element& column);
    void addNames();
    void addSelection(const QString& name);
    void fillSelectionMenu(QMenu& menu);

Q_SIGNALS:
    void closeRequested();
    void editRequested(int step); // in the expression bar
    void keepViewRequested();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void refresh();
    void fitExpression();
    const EqualExpression& equalOfSteps();
    void chooseColumn();
    QString unitOf(const Element& matrix) const;

    Session& m_session;
    Axis m_axis = Axis::Obs;
    std::shared_ptr<const Dataset> m_dataset;
    EqualExpression m_equal;
    std::vector<FilterStep> m_equalSteps; // of m_equal
    const Element* m_equalTable = nullptr;
    QWidget* m_title = nullptr;
    QLabel* m_titleCount = nullptr;
    QLabel* m_count = nullptr;
    ElidedLabel* m_of = nullptr;
    QLabel* m_share = nullptr;
    QProgressBar* m_bar = nullptr;
    QWidget* m_box = nullptr;
    QPlainTextEdit* m_expression = nullptr;
    QToolButton* m_copy = nullptr;
    QLabel* m_note = nullptr;
    QStackedWidget* m_pages = nullptr;
    FilterCardList* m_lists[2] = {nullptr, nullptr};
    GeneAdder* m_genes = nullptr;
    QToolButton* m_addColumn = nullptr;
    QToolButton* m_addGene = nullptr;
    QToolButton* m_addNames = nullptr;
    QToolButton* m_addSelection = nullptr;
};

} // namespace cellfolio
