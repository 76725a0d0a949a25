// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/view_chooser.h"

#include "widgets/bridge/cell_format.h"
#include "widgets/style/icons.h"

#include <QtCore/QSignalBlocker>
#include <QtGui/QKeyEvent>
#include <QtGui/QWheelEvent>
#include <QtWidgets/QInputDialog>
#include <QtWidgets/QMenu>
#include <QtWidgets/QMessageBox>
#include <QtWidgets/QPushButton>

namespace cellfolio {

using namespace Qt::StringLiterals;

namespace {

QString menuText(const QString& name)
{
    return QString(name).replace(u'&', u"&&"_s);
}

} // namespace

ViewChooser::ViewChooser(ViewModel& view, KeptViewList& kept, QWidget* parent)
    : ChoiceBox(u"View"_s, parent), m_view(view), m_kept(kept)
{
    setFixedWidth(212);
    setToolTip(u"The view that is shown; kept views of this file"_s);
    connect(&view, &ViewModel::viewChanged, this, &ViewChooser::refresh);
    connect(&kept, &KeptViewList::changed, this, &ViewChooser::refresh);
    refresh();
}

void ViewChooser::refresh()
{
    const bool open = m_view.view().dataset() != nullptr;
    const Selection& rows = m_view.rows(Axis::Obs);
    const Selection& columns = m_view.rows(Axis::Var);
    const QString name = m_kept.shownName();
    QString text = u"All cells"_s;
    if (!name.isEmpty())
        text = name;
    else if (rows.size() < rows.extent())
        text = u"%1 cells"_s.arg(countText(rows.size()));
    else if (columns.size() < columns.extent())
        text = u"%1 genes"_s.arg(countText(columns.size()));
    else if (m_view.isNarrowed())
        text = u"All cells, filtered"_s;
    const QSignalBlocker blocker(this);
    clear();
    addChoice(name.isEmpty() ? u"database"_s : u"bookmark"_s, open ? text : QString(), QString());
    setCurrentIndex(0);
    setEnabled(open);
}

void ViewChooser::showPopup()
{
    m_kept.refresh(); // another program may have kept some; what is known now is shown now
    QMenu menu(this);
    fillMenu(menu);
    menu.setMinimumWidth(width());
    menu.exec(mapToGlobal(QPoint(0, height() + 2)));
}

void ViewChooser::fillMenu(QMenu& menu)
{
    QAction* all = menu.addAction(icon("database"), u"All cells and genes"_s, &m_view, [this] { m_view.reset(); });
    all->setEnabled(m_view.isNarrowed());
    const QStringList names = m_kept.names();
    const QString shown = m_kept.shownName();
    if (!names.isEmpty())
        menu.addSeparator();
    for (const QString& name : names) {
        QMenu* one = menu.addMenu(icon(name == shown ? "check" : "bookmark"), menuText(name));
        one->addAction(icon("eye"), u"Show"_s, &m_kept, [this, name] { m_kept.show(name); });
        for (const Axis axis : {Axis::Obs, Axis::Var}) {
            const QString many = axis == Axis::Obs ? u"cells"_s : u"genes"_s;
            const auto add = [&](const QString& words, KeptViewList::Combine how) {
                one->addAction(words.arg(many), &m_kept, [this, name, how, axis] { m_kept.combine(name, how, axis); });
            };
            one->addSeparator();
            add(u"Only those of the %1 shown that are in it"_s, KeptViewList::Combine::And);
            add(u"Add its %1 to those shown"_s, KeptViewList::Combine::Or);
            add(u"Take its %1 out of those shown"_s, KeptViewList::Combine::Without);
        }
        one->addSeparator();
        one->addAction(u"Rename…"_s, this, [this, name] { askAndRename(name); });
        one->addAction(icon("x"), u"Remove…"_s, this, [this, name] { askAndRemove(name); });
    }
    menu.addSeparator();
    menu.addAction(icon("plus"), u"Keep this view as…"_s, this, &ViewChooser::askAndKeep)
        ->setEnabled(m_view.view().dataset() != nullptr);
    menu.addAction(icon("file-export"), u"Export this view…"_s, this, &ViewChooser::exportRequested)
        ->setEnabled(m_view.view().dataset() != nullptr);
}

void ViewChooser::askAndKeep()
{
    bool ok = false;
    const QString name
        = QInputDialog::getText(this, u"Keep this view"_s,
                                u"%1 of %2 cells, %3 of %4 genes. Kept outside the file, by the names of its rows.\nName:"_s
                                    .arg(countText(m_view.rows(Axis::Obs).size()), countText(m_view.rows(Axis::Obs).extent()),
                                         countText(m_view.rows(Axis::Var).size()), countText(m_view.rows(Axis::Var).extent())),
                                QLineEdit::Normal, m_kept.shownName(), &ok)
              .trimmed();
    if (!ok || name.isEmpty())
        return;
    if (m_kept.has(name)
        && QMessageBox::question(this, u"Keep this view"_s, u"There is a view “%1” already. Replace it?"_s.arg(name))
            != QMessageBox::Yes)
        return;
    m_kept.keep(name);
}

void ViewChooser::askAndRename(const QString& name)
{
    bool ok = false;
    const QString other = QInputDialog::getText(this, u"Rename the view"_s, u"New name of “%1”:"_s.arg(name),
                                                QLineEdit::Normal, name, &ok)
                              .trimmed();
    if (ok && !other.isEmpty())
        m_kept.rename(name, other);
}

void ViewChooser::askAndRemove(const QString& name)
{
    QMessageBox box(QMessageBox::Question, u"Remove the view"_s,
                    u"Remove the view “%1”? It cannot be brought back. The file and its cells stay as they are."_s.arg(name),
                    QMessageBox::Cancel, this);
    QPushButton* remove = box.addButton(u"Remove"_s, QMessageBox::DestructiveRole);
    box.exec();
    if (box.clickedButton() == remove)
        m_kept.remove(name);
}

void ViewChooser::wheelEvent(QWheelEvent* event)
{
    event->ignore();
}

void ViewChooser::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Space || event->key() == Qt::Key_Return || event->key() == Qt::Key_Down)
        showPopup();
    else
        event->ignore();
}

} // namespace cellfolio
