// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/bridge/latest.h"
#include "widgets/models/expression_completion.h"
#include "widgets/models/view_model.h"

#include <QtWidgets/QWidget>

class QHBoxLayout;
class QLabel;
class QToolButton;

namespace cellfolio {

class ElidedLabel;
class ExpressionEdit;
class FilterChips;

// Above the tabs: the steps of the view as chips and the field in which the next one is written,
// or the chosen one changed. Enter applies it; what is wrong with it is said below, with what was
// probably meant a click away. One axis at a time: that of the tab in front.
class FilterBar : public QWidget
{
    Q_OBJECT
public:
    FilterBar(ModelContext context, ViewModel& view, QWidget* parent = nullptr);
    ~FilterBar() override;

    // Null: no file.
    void setDataset(std::shared_ptr<const Dataset> dataset);
    void setSymbols(const Element* var, const Element* rawVar);
    void setAxis(Axis axis);
    Axis axis() const { return m_axis; }
    // Ctrl+Shift+F: the caret into the field.
    void focusField();
    // The step whose expression is in the field; 0: the field makes a new one.
    void editStep(int id);
    int editedStep() const { return m_edited; }

    ExpressionEdit* field() const { return m_field; }
    FilterChips* chips() const { return m_chips; }
    // What is said below the field; empty: nothing.
    QString trouble() const;
    QStringList suggestions() const;
    void takeSuggestion(int place);

Q_SIGNALS:
    void left(); // Esc: the focus goes back to the tab
    void helpRequested();
    void cardsRequested(); // the Filters dock
    void answered(); // completions have come

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void apply();
    void restore();
    void showSteps();
    void showBusy(bool busy);
    void sayProblem(const StepProblem& problem);
    void clearProblem();
    void complete(const QString& text, int caret, bool asked);
    void limitChips();
    void showHint();
    QString fieldText() const; // of the edited step, as applied

    ModelContext m_context;
    ViewModel& m_view;
    std::shared_ptr<const Dataset> m_dataset;
    const Element* m_symbols = nullptr;
    const Element* m_rawSymbols = nullptr;
    Axis m_axis = Axis::Obs;
    int m_edited = 0;
    int m_tried = 0;     // the step that the field has asked for
    QString m_triedText; // and what stood there then
    Error m_lastError{ErrorCode::Internal, {}};
    QLabel* m_icon = nullptr;
    FilterChips* m_chips = nullptr;
    ExpressionEdit* m_field = nullptr;
    QLabel* m_busy = nullptr;
    QToolButton* m_stop = nullptr;
    QToolButton* m_clear = nullptr;
    QToolButton* m_cards = nullptr;
    QToolButton* m_help = nullptr;
    QWidget* m_troubleRow = nullptr;
    QHBoxLayout* m_troubleLayout = nullptr;
    ElidedLabel* m_trouble = nullptr;
    std::vector<QToolButton*> m_suggestions;
    Latest m_completion;
};

} // namespace cellfolio
