// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/gui/card_body.h"
#include "widgets/bridge/latest.h"
#include "widgets/models/name_lookup.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QToolButton;

namespace cellfolio {

class ChoiceBox;

// A card of ids: pasted, typed or loaded from a file, compared with the names or with a column of
// text. Says how many the file has and which it has not.
class NamesBody : public CardBody
{
    Q_OBJECT
public:
    NamesBody(ModelContext context, QWidget* parent = nullptr);

    void setCard(const FilterCard& card) override;
    void setFigures(const CardFigures& figures) override;
    QString words() const override;
    bool isSettled() const override { return !m_request.isBusy(); }
    // The table whose rows are compared; null: none.
    void setTable(std::shared_ptr<const Dataset> dataset, const Element* table);

    QPlainTextEdit* field() const { return m_field; }
    ChoiceBox* places() const { return m_places; }
    QPushButton* applyButton() const { return m_apply; }
    QString found() const; // "98 of 100 found …"
    void load(const QString& path);
    void apply();

private:
    void askFile();
    void lookUp();
    void showFound(const NamesFound& found);
    RuleSubject chosenSubject() const;
    NamePlace placeOf(const RuleSubject& subject) const;
    void updateApply();
    bool eventFilter(QObject* watched, QEvent* event) override;

    ModelContext m_context;
    FilterCard m_card;
    std::shared_ptr<const Dataset> m_dataset;
    const Element* m_table = nullptr;
    QStringList m_looked; // what was looked up
    RuleSubject m_lookedIn;
    QStringList m_lost;
    ChoiceBox* m_places = nullptr;
    QPlainTextEdit* m_field = nullptr;
    QPushButton* m_apply = nullptr;
    QPushButton* m_file = nullptr;
    QLabel* m_found = nullptr;
    QToolButton* m_copy = nullptr;
    Latest m_request;
    Latest m_reading;
};

} // namespace cellfolio
