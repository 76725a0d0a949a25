#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The window on the bundled example, drawn without a screen and on a virtual one: is there something to see?
usage: window_picture_test.py WINDOW EXAMPLE"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import picture

WINDOW, EXAMPLE = sys.argv[1], sys.argv[2]
MIN_COLOURS, MIN_SIDE = 100, 600


class WindowPicture(unittest.TestCase):
    def draw(self, prefix, platform):
        with tempfile.TemporaryDirectory() as scratch:
            out = pathlib.Path(scratch) / "window.png"
            environment = dict(os.environ, QT_QPA_PLATFORM=platform, HOME=scratch, XDG_RUNTIME_DIR=scratch,
                               XDG_CONFIG_HOME=scratch, XDG_CACHE_HOME=scratch, XDG_DATA_HOME=scratch)
            os.chmod(scratch, 0o700)
            done = subprocess.run([*prefix, WINDOW, "--snapshot", str(out), EXAMPLE], capture_output=True, text=True,
                                  timeout=120, env=environment)
            self.assertEqual(done.returncode, 0, done.stderr)
            return picture.read_png(out)

    def look(self, drawn):
        width, height, _, _ = drawn
        self.assertGreaterEqual(min(width, height), MIN_SIDE)
        counted = picture.colours(drawn)
        self.assertGreater(len(counted), MIN_COLOURS, "the window looks empty")
        self.assertLess(max(counted.values()), 0.9 * width * height, "nearly all of it has one colour")

    def test_without_a_screen(self):
        self.look(self.draw([], "offscreen"))

    def test_on_a_virtual_screen(self):
        if shutil.which("xvfb-run") is None:
            self.skipTest("xvfb-run is not installed")
        self.look(self.draw(["xvfb-run", "-a", "-s", "-screen 0 1600x1000x24"], "xcb"))

    def test_a_file_that_is_none(self):
        with tempfile.TemporaryDirectory() as scratch:
            page = pathlib.Path(scratch) / "page.h5ad"
            page.write_text("<html>sign in</html>")
            done = subprocess.run([WINDOW, "--snapshot", str(pathlib.Path(scratch) / "x.png"), str(page)],
                                  capture_output=True, text=True, timeout=120,
                                  env=dict(os.environ, QT_QPA_PLATFORM="offscreen", HOME=scratch))
            self.assertIn(done.returncode, (0, 1), done.stderr)  # drawn with its message, or refused
            self.assertNotIn("HDF5-DIAG", done.stderr + done.stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
