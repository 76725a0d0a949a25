#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""run_rule.py RULE --root ROOT [--build BUILD]: checks one rule of rules.py and prints what breaks it."""
import argparse
import json
import pathlib
import sys

import rules

SHARED = "../shared/data"


def damaged_files(root):
    """Our own damaged files, and those of the bigger corpora where they lie beside the checkout."""
    shared = pathlib.Path(root) / SHARED
    found = sorted((pathlib.Path(root) / "tests/data/damaged").glob("*.*"))
    if not shared.is_dir():
        print(f"{SHARED} is not there: only the files of tests/data are tried")
        return found
    found += sorted((shared / "spec").glob("bad_*.h5ad")) + sorted((shared / "real/broken").glob("*"))
    reports = json.loads((shared / "reports/expected.json").read_text(encoding="utf-8"))
    found += [shared / "reports" / name for name, want in reports.items()
              if want["outcome"] != "opens" and not want.get("huge")]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rule")
    parser.add_argument("--root", required=True, type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path)
    args = parser.parse_args()
    if args.rule == "headers_alone":
        faults = rules.headers_alone(args.root, args.build)
    elif args.rule == "links_no_gui":
        faults = rules.links_no_gui(args.build / "bin/cellfolio-cli")
    elif args.rule == "bad_files":
        faults = rules.bad_files(args.build / "bin/cellfolio-cli", damaged_files(args.root))
    else:
        faults = getattr(rules, args.rule)(args.root)
    for fault in faults:
        print(fault)
    print(f"{args.rule}: {len(faults)} violations")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
