// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/about_box.h"

#include "app/gui/program.h"
#include "widgets/bridge/cell_format.h"
#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"

#include <QtWidgets/QDialogButtonBox>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QVBoxLayout>

namespace cellfolio {

using namespace Qt::StringLiterals;

AboutBox::AboutBox(Program& program, QWidget* parent) : QDialog(parent)
{
    setWindowTitle(u"About Cellfolio"_s);
    auto* mark = new QLabel(this);
    mark->setPixmap(markPixmap(64, devicePixelRatioF()));
    mark->setAlignment(Qt::AlignTop);
    auto* name = new QLabel(u"Cellfolio %1"_s.arg(QLatin1String(CELLFOLIO_VERSION)), this);
    name->setFont(fonts::heading());
    auto* text = new QLabel(
        u"Opens and browses very large single-cell files. It sends nothing anywhere and only reads your files.\n\n"
        u"Free software under the GNU General Public License, version 3 or later; it comes with no warranty.\n\n"
        u"Made with Qt %1, HDF5, Eigen, libdeflate, LZF, Zstandard, LZ4, Blosc, xxHash, RE2, CLI11 "
        u"and JSON for Modern C++. Icons: Tabler Icons (MIT).\n\n"
        u"Memory budget of this run: %2."_s.arg(QLatin1String(qVersion()),
                                                sizeText(program.context().reading->budget().limit())),
        this);
    text->setWordWrap(true);
    text->setMinimumWidth(420);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout;
    column->addWidget(name);
    column->addSpacing(8);
    column->addWidget(text);
    column->addSpacing(12);
    column->addWidget(buttons);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(20, 20, 20, 16);
    row->setSpacing(20);
    row->addWidget(mark);
    row->addLayout(column);
}

} // namespace cellfolio
