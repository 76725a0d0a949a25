// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCore/QString>
#include <QtWidgets/QWidget>

#include <cstdint>
#include <optional>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace cellfolio
{

// Below the legend of a gene: keeps the cells above or below a value. Says of which matrix and unit
// the value is, and how many cells it would keep. Knows no file.
class GeneThreshold : public QWidget
{
    Q_OBJECT
public:
    explicit GeneThreshold(QWidget* parent = nullptr);

    // `matrix`: "X"; `unit`: "log1p of counts per 10 000", empty where it is not known. Another gene
    // or matrix begins at "> 0" again.
    void setGene(const QString& gene, const QString& matrix, const QString& unit);
    // Why it cannot be a filter; empty: it can.
    void setRefusal(const QString& sentence);
    // Of the cells shown, how many the threshold keeps; none: not known yet.
    void setCount(std::optional<std::int64_t> kept, std::int64_t of);

    QString comparison() const;          // ">", ">=", "<", "<="
    std::optional<double> value() const; // none: what was typed is no number
    // "CD3E > 1, in X (log1p of counts per 10 000)"
    QString sentence() const;
    QString countText() const;
    QLineEdit* field() const { return m_field; }
    QPushButton* button() const { return m_apply; }

Q_SIGNALS:
    void changed(); // comparison or value
    void applied(); // the button, or Enter in the field; value() is a number then

private:
    void refresh();
    void apply();

    QString m_gene;
    QString m_matrix;
    QString m_unitText;
    QString m_refusal;
    QLabel* m_title = nullptr;
    QComboBox* m_comparison = nullptr;
    QLineEdit* m_field = nullptr;
    QPushButton* m_apply = nullptr;
    QLabel* m_unit = nullptr;
    QLabel* m_count = nullptr;
};

} // namespace cellfolio
