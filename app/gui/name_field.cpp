// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/name_field.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/style/fonts.h"

#include <QtGui/QKeyEvent>
#include <QtWidgets/QListWidget>

namespace cellfolio {

using namespace Qt::StringLiterals;

NameField::NameField(ModelContext context, const QString& placeholder, QWidget* parent)
    : SearchField(placeholder, parent), m_context(context), m_request(context.quick)
{
    connect(this, &SearchField::searched, this, &NameField::look);
    connect(this, &SearchField::cancelled, this, [this] {
        if (m_list != nullptr)
            m_list->hide();
    });
    connect(this, &SearchField::downPressed, this, [this] {
        if (m_list != nullptr && m_list->isVisible()) {
            m_list->setCurrentRow(0);
            m_list->setFocus();
        }
    });
    setEnabled(false);
}

NameField::~NameField()
{
    delete m_list;
}

void NameField::setPlace(NameQuery place)
{
    m_request.cancel();
    m_place = std::move(place);
    m_matches.clear();
    setEnabled(m_place.dataset != nullptr && m_place.table != nullptr);
}

void NameField::look(const QString& text)
{
    m_matches.clear();
    if (text.trimmed().isEmpty() || m_place.table == nullptr) {
        m_request.cancel();
        if (m_list != nullptr)
            m_list->hide();
        return;
    }
    NameQuery query = m_place;
    query.text = toStdString(text.trimmed());
    m_request.request<std::vector<NameMatch>>(
        [query, reading = m_context.reading](std::stop_token stop) { return findNames(query, reading, stop); },
        [this, text](Result<std::vector<NameMatch>> answer) {
            if (!answer) {
                setRefused(errorText(answer.error()));
            } else {
                m_matches = std::move(*answer);
                setRefused(m_matches.empty() ? u"No “%1” here."_s.arg(text.trimmed()) : QString());
                if (m_pickFirst && !m_matches.empty())
                    pick(0);
                else
                    showMatches();
            }
            m_pickFirst = false;
            Q_EMIT answered();
        });
}

void NameField::showMatches()
{
    if (!hasFocus() || m_matches.empty()) {
        if (m_list != nullptr)
            m_list->hide();
        return;
    }
    if (m_list == nullptr) {
        m_list = new QListWidget(window());
        m_list->setProperty("popup", true);
        m_list->setFont(fonts::table());
        m_list->setAccessibleName(u"Matches"_s);
        m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        m_list->setTextElideMode(Qt::ElideMiddle);
        connect(m_list, &QListWidget::itemActivated, this,
                [this](QListWidgetItem* item) { pick(m_list->row(item)); });
        connect(m_list, &QListWidget::itemClicked, this,
                [this](QListWidgetItem* item) { pick(m_list->row(item)); });
    }
    m_list->clear();
    for (const NameMatch& match : m_matches) {
        const QString name = toQString(match.name);
        const QString symbol = toQString(match.symbol);
        m_list->addItem(symbol.isEmpty() ? name : symbol + u"  ·  "_s + name);
    }
    const int rowHeight = std::max(24, m_list->sizeHintForRow(0));
    m_list->resize(std::max(width(), 260), rowHeight * static_cast<int>(m_matches.size()) + 12);
    const QPoint corner = mapTo(window(), QPoint(0, height() + 2));
    m_list->move(std::min(corner.x(), window()->width() - m_list->width() - 8), corner.y());
    m_list->raise();
    m_list->show();
}

void NameField::pick(int place)
{
    if (place < 0 || place >= static_cast<int>(m_matches.size()))
        return;
    if (m_list != nullptr)
        m_list->hide();
    const NameMatch match = m_matches[static_cast<std::size_t>(place)];
    Q_EMIT picked(match.row, toQString(match.symbol.empty() ? match.name : match.symbol));
}

void NameField::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        if (!m_matches.empty() && !m_request.isBusy()) {
            pick(0);
            return;
        }
        m_pickFirst = true;
    } else if (event->key() == Qt::Key_Escape && m_list != nullptr && m_list->isVisible()) {
        m_list->hide();
        return;
    }
    SearchField::keyPressEvent(event);
}

void NameField::focusOutEvent(QFocusEvent* event)
{
    SearchField::focusOutEvent(event);
    if (m_list != nullptr && !m_list->hasFocus())
        m_list->hide();
}

} // namespace cellfolio
