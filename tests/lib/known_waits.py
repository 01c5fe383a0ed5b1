# SPDX-License-Identifier: GPL-2.0-or-later
"""known_waits.py - programs that time their own waits (wall_known.c), beside what --wall says of them."""
import collections
import re
import subprocess

from lib import SOURCE, check

NEAR_S = 0.015
NEAR = 0.02
SWITCH_S = 0.00005  # of a switch: the thread's CPU time has it, and so has the wait
# What nobody waited for by himself: pages, files of the start.
ASIDE = ("disk", "fault", "unknown")


Own = collections.namedtuple("Own", "seconds waits")


def build(folder):
    program = folder / "known"
    source = SOURCE / "tests/cli/wall_known.c"
    subprocess.run(["gcc", "-O1", "-pthread", "-o", program, source], check=True)
    program.chmod(0o755)
    return program


def own_times(text):
    """What the programs' threads say: kinds of each, over its execs."""
    own = {}
    for tid, kind, seconds, waits in re.findall(r"^(\d+) (\w+) (-?[\d.]+) (\d+)$", text, re.M):
        kinds = own.setdefault(int(tid), {})
        before = kinds.get(kind, Own(0, 0))
        kinds[kind] = Own(before.seconds + float(seconds), before.waits + int(waits))
    return own


def check_sum(name, thread):
    """All that a thread did comes to its life."""
    life = thread["to_s"] - thread["from_s"]
    causes = [cause["time_s"] for cause in thread["causes"]]
    parts = [thread["running_s"], thread["preempted_s"], thread["queued_s"], *causes]
    check(abs(sum(parts) - life) <= 0.001 * life + 1e-6, f"{name}: the sum", thread)
    check(min(parts) >= 0, f"{name}: none is negative", thread)
    check(abs(sum(causes) - thread["waiting_s"]) < 1e-6, f"{name}: causes come to the waiting", thread)


def check_thread(name, own, thread, is_exact):
    """Each kind is as long as the thread says. Its clock also has the time until it gets a CPU. By looks, a
    wait that none came in time for is unknown."""
    found = collections.Counter()
    for cause in thread["causes"]:
        found[cause["kind"]] += cause["time_s"]
    missing = thread["preempted_s"] + thread["queued_s"] + (0 if is_exact else found["unknown"])
    for kind in sorted((set(own) | set(found)) - set(ASIDE)) + ["disk"] * ("disk" in own):
        said, waits = own.get(kind, Own(0, 0))
        near = max(NEAR_S, NEAR * said)
        most = said + near + SWITCH_S * waits
        check(said - near - missing <= found[kind] <= most, f"{name}: {kind}", (own, thread))
    names = [cause["name"] or "" for cause in thread["causes"]]
    check(not any("0.0.0.0" in one for one in names), f"{name}: a socket without a peer has a port", names)


def check_waits(name, own, thread):
    """Each long sleep is a wait, and no wait is counted twice. A short one may be over before it begins."""
    counted = sum(cause["waits"] or 0 for cause in thread["causes"] if cause["kind"] == "timer")
    said = own.get("timer", Own(0, 0)).waits
    check(counted == said if said < 10 else 0 < counted <= said, f"{name}: sleeps", (own, thread))
