// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/anndata/dataset.h"

#include <QtWidgets/QWidget>

class QLabel;
class QListWidget;

namespace cellfolio {

// A file of several data sets (h5mu, 10x with two genomes): which one to look at.
class ModalityPage : public QWidget
{
    Q_OBJECT
public:
    explicit ModalityPage(QWidget* parent = nullptr);

    void setDataset(const Dataset& dataset);
    int count() const;

Q_SIGNALS:
    void chosen(const QString& modality);

private:
    QLabel* m_title = nullptr;
    QLabel* m_sentence = nullptr;
    QListWidget* m_list = nullptr;
};

} // namespace cellfolio
