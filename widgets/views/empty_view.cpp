// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/empty_view.h"

#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"
#include "widgets/style/theme.h"

#include <QtGui/QPainter>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QVBoxLayout>

namespace cellfolio
{

namespace
{

constexpr int kTextWidth = 280;

// A centred label gets no height for its width from the layout.
void setWrapped(QLabel* label, const QString& text)
{
    label->setText(text);
    label->setFixedHeight(text.isEmpty() ? 0 : label->heightForWidth(kTextWidth));
    label->setVisible(!text.isEmpty());
}

} // namespace

class IconBox : public QWidget
{
public:
    explicit IconBox(QWidget* parent) : QWidget(parent) { setFixedSize(40, 40); }

    void set(const QString& name, bool error)
    {
        m_name = name;
        m_error = error;
        setVisible(!name.isEmpty());
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        const Theme& theme = Theme::current();
        paintIcon(painter, m_name, QRectF(4, 4, 32, 32), m_error ? theme.err : theme.text2);
    }

private:
    QString m_name;
    bool m_error = false;
};

EmptyView::EmptyView(QWidget* parent)
    : QWidget(parent), m_icon(new IconBox(this)), m_title(new QLabel(this)),
      m_sentence(new QLabel(this)), m_button(new QPushButton(this)), m_second(new QPushButton(this))
{
    m_title->setFont(fonts::bodySemibold());
    m_title->setAlignment(Qt::AlignHCenter);
    m_title->setWordWrap(true);
    m_title->setTextFormat(Qt::PlainText);
    m_sentence->setProperty("role", QStringLiteral("quiet"));
    m_sentence->setFont(fonts::table());
    m_sentence->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    m_sentence->setWordWrap(true);
    m_sentence->setTextFormat(Qt::PlainText);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_sentence->setFixedWidth(kTextWidth);
    m_title->setFixedWidth(kTextWidth);
    m_button->setProperty("primary", true);
    m_button->setProperty("large", true);

    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    buttons->addStretch(1);
    buttons->addWidget(m_button);
    buttons->addWidget(m_second);
    buttons->addStretch(1);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(24, 24, 24, 24);
    column->setSpacing(0);
    column->addStretch(4);
    column->addWidget(m_icon, 0, Qt::AlignHCenter);
    column->addSpacing(12);
    column->addWidget(m_title, 0, Qt::AlignHCenter);
    column->addSpacing(4);
    column->addWidget(m_sentence, 0, Qt::AlignHCenter);
    column->addSpacing(16);
    column->addLayout(buttons);
    column->addStretch(5);

    connect(m_button, &QPushButton::clicked, this, &EmptyView::buttonClicked);
    connect(m_second, &QPushButton::clicked, this, &EmptyView::secondButtonClicked);
    setContent({});
}

void EmptyView::setContent(const Content& content)
{
    m_content = content;
    m_icon->set(content.icon, content.error);
    setWrapped(m_title, content.title);
    setWrapped(m_sentence, content.sentence);
    m_button->setText(content.button);
    m_button->setVisible(!content.button.isEmpty());
    m_second->setText(content.secondButton);
    m_second->setVisible(!content.secondButton.isEmpty());
    setAccessibleName(content.title);
    setAccessibleDescription(content.sentence);
}

void EmptyView::paintEvent(QPaintEvent*)
{
    QPainter(this).fillRect(rect(), Theme::current().base);
}

} // namespace cellfolio
