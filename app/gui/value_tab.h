// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/bridge/latest.h"
#include "widgets/bridge/model_context.h"

#include <QtWidgets/QWidget>

#include <memory>

class QPlainTextEdit;
class QStackedWidget;
class QTreeWidget;

namespace cellfolio {

class ArraySource;
class Dataset;
class ElidedLabel;
class EmptyView;
class MatrixTab;
class PagedTableView;
class TableTab;
struct Element;
struct ValueRow;

// One value of the file, whatever it is: a text, a table, an array in windows, a mapping with the
// values of its members, or why it cannot be shown.
class ValueTab : public QWidget
{
    Q_OBJECT
public:
    explicit ValueTab(ModelContext context, QWidget* parent = nullptr);
    ~ValueTab() override;

    void showElement(std::shared_ptr<const Dataset> dataset, const Element& element);
    void clear();
    const Element* element() const { return m_element; }
    bool isFilled() const;
    // What is shown, as far as it is text; for tests.
    QString text() const;

    static constexpr Index kLongestText = 4 << 20;
    static constexpr int kMostMembers = 2000;

Q_SIGNALS:
    void filled();
    void elementRequested(const cellfolio::Element* element);
    void statusMessage(const QString& sentence);

private:
    void showText();
    void showMapping();
    void showTable();
    void showArray();
    void say(const QString& icon, const QString& title, const QString& sentence, bool error = false);

    ModelContext m_context;
    std::shared_ptr<const Dataset> m_dataset;
    const Element* m_element = nullptr;
    ElidedLabel* m_path = nullptr;
    ElidedLabel* m_kind = nullptr;
    QStackedWidget* m_stack = nullptr;
    QPlainTextEdit* m_text = nullptr;
    QTreeWidget* m_members = nullptr;
    PagedTableView* m_arrayView = nullptr;
    TableTab* m_table = nullptr;
    EmptyView* m_empty = nullptr;
    std::unique_ptr<ArraySource> m_array;
    Latest m_request;
};

} // namespace cellfolio
