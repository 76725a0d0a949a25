// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/name_field.h"

#include "widgets/bridge/cell_format.h"

namespace cellfolio {

using namespace Qt::StringLiterals;

NameField::NameField(ModelContext context, const QString& placeholder, QWidget* parent)
    : SearchListField(placeholder, parent), m_context(context), m_request(context.quick)
{
}

void NameField::setPlace(NameQuery place)
{
    m_request.cancel();
    m_place = std::move(place);
    m_matches.clear();
    setEnabled(m_place.dataset != nullptr && m_place.table != nullptr);
}

void NameField::forget()
{
    m_request.cancel();
    m_matches.clear();
}

void NameField::look(const QString& text)
{
    m_matches.clear();
    if (m_place.table == nullptr)
        return;
    NameQuery query = m_place;
    query.text = toStdString(text);
    m_request.request<std::vector<NameMatch>>(
        [query, reading = m_context.reading](std::stop_token stop) { return findNames(query, reading, stop); },
        [this, text](Result<std::vector<NameMatch>> answer) {
            if (!answer || answer->empty()) {
                refuse(answer ? u"No “%1” here."_s.arg(text) : errorText(answer.error()));
                return;
            }
            m_matches = std::move(*answer);
            std::vector<Entry> entries;
            for (const NameMatch& match : m_matches) {
                const QString name = toQString(match.name);
                const QString symbol = toQString(match.symbol);
                entries.push_back({symbol.isEmpty() ? name : symbol, symbol.isEmpty() ? QString() : name});
            }
            setEntries(std::move(entries));
        });
}

void NameField::take(int place)
{
    const NameMatch match = m_matches[static_cast<std::size_t>(place)];
    Q_EMIT picked(match.row, toQString(match.symbol.empty() ? match.name : match.symbol));
}

} // namespace cellfolio
