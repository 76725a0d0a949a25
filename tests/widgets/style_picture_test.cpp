// SPDX-License-Identifier: GPL-3.0-or-later
// Leaves a picture of every generic widget, light and dark, in <build>/pictures, to be looked at;
// and checks that each paints something of its own in both themes.
#include "widgets/style/fonts.h"
#include "widgets/style/icons.h"
#include "widgets/style/palettes.h"
#include "widgets/style/style_sheet.h"
#include "widgets/style/theme.h"
#include "widgets/views/banner.h"
#include "widgets/views/category_legend.h"
#include "widgets/views/color_bar.h"
#include "widgets/views/empty_view.h"
#include "widgets/views/facts_list.h"
#include "widgets/views/matrix_grid.h"
#include "widgets/views/memory_meter.h"
#include "widgets/views/paged_table_view.h"
#include "widgets/views/scatter_view.h"
#include "widgets/views/search_field.h"
#include "widgets/views/start_page.h"

#include <QtCore/QDir>
#include <QtCore/QLocale>
#include <QtTest/QTest>
#include <QtWidgets/QApplication>
#include <QtWidgets/QCheckBox>
#include <QtWidgets/QComboBox>
#include <QtWidgets/QHBoxLayout>
#include <QtWidgets/QLabel>
#include <QtWidgets/QProgressBar>
#include <QtWidgets/QPushButton>
#include <QtWidgets/QRadioButton>
#include <QtWidgets/QTabBar>
#include <QtWidgets/QToolButton>
#include <QtWidgets/QVBoxLayout>

#include <cmath>
#include <random>
#include <set>

using namespace cellfolio;

namespace
{

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

// Cells of an invented file of ten million rows.
class DemoTable : public TableSource
{
public:
    using TableSource::TableSource;

    qint64 rowCount() const override { return 10'000'000; }
    int columnCount() const override { return 9; }

    TableCell cell(qint64 row, int column) const override
    {
        TableCell cell;
        const auto& colors = categoryPalette(CategoryPalette::Default20);
        const auto h = quint64(row) * 2654435761U % 1000;
        if (row % 17 == 16) {
            cell.pending = true;
            cell.number = column > 3;
            return cell;
        }
        switch (column) {
        case 0:
            cell.text = s("AAACCTGAG%1-%2").arg(row, 6, 10, QLatin1Char('A')).arg(h % 8);
            break;
        case 1:
            cell.text = s(h % 5 == 0   ? "CD4+/CD45RA+/CD25- Naive T lymphocyte"
                          : h % 3 == 0 ? "Dendritic"
                                       : "CD19+ B");
            cell.dot = colors[h % 5];
            break;
        case 2:
            cell.text = QString::number(h % 11);
            cell.dot = colors[h % 11];
            break;
        case 3:
            cell.missing = h % 7 == 0;
            cell.text = s("G1");
            cell.dot = colors[2];
            break;
        default:
            cell.number = true;
            cell.missing = h % 13 == 0;
            cell.text =
                column == 4
                    ? QLocale().toString(qulonglong(h * 7 + 11))
                    : QString::number(double(h) / 731 - 0.6, 'f', 4).replace(u'-', QChar(0x2212));
        }
        return cell;
    }

    ColumnProfile profile(int column) const override
    {
        static const char* names[] = {"index",    "bulk_labels", "louvain",
                                      "phase",    "n_genes",     "percent_mito",
                                      "n_counts", "S_score",     "doublet_score"};
        ColumnProfile p;
        p.name = s(names[column]);
        p.missing = s("0 missing");
        const auto& colors = categoryPalette(CategoryPalette::Default20);
        if (column == 0) {
            p.icon = s("key");
            p.type = s("text · unique");
            p.missing.clear();
            p.kind = ColumnProfile::Kind::Samples;
            p.samples = {s("AAAGCCTGGCTAAC-1"), s("AAATTCGATGCACA-1")};
            p.captionLeft = s("10,000,000 different");
        } else if (column < 4) {
            p.icon = s("tag");
            p.kind = ColumnProfile::Kind::Categories;
            const int n = column == 1 ? 10 : column == 2 ? 11 : 3;
            p.type = s("%1 categories").arg(n);
            for (int i = 0; i < n; ++i) {
                p.bars.push_back(240.0 / (1 + i * i * 0.4));
                p.barsInView.push_back(p.bars.back() * (i % 2 ? 0.7 : 1));
                p.colors.push_back(colors[std::size_t(i)]);
            }
            p.captionLeft = s("most: Dendritic");
            p.captionRight = column == 1 ? s("205") : QString();
            p.sampled = column == 2;
        } else {
            p.icon = s("numbers");
            p.type = column == 4 ? s("int64") : s("float32");
            p.kind = ColumnProfile::Kind::Histogram;
            for (int i = 0; i < 24; ++i) {
                p.bars.push_back(100 * std::exp(-std::pow((i - 6.0 - column) / 4.0, 2)));
                p.barsInView.push_back(i < 16 ? p.bars.back() * 0.85 : 0);
            }
            p.captionLeft = s("1,001");
            p.captionRight = s("2,605");
        }
        return p;
    }
};

class DemoGrid : public GridSource
{
public:
    using GridSource::GridSource;

