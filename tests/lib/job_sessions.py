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


def spread(session):
    """What the rank has counted with --spread-groups: one group of all, in one run."""
    rank, groups = session["job"]["rank"], session["groups"]
    counts = [count for count in session["counts"] if count["group"] == rank % groups + 1]
    runs = [{**session["runs"][rank % groups], "run": 1}]
    own = {"planned_runs": 1, "runs": runs, "counts": [{**count, "run": 1} for count in counts]}
    return {**session, **own, "groups": rank % groups + 1, "job": {**session["job"], "spread": True}}


def over_ranks(sessions):
    """The session that spread ranks stand for: of each group what its ranks have, so often as there are ranks
    for one of its own. Runs are in the order of ranks."""
    groups, total = SAMPLE_SESSION["groups"], copy.deepcopy(sessions[0])
    del total["job"]
    total.update(planned_runs=groups, groups=groups, runs=[], counts=[])
    for group in range(groups):
        own = [one for one in sessions if one["counts"][0]["group"] == group + 1]
        for number, count in enumerate(own[0]["counts"]):
            value = sum(one["counts"][number]["value"] for one in own) * len(sessions) / len(own)
            total["counts"].append({**count, "value": value, "raw": int(value), "run": group + 1})
        total["runs"].append({**own[0]["runs"][0], "run": group + 1})
    return total


SAMPLE_SESSION = json.loads(SAMPLE.read_text(encoding="utf-8"))
