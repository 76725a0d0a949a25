#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""run.sh and check.sh decide rightly what to install, with apt, dpkg and sudo replaced by little programs.
usage: installer_test.py ROOT"""
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv[1]).resolve()

DPKG = """#!/bin/sh
for last; do :; done
grep -qx "$last" "$STUBS/installed" && printf installed
"""
APT = """#!/bin/sh
echo "apt-get $*" >> "$STUBS/calls"
"""
CACHE = """#!/bin/sh
grep -qx "$2" "$STUBS/unknown" || echo "$2 | 1.0 | somewhere"
"""


class Installer(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.stubs = pathlib.Path(self.scratch.name)
        for name, text in (("dpkg-query", DPKG), ("apt-get", APT), ("apt-cache", CACHE)):
            self.stub(name, text)
        for name in ("installed", "unknown", "calls"):
            (self.stubs / name).write_text("")

    def tearDown(self):
        self.scratch.cleanup()

    def stub(self, name, text):
        path = self.stubs / name
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def bash(self, script, path=None):
        environment = {"PATH": path or f"{self.stubs}:/usr/bin:/bin", "STUBS": str(self.stubs), "LC_ALL": "C.UTF-8"}
        return subprocess.run(["/bin/bash", "-c", f"set -euo pipefail; . '{ROOT}/installer/lib.sh'; {script}"],
                              capture_output=True, text=True, env=environment)

    def packages(self, section):
        return self.bash(f"packagesOf {section}").stdout.replace("?", "").split()

    def install_all_but(self, *left_out):
        names = [name for section in ("run", "check") for entry in self.packages(section) for name in entry.split("|")]
        (self.stubs / "installed").write_text("\n".join(name for name in names if name not in left_out) + "\n")

    def calls(self):
        return (self.stubs / "calls").read_text().splitlines()

    def test_every_package_has_a_reason(self):
        lines = (ROOT / "installer/dependencies.txt").read_text().splitlines()
        packages = [line for line in lines if line and not line.startswith(("#", "["))]
        self.assertGreater(len(packages), 20)
        self.assertEqual([line for line in packages if "# " not in line], [])
        self.assertEqual(len(self.packages("run")) + len(self.packages("check")), len(packages))

    def test_nothing_missing_calls_nothing(self):
        self.install_all_but()
        done = self.bash("installMissing run check")
        self.assertEqual((done.returncode, self.calls()), (0, []), done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 1, done.stdout)

    def test_one_missing(self):
        self.install_all_but("libdeflate-dev")
        done = self.bash("asRoot() { \"$@\"; }; installMissing run check")
        self.assertEqual(done.returncode, 0, done.stderr)
        update, install = self.calls()
        self.assertTrue(update.startswith("apt-get update"), update)
        self.assertIn("--no-install-recommends", install)
        self.assertTrue(install.endswith(" libdeflate-dev"), install)

    def test_other_name_of_a_package(self):
        self.install_all_but("qt6-svg-dev", "libqt6svg6-dev")
        (self.stubs / "unknown").write_text("qt6-svg-dev\n")
        self.bash("asRoot() { \"$@\"; }; installMissing run")
        self.assertTrue(self.calls()[-1].endswith(" libqt6svg6-dev"), self.calls())
        self.install_all_but("qt6-svg-dev")
        (self.stubs / "calls").write_text("")
        self.bash("asRoot() { \"$@\"; }; installMissing run")
        self.assertEqual(self.calls(), [])

    def test_optional_package(self):
        self.install_all_but("python3-anndata")
        self.bash("asRoot() { \"$@\"; }; installMissing run check")
        self.assertTrue(self.calls()[-1].endswith(" python3-anndata"), self.calls())
        self.assertEqual(len(self.calls()), 1, "the lists are there, so they are not fetched anew")
        (self.stubs / "calls").write_text("")
        (self.stubs / "unknown").write_text("python3-anndata\n")
        done = self.bash("asRoot() { \"$@\"; }; installMissing run check")
        self.assertEqual((done.returncode, self.calls()), (0, []), done.stderr)
        self.assertIn("no package python3-anndata", done.stdout)
        (self.stubs / "unknown").write_text("python3-anndata\nbash\n")
        self.bash("asRoot() { \"$@\"; }; installMissing run check")
        self.assertEqual(len(self.calls()), 1)
        self.assertTrue(self.calls()[0].startswith("apt-get update"))

    def test_unknown_package(self):
        self.install_all_but("libblosc-dev")
        (self.stubs / "unknown").write_text("libblosc-dev\n")
        done = self.bash("asRoot() { \"$@\"; }; installMissing run")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no package libblosc-dev", done.stderr)

    def test_other_distribution(self):
        bare = self.stubs / "bare"
        bare.mkdir()
        for name in ("bash", "dirname", "awk", "id"):
            (bare / name).symlink_to(shutil.which(name))
        done = self.bash("installMissing run", path=str(bare))
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("dependencies.txt", done.stderr)

    def test_neither_root_nor_sudo(self):
        self.install_all_but("cmake")
        self.stub("id", "#!/bin/sh\necho 1000\n")
        done = self.bash("hash -r; command() { [ \"$2\" != sudo ]; }; installMissing run")
        self.assertEqual((done.returncode, self.calls()), (1, []))
        self.assertIn("sudo", done.stderr)

    def test_sudo_is_used(self):
        self.install_all_but("cmake")
        self.stub("id", "#!/bin/sh\necho 1000\n")
        self.stub("sudo", "#!/bin/sh\necho sudo >> \"$STUBS/calls\"\nexec \"$@\"\n")
        done = self.bash("installMissing run")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.calls()[0], "sudo")
        self.assertTrue(self.calls()[-1].endswith(" cmake"))

    def test_words_and_codes(self):
        for script, words, code in (("run.sh", ["--help"], 0), ("check.sh", ["--help"], 0), ("run.sh", ["a", "b"], 2),
                                    ("check.sh", ["now"], 2), ("run.sh", ["/nowhere/none.h5ad"], 1)):
            done = subprocess.run(["/bin/bash", str(ROOT / "installer" / script), *words], capture_output=True, text=True,
                                  env={"PATH": f"{self.stubs}:/usr/bin:/bin", "STUBS": str(self.stubs)})
            self.assertEqual(done.returncode, code, (script, words, done.stderr))
            self.assertTrue(done.stdout + done.stderr)
        self.assertEqual(self.calls(), [])

    def test_continuous_integration_calls_the_same(self):
        text = (ROOT / ".ci/run").read_text()
        self.assertIn("installer/check.sh", text)
        for path in (".ci/run", "installer/run.sh", "installer/check.sh"):
            self.assertTrue(os.access(ROOT / path, os.X_OK), path)
            self.assertEqual(subprocess.run(["/bin/bash", "-n", str(ROOT / path)]).returncode, 0, path)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
