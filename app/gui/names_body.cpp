// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/names_body.h"

#include "app/gui/choice_box.h"
#include "core/select/selection_text.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"

#include <QtCore/QFileInfo>
#include <QtCore/QSettings>
#include <QtCore/QSignalBlocker>
#include <QtGui/QClipboard>
#include <QtGui/QGuiApplication>
#include <QtGui/QKeyEvent>
#include <QtWidgets/QFileDialog>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QPlainTextEdit>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype kMostShown = 5000; // names written out in the field
constexpr qsizetype kLostShown = 6;

} // namespace

NamesBody::NamesBody(ModelContext context, QWidget* parent)
    : CardBody(parent), m_context(context), m_places(new ChoiceBox(u"Compared with"_s, this)),
      m_field(new QPlainTextEdit(this)), m_apply(new QPushButton(u"Apply"_s, this)),
      m_file(new QPushButton(u"From a file…"_s, this)), m_found(new QLabel(this)), m_copy(new QToolButton(this)),
      m_request(context.patient), m_reading(context.patient)
{
    m_field->setFont(fonts::table());
    m_field->setPlaceholderText(u"Paste names, one a line"_s);
    m_field->setAccessibleName(u"Names to choose"_s);
    m_field->setTabChangesFocus(true);
    m_field->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_field->setFixedHeight(84);
    m_field->installEventFilter(this);
    for (QPushButton* button : {m_apply, m_file}) {
        button->setProperty("small", true);
        button->setProperty("soft", true);
        button->setFont(fonts::table());
    }
    m_apply->setToolTip(u"Show only rows with these names · Ctrl+Enter"_s);
    m_places->setFont(fonts::table());
    m_places->setToolTip(u"What the names are compared with"_s);
    m_found->setFont(fonts::table());
    m_found->setWordWrap(true);
    m_found->setTextFormat(Qt::PlainText);
    m_found->hide();
    m_copy->setText(u"Copy those not found"_s);
    m_copy->setFont(fonts::caption());
    m_copy->setProperty("word", true);
    m_copy->hide();
    auto* buttons = new QHBoxLayout;
    buttons->setContentsMargins(0, 0, 0, 0);
    buttons->setSpacing(6);
    buttons->addWidget(m_file);
    buttons->addStretch(1);
    buttons->addWidget(m_apply);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(22, 2, 7, 8);
    column->setSpacing(6);
    column->addWidget(m_places);
    column->addWidget(m_field);
    column->addLayout(buttons);
    column->addWidget(m_found);
    column->addWidget(m_copy, 0, Qt::AlignLeft);

    connect(m_apply, &QPushButton::clicked, this, &NamesBody::apply);
    connect(m_file, &QPushButton::clicked, this, &NamesBody::askFile);
    connect(m_field, &QPlainTextEdit::textChanged, this, &NamesBody::updateApply);
    connect(m_places, qOverload<int>(&ChoiceBox::activated), this, [this] {
        if (!m_card.rule.values.isEmpty())
            apply();
    });
    connect(m_copy, &QToolButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(m_lost.join(u'\n')); });
    setFocusProxy(m_field);
    updateApply();
}

void NamesBody::setTable(std::shared_ptr<const Dataset> dataset, const Element* table)
{
    m_request.cancel();
    m_looked.clear();
    m_dataset = std::move(dataset);
    m_table = table;
    const QSignalBlocker blocker(m_places);
    m_places->clear();
    if (table == nullptr)
        return;
    const bool cells = m_dataset->obs() == table;
    m_places->addChoice(u"key"_s, cells ? u"Names of the cells"_s : u"Names of the genes"_s, QString());
    for (const auto& column : table->children)
        if (ruleKindOf(*column) == FilterRule::Kind::Names)
            m_places->addChoice(u"letter-t"_s, toQString(column->name), toQString(column->name));
    m_places->setVisible(m_places->count() > 1);
}

void NamesBody::setCard(const FilterCard& card)
{
    const bool otherList = card.rule.values != m_card.rule.values || card.key != m_card.key;
    m_card = card;
    const QString column = card.rule.subject.kind == RuleSubject::Kind::Name ? QString() : card.rule.subject.name;
    m_places->setCurrentIndex(std::max(0, m_places->findData(column)));
    if (otherList && !card.rule.values.isEmpty() && listedNames(m_field->toPlainText()) != card.rule.values) {
        const bool long_ = card.rule.values.size() > kMostShown;
        m_field->setPlainText(long_ ? QString() : card.rule.values.join(u'\n'));
        m_field->setPlaceholderText(long_ ? u"%1 names; paste others to replace them"_s.arg(
                                        countText(Index{card.rule.values.size()}))
                                          : u"Paste names, one a line"_s);
    }
    updateApply();
    lookUp();
}

