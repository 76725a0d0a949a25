#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every command that the manual and the README show runs as it stands.
usage: manual_test.py ROOT FOLDER_OF_PROGRAMS"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT, PROGRAMS = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
EXAMPLE = ROOT / "resources/examples/pbmc68k_reduced.h5ad"


def shown_commands():
    pages = [*sorted((ROOT / "resources/manual").glob("*.md")), ROOT / "README.md"]
    for page in pages:
        for block in re.findall(r"```sh\n(.*?)```", page.read_text(encoding="utf-8"), re.S):
            for line in block.splitlines():
                line = re.sub(r"^build/release/bin/", "", line.strip())
                if line.startswith("cellfolio"):
                    yield page.name, line.replace("resources/examples/", "")


class Manual(unittest.TestCase):
    def test_commands_run(self):
        commands = list(shown_commands())
        self.assertGreater(len(commands), 12)
        with tempfile.TemporaryDirectory() as scratch:
            shutil.copy(EXAMPLE, scratch)
            environment = dict(os.environ, PATH=f"{PROGRAMS}:{os.environ['PATH']}", QT_QPA_PLATFORM="offscreen",
                               HOME=scratch, XDG_DATA_HOME=f"{scratch}/data", XDG_RUNTIME_DIR=scratch, XDG_CACHE_HOME=f"{scratch}/cache")
            os.chmod(scratch, 0o700)
            for page, line in commands:
                if line.startswith("cellfolio ") and not (PROGRAMS / "cellfolio").is_file():
                    continue
                with self.subTest(f"{page}: {line}"):
                    done = subprocess.run(line, shell=True, cwd=scratch, env=environment, capture_output=True,
                                          text=True, timeout=120)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    wrote = re.search(r"> ([\w./-]+)$|--snapshot (\S+)", line)
                    if wrote:
                        self.assertGreater(os.path.getsize(pathlib.Path(scratch, wrote.group(1) or wrote.group(2))), 0)
                    else:
                        self.assertTrue(done.stdout)

    def test_options_are_those_of_the_program(self):
        text = (ROOT / "resources/manual/command-line.md").read_text(encoding="utf-8")
        for command in ("info", "view", "stats", "validate", "filter", "export", "canonicalize", "convert", "index"):
            help_text = subprocess.run([PROGRAMS / "cellfolio-cli", command, "--help"], capture_output=True,
                                       text=True).stdout
            known = set(re.findall(r"(?<!\S)--[a-z-]+", help_text))
            section = text.split(f"\n## {command}\n")[1].split("\n## ")[0]
            common = text.split("\n## For every command\n")[1].split("\n## ")[0]
            option = r"(?<![\w-])--[a-z][a-z-]*"
            # The common part speaks of `validate --fail-on`, and of any `--option`.
            named = set(re.findall(option, common)) - {"--option", "--fail-on"} | set(re.findall(option, section))
            self.assertLessEqual(named, known, f"{command}: the manual names options that the program lacks")
            self.assertLessEqual(known - {"--schema", "--report", "--obs", "--var", "--rows", "--cols"}, named,
                                 f"{command}: the program has options that the manual does not name")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
