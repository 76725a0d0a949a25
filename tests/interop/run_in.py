#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""run_in.py debian|newest ENVIRONMENTS TEST [ARGUMENTS]: runs one test file with the Python of one environment.

The environments are made by installer/check.sh. Debian's half falls back on /usr/bin/python3 when that has anndata
(a developer's machine). Without anndata the test ends with 77, which CTest shows as skipped; in continuous
integration (CI=true) a missing Debian half is a failure."""
import os
import pathlib
import subprocess
import sys

SKIPPED = 77


def has_anndata(python):
    if not pathlib.Path(python).exists():
        return False
    return subprocess.run([python, "-c", "import anndata, h5py, scipy"], capture_output=True).returncode == 0


def choose(which, environments):
    """The Python to use, or None and the reason."""
    own = environments / which / "bin/python"
    candidates = [own] if which == "newest" else [own, pathlib.Path("/usr/bin/python3")]
    for python in candidates:
        if has_anndata(str(python)):
            return str(python), None
    reason = environments / f"{which}.unavailable"
    if reason.is_file():
        return None, reason.read_text().strip()
    return None, f"no Python with anndata in {own.parent.parent}; installer/check.sh makes it"


def main():
    which, environments, test, *arguments = sys.argv[1:]
    python, reason = choose(which, pathlib.Path(environments))
    if python is None:
        print(f"SKIPPED: {reason}")
        return 1 if which == "debian" and os.environ.get("CI") == "true" else SKIPPED
    print(f"{which}: {python}", flush=True)
    environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", PYTHONWARNINGS="ignore")
    return subprocess.run([python, test, *arguments], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
