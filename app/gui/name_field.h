// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/gui/search_list_field.h"
#include "widgets/bridge/latest.h"
#include "widgets/bridge/model_context.h"
#include "widgets/models/name_search.h"

namespace cellfolio {

// A search box for the names of the rows of a table, cells mostly. UI thread only.
class NameField : public SearchListField
{
    Q_OBJECT
public:
    NameField(ModelContext context, const QString& placeholder, QWidget* parent = nullptr);

    // Where to look; null dataset: nowhere, the box is switched off. `text` is filled in.
    void setPlace(NameQuery place);
    const std::vector<NameMatch>& matches() const { return m_matches; }

Q_SIGNALS:
    void picked(qint64 fileRow, const QString& name);

protected:
    void look(const QString& text) override;
    void forget() override;
    bool isLooking() const override { return m_request.isBusy(); }
    void take(int place) override;

private:
    ModelContext m_context;
    NameQuery m_place;
    std::vector<NameMatch> m_matches;
    Latest m_request;
};

} // namespace cellfolio
