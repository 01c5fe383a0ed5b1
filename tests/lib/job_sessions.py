# SPDX-License-Identifier: GPL-2.0-or-later
"""job_sessions.py - sessions of a parallel job's ranks, made of the sample session: each rank has so many
times its counts, a bit different for each event."""
import copy
import json

from lib import SOURCE

SAMPLE = SOURCE / "docs/sample-session.json"
WALL_S = 0.04


def rank_session(rank, size, times=1, host=None, job="77", **changes):
    """What a rank has counted. Its event number i differs by up to 4 %, in a way of its own."""
    session = copy.deepcopy(SAMPLE_SESSION)
    for number, count in enumerate(session["counts"]):
        value = int(count["value"] * times * (1 + 0.02 * ((number * 7 + rank) % 3)))
        count.update(value=value, raw=value, enabled_ns=10**7, running_ns=10**7)
    for run in session["runs"]:
        run.update(wall_s=WALL_S * times, cpu_s=WALL_S * times / 2)
    session["host"] = host or f"node{rank // 2}"
    session["job"] = {"launcher": "Slurm", "id": job, "rank": rank, "size": size, "local_rank": rank % 2}
    return {**session, **changes}


def write(path, session):
    path.write_text(json.dumps(session), encoding="utf-8")
    return path


def summed(sessions):
    """Their counts, added up item by item; the time is the longest one."""
    total = copy.deepcopy(sessions[0])
    del total["job"]
    for number, count in enumerate(total["counts"]):
        for key in ("value", "raw", "enabled_ns", "running_ns"):
            count[key] = sum(one["counts"][number][key] for one in sessions)
    for number, run in enumerate(total["runs"]):
        run["wall_s"] = max(one["runs"][number]["wall_s"] for one in sessions)
        run["cpu_s"] = sum(one["runs"][number]["cpu_s"] for one in sessions)
    return total


SAMPLE_SESSION = json.loads(SAMPLE.read_text(encoding="utf-8"))
