// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/go_to_row.h"

#include "widgets/bridge/cell_format.h"

#include <QtWidgets/QInputDialog>

namespace cellfolio {

using namespace Qt::StringLiterals;

std::optional<Index> parseRow(const QString& text, Index extent)
{
    QString digits;
    for (const QChar letter : text) {
        if (letter.isDigit())
            digits += letter;
        else if (!letter.isSpace() && letter != u',' && letter != u'.' && letter != u'\'' && letter != u'’'
                 && letter != u'_')
            return std::nullopt;
    }
    bool ok = false;
    const qlonglong row = digits.toLongLong(&ok);
    return ok && row < extent ? std::optional<Index>(row) : std::nullopt;
}

QString noSuchRow(const QString& text, Index extent)
{
    return u"There is no row “%1”: rows go from 0 to %2."_s.arg(text, countText(extent - 1));
}

std::optional<QString> askForRowNumber(QWidget* parent, const QString& prompt, Index extent)
{
    QInputDialog dialog(parent);
    dialog.setWindowTitle(u"Go to row"_s);
    dialog.setLabelText(u"%1, 0 to %2:"_s.arg(prompt, countText(extent - 1)));
    dialog.setOkButtonText(u"Go"_s);
    if (dialog.exec() != QDialog::Accepted || dialog.textValue().trimmed().isEmpty())
        return std::nullopt;
    return dialog.textValue().trimmed();
}

} // namespace cellfolio
