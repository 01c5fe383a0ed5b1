# SPDX-License-Identifier: GPL-2.0-or-later
"""ranks.py - the report of a job of a thousand ranks: how long it takes, and how much memory."""
import pathlib
import resource
import subprocess
import tempfile
import time

from lib.job_sessions import SAMPLE_SESSION, rank_session, write

RANKS, SECONDS, MIB = 1000, 2, 100
LINES = 170  # so that a session has some 57 kB


def tables(run):
    """Sessions of the same events; what else is in them is read, and left out."""
    events = [count["event"] for count in SAMPLE_SESSION["counts"][:3]]
    lines = [
        {"function": f"function_{i}", "file": "/src/program.c", "line": i + 1, "object": "/bin/program"}
        | {"counts": {event: 1000 + i for event in events}}
        for i in range(LINES)
    ]
    with tempfile.TemporaryDirectory() as folder:
        for rank in range(RANKS):
            session = rank_session(rank, RANKS, times=1 + rank % 3, lines=lines)
            write(pathlib.Path(folder) / f"r-{rank}.json", session)
        size = sum(path.stat().st_size for path in pathlib.Path(folder).iterdir()) / RANKS
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        begin = time.monotonic()
        subprocess.run([run.TOPDOWN, "report", folder], stdout=subprocess.DEVNULL, check=True)
        taken = time.monotonic() - begin
        memory = max(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, before) / 1024
    print(f"\n| the report of {RANKS:,} ranks, sessions of {size / 1000:.0f} kB | | goal |\n|---|---:|---|")
    print(f"| it takes | {taken:.2f} s | {run.goal('ranks', taken, SECONDS, 's')} |")
    print(f"| memory at most | {memory:.0f} MiB | {run.goal('ranks', memory, MIB, 'MiB')} |")
