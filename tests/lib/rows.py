# SPDX-License-Identifier: GPL-2.0-or-later
"""rows.py - many cases of one kind in one process: each is a row, which has a name and prints its verdict."""
import sys
import traceback

from lib.checks import SKIPPED
from lib.program import some


def row_status(run, name):
    """What the row returns, 0 where it is right; an exception of a row is its failure, not the others'."""
    try:
        return run(name)
    except Exception:
        traceback.print_exc(file=sys.stdout)
        return 1


def run_rows(rows, run, chosen=(), data=False):
    """Runs run(name) for each of rows, or for those chosen by name or by a part of it; ends the process.

    With data the rows differ in that only, and a build with sanitizers runs some of them. The status is 1
    when a row failed, the last line names these; 77 when all were skipped.
    """
    rows = list(rows)
    names = [name for name in rows if name in chosen or not chosen]
    names = names or [name for name in rows if any(part in name for part in chosen)]
    if not names:
        sys.exit(f"there is no row {' or '.join(chosen)}" if chosen else "there is no row")
    if data:
        names = some(names, 1) or names
    statuses = {}
    for name in names:
        statuses[name] = row_status(run, name)
        print(f"{name}: {({0: 'ok', SKIPPED: 'skipped'}).get(statuses[name], 'FAILED')}", flush=True)
    failed = [name for name, status in statuses.items() if status not in (0, SKIPPED)]
    print(f"{len(names)} rows, {len(failed)} failed" + (f": {' '.join(failed)}" if failed else ""))
    sys.exit(1 if failed else SKIPPED if set(statuses.values()) == {SKIPPED} else 0)
