// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

namespace cellfolio {

// The matrix ramp as a small strip with the values at its ends.
class RampKey : public QWidget
{
    Q_OBJECT
public:
    explicit RampKey(QWidget* parent = nullptr);

    void setEnds(const QString& low, const QString& high);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_low;
    QString m_high;
};

} // namespace cellfolio
