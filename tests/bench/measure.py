# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs one command and says what the kernel counted. Imports nothing large: a child's peak memory as the kernel
tells it is never below what this process had when it started the child."""
import json
import os
import subprocess
import tempfile
import time


class Run:
    """Seconds (wall, processor) and peak resident megabytes (10^6 bytes) of one process, and what it printed."""

    def __init__(self, wall, processor, peak, code, output):
        self.wall, self.processor, self.peak, self.code, self.output = wall, processor, peak, code, output


def run(line, environment=None):
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        child = subprocess.Popen(line, stdout=output, stderr=errors, stdin=subprocess.DEVNULL,
                                 env=dict(os.environ, **(environment or {})))
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        if child.returncode != 0:
            raise SystemExit(f"{' '.join(map(str, line))} ended with {child.returncode}: "
                             f"{errors.read()[-500:].decode(errors='replace')}")
        return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6, child.returncode,
                   output.read())


def peer(python, script, job, path, mode, *options):
    """One repeat of the peer's side; its seconds leave out Python's start and imports, in its favour."""
    done = subprocess.run([python, str(script), job, str(path), "--mode", mode, "--repeat", "1", *options],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"the peer failed on {job}: {done.stderr[-500:]}")
    line = json.loads(done.stdout)
    return Run(line["seconds"], line["cpu_s"], line["peak_rss_mb"], 0, done.stdout)


def warm(path):
    """Brings the file into the page cache."""
    with open(path, "rb", buffering=0) as f:
        block = bytearray(1 << 20)
        while f.readinto(block):
            pass


def best(runs):
    """The least of each: what the machine can do when it is left alone. Memory: the most."""
    return Run(min(r.wall for r in runs), min(r.processor for r in runs), max(r.peak for r in runs), 0,
               runs[-1].output)
