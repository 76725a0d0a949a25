// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/gui/search_list_field.h"
#include "core/query/gene_completion.h"
#include "widgets/bridge/latest.h"
#include "widgets/bridge/model_context.h"

#include <functional>

namespace cellfolio {

// The gene box: names, symbols and ids, whatever their case and version. A name that several genes
// share, and a gene that only raw has, are offered rather than taken. UI thread only.
class GeneField : public SearchListField
{
    Q_OBJECT
public:
    explicit GeneField(ModelContext context, QWidget* parent = nullptr);

    struct Place {
        std::shared_ptr<const Dataset> dataset; // null: nowhere, the box is switched off
        const Element* symbols = nullptr;       // columns whose texts people know, of var …
        const Element* rawSymbols = nullptr;    // … and of raw/var
        QString rawUnit;                        // what raw holds: "whole counts"
    };
    void setPlace(Place place);

    // A gene of var, or of raw/var where var does not have it.
    struct Match {
        GeneMatch gene;
        bool ofRaw = false;
        QString name() const; // as people call it
    };
    const std::vector<Match>& matches() const { return m_matches; }

Q_SIGNALS:
    void picked(const cellfolio::GeneField::Match& match);

protected:
    void look(const QString& text) override;
    void forget() override;
    bool isLooking() const override { return m_request.isBusy(); }
    void take(int place) override;

private:
    struct Found {
        std::vector<GeneMatch> genes; // of var
        std::vector<GeneMatch> raw;   // of raw/var: what var does not have
        std::vector<GeneMatch> near;  // of var, where nothing fits
    };
    static Result<Found> findAll(const Place& place, const std::string& text, const std::shared_ptr<Reading>& reading,
                              std::stop_token stop);
    void showFound(const QString& text, Found found);

    ModelContext m_context;
    Place m_place;
    std::vector<Match> m_matches;
    std::vector<int> m_matchOf; // entry → match; -1: a heading
    Latest m_request;
};

} // namespace cellfolio
