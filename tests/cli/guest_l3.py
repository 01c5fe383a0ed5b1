#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""guest_l3.py - the L3 of a guest, which the default core has as it was measured: what is kept, what the head
says of it, and who does without.

Exit status 77 without Valgrind.
"""
import json
import os
import sys

sys.path.append(f"{sys.path[0]}/..")
from guest_l3_made import L3_OF_A_GUEST
from lib import check, environment, finish, need_simulator, temporary, topdown

SIM = ("--pmu", "sim", "--anchor", "never")
NAME = "here"


def core_of(state, *words):
    """What the report calls the core."""
    env = environment(XDG_STATE_HOME=str(state), TOPDOWN_MACHINE=NAME)
    result = topdown(*SIM, *words, "-l1", "--format", "json", "-o", state / "report", "true", env=env)
    check(result.returncode == 0, f"{words}: exit status", result.stderr)
    return json.loads((state / "report").read_text(encoding="utf-8"))["summary"]["machine"]


def check_others(state, file):
    for words in (("--pinned",), ("--sim-core", "zen4")):
        core = core_of(state, *words)
        check("L3" not in core and not file.exists(), f"{words}: nothing is measured", core)


def has_size(file):
    """A size of 0 is none: it was only tried whether one can be kept."""
    is_kept = file.is_file() and not file.is_symlink() and file.read_bytes()[:1] == b"{"
    return is_kept and json.loads(file.read_text(encoding="utf-8"))["answers_kib"] > 0


def check_kept(state, file):
    """False: nothing was measured here, as on a machine that is no guest."""
    core = core_of(state)
    if not has_size(file):
        check("; L3" not in core, "nothing is said of what was not measured", core)
        return False
    kept = json.loads(file.read_text(encoding="utf-8"))
    check(kept.keys() == L3_OF_A_GUEST.keys(), "its members", kept)
    check(kept["l2_kib"] <= kept["answers_kib"] <= kept["l3_kib"], "its size", kept)
    check(core == core_of(state), "a second run has the same", core)
    return True


def size_text(kib):
    return f"{kib // 1024} MiB" if kib % 1024 == 0 else f"{kib} KiB"


def check_words(state, file):
    kept = json.loads(file.read_text(encoding="utf-8"))
    stated = size_text(kept["l3_kib"])
    for kib, words in (
        (kept["l2_kib"] + 256, f"L3 {size_text(kept['l2_kib'] + 256)} (measured: "),
        (kept["l2_kib"] * 2, f"L3 {size_text(kept['l2_kib'] * 2)} (measured: "),
        (kept["l3_kib"], f"L3 {stated}, as measured"),
    ):
        file.write_text(json.dumps({**kept, "answers_kib": kib}), encoding="utf-8")
        file.chmod(0o600)
        core = core_of(state)
        check(words in core and stated in core, f"{kib} KiB", core)


def check_broken(state, file):
    """What is no such file says nothing."""
    for what, make in (
        ("garbage", lambda: file.write_bytes(b"\xff{{")),
        ("a FIFO", lambda: os.mkfifo(file)),
        ("a link", lambda: file.symlink_to("/dev/zero")),
    ):
        file.unlink()
        make()
        core = core_of(state)
        check(
            ("; L3 " in core) == has_size(file), f"{what}: measured and replaced, or too busy for both", core
        )


def main():
    need_simulator()
    with temporary() as folder:
        file = folder / f"topdown/l3-{NAME}.json"
        check_others(folder, file)
        if check_kept(folder, file):
            check_words(folder, file)
            check_broken(folder, file)
    finish()


main()
