// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/bridge/latest.h"
#include "widgets/bridge/model_context.h"
#include "widgets/models/name_search.h"
#include "widgets/views/search_field.h"

#include <QtCore/QPointer>

#include <optional>

class QListWidget;

namespace cellfolio {

// A search box for names of cells or genes: looks them up in the background as one types and lists
// what it found below; Enter takes the first, a click any. UI thread only.
class NameField : public SearchField
{
    Q_OBJECT
public:
    NameField(ModelContext context, const QString& placeholder, QWidget* parent = nullptr);
    ~NameField() override;

    // Where to look; null dataset: nowhere, the box is switched off. `text` is filled in.
    void setPlace(NameQuery place);
    const std::vector<NameMatch>& matches() const { return m_matches; }

Q_SIGNALS:
    void picked(qint64 fileRow, const QString& name);
    void answered(); // a lookup has ended

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void look(const QString& text);
    void showMatches();
    void pick(int place);

    ModelContext m_context;
    NameQuery m_place;
    std::vector<NameMatch> m_matches;
    QPointer<QListWidget> m_list; // of the window, which may go first
    bool m_pickFirst = false;
    Latest m_request;
};

} // namespace cellfolio
