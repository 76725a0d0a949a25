// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

class QLabel;
class QPushButton;

namespace cellfolio
{

// What stands where there is nothing to show, or where something went wrong: an icon, a title, one
// sentence, at most one button (two for errors: the way on, and "Copy details").
class EmptyView : public QWidget
{
    Q_OBJECT
public:
    explicit EmptyView(QWidget* parent = nullptr);

    struct Content {
        QString icon;         // 32 px, centred
        QString title;        // "No embedding in this file"
        QString sentence;     // what would be here, and how it comes
        QString button;       // empty: none
        QString secondButton; // empty: none
        bool error = false;   // the icon in the error colour
    };
    void setContent(const Content& content);
    const Content& content() const { return m_content; }

Q_SIGNALS:
    void buttonClicked();
    void secondButtonClicked();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Content m_content;
    class IconBox* m_icon = nullptr;
    QLabel* m_title = nullptr;
    QLabel* m_sentence = nullptr;
    QPushButton* m_button = nullptr;
    QPushButton* m_second = nullptr;
};

} // namespace cellfolio
