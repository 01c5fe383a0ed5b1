# SPDX-License-Identifier: GPL-2.0-or-later
"""checks.py - checks that each name their subject; a failed one is printed, and the test goes on."""
import sys

SKIPPED = 77
FAILED = 125  # exit status when topdown itself failed
LONGEST = 4000  # characters of what was found

failures = 0


def check(holds, what, found=None):
    """Prints a failed check and goes on; finish() makes the test fail then."""
    global failures
    if not holds:
        failures += 1
        print(f"FAIL {what}" + (f": {found!r}"[:LONGEST] if found is not None else ""))


def check_all(items, holds, what, least=1):
    """Each item is so, and there are so many at least; those that are not are printed. Where holds has
    several parameters, an item's parts are its arguments."""
    items = list(items)
    code = getattr(holds, "__code__", None)
    takes_parts = code and code.co_argcount - len(holds.__defaults__ or ()) > 1
    check(len(items) >= least, f"{what}: so many at least: {least}", len(items))
    wrong = [item for item in items if not (holds(*item) if takes_parts else holds(item))]
    check(not wrong, what, wrong)


def check_failure(result, what, *parts):
    """One line on stderr, nothing on stdout, status 125; the line has all parts in it."""
    lines = (result.stderr or "").splitlines()
    check(result.returncode == FAILED, f"{what}: exit status", result.returncode)
    check(not result.stdout, f"{what}: standard output", result.stdout)
    check(len(lines) == 1 and lines[0].startswith("topdown: "), f"{what}: one line on stderr", result.stderr)
    for part in parts:
        check(str(part) in (result.stderr or ""), f"{what}: stderr has {part!r}", result.stderr)


def check_success(result, what):
    check(result.returncode == 0, f"{what}: exit status", (result.returncode, (result.stderr or "")[-500:]))
    check(not result.stderr, f"{what}: stderr", result.stderr)


def failed():
    return failures > 0


def skip(reason):
    """Ends the test as skipped, unless a check has failed before."""
    if not failures:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    sys.exit(1)


def finish():
    sys.exit(1 if failures else 0)
