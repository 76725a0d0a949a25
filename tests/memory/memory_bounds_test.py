#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory bounds as tests: peak resident memory of the command line on a file of 200 million entries, and on one twice
as long, stays within the budget and 64 MiB, and does not grow with the file.

Environment: CELLFOLIO_CLI (the program), CELLFOLIO_WORK (a folder for the files).
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest
from unittest import mock

CLI = os.environ["CELLFOLIO_CLI"]
WORK = pathlib.Path(os.environ["CELLFOLIO_WORK"])
MIB = 1 << 20
BUDGET = 64 * MIB
OBS = 2_000_000


def run(*arguments):
    """Runs the command line; gives its output and its peak resident bytes."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.dup2(writing, 1)
        os.execv(CLI, [CLI, *map(str, arguments)])
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        output = pipe.read()
    _, status, usage = os.wait4(child, 0)
    code = os.waitstatus_to_exitcode(status)
    if code != 0:
        raise AssertionError(f"{arguments} ended with {code}: {output[:500]!r}")
    return output, usage.ru_maxrss * 1024


def make(rows, *options):
    path = WORK / f"long_{rows}{''.join(options)}.h5ad"
    if not path.exists():
        part = path.with_suffix(".part")
        maker = pathlib.Path(__file__).with_name("make_long_file.py")
        subprocess.run([sys.executable, maker, part, "--obs", str(rows), *options], check=True)
        part.rename(path)
    return path


class MemoryBounds(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        WORK.mkdir(parents=True, exist_ok=True)
        cls.file = make(OBS)
        cls.twice = make(2 * OBS)

    def both(self, *arguments, within=BUDGET + 64 * MIB):
        """Peaks on the file and on the one twice as long, both below the bound."""
        command, rest = arguments[0], arguments[1:]
        output, peak = run(command, self.file, *rest, "--memory", "64M")
        _, longer = run(command, self.twice, *rest, "--memory", "64M")
        print(f"{' '.join(map(str, arguments)):.60}: {peak / MIB:.0f} and {longer / MIB:.0f} MiB")
        self.assertLess(peak, within)
        self.assertLess(longer, within)
        self.assertLess(longer, peak * 1.2 + 4 * MIB, "memory grows with the file")
        return output

    def test_info(self):
        info = json.loads(self.both("info", "--json", within=64 * 1000 * 1000))
        self.assertEqual([info["n_obs"], info["n_vars"]], [OBS, 20_000])
        self.assertEqual(next(e for e in info["elements"] if e["path"] == "X")["stored"], OBS * 100)

    def test_first_rows(self):
        output = self.both("view", "obs", "--obs", "0:100", "--csv", within=64 * 1000 * 1000)
        self.assertEqual(len(output.splitlines()), 101)

    def test_scattered_rows(self):
        rows = ",".join(str(i * 19_997 % OBS) for i in range(200))
        output = json.loads(self.both("view", "X", "--obs", rows, "--var", "0:300", "--json"))
        self.assertEqual(output["values"][1][100], 19_997 % 16 + 1)

    def test_one_gene(self):
        output = json.loads(self.both("view", "X", "--var", "100", "--obs", "0:2000000:20000", "--json"))
        self.assertEqual(output["values"][3][0], 60_000 % 16 + 1)

    def test_statistics(self):
        figures = json.loads(self.both("stats", "X", "--json"))
        self.assertEqual(figures["sum"], OBS * 100 * 8.5)
        self.assertEqual(figures["nnz"], OBS * 100)
        self.assertEqual(figures["max"], 16)

    def test_statistics_by_gene(self):
        figures = json.loads(self.both("stats", "X", "--by", "var", "--json"))
        self.assertEqual(figures["sum"][100], OBS * 8.5)
        self.assertEqual(figures["sum"][101], 0)

    def test_column_statistics(self):
        figures = json.loads(self.both("stats", "obs/kind", "--json"))
        self.assertEqual(sum(c["count"] for c in figures["categories"]), OBS)

    def test_filter(self):
        output = self.both("filter", "--where", 'gene("gene100") > 10 and level > 100', "--count")
        self.assertEqual(int(output), sum(row % 16 > 9 and row % 65536 > 100 for row in range(OBS)))

    def test_filter_by_text(self):
        output = self.both("filter", "--where", 'name ~ "77$" and kind == "b"', "--count")
        self.assertEqual(int(output), sum(row % 100 == 77 and row % 4 == 1 for row in range(OBS)))

    def exported(self, file, *options):
        """Peak of an export of the file, and the sum over X of what it wrote."""
        out = WORK / "exported.h5ad"
        output, peak = run("export", file, "-o", out, "--overwrite", "--memory", "64M", "--json", *options)
        answer = json.loads(output)
        self.assertLessEqual(answer["used"]["memory"], BUDGET + 64 * MIB)
        figures = json.loads(run("stats", out, "X", "--json")[0])
        out.unlink()
        return peak, figures

    def test_export(self):
        """X is 25 times the budget when decoded, 50 times in the longer file."""
        for rows, options in (("::3", []), ("5:1900000", []), (":", ["--compression", "gzip"]), ("::-2", ["--compression", "none"])):
            peaks = []
            for file, length in ((self.file, OBS), (self.twice, 2 * OBS)):
                first, last, step = [int(part) if part else None for part in (rows + "::").split(":")[:3]]
                chosen = range(length)[slice(first, last, step)]
                peak, figures = self.exported(file, f"--obs={rows}", *options)
                self.assertEqual(figures["stored"], len(chosen) * 100)
                self.assertEqual(figures["sum"], 100 * sum((chosen[k] % 16 + 1) * (len(chosen) // 16 + (k < len(chosen) % 16))
                                                           for k in range(min(16, len(chosen)))) )
                peaks.append(peak)
            print(f"export {rows}: {peaks[0] / MIB:.0f} and {peaks[1] / MIB:.0f} MiB")
            self.assertLess(max(peaks), BUDGET + 64 * MIB)
            self.assertLess(peaks[1], peaks[0] * 1.2 + 4 * MIB, "memory grows with the file")

    def test_scattered_names(self):
        """Texts of rows far apart are read in stretches; a stretch holds as many of them as fit, not as many as it has bytes."""
        output = self.both("view", "obs", "--obs", "0:2000000:1000", "--csv", within=64 * MIB)
        self.assertEqual(len(output.splitlines()), 2001)
        peaks = [self.exported(file, "--obs=::20", "--slots", "X")[0] for file in (self.file, self.twice)]
        print(f"export of scattered cells: {peaks[0] / MIB:.0f} and {peaks[1] / MIB:.0f} MiB")
        self.assertLess(max(peaks), BUDGET + 32 * MIB)

    def test_export_of_genes_and_in_another_order(self):
        peak, figures = self.exported(self.file, "--var", "300:0:-1")
        print(f"export of genes: {peak / MIB:.0f} MiB")
        self.assertLess(peak, BUDGET + 64 * MIB)
        self.assertEqual(figures["sum"], OBS * 3 * 8.5)
        # Every 5th row in an order that jumps about the file, some of them twice.
        names = WORK / "names.txt"
        names.write_text("".join(f"cell{i * 1_000_003 % OBS}\n" for i in range(0, OBS, 20)), encoding="utf-8")
        peak, figures = self.exported(self.file, "--obs", f"@{names}")
        print(f"export in another order: {peak / MIB:.0f} MiB")
        self.assertLess(peak, BUDGET + 64 * MIB)
        self.assertEqual(figures["stored"], len(range(0, OBS, 20)) * 100)
        self.assertEqual(figures["sum"], 100 * sum(i * 1_000_003 % OBS % 16 + 1 for i in range(0, OBS, 20)))

    def test_gene_index(self):
        """Built within the budget, whatever the file's size (one gene, here of all cells, is held while it is coded);
        small; and a gene from it costs little."""
        cache = mock.patch.dict(os.environ, XDG_CACHE_HOME=str(WORK / "cache"))
        cache.start()
        self.addCleanup(cache.stop)
        self.addCleanup(shutil.rmtree, WORK / "cache", ignore_errors=True)
        for file in (self.twice, self.file):
            output, peak = run("index", file, "--memory", "64M", "--json")
            print(f"index: {peak / MIB:.0f} MiB")
            self.assertLess(peak, BUDGET + 64 * MIB)
        built = json.loads(output)
        self.assertEqual(built["entries"], OBS * 100)
        self.assertLessEqual(built["bytes"], 2.5 * built["entries"])
        self.assertLessEqual(built["used"]["memory"], BUDGET + 64 * MIB)
        for file in (self.twice, self.file):
            output, peak = run("view", file, "X", "--var", "100,101", "--obs", "0:2000000:20000", "--memory", "64M", "--json")
            self.assertEqual(json.loads(output)["values"][3], [60_000 % 16 + 1, 0])
            self.assertLess(peak, BUDGET + 64 * MIB)
        run("index", self.file, "--drop")
        _, peak = run("index", self.file, "--memory", "192M")
        print(f"index with 192M: {peak / MIB:.0f} MiB")
        self.assertLessEqual(peak, 256 * MIB)

    def test_validation(self):
        report = json.loads(self.both("validate", "--json", "--fail-on", "never"))
        self.assertEqual([f["id"] for f in report["findings"] if f["severity"] == "error"], [])

    def test_names_in_bands(self):
        """More names than a quarter of the budget has room for: looked at in three passes, none forgotten."""
        rows = 2_500_000
        file = make(rows, "--repeated-names")
        output, peak = run("validate", file, "--memory", "32M", "--json", "--fail-on", "never")
        self.assertLess(peak, (32 + 64) * MIB)
        found = [f for f in json.loads(output)["findings"] if f["id"] == "B013"]
        self.assertEqual([[p["row"] for p in f["positions"]] for f in found], [[5, rows // 2, rows - 1]])
        self.assertEqual(found[0]["count"], 3)


if __name__ == "__main__":
    unittest.main(verbosity=2)
