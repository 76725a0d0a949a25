// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/gui/card_body.h"

#include <QtCore/QTimer>

class QCheckBox;
class QLineEdit;

namespace cellfolio {

class ElidedLabel;
class RangeHistogram;

// A card of numbers, of a column or a gene: histogram with two handles, the same as two fields, and
// whether rows without a value stay.
class RangeBody : public CardBody
{
    Q_OBJECT
public:
    explicit RangeBody(QWidget* parent = nullptr);

    void setCard(const FilterCard& card) override;
    void setFigures(const CardFigures& figures) override;
    QString words() const override;
    // What a gene's values are: "X, log1p of counts per 10 000".
    void setUnit(const QString& unit);

    RangeHistogram* histogram() const { return m_histogram; }
    QLineEdit* lowField() const { return m_low; }
    QLineEdit* highField() const { return m_high; }
    QCheckBox* missingBox() const { return m_missing; }
    QString caption() const;

private:
    void dragged();
    void written(bool high);
    void announce();
    void showRule();
    void showCaption();

    FilterCard m_card;
    bool m_zerosApart = false;
    QString m_unit;
    QString m_zeros;
    Index m_missingCount = -1;
    double m_lowest = 0;
    double m_highest = 0;
    bool m_known = false;
    bool m_exact = false;
    RangeHistogram* m_histogram = nullptr;
    ElidedLabel* m_caption = nullptr;
    QLineEdit* m_low = nullptr;
    QLineEdit* m_high = nullptr;
    QCheckBox* m_missing = nullptr;
    QTimer m_wait; // a drag asks several times a second, not with every pixel
};

} // namespace cellfolio
