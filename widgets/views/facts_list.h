// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

#include <vector>

class QGridLayout;

namespace cellfolio
{

// One fact about what is picked.
struct Fact {
    QString key;       // "Stored as"
    QString value;     // "float64 array"; lines after the first are wrapped, not elided
    QString toolTip;   // empty: the value where it is elided
    bool wrap = false; // a sentence: wraps instead of being elided
};

// Keys and values, one row each, key column 74 wide. Values can be selected and copied.
class FactsList : public QWidget
{
    Q_OBJECT
public:
    explicit FactsList(QWidget* parent = nullptr);

    void setFacts(const std::vector<Fact>& facts);
    const std::vector<Fact>& facts() const { return m_facts; }
    // "key<TAB>value" lines.
    QString asText() const;

private:
    QGridLayout* m_layout = nullptr;
    std::vector<Fact> m_facts;
};

} // namespace cellfolio
