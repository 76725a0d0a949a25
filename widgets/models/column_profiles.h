// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/bridge/latest.h"
#include "widgets/bridge/model_context.h"
#include "widgets/models/profile_data.h"

#include <QtCore/QObject>
#include <QtCore/QTimer>

#include <map>
#include <optional>
#include <vector>

namespace cellfolio {

// The profiles of a table's columns, found out one after the other for those that are looked at:
// all of them from a sample first, then exactly. Column 0 is the row names. UI thread only.
class ColumnProfiles : public QObject
{
    Q_OBJECT
public:
    ColumnProfiles(ModelContext context, std::shared_ptr<const Dataset> dataset,
                   const Element& table, QObject* parent = nullptr);

    // What is visible now, by number of the table's column + 1; replaces the wish before.
    void want(std::vector<int> columns);
    // The rows that are shown; null: all of them. Their part of a profile follows once it is exact.
    void setInside(std::shared_ptr<const IndexSet> inside);
    const ProfilePart* peekInside(int column) const; // memory only; null: not known, or all rows
    // Memory only; null: not known yet.
    const ProfileData* peek(int column) const;
    const std::optional<Error>& problemOf(int column) const;
    // Whether something is known of everything wanted, if only from a sample.
    bool isKnown() const;
    // Whether everything wanted is exact, or as exact as it gets.
    bool isSettled() const;

Q_SIGNALS:
    void changed(int column);

private:
    struct State {
        std::optional<ProfileData> data;
        std::optional<Error> problem;
        bool finished = false;
        std::optional<ProfilePart> inside;
        bool insideAsked = false; // or known
    };
    void next();
    void nextInside();
    bool wantsInside(int column) const;

    ModelContext m_context;
    std::shared_ptr<const Dataset> m_dataset;
    const Element& m_table;
    std::map<int, State> m_states;
    std::vector<int> m_wanted;
    std::shared_ptr<const IndexSet> m_inside;
    bool m_insideRunning = false; // for m_inside as it is now
    QTimer m_timer;
    Latest m_request;
    Latest m_insideRequest;
};

} // namespace cellfolio
