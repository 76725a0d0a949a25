#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each rule must be seen to fail: a copy of the checkout is broken in one place, and the rule must name it.
usage: self_test.py ROOT BUILD"""
import pathlib
import shutil
import stat
import sys
import tempfile
import unittest

import rules

ROOT = pathlib.Path(sys.argv[1]).resolve()
BUILD = pathlib.Path(sys.argv[2]).resolve()
SPDX = "// SPDX-License-Identifier: GPL-3.0-or-later\n"


def copy_of_checkout(target):
    for name in sorted(rules.ROOT_FOLDERS | rules.ROOT_FILES):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, target / name,
                            ignore=shutil.ignore_patterns("__pycache__", "*.h5*", "*.loom", "*.png"))
        elif source.is_file():
            shutil.copy(source, target / name)


class Violations(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.root = pathlib.Path(cls.scratch.name) / "checkout"
        cls.root.mkdir()
        copy_of_checkout(cls.root)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def broken(self, rule, name, text, mentions, **options):
        """Adds one file, and wants the rule to hold without it and to name it with it."""
        path = self.root / name
        before = rule(self.root, **options)
        made = [parent for parent in path.parents if not parent.exists()]
        path.parent.mkdir(parents=True, exist_ok=True)
        self.assertFalse(path.exists(), name)
        path.write_text(text)
        try:
            after = rule(self.root, **options)
        finally:
            path.unlink()
            for parent in made:
                parent.rmdir()
        new = [fault for fault in after if fault not in before]
        self.assertTrue(any(mentions in fault for fault in new),
                        f"{rule.__name__} did not notice {name}; it said {new}")

    def test_core_without_qt(self):
        self.broken(rules.includes, "core/base/broken_a.h", SPDX + "#include <QString>\n", "core knows no Qt")
        self.broken(rules.includes, "core/base/broken_a.h", SPDX + "#include <QtCore/qglobal.h>\n", "no Qt")

    def test_hdf5_in_one_place(self):
        for place in ("core/hdf5/broken_b.h", "core/matrix/broken_b.cpp", "widgets/views/broken_b.cpp",
                      "app/cli/broken_b.cpp"):
            self.broken(rules.includes, place, SPDX + "#include <hdf5.h>\n", "core/hdf5 know HDF5")
        path = self.root / "core/hdf5/allowed_b.cpp"
        path.parent.mkdir(exist_ok=True)
        path.write_text(SPDX + "#include <hdf5.h>\n")
        self.assertFalse([fault for fault in rules.includes(self.root) if "allowed_b" in fault])
        path.unlink()

    def test_layers_of_core(self):
        self.broken(rules.includes, "core/base/broken_c.h", SPDX + '#include "core/anndata/dataset.h"\n',
                    "anndata stands above base")
        self.broken(rules.includes, "core/paging/broken_c.h", SPDX + '#include "core/matrix/dtype.h"\n',
                    "matrix stands above paging")
        self.broken(rules.includes, "core/export/broken_c.h", SPDX + '#include "core/convert/plan.h"\n',
                    "never includes another")
        self.broken(rules.includes, "core/novel/broken_c.h", SPDX + '#include "core/base/result.h"\n',
                    "no known layer")

    def test_layers_above_core(self):
        self.broken(rules.includes, "widgets/views/broken_d.h", SPDX + '#include "app/gui/session.h"\n',
                    "widgets and core only")
        self.broken(rules.includes, "core/base/broken_d.h", SPDX + '#include "widgets/views/x.h"\n',
                    "nothing but core")
        self.broken(rules.includes, "app/cli/broken_d.cpp", SPDX + '#include "widgets/views/x.h"\n',
                    "does without widgets")

    def test_nothing_to_check_is_a_fault(self):
        with tempfile.TemporaryDirectory() as empty:
            self.assertTrue(rules.includes(empty))

    def test_header_that_needs_another(self):
        name = "core/base/broken_e.h"
        path = ROOT / name  # flags hold the real root, so the compiler's view is tried on a copy of the tree
        self.assertFalse(path.exists())
        copy = self.root / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(SPDX + "#pragma once\ninline std::string forgotten() { return {}; }\n")
        database = BUILD / "compile_commands.json"
        moved = pathlib.Path(self.scratch.name) / "build"
        moved.mkdir()
        (moved / "compile_commands.json").write_text(database.read_text().replace(str(ROOT), str(self.root)))
        faults = rules.headers_alone(self.root, moved, only={name})
        copy.write_text(SPDX + "#pragma once\n#include <string>\ninline std::string kept() { return {}; }\n")
        repaired = rules.headers_alone(self.root, moved, only={name})
        copy.unlink()
        self.assertTrue(any("compile alone" in fault for fault in faults), faults)
        self.assertEqual(repaired, [])
        self.assertTrue(rules.headers_alone(self.root, moved, only=set()))

    def test_what_the_build_proves(self):
        header, source = self.root / "core/base/broken_m.h", self.root / "core/base/broken_m.cpp"
        header.write_text(SPDX)
        self.assertFalse(rules.proven_by_build(header))
        source.write_text(SPDX + '#include <string>\n#include "core/base/broken_m.h"\n')
        self.assertFalse(rules.proven_by_build(header))
        source.write_text(SPDX + '#include "core/base/broken_m.h"\n#include <string>\n')
        self.assertTrue(rules.proven_by_build(header))
        header.unlink()
        source.unlink()

    def test_gui_library(self):
        window = BUILD / "bin/cellfolio"
        if not window.is_file():
            self.skipTest("this build leaves the window out")
        self.assertTrue(any("Qt" in fault for fault in rules.links_no_gui(window)))
        self.assertTrue(rules.links_no_gui(BUILD / "bin/no-such-program"))

    def test_long_file(self):
        self.broken(rules.short_files, "core/base/broken_f.cpp", SPDX + "\n" * 600, "broken_f.cpp has 601 lines")

    def test_licence_line(self):
        self.broken(rules.licence_lines, "widgets/broken_g.h", "#pragma once\n", "broken_g.h")
        self.broken(rules.licence_lines, "tests/broken_g.py", "#!/usr/bin/env python3\nimport sys\n", "broken_g.py")

    def test_root(self):
        self.broken(rules.root_folders, "src/broken_h.cpp", SPDX, "src/ has no place")
        self.broken(rules.root_folders, "NOTES.md", "notes\n", "NOTES.md has no place")
        kept = self.root / "LICENSE"
        moved = kept.rename(self.root.parent / "LICENSE")
        self.assertIn("LICENSE is missing at the root", rules.root_folders(self.root))
        moved.rename(kept)

    def test_folder_page(self):
        self.broken(rules.folder_pages, "core/recipe/broken_i.h", SPDX, "core/recipe has no README.md")

    def test_words(self):
        for word in (*rules.FORBIDDEN_WORDS, *rules.FORBIDDEN_PATHS):
            self.broken(rules.words, "core/base/broken_j.h", SPDX + f"// {word} later\n", "broken_j.h:2")

    def test_links(self):
        self.broken(rules.links, "resources/manual/broken_l.md", "[x](nowhere.md)\n", "points to nowhere.md")
        self.broken(rules.links, "core/base/broken_l.md", "![x](images/none.png)\n", "images/none.png")
        self.broken(rules.links, "resources/manual/broken_l.md", "[x](index.md#no-heading)\n", "#no-heading")

    def test_qt_habits(self):
        for word in rules.QT_HABITS:
            self.broken(rules.qt_habits, "widgets/broken_k.cpp", SPDX + f"    {word}\n", "broken_k.cpp:2")

    def test_bad_files(self):
        folder = pathlib.Path(self.scratch.name) / "programs"
        folder.mkdir()
        victim = folder / "victim.h5ad"
        victim.write_bytes(b"not a file of this kind")

        def program(body):
            path = folder / "program.sh"
            path.write_text("#!/bin/sh\n" + body)
            path.chmod(path.stat().st_mode | stat.S_IXUSR)
            return path

        good = 'echo "{}"; echo "one sentence" >&2; exit 1\n'
        self.assertEqual(rules.bad_files(program(good), [victim]), [])
        cases = {"shows HDF5-DIAG": "echo HDF5-DIAG: Error detected >&2; echo '{}'; exit 1\n",
                 "ended with -11": "echo '{}'; kill -SEGV $$\n",
                 "ended with 77": "echo '{}'; exit 77\n",
                 "not one JSON object": "echo oops; echo why >&2; exit 1\n",
                 "without a word": "echo '{}'; exit 1\n",
                 "was changed": 'echo x >> "$2"; echo "{}"; exit 0\n',
                 "did not end": "exec sleep 30\n"}
        for expected, body in cases.items():
            faults = rules.bad_files(program(body), [victim], timeout=1)
            self.assertTrue(any(expected in fault for fault in faults), (expected, faults))
        self.assertTrue(rules.bad_files(program(good), []))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
