// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

class QLabel;
class QPushButton;

namespace cellfolio
{

// A quiet offer above a view: what, why, what it costs, and two answers. All of it can be read, in
// as many lines as it takes. Hidden until something is offered.
class OfferBar : public QWidget
{
    Q_OBJECT
public:
    explicit OfferBar(QWidget* parent = nullptr);

    // An empty word leaves its button out.
    void showOffer(const QString& sentence, const QString& accept, const QString& decline);
    QString sentence() const;
    QPushButton* acceptButton() const { return m_accept; }
    QPushButton* declineButton() const { return m_decline; }

Q_SIGNALS:
    void accepted();
    void declined();

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QLabel* m_label = nullptr;
    QPushButton* m_accept = nullptr;
    QPushButton* m_decline = nullptr;
};

} // namespace cellfolio