void NamesBody::setFigures(const CardFigures&)
{
    lookUp();
}

QString NamesBody::words() const
{
    return m_card.rule.words();
}

QString NamesBody::found() const
{
    return m_found->isHidden() ? QString() : m_found->text();
}

RuleSubject NamesBody::chosenSubject() const
{
    RuleSubject subject;
    subject.name = m_places->currentData().toString();
    subject.kind = subject.name.isEmpty() ? RuleSubject::Kind::Name : RuleSubject::Kind::Column;
    return subject;
}

NamePlace NamesBody::placeOf(const RuleSubject& subject) const
{
    NamePlace place{m_dataset, m_table, nullptr};
    if (subject.kind == RuleSubject::Kind::Column && m_table != nullptr)
        place.column = m_table->child(toStdString(subject.name));
    return place;
}

void NamesBody::updateApply()
{
    m_apply->setEnabled(!m_field->toPlainText().trimmed().isEmpty());
}

void NamesBody::apply()
{
    FilterRule rule = m_card.rule;
    const QStringList names = listedNames(m_field->toPlainText());
    if (!names.isEmpty())
        rule.values = names;
    rule.subject = chosenSubject();
    if (rule.values.isEmpty())
        return;
    Q_EMIT ruleEdited(rule);
}

void NamesBody::lookUp()
{
    const FilterRule& rule = m_card.rule;
    if (m_table == nullptr || rule.values.isEmpty()) {
        m_request.cancel();
        m_looked.clear();
        m_found->hide();
        m_copy->hide();
        return;
    }
    if (rule.values == m_looked && rule.subject == m_lookedIn)
        return;
    m_looked = rule.values;
    m_lookedIn = rule.subject;
    m_request.request<NamesFound>(
        [place = placeOf(rule.subject), names = rule.values, reading = m_context.reading](std::stop_token stop) {
            return findListed(place, names, reading, stop);
        },
        [this](Result<NamesFound> found) {
            if (found) {
                showFound(*found);
                return;
            }
            m_found->setText(errorText(found.error()));
            m_found->show();
        });
}

void NamesBody::showFound(const NamesFound& found)
{
    m_lost = found.lost;
    QString text = u"%1 of %2 found"_s.arg(countText(found.found), countText(Index{m_looked.size()}));
    if (found.rows != found.found)
        text += u", in %1"_s.arg(countedText(found.rows, u"row"_s, u"rows"_s));
    text += u'.';
    if (!m_lost.isEmpty()) {
        text += u" Not in the file: "_s + m_lost.mid(0, kLostShown).join(u", "_s);
        if (m_lost.size() > kLostShown)
            text += u" and %1 more"_s.arg(countText(Index{m_lost.size() - kLostShown}));
        text += u'.';
    }
    m_found->setText(text);
    m_found->show();
    m_copy->setVisible(!m_lost.isEmpty());
}

void NamesBody::askFile()
{
    const QString path = QFileDialog::getOpenFileName(this, u"Names, one a line"_s,
                                                      QSettings().value(u"folder"_s).toString());
    if (!path.isEmpty())
        load(path);
}

void NamesBody::load(const QString& path)
{
    m_reading.request<QStringList>(
        [file = toStdString(path)](std::stop_token) -> Result<QStringList> {
            auto text = readTextFile(file);
            if (!text)
                return std::move(text).error();
            const QStringList names = listedNames(toQString(*text));
            if (names.isEmpty())
                return Error(ErrorCode::BadUsage, file + " holds no names.");
            return names;
        },
        [this](Result<QStringList> names) {
            if (!names) {
                m_found->setText(errorText(names.error()));
                m_found->show();
                return;
            }
            FilterRule rule = m_card.rule;
            rule.values = *names;
            rule.subject = chosenSubject();
            Q_EMIT ruleEdited(rule);
        });
}

bool NamesBody::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_field && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
        if (enter && (key->modifiers() & Qt::ControlModifier) != 0) {
            apply();
            return true;
        }
    }
    return CardBody::eventFilter(watched, event);
}

} // namespace cellfolio
