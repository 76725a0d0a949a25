#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""An export that is broken off: killed at any moment, stopped by Ctrl+C, on a disk that fills. The source stays as it
is, the target is absent (or what it was) or whole, the next run succeeds and names what was left behind."""
import hashlib
import json
import os
import pathlib
import random
import resource
import signal
import subprocess
import tempfile
import time
import unittest

import anndata
import numpy as np
import pandas as pd
import scipy.sparse as sp

import cli

MOMENTS = int(os.environ.get("CELLFOLIO_MOMENTS", "100"))


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.source = pathlib.Path(cls.scratch.name) / "source.h5ad"
        values = np.random.default_rng(1)
        matrix = sp.random(6000, 1500, 0.1, "csr", np.float32, values)
        data = anndata.AnnData(matrix, pd.DataFrame({"n": np.arange(6000)}, index=[f"c{i}" for i in range(6000)]),
                               layers={"more": matrix.copy()}, obsm={"X_pca": values.normal(size=(6000, 20))})
        data.write_h5ad(cls.source, compression="gzip")
        cls.before = digest(cls.source)
        cls.expected = data[1:].X.sum(dtype=np.float64)

    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = pathlib.Path(made.name)
        self.out = self.folder / "out.h5ad"
        self.line = [cli.PROGRAM, "export", self.source, "-o", self.out, "--overwrite", "--obs", "1:", "--json",
                     "--compression", "gzip:6"]

    def check_target(self, old):
        """Absent or what it was, or whole."""
        if not self.out.exists():
            self.assertFalse(old)
        elif not (old and self.out.read_bytes() == b"old"):
            answer = cli.stats(self.out, "X")
            self.assertAlmostEqual(answer["sum"] / self.expected, 1, places=6)

    def whole_run(self):
        start = time.perf_counter()
        done = subprocess.run(self.line, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return time.perf_counter() - start, done

    def test_killed(self):
        seconds, _ = self.whole_run()
        chance = random.Random(7)
        left = 0
        for moment in range(MOMENTS):
            for path in self.folder.iterdir():
                path.unlink()
            old = moment % 2 == 0
            if old:
                self.out.write_bytes(b"old")
            child = subprocess.Popen(self.line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(chance.random() * seconds * 1.1)
            child.kill()
            child.wait()
            self.check_target(old)
            parts = [path for path in self.folder.iterdir() if path != self.out]
            left += len(parts)
            if parts and moment % 10 == 0:
                self.assertRegex(parts[0].name, r"^\.out\.h5ad\.\w{6}\.part$")
                _, done = self.whole_run()
                self.assertIn(parts[0].name.encode(), done.stderr)
                self.check_target(old)
        self.assertGreater(left, 0, "no moment was in the middle of it")
        self.assertEqual(digest(self.source), self.before)

    def test_interrupted(self):
        seconds, _ = self.whole_run()
        for moment, which in ((0.2, signal.SIGINT), (0.5, signal.SIGTERM), (0.7, signal.SIGINT)):
            self.out.write_bytes(b"old")
            child = subprocess.Popen(self.line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            time.sleep(moment * seconds)
            child.send_signal(which)
            start = time.perf_counter()
            output = child.communicate()[0]
            took = time.perf_counter() - start
            if child.returncode == -which:
                self.assertEqual((output, self.out.read_bytes()), (b"", b"old"))  # not even begun
                continue
            answer = json.loads(output)
            if "error" in answer:
                self.assertEqual((child.returncode, answer["error"]["code"]), (3, "Cancelled"))
                self.assertLess(took, 1.0)
                self.assertEqual(self.out.read_bytes(), b"old")
            self.assertEqual([path.name for path in self.folder.iterdir()], ["out.h5ad"])
            self.check_target(True)
        self.assertEqual(digest(self.source), self.before)

    def test_full_disk(self):
        """A limit on the size of files is a full disk, met at any byte."""
        self.whole_run()
        size = self.out.stat().st_size
        for k in range(20):
            self.out.write_bytes(b"old")
            limit = size * k // 20 + 17

            def limited(limit=limit):
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

            done = subprocess.run(self.line, capture_output=True, preexec_fn=limited)
            self.assertEqual(done.returncode, 3, (limit, done.stdout[-300:], done.stderr[-300:]))
            self.assertEqual(json.loads(done.stdout)["error"]["code"], "OutOfDisk", limit)
            self.assertNotIn(b"HDF5", done.stderr)
            self.assertEqual([path.name for path in self.folder.iterdir()], ["out.h5ad"])
            self.assertEqual(self.out.read_bytes(), b"old")
        self.whole_run()
        self.check_target(False)

    @unittest.skipIf(os.geteuid() != 0, "a small disk can only be mounted by root")
    def test_small_disk(self):
        """A disk of its own that another program fills meanwhile."""
        disk = self.folder / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=100m", "tmpfs", disk], capture_output=True).returncode != 0:
            self.skipTest("no disk can be mounted here")
        self.addCleanup(subprocess.run, ["umount", disk])
        out = disk / "out.h5ad"
        line = [str(word) if word != self.out else str(out) for word in self.line]
        child = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for _ in range(10_000):
            if any(path.name.endswith(".part") for path in disk.iterdir()):
                break
            time.sleep(0.001)
        child.send_signal(signal.SIGSTOP)
        filler = disk / "filler"
        try:
            with open(filler, "wb") as file:
                while True:
                    file.write(b"x" * 65536)
        except OSError:
            pass
        child.send_signal(signal.SIGCONT)
        answer = json.loads(child.communicate()[0])
        self.assertEqual((child.returncode, answer["error"]["code"]), (3, "OutOfDisk"))
        self.assertEqual([path.name for path in disk.iterdir()], ["filler"])
        # And what is short of space beforehand is refused at once.
        filler.write_bytes(b"x" * (60 << 20))
        with self.assertRaises(cli.Failed) as failed:
            cli.call(*line[1:-3])
        self.assertEqual(failed.exception.error["code"], "OutOfDisk")


if __name__ == "__main__":
    unittest.main()
