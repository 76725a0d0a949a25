#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Mapping and imputing at the size of a report from practice (17 806 spatial cells, 13 298 cells, 2 039 genes), beside the
same multiply-adds in OpenBLAS.

    impute_bench.py --work DIR --build BUILD [--quick] [--json OUT]

Makes the pair of files once (40 s) with ../shared/tools/ot_reference.py. Figures are processor seconds, so that other work on
the machine does not count. Ends with 77 when the maker or the release build is not there."""
import argparse
import ctypes
import ctypes.util
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAKER = ROOT.parent / "shared/tools/ot_reference.py"
MIB = 1 << 20


def run(program, *words):
    """The answer of the command line, its processor seconds and its peak resident bytes."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.dup2(writing, 1)
        os.execv(program, [str(program), *map(str, words), "--json"])
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        output = pipe.read()
    _, status, usage = os.wait4(child, 0)
    answer = json.loads(output)
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"{words}: {answer}")
    return answer, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def product_seconds(n, m, genes):
    """Processor seconds of n · m · genes multiply-adds in OpenBLAS sgemm on one thread, from a smaller product."""
    import numpy as np

    blas = ctypes.CDLL(ctypes.util.find_library("openblas") or "libopenblas.so.0")
    blas.openblas_set_num_threads(1)
    rows, inner = 2048, 2048
    a, b = np.ones((rows, inner), np.float32), np.ones((inner, genes), np.float32)
    c = np.zeros((rows, genes), np.float32)
    pointer = lambda array: array.ctypes.data_as(ctypes.c_void_p)
    best = float("inf")
    for _ in range(4):
        start = time.process_time()
        blas.cblas_sgemm(101, 111, 111, rows, genes, inner, ctypes.c_float(1), pointer(a), inner, pointer(b), genes,
                         ctypes.c_float(0), pointer(c), genes)
        best = min(best, time.process_time() - start)
    return best * n * m / (rows * inner)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    program = arguments.build / "bin/cellfolio-cli"
    if not MAKER.is_file() or not program.is_file():
        print(f"SKIPPED: {MAKER if not MAKER.is_file() else program} is not there")
        return 77
    try:
        import h5py  # noqa: F401 the maker needs all three
        import numpy  # noqa: F401
        import scipy  # noqa: F401
    except ImportError as error:
        print(f"SKIPPED: {error}")
        return 77
    n, m, genes = (600, 500, 300) if arguments.quick else (17806, 13298, 2039)
    folder = arguments.work / f"impute_{n}_{m}_{genes}"
    if not (folder / "demo_singlecell.h5ad").exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, MAKER, "demo", "--out", folder, "--spatial", str(n), "--cells", str(m), "--genes",
                        str(genes)] + (["--panel", "100"] if arguments.quick else []), check=True,
                       stdout=subprocess.DEVNULL)
    spatial, cells = folder / "demo_spatial.h5ad", folder / "demo_singlecell.h5ad"
    sgemm = product_seconds(n, m, genes)
    print(f"{n} × {m} × {genes}; sgemm of the imputation {sgemm:.2f} s\n")
    print("| job | processor s | against sgemm | peak MiB | bound MiB |\n|---|---|---|---|---|")
    result, missed = {"sgemm": sgemm, "rows": []}, False

    def row(job, seconds, against, peak, budget):
        nonlocal missed
        bound = budget + 64 * MIB
        missed = missed or peak > bound
        result["rows"].append({"job": job, "seconds": seconds, "against": against, "peak": peak, "bound": bound})
        print(f"| {job} | {seconds:.2f} | {against} | {peak / MIB:.0f} | {bound / MIB:.0f} |", flush=True)

    mapping, out = folder / "mapping.h5", folder / "imputed.h5ad"
    for eps in ("0.1", "0.01"):
        few, first, _ = run(program, "map", "--spatial", spatial, "--reference", cells, "--epsilon", eps, "-o", mapping,
                            "--overwrite", "--memory", "512M", "--max-iterations", "2")
        answer, seconds, peak = run(program, "map", "--spatial", spatial, "--reference", cells, "--epsilon", eps, "-o",
                                    mapping, "--overwrite", "--memory", "512M")
        more = max(1, answer["iterations"] - few["iterations"])
        share = f"{100 * (seconds - first) / more / sgemm:.1f} % an iteration"
        row(f"map, epsilon {eps}: {answer['iterations']} iterations", seconds, share, peak, 512 * MIB)
    for memory in (512, 64):
        answer, seconds, peak = run(program, "impute", "--map", mapping, "-o", out, "--overwrite", "--memory", f"{memory}M")
        row(f"impute, --memory {memory}M: {answer['blocks']} blocks", seconds, f"{seconds / sgemm:.2f} ×", peak,
            memory * MIB)
    _, seconds, peak = run(program, "map", "--spatial", spatial, "--reference", cells, "-o", mapping, "--overwrite",
                           "--memory", "64M")
    row("map, --memory 64M", seconds, "", peak, 64 * MIB)
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=1))
    return 1 if missed and not arguments.quick else 0


if __name__ == "__main__":
    sys.exit(main())
