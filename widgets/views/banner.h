// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QWidget>

class QHBoxLayout;
class QPushButton;
class QToolButton;

namespace cellfolio
{

class ElidedLabel;

// One quiet line above a view that says what limits it. Hidden until show() is called.
class Banner : public QWidget
{
    Q_OBJECT
public:
    enum class Tone { Note, Warning, Error };

    explicit Banner(QWidget* parent = nullptr);

    // One sentence; `button` names the way to more ("Details"), empty: none.
    void showMessage(Tone tone, const QString& sentence, const QString& button = {});
    QString sentence() const;
    Tone tone() const { return m_tone; }

Q_SIGNALS:
    void buttonClicked();
    void closed(); // the user has taken it away; it is hidden already

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    Tone m_tone = Tone::Note;
    ElidedLabel* m_label = nullptr;
    QPushButton* m_button = nullptr;
    QToolButton* m_close = nullptr;
};

} // namespace cellfolio
