#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cellfolio against what users would use instead, alternating in one run, best of the rounds.

    run_bench.py --work DIR [--quick] [--only info,obs,scan,genes,index,subset,convert,window] [--rounds 3] [--json OUT] [--readme README.md]

Makes the large files in DIR once (about 5 GB), checks ours against the maker's ground truth, prints a Markdown table.
Needs ../shared/tools (the maker and the peer's side) and a Python with anndata (--python). Ends with 1 when a bar
is missed, with 77 when something it needs is not there. --quick: small files, bars are shown and not judged."""
import argparse
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

import measure

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77

FILES = {  # name: (what, options of the maker, options in --quick)
    "G": ("100 000 cells × 20 000 genes, gzip", ["--density", "0.06", "--compression", "gzip", "--knn", "15"],
          ["--obs", "2000", "--vars", "1500", "--density", "0.06", "--compression", "gzip", "--knn", "15"]),
    "U": ("the same, not compressed", ["--density", "0.06", "--compression", "none", "--knn", "15"],
          ["--obs", "2000", "--vars", "1500", "--density", "0.06", "--compression", "none", "--knn", "15"]),
    "L": ("the same, lzf", ["--density", "0.06", "--compression", "lzf", "--knn", "15"],
          ["--obs", "2000", "--vars", "1500", "--density", "0.06", "--compression", "lzf", "--knn", "15"]),
    "M": ("1 000 000 cells × 20 000 genes, gzip", ["--obs", "1000000", "--density", "0.05", "--compression", "gzip"],
          ["--obs", "5000", "--vars", "1500", "--density", "0.05", "--compression", "gzip"]),
    "S": ("10 000 cells × 20 000 genes, gzip", ["--obs", "10000", "--density", "0.05", "--compression", "gzip"],
          ["--obs", "1000", "--vars", "1500", "--density", "0.05", "--compression", "gzip"]),
}


class Bar:
    """One bound on one figure. `least`: the figure must reach it; otherwise it must stay below."""

    def __init__(self, text, value, must, aim=None, least=True):
        self.text, self.value, self.must, self.aim, self.least = text, value, must, aim, least

    @property
    def met(self):
        return self.value >= self.must if self.least else self.value <= self.must

    @property
    def aimed(self):
        if self.aim is None:
            return self.met
        return self.value >= self.aim if self.least else self.value <= self.aim


class Row:
    def __init__(self, job, ours, peer=None, peer_text="", bars=()):
        self.job, self.ours, self.peer, self.peer_text, self.bars = job, ours, peer, peer_text, list(bars)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder of the large files, made once")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--shared", type=pathlib.Path, default=ROOT.parent / "shared")
    parser.add_argument("--python", default="/usr/bin/python3", help="a Python with anndata")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="info,obs,scan,genes,index,subset,window")
    parser.add_argument("--quick", action="store_true", help="small files: does the bench run?")
    parser.add_argument("--json", type=pathlib.Path, help="also write all figures here")
    parser.add_argument("--readme", type=pathlib.Path, help="put the table between its bench marks")
    return parser.parse_args()


class Bench:
    def __init__(self, args):
        self.args = args
        self.cli = args.build / "bin/cellfolio-cli"
        self.window = args.build / "bin/cellfolio"
        self.maker = args.shared / "tools/make_large_h5ad.py"
        self.peer_script = args.shared / "tools/peer_bench.py"
        self.raw = []

    def missing(self):
        for path in (self.cli, self.maker, self.peer_script):
            if not path.is_file():
                return f"{path.name} is not there ({path.parent})"
        if subprocess.run([self.args.python, "-c", "import anndata, h5py"], capture_output=True).returncode != 0:
            return f"{self.args.python} has no anndata"
        return None

    def file(self, name):
        """The file and its ground truth; made when it is not there yet."""
        folder = self.args.work / "quick" if self.args.quick else self.args.work
        folder.mkdir(parents=True, exist_ok=True)
        path, truth = folder / f"{name}.h5ad", folder / f"{name}.json"
        if not path.is_file() or not truth.is_file() or not truth.stat().st_size:
            print(f"making {name}: {FILES[name][0]}", file=sys.stderr, flush=True)
            part = folder / f"{name}.part"
            done = subprocess.run([self.args.python, str(self.maker), "--out", str(part),
                                   *FILES[name][2 if self.args.quick else 1]], capture_output=True, text=True)
            if done.returncode != 0:
                raise SystemExit(f"{name} could not be made: {done.stderr[-500:]}")
            truth.write_text(done.stdout)
            part.rename(path)
        measure.warm(path)
        return path, json.loads(truth.read_text())

    def alternate(self, line, peer=None, environment=None):
        """Peer and ours in turn; each round's figures are kept, the best of each returned."""
        ours, theirs = [], []
        for _ in range(self.args.rounds):
            if peer:
                theirs.append(measure.peer(self.args.python, self.peer_script, *peer))
            ours.append(measure.run([str(word) for word in line], environment))
        for who, runs in (("ours", ours), ("peer", theirs)):
            for one in runs:
                self.raw.append({"who": who, "job": line[1] if who == "ours" else peer[0], "file": file_name(line),
                                 "wall": one.wall, "processor": one.processor, "peak_mb": one.peak})
        return measure.best(ours), measure.best(theirs) if theirs else None

    def info(self):
        large, _ = self.file("M")
        small, _ = self.file("S")
        ours, theirs = self.alternate([self.cli, "info", large, "--json"], ("open", large, "backed"))
        little, _ = self.alternate([self.cli, "info", small, "--json"])
        answer = json.loads(ours.output)
        self.agree("n_obs of M", answer["n_obs"], json.loads(theirs.output)["check"]["obs"])
        ratio = theirs.wall / ours.wall
        return [Row("open and describe M", ours, theirs, "anndata, backed",
                    [Bar("×", ratio, 30, 80), Bar("ms", ours.wall * 1e3, 100, least=False),
                     Bar("MB", ours.peak, 64, least=False),
                     Bar("× its time on S", ours.wall / little.wall, 1.5, least=False)]),
                Row("open and describe S", little)]

    def obs(self):
        large, _ = self.file("M")
        ours, theirs = self.alternate([self.cli, "view", large, "obs", "--obs", "0:100", "--csv"],
                                      ("obs", large, "anndata"))
        self.agree("rows of obs", len(ours.output.splitlines()), 101)
        return [Row("first 100 cells of obs of M, all columns", ours, theirs, "anndata, reads obs",
                    [Bar("×", theirs.wall / ours.wall, 20, 60), Bar("MB", ours.peak, 64, least=False)])]

    def scan(self):
        rows = []
        bars = {"G": (3.2, 4.5, 1.9, 2.4), "U": (1.6, 2.3, 1.6, 2.3), "L": (2.0, 2.9, 1.3, 1.7)}
        for name, (wall, wall_aim, processor, processor_aim) in bars.items():
            path, truth = self.file(name)
            ours, theirs = self.alternate([self.cli, "stats", path, "X", "--json"], ("read", path, "blocks"))
            answer, known = json.loads(ours.output), truth["matrices"]["X"]
            for key in ("stored", "nnz", "sum"):
                self.agree(f"{key} of {name}", answer[key], known[key])
            rows.append(Row(f"statistics of all of {name}", ours, theirs, "h5py, blocks, no arithmetic",
                            [Bar("× wall", theirs.wall / ours.wall, wall, wall_aim),
                             Bar("× processor", theirs.processor / ours.processor, processor, processor_aim),
                             Bar("MB", ours.peak, 64, least=False)]))
        return rows

    def gene_sum(self, output, name):
        """The sum of a gene from a CSV of names and values."""
        lines = output.decode().splitlines()
        column = lines[0].split(",").index(name)
        return sum(float(line.split(",")[column]) for line in lines[1:])

    def genes(self):
        """Without an index: the cache folder is empty."""
        rows = []
        with tempfile.TemporaryDirectory() as cache:
            environment = {"XDG_CACHE_HOME": cache}
            bars = {"G": ((8, 12, 4, 6), (4, 5.4, 2.2, 2.9)), "U": ((25, 39, 25, 39), (3, 4.4, 3, 4.4))}
            for name, both in bars.items():
                path, truth = self.file(name)
                gene, known = list(truth["matrices"]["X"]["gene_sums"].items())[2]
                line = [self.cli, "view", path, "X", "--var", gene, "--csv"]
                for mode, (wall, wall_aim, processor, processor_aim) in zip(("backed", "blocks"), both):
                    ours, theirs = self.alternate(line, ("gene", path, mode, "--gene", gene.split("_")[1]), environment)
                    self.agree(f"sum of {gene} of {name}", self.gene_sum(ours.output, gene), known)
                    rows.append(Row(f"one gene of {name}", ours, theirs, f"{'anndata' if mode == 'backed' else 'h5py'}, {mode}",
                                    [Bar("× wall", theirs.wall / ours.wall, wall, wall_aim),
                                     Bar("× processor", theirs.processor / ours.processor, processor, processor_aim),
                                     Bar("MB", ours.peak, 64, least=False)]))
                if name == "G":
                    one = rows[-1].ours
                    step = truth["shape"][1] // 20
                    many, _ = self.alternate([*line[:5], ",".join(f"gene_{k * step}" for k in range(20)), "--csv"],
                                             environment=environment)
                    rows.append(Row("20 genes of G together", many,
                                    bars=[Bar("× the time of one", many.wall / one.wall, 1.3, 1.1, least=False)]))
        return rows

    def index(self):
        """Built anew in each round; then genes from it, each of which costs what 63 more of them cost."""
        rows = []
        with tempfile.TemporaryDirectory(dir=self.args.work) as cache:
            environment = {"XDG_CACHE_HOME": cache}
            path, truth = self.file("G")
            build = [self.cli, "index", path, "--memory", "192M", "--json"]
            ours, theirs = [], []
            for _ in range(self.args.rounds):
                theirs.append(measure.peer(self.args.python, self.peer_script, "transpose", path, "full",
                                           "--compression", "gzip"))
                measure.run([*map(str, build[:3]), "--drop"], environment)
                ours.append(measure.run(list(map(str, build)), environment))
            built = json.loads(ours[-1].output)
            self.agree("entries of the index", built["entries"], truth["matrices"]["X"]["stored"])
            ours, theirs = measure.best(ours), measure.best(theirs)
            rows.append(Row("gene index of G", ours, theirs, "scipy, transpose to gzip",
                            [Bar("of its time", ours.wall / theirs.wall, 0.1, least=False),
                             Bar("of its processor time", ours.processor / theirs.processor, 0.1, 0.08, least=False),
                             Bar("MB", ours.peak, 268, least=False),
                             Bar("bytes an entry", built["bytes"] / built["entries"], 2.5, least=False)]))
            for name, most, aim in (("G", 5, 1), ("M", 30, 10)):
                path, truth = self.file(name)
                measure.run([str(self.cli), "index", str(path), "--memory", "192M", "--json"], environment)
                sums = truth["matrices"]["X"]["gene_sums"]
                line = [self.cli, "view", path, "X", "--var", ",".join(sums), "--csv"]
                whole, _ = self.alternate(line, environment=environment)
                for gene, known in sums.items():
                    self.agree(f"sum of {gene} of {name}", self.gene_sum(whole.output, gene), known)
                step = truth["shape"][1] // 64
                few = [*line[:5], "gene_0", "--obs", "0:100", "--csv"]
                many = [*line[:5], ",".join(f"gene_{k * step}" for k in range(64)), "--obs", "0:100", "--csv"]
                one, _ = self.alternate(few, environment=environment)
                all_of_them, _ = self.alternate(many, environment=environment)
                rows.append(Row(f"one gene of {name} from the index, all cells as CSV", whole,
                                bars=[Bar("ms a further gene", (all_of_them.wall - one.wall) / 63 * 1e3, most, aim, least=False),
                                      Bar("MB", one.peak, 64, least=False)]))
        return rows

    def subset(self):
        """A tenth of the cells, at random and in one piece, as the peer chooses them; into a new file on the same disk."""
        rows = []
        with tempfile.TemporaryDirectory(dir=self.args.work) as scratch:
            out = pathlib.Path(scratch) / "part.h5ad"
            random = None
            for name, packing, bars in (("G", "gzip", (3.5, 5.5, 2.3, 3.3)), ("U", "none", (3.5, 5.5, 3.5, 5.5))):
                path, truth = self.file(name)
                wall, wall_aim, processor, processor_aim = bars
                cells = truth["shape"][0]
                chosen = pathlib.Path(scratch) / "chosen.txt"
                # A reproducible tenth: every cell whose number, hashed, falls into it.
                marks = "\n".join("1" if (k * 2_654_435_761 & 0xFFFFFFFF) < 0xFFFFFFFF // 10 else "0" for k in range(cells))
                chosen.write_text(marks)
                line = [self.cli, "export", path, "-o", out, "--overwrite", "--compression", packing, "--memory", "64M",
                        "--obs", f"mask:@{chosen}", "--json"]
                ours, theirs = self.alternate(line, ("subset", path, "backed", "--fraction", "0.1", "--compression", packing))
                self.agree("cells of the part", json.loads(ours.output)["n_obs"], marks.count("1"))
                rows.append(Row(f"a random tenth of the cells of {name}, {packing}", ours, theirs, "anndata, backed",
                                [Bar("× wall", theirs.wall / ours.wall, wall, wall_aim),
                                 Bar("× processor", theirs.processor / ours.processor, processor, processor_aim),
                                 Bar("MB", ours.peak, 128, least=False)]))
                random = random or ours
            path, truth = self.file("G")
            first = truth["shape"][0] // 3
            piece, _ = self.alternate([self.cli, "export", path, "-o", out, "--overwrite", "--compression", "gzip", "--memory",
                                       "64M", "--obs", f"{first}:{first + truth['shape'][0] // 10}", "--json"])
            rows.append(Row("a tenth of the cells of G in one piece, gzip", piece,
                            bars=[Bar("of the random one", piece.wall / random.wall, 0.35, 0.2, least=False)]))
            path, truth = self.file("M")
            large, _ = self.alternate([self.cli, "export", path, "-o", out, "--overwrite", "--compression", "gzip", "--memory",
                                       "64M", "--obs", "::10", "--json"])
            rows.append(Row("every tenth cell of M, gzip", large,
                            bars=[Bar("× the memory on G", large.peak / random.peak, 1.2, least=False)]))
        return rows

    def convert(self):
        """CSR as CSC within a budget; M has no peer that fits the memory of a laptop."""
        rows = []
        with tempfile.TemporaryDirectory(dir=self.args.work) as scratch:
            out = pathlib.Path(scratch) / "by_gene.h5ad"
            speed = None
            for name, packing, bars in (("G", "gzip", (5, 7, 3, 3.8)), ("U", "none", (5, 8, 3.5, 5))):
                path, truth = self.file(name)
                wall, wall_aim, processor, processor_aim = bars
                line = [self.cli, "convert", path, "-o", out, "--overwrite", "--storage", "csc", "--compression", packing,
                        "--memory", "192M", "--json"]
                ours, theirs = self.alternate(line, ("transpose", path, "full", "--compression", packing))
                told = [e for e in json.loads(ours.output)["elements"] if e["element"] == "X"]
                self.agree("storage", told[0]["to"]["storage"], "csc")
                self.agree(f"entries of {name}", json.loads(theirs.output)["check"]["nnz"], truth["matrices"]["X"]["stored"])
                rows.append(Row(f"CSR → CSC, {name}, {packing}", ours, theirs, "SciPy, all in memory",
                                [Bar("× wall", theirs.wall / ours.wall, wall, wall_aim),
                                 Bar("× processor", theirs.processor / ours.processor, processor, processor_aim),
                                 Bar("MB", ours.peak, 256, least=False)]))
                speed = speed or truth["matrices"]["X"]["stored"] / ours.wall
            path, truth = self.file("M")
            large, _ = self.alternate([self.cli, "convert", path, "-o", out, "--overwrite", "--storage", "csc", "--compression",
                                       "gzip", "--memory", "192M", "--json"])
            rows.append(Row("CSR → CSC, M, gzip", large,
                            bars=[Bar("× the entries a second on G", truth["matrices"]["X"]["stored"] / large.wall / speed, 0.7, 0.8),
                                  Bar("MB", large.peak, 256, least=False)]))
        return rows

    def window_start(self):
        if not self.window.is_file():
            print("this build leaves the window out", file=sys.stderr)
            return []
        rows = []
        for name in ("M", "S"):
            path, _ = self.file(name)
            with tempfile.TemporaryDirectory() as scratch:
                picture = pathlib.Path(scratch) / "window.png"
                ours, _ = self.alternate([self.window, "--snapshot", picture, path],
                                         environment={"QT_QPA_PLATFORM": "offscreen"})
                self.agree("a picture", picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
            bars = [Bar("s", ours.wall, 1.5, least=False), Bar("MB", ours.peak, 300, least=False)] if name == "M" else []
            rows.append(Row(f"window on {name}, start to filled first screen", ours, bars=bars))
        return rows

    def agree(self, what, found, expected):
        same = found == expected
        if isinstance(expected, float):
            same = abs(found - expected) <= 1e-9 * abs(expected)
        if not same:
            raise SystemExit(f"{what}: ours is {found!r}, right is {expected!r}")


def file_name(line):
    return next(pathlib.Path(str(word)).name for word in line if str(word).endswith(".h5ad"))


def seconds(value):
    return f"{value * 1e3:.0f} ms" if value < 1 else f"{value:.2f} s"


def figure(bar):
    value = f"{bar.value:.1f}" if bar.value < 10 else f"{bar.value:.0f}"
    return f"{value} {bar.text}"


def bound(bar):
    sign = "≥" if bar.least else "≤"
    aim = f" (aim {bar.aim:g})" if bar.aim is not None else ""
    return f"{sign} {bar.must:g}{aim} {bar.text}"


def verdict_of(row, judged):
    if not row.bars:
        return ""
    if not judged:
        return "not judged"
    if not all(bar.met for bar in row.bars):
        return "**fail**"
    return "pass, aim reached" if all(bar.aimed for bar in row.bars) else "pass"


def table(rows, judged):
    lines = ["| job | instead | its time, memory | Cellfolio | processor time | memory | reached | bar | |",
             "|---|---|---|---|---|---|---|---|---|"]
    for row in rows:
        instead = f"{row.peer_text} | {seconds(row.peer.wall)}, {row.peer.peak:.0f} MB" if row.peer else "– | –"
        verdict = verdict_of(row, judged)
        lines.append(f"| {row.job} | {instead} | {seconds(row.ours.wall)} | {seconds(row.ours.processor)} | "
                     f"{row.ours.peak:.0f} MB | {' · '.join(map(figure, row.bars))} | "
                     f"{' · '.join(map(bound, row.bars))} | {verdict} |")
    return "\n".join(lines)


def machine():
    model = platform.machine()
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    return f"{os.cpu_count()} cores ({model}), load {os.getloadavg()[0]:.1f} at the end"


def legend(quick):
    text = " · ".join(f"{name}: {about}" for name, (about, _, _) in FILES.items())
    return f"Files: {text}." + (" SMALL FILES (--quick): figures mean nothing." if quick else "")


def put_into(readme, text):
    begin, end = "<!-- bench:begin -->", "<!-- bench:end -->"
    page = readme.read_text(encoding="utf-8")
    head, rest = page.split(begin)
    readme.write_text(f"{head}{begin}\n{text}\n{end}{rest.split(end)[1]}", encoding="utf-8")


def main():
    args = parse()
    bench = Bench(args)
    reason = bench.missing()
    if reason:
        print(f"SKIPPED: {reason}")
        return SKIPPED
    jobs = {"info": bench.info, "obs": bench.obs, "scan": bench.scan, "genes": bench.genes,
            "index": bench.index, "subset": bench.subset, "convert": bench.convert, "window": bench.window_start}
    rows = [row for name in args.only.split(",") for row in jobs[name]()]
    text = "\n\n".join([table(rows, not args.quick), legend(args.quick), machine() + "."])
    print(text)
    if args.json:
        args.json.write_text(json.dumps(bench.raw, indent=1) + "\n")
    if args.readme:
        put_into(args.readme, text)
    failed = [row.job for row in rows if not all(bar.met for bar in row.bars)]
    if failed and not args.quick:
        print(f"missed: {', '.join(failed)}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