    qint64 rowCount() const override { return 10'000'000; }
    qint64 columnCount() const override { return 60'000; }

    GridCell value(qint64 row, qint64 column) const override
    {
        GridCell cell;
        const quint64 h = (quint64(row) * 48271 + quint64(column) * 69621) * 2654435761U % 1000;
        if (row % 23 == 22) {
            cell.pending = true;
        } else if (h < 500 && (column + row / 14) % 3) {
            cell.zero = true;
            cell.text = s("0");
        } else {
            const double v = double(h) / 180.0;
            cell.shade = v / 5.6;
            cell.text = QString::number(v, 'f', 2);
        }
        return cell;
    }
    GridRowHead rowHead(qint64 row) const override
    {
        const auto& colors = categoryPalette(CategoryPalette::Default20);
        GridRowHead head;
        head.name = s("TGCAAGTGCTGTCC-%1").arg(row);
        head.strip = colors[std::size_t(row / 14 % 5)];
        head.startsGroup = row % 14 == 0 && row > 0;
        if (row % 14 == 0)
            head.group = s(row % 28 ? "CD19+ B" : "CD56+ NK");
        return head;
    }
    GridColumnHead columnHead(qint64 column) const override
    {
        static const char* names[] = {"GZMH",  "NKG7",  "GNLY", "GZMB", "PRF1", "CD79A",
                                      "CD79B", "MS4A1", "CD37", "IGJ",  "CD74", "HLA-DRB1"};
        GridColumnHead head;
        head.name = s(names[column % 12]);
        head.share = double(column * 37 % 100) / 100;
        head.shareText = s("%1 %").arg(column * 37 % 100);
        return head;
    }
    QString cornerTop() const override { return s("10,000,000 cells by bulk_labels"); }
    QString cornerBottom() const override { return s("share of cells above 0"); }
};

ScatterPoints clusters(std::size_t n, std::vector<std::uint32_t>& codes)
{
    std::mt19937 random(7);
    std::normal_distribution<float> normal;
    std::vector<float> x, y;
    for (std::size_t i = 0; i < n; ++i) {
        const auto c = std::uint32_t(random() % 10);
        codes.push_back(i % 40 == 0 ? ~0U : c);
        const float angle = float(c) * 0.63F;
        const float r = 6.0F + float(c % 3) * 3.0F;
        x.push_back(r * std::cos(angle) + normal(random) * (0.7F + 0.2F * float(c % 4)));
        y.push_back(r * std::sin(angle) * 0.8F + normal(random) * 0.8F);
    }
    return {std::make_shared<const std::vector<float>>(std::move(x)),
            std::make_shared<const std::vector<float>>(std::move(y))};
}

QWidget* parts()
{
    auto* page = new QWidget;
    page->setProperty("surface", s("frame"));
    page->setAttribute(Qt::WA_StyledBackground);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(20, 20, 20, 20);
    column->setSpacing(12);
    const auto row = [&] {
        auto* r = new QHBoxLayout;
        r->setSpacing(8);
        column->addLayout(r);
        return r;
    };
    auto* r = row();
    for (const char* kind : {"", "primary", "soft", "quiet", "small", "link"}) {
        auto* button = new QPushButton(s("Choose…"));
        if (*kind)
            button->setProperty(kind, true);
        r->addWidget(button);
    }
    auto* disabled = new QPushButton(s("Not now"));
    disabled->setEnabled(false);
    r->addWidget(disabled);
    r->addStretch(1);
    r = row();
    auto* gene = new SearchField(s("Gene"));
    gene->setIconName(s("helix"));
    gene->setKeyHint(s("Ctrl+G"));
    r->addWidget(gene);
    auto* filled = new SearchField(s("Find"));
    filled->setText(s("CD3E"));
    r->addWidget(filled);
    auto* refused = new SearchField(s("Find"));
    refused->setText(s("n_genes >> 5"));
    refused->setRefused(s("After > comes a value."));
    r->addWidget(refused);
    auto* combo = new QComboBox;
    combo->addItem(icon("tag"), s("bulk_labels"));
    r->addWidget(combo);
    r = row();
    for (int i = 0; i < 4; ++i) {
        auto* box = new QCheckBox(s(i == 0   ? "on"
                                    : i == 1 ? "partly"
                                    : i == 2 ? "off"
                                             : "not here"));
        box->setTristate(true);
        box->setCheckState(i == 0 ? Qt::Checked : i == 1 ? Qt::PartiallyChecked : Qt::Unchecked);
        box->setEnabled(i < 3);
        r->addWidget(box);
    }
    auto* radio = new QRadioButton(s("this view"));
    radio->setChecked(true);
    r->addWidget(radio);
    r->addWidget(new QRadioButton(s("all cells")));
    for (const char* name : {"lasso", "marquee-2", "hand-grab"}) {
        auto* tool = new QToolButton;
        tool->setIcon(icon(name));
        tool->setCheckable(true);
        tool->setChecked(QByteArray(name) == "lasso");
        r->addWidget(tool);
    }
    r->addStretch(1);
    r = row();
    auto* tabs = new QTabBar;
    tabs->setDrawBase(false);
    tabs->setExpanding(false);
    tabs->addTab(icon("table"), s("Cells"));
    tabs->addTab(icon("helix"), s("Genes"));
    tabs->addTab(icon("grid-dots"), s("Matrix"));
    tabs->setCurrentIndex(1);
    r->addWidget(tabs);
    r->addStretch(1);
    r = row();
    auto* meter = new MemoryMeter;
    meter->setReading({120LL << 20, 214LL << 20, 300LL << 20, 2LL << 30, 0});
    r->addWidget(meter);
    auto* full = new MemoryMeter;
    full->setReading({1500LL << 20, 1900LL << 20, 1950LL << 20, 2LL << 30, 0});
    r->addWidget(full);
    auto* progress = new QProgressBar;
    progress->setValue(71);
    progress->setTextVisible(false);
    r->addWidget(progress);
    auto* facts = new FactsList;
    facts->setFacts({{s("Stored as"), s("float64 array"), {}, false},
                     {s("Chunks"),
                      s("2,725 values, gzip 4, shuffled, and a very long tail of words that "
                        "cannot fit the dock at all, not even on a wide screen"),
                      {},
                      false},
                     {s("Note"),
                      s("In each cell the genes of raw/X are stored in falling order instead of "
                        "rising order. No value is wrong, only slower to read."),
                      {},
                      true}});
    column->addWidget(facts);
    for (const auto tone : {Banner::Tone::Note, Banner::Tone::Warning, Banner::Tone::Error}) {
        auto* banner = new Banner;
        banner->showMessage(tone,
                            s("layers/counts cannot be read: cells 40,961 to 45,056 are damaged."),
                            s("Details"));
        column->addWidget(banner);
    }
    auto* icons = new QWidget;
    auto* many = new QGridLayout(icons);
    many->setContentsMargins(0, 0, 0, 0);
    int i = 0;
    for (const QString& name : iconNames()) {
        auto* label = new QLabel;
        label->setPixmap(icon(name).pixmap(QSize(18, 18), page->devicePixelRatioF()));
        label->setToolTip(name);
        many->addWidget(label, i / 24, i % 24);
        ++i;
    }
    column->addWidget(icons);
    column->addStretch(1);
    return page;
}

} // namespace

class StylePictureTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QDir().mkpath(folder()); }
    void pictures_data();
    void pictures();

