// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtWidgets/QLineEdit>

namespace cellfolio
{

// A line edit with an icon in front and, at its right end, the key that brings one here. Waits
// 200 ms after the last key before it says searched(); Enter says it at once; Esc empties it.
class SearchField : public QLineEdit
{
    Q_OBJECT
public:
    explicit SearchField(const QString& placeholder, QWidget* parent = nullptr);

    void setIconName(const QString& name); // "search" by default
    void setKeyHint(const QString& key);   // "Ctrl+G"; hidden while something is typed
    // A refused text gets the error outline; the sentence becomes the tooltip. Empty ends that.
    void setRefused(const QString& sentence);

Q_SIGNALS:
    void searched(const QString& text);
    void cancelled();   // Esc in an empty field
    void downPressed(); // arrow down: go to the list of results

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void timerEvent(QTimerEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void announce();

    QString m_icon;
    QString m_keyHint;
    int m_timer = 0;
    QString m_announced;
};

} // namespace cellfolio