private:
    static QString folder() { return s(CELLFOLIO_BINARY_DIR "/pictures/"); }
    static QWidget* make(const QString& what);
};

void StylePictureTest::pictures_data()
{
    QTest::addColumn<QString>("what");
    QTest::addColumn<bool>("dark");
    for (const char* what :
         {"parts", "table", "grid", "scatter", "scatter-many", "legend", "start", "empty"}) {
        QTest::addRow("%s-light", what) << s(what) << false;
        QTest::addRow("%s-dark", what) << s(what) << true;
    }
}

QWidget* StylePictureTest::make(const QString& what)
{
    if (what == s("parts")) {
        QWidget* page = parts();
        page->resize(760, 760);
        return page;
    }
    if (what == s("table")) {
        auto* view = new PagedTableView;
        view->setSource(new DemoTable(view));
        view->resize(1180, 620);
        RangeSet rows;
        rows.add(3, 5);
        view->setSelectedRows(rows);
        view->setSort(4, SortMark::Descending);
        view->setCurrentCell({5, 1});
        view->setFocus();
        return view;
    }
    if (what == s("grid")) {
        auto* view = new MatrixGrid;
        view->setSource(new DemoGrid(view));
        view->resize(980, 600);
        view->setCurrent(6, 4);
        view->setFocus();
        return view;
    }
    if (what.startsWith(s("scatter"))) {
        auto* view = new ScatterView;
        view->resize(700, 600);
        auto codes = std::vector<std::uint32_t>();
        view->setPoints(clusters(what == s("scatter") ? 700 : 300'000, codes));
        view->setAxisNames(s("UMAP 1"), s("UMAP 2"));
        const auto& list = categoryPalette(CategoryPalette::Default20);
        view->setColor(ScatterCategories{std::make_shared<const std::vector<std::uint32_t>>(codes),
                                         {list.begin(), list.begin() + 10}});
        if (what == s("scatter-many")) {
            view->setCategoryNames({s("CD4+ T"), s("CD8+ T"), s("B"), s("NK"), s("Monocyte"),
                                    s("Dendritic"), s("Mast"), s("Plasma"), s("HSC"),
                                    s("Erythro")});
            view->setNamesShown(true);
        }
        return view;
    }
    if (what == s("legend")) {
        auto* page = new QWidget;
        auto* row = new QHBoxLayout(page);
        row->setContentsMargins(0, 0, 0, 0);
        auto* legend = new CategoryLegend;
        LegendContent content;
        content.title = s("bulk_labels");
        content.subtitle = s("10 categories · cells shown");
        const auto& list = categoryPalette(CategoryPalette::Default20);
        for (std::uint32_t i = 0; i < 10; ++i)
            content.entries.push_back({i,
                                       s(i == 1 ? "CD4+/CD45RA+/CD25- Naive T" : "CD14+ Monocyte"),
                                       list[i], i == 7 ? 0 : 65 * i + 5});
        content.othersCategories = 1'200;
        content.othersCount = 45'000;
        content.missing = 12;
        legend->setContent(content);
        row->addWidget(legend);
        auto* bar = new ColorBar;
        bar->setContent({s("CD3E"), s("raw/X, log1p of counts per 10 000"), NumberMap::Viridis,
                         s("0.31"), s("3.42"), false, true, s("0 to 6.49"), 120, {}, {}, {}});
        row->addWidget(bar, 0, Qt::AlignTop);
        page->resize(480, 420);
        return page;
    }
    if (what == s("start")) {
        auto* page = new StartPage;
        std::vector<RecentFile> files;
        const char* names[] = {"pbmc68k-reduced.h5ad", "heart-atlas.h5ad", "visium-brain.h5ad",
                               "gut-organoids-batch2.h5ad", "dentate-gyrus.h5ad"};
        for (int i = 0; i < 5; ++i)
            files.push_back({s("/data/%1").arg(s(names[i])), s(names[i]), s("Documents/teaching"),
                             i == 1 ? s("1,204,118 × 32,383") : s("700 × 765"), s("1.8 MiB"),
                             i == 0 ? s("10:31") : s("Yesterday"),
                             i == 3 ? s("the disk is not connected") : QString()});
        page->setRecentFiles(files);
        page->resize(1280, 720);
        return page;
    }
    auto* empty = new EmptyView;
    empty->setContent({s("chart-scatter"), s("No embedding in this file"),
                       s("A map of the cells would be here. It can be computed from X."),
                       s("Show the cells"), s("Copy details"), false});
    empty->resize(480, 320);
    return empty;
}

void StylePictureTest::pictures()
{
    QFETCH(QString, what);
    QFETCH(bool, dark);
    applyTheme(*qApp, dark ? ThemeChoice::Dark : ThemeChoice::Light);
    const std::unique_ptr<QWidget> widget(make(what));
    widget->show();
    QVERIFY(QTest::qWaitForWindowExposed(widget.get()));
    QCoreApplication::processEvents();
    if (auto* scatter = qobject_cast<ScatterView*>(widget.get()))
        scatter->finishedImage();
    const QImage image = widget->grab().toImage().convertToFormat(QImage::Format_RGB32);
    QVERIFY(image.save(folder() + what + (dark ? s("-dark.png") : s("-light.png"))));

    const Theme& theme = Theme::current();
    const QColor corner = image.pixelColor(image.width() - 1, image.height() / 2);
    QVERIFY2(dark == (corner.lightness() < 128), qPrintable(corner.name()));
    std::set<QRgb> colours;
    for (int y = 0; y < image.height(); y += 2) {
        for (int x = 0; x < image.width(); x += 2)
            colours.insert(image.pixel(x, y));
    }
    QVERIFY2(colours.size() > 12, qPrintable(s("only %1 colours").arg(colours.size())));
    QVERIFY(colours.count(theme.base.rgb()) || colours.count(theme.frame.rgb()));
}

QTEST_MAIN(StylePictureTest)
#include "style_picture_test.moc"
