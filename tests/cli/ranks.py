#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""ranks.py - the ranks of a parallel job: names of files by what launchers say, sums beside sums made here,
what differs between ranks beside reports of each, and sessions that don't belong there."""
import json
import os
import statistics
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import TOPDOWN, check, environment, finish, read_json, temporary, topdown
from lib.job_sessions import WALL_S, over_ranks, rank_session, spread, summed, write
from lib.soft_pmu import soft_pmu

ELSEWHERE = "it is of the whole machine, for which the job's first rank there counts it"
HOST = os.uname().nodename
OPEN_MPI = {"OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_SIZE": "8", "OMPI_COMM_WORLD_LOCAL_RANK": "1"}
STEP = {"SLURM_PROCID": "5", "SLURM_STEP_NUM_TASKS": "6", "SLURM_LOCALID": "2", "SLURM_JOB_ID": "77"}
PMIX = {"PMIX_RANK": "2", "PMIX_NAMESPACE": "prterun-a@1"}
# What each launcher sets, and what r-%r-%l-%j is then.
LAUNCHED = {
    "Open MPI": ({**OPEN_MPI, "PMIX_NAMESPACE": "12"}, "r-3-1-12"),
    "mpirun within Slurm": ({**STEP, **OPEN_MPI}, "r-3-1-77"),
    "srun": (STEP, "r-5-2-77"),
    "srun --mpi=pmix": ({**STEP, **PMIX, "PMIX_RANK": "5"}, "r-5-2-77"),
    "PMIx alone": (PMIX, "r-2-0-prterun-a_1"),
    "Hydra": (
        {"PMI_RANK": "1", "PMI_SIZE": "4", "MPI_LOCALRANKID": "1", "PBS_JOBID": "9.pbs"},
        "r-1-1-9.pbs",
    ),
    "Flux": (
        {"FLUX_TASK_RANK": "1", "FLUX_JOB_SIZE": "2", "FLUX_TASK_LOCAL_ID": "0", "FLUX_JOB_ID": "f7"},
        "r-1-0-f7",
    ),
    "PALS": ({"PALS_RANKID": "4", "PALS_LOCAL_RANKID": "0", "PALS_APID": "a/b"}, "r-4-0-a_b"),
    "MVAPICH": ({"MV2_COMM_WORLD_RANK": "6", "MV2_COMM_WORLD_LOCAL_RANK": "2", "LSB_JOBID": "8"}, "r-6-2-8"),
}
VARIABLES = {name for variables, _ in LAUNCHED.values() for name in variables}


def launched(folder, variables, *words):
    env = {name: value for name, value in environment().items() if name not in VARIABLES}
    return subprocess.run(
        [TOPDOWN, *words], cwd=folder, env={**env, **variables}, capture_output=True, text=True, check=False
    )


def check_names(folder):
    for name, (variables, wanted) in LAUNCHED.items():
        done = launched(folder, variables, "list", "cores", "-o", "r-%r-%l-%j")
        check(done.returncode == 0 and (folder / wanted).exists(), f"{name}: its names", done.stderr)
    launched(folder, {}, "list", "cores", "-o", "%h-100%%-%d-%")
    check((folder / f"{HOST}-100%-%d-%").exists(), "other names", os.listdir(folder))
    for variables, pattern, said in (
        ({}, "r-%r", "no launcher has started this one"),
        ({"SLURM_PROCID": "0", "SLURM_JOB_ID": "77"}, "r-%r", "no launcher has started this one"),
        ({**OPEN_MPI, "OMPI_COMM_WORLD_RANK": "x"}, "r-%l", "no launcher has started this one"),
        (OPEN_MPI, "r-%j", "has given this job no number"),
    ):
        done = launched(folder, variables, "list", "cores", "-o", pattern)
        check(done.returncode == 125 and said in done.stderr, f"{pattern} is unknown", done.stderr)


def check_refused(folder):
    """Nothing runs where ranks would write over each other's file."""
    for words in (["--save", "one.json"], ["sample", "-o", "one.txt"], ["--save", "%h.json"]):
        done = launched(folder, OPEN_MPI, *words, "--", "touch", "ran")
        said = "rank 3 of a job (Open MPI)" in done.stderr and "%r" in done.stderr
        check(done.returncode == 125 and said, f"{words}: refused", done.stderr)
    check(not (folder / "ran").exists(), "nothing has run")
    for variables, name in (
        (OPEN_MPI, "r-%r.json"),
        (OPEN_MPI, "%h-%l.json"),
        ({**OPEN_MPI, "OMPI_COMM_WORLD_SIZE": "1"}, "one.json"),
    ):
        done = launched(folder, variables, "sample", "--save", name, "--", "true")
        check("all of its ranks would write" not in done.stderr, f"{name}: a file each", done.stderr)
    saved = folder / "r-3.json"
    if saved.exists():
        job = read_json(saved)["job"]
        wanted = {"launcher": "Open MPI", "id": None, "rank": 3, "size": 8, "local_rank": 1}
        check(job == wanted, "a session says whose it is", job)


def report(*files):
    done = topdown("report", "-l9", "--format", "json", *files)
    check(done.returncode == 0, f"{files}: reported", done.stderr[-500:])
    return json.loads(done.stdout)


def values_of(nodes):
    return {node["name"]: node["value"] for node in nodes}


def check_sums(folder, sessions, files):
    """The sum's nodes are those of counts that were added up here, and no means of percentages."""
    job = report(folder)
    alone = report(write(folder.parent / "sum.json", summed(sessions)))
    found, wanted = values_of(job["nodes"]), values_of(alone["nodes"])
    check(set(found) == set(wanted) and len(found) > 20, "the same nodes", (found, wanted))
    for name, value in wanted.items():
        near = value == found[name] or abs(value - found[name]) <= 1e-9 * abs(value)
        check(near, f"the sum's {name}", (value, found[name]))
    check(abs(job["summary"]["wall_s"] - 3 * WALL_S) < 1e-9, "the slowest one's time", job["summary"])
    check(job["job"]["ranks"] == len(files) and job["job"]["hosts"] == 2, "ranks and hosts", job["job"])
    check(job["job"]["remarks"] == [], "nothing is amiss", job["job"]["remarks"])
    check(
        [job["job"][key] for key in ("launcher", "id", "size")] == ["Slurm", "77", 4], "the job", job["job"]
    )
    return job["job"]["tables"][0]


def check_spreads(table, files):
    """Of each figure what the ranks' own reports have."""
    own = [report(file) for file in files]
    values = [values_of(one["nodes"]) for one in own]
    titles = {node["title"]: node["name"] for node in own[0]["nodes"]}
    rows = {row["name"]: row for row in table["figures"]}
    check(set(titles) <= set(rows), "a row for each node", (titles, list(rows)))
    for title, row in rows.items():
        if title in titles:
            mine = [one[titles[title]] for one in values]
        elif title in ("Instructions", "Cycles", "IPC"):
            mine = [one["summary"][title.lower()] for one in own]
        elif title == "Seconds":
            mine = [one["summary"]["wall_s"] for one in own]
        else:
            continue
        if any(value is None for value in mine):
            check(row["known"] == sum(value is not None for value in mine), f"{title}: known", row)
            continue
        wanted = {
            "least": min(mine),
            "largest": max(mine),
            "median": statistics.median(mine),
            "mean": statistics.fmean(mine),
            "mad": statistics.median(abs(value - statistics.median(mine)) for value in mine),
        }
        for key, value in wanted.items():
            check(abs(row[key] - value) <= 1e-9 * max(abs(value), 1), f"{title}: {key}", (row, wanted))
        check(mine[row["least_rank"]] == min(mine), f"{title}: whose", row)
        check(mine[row["largest_rank"]] == max(mine), f"{title}: whose", row)
        if title in ("Instructions", "Cycles", "Seconds"):
            wanted = max(mine) / statistics.fmean(mine) - 1
            check(abs(row["imbalance"] - wanted) < 1e-9, f"{title}: imbalance", row)
        else:
            check(row["imbalance"] is None, f"{title} has no imbalance", row)
    apart = [(one["rank"], one["host"]) for one in table["apart"]]
    check(apart == [(3, "node1")], "who stands apart", table["apart"])


def check_text(folder):
    text = topdown("report", folder).stdout
    check("4 ranks of a job (Slurm 77), on 2 hosts" in text, "text: whose counts these are", text)
    check("Rank 3 on node1 stands apart: " in text, "text: who stands apart", text)
    row = next(line.split() for line in text.splitlines() if line.startswith("Seconds"))
    wanted = "Seconds 0.040 0 on node0 0.040 0.120 3 on node1 100.0".split()
    check(row == wanted, "text: the spread of times", row)
    for form in ("markdown", "html", "csv"):
        done = topdown("report", "--format", form, folder)
        check(done.returncode == 0 and "node1" in done.stdout, f"{form}: ranks", done.stderr)


def check_amiss(folder, sessions, files):
    """What can't be added is named, and the others count."""
    wanted = report(*files[:3])
    later = folder / "other"
    later.mkdir()
    text = files[3].read_text(encoding="utf-8")
    events = rank_session(3, 4)
    events["counts"] = events["counts"][:-1]
    unlike = rank_session(3, 4)
    unlike["repeats"] = [{key: unlike[key] for key in ("planned_runs", "groups", "runs")}]
    unlike["repeats"][0]["counts"] = unlike["counts"][1:]
    uncounted = rank_session(3, 4)
    uncounted["counts"][5].update(state="never-ran", value=None)
    for name, content, said in (
        ("truncated", text[: len(text) // 2], "line 1"),
        ("empty", "", ""),
        ("another job", json.dumps({**sessions[3], "job": {**sessions[3]["job"], "id": "78"}}), "job 78"),
        ("twice", json.dumps(sessions[1]), "rank 1 is "),
        (
            "no rank",
            json.dumps({key: value for key, value in sessions[3].items() if key != "job"}),
            "no rank",
        ),
        ("other events", json.dumps(events), "other events"),
        ("unlike repeats", json.dumps(unlike), "its repeats differ"),
        ("a part of each", json.dumps(spread(rank_session(3, 4))), "one group each"),
        ("not counted", json.dumps(uncounted), "was not counted"),
    ):
        (later / "bad.json").write_text(content, encoding="utf-8")
        found = report(*files[:3], later / "bad.json")
        left_out, missing = found["job"]["remarks"]
        check("bad.json is left out: " in left_out and said in left_out, name, left_out)
        check(missing == "Of 4 ranks 1 is missing: 3.", f"{name}: who is missing", missing)
        check(values_of(found["nodes"]) == values_of(wanted["nodes"]), f"{name}: the others count")
    done = topdown("report", later / "bad.json", later / "none.json")
    check(done.returncode == 0 and "none.json is left out" in done.stdout, "one file is no job", done.stderr)
    (later / "bad.json").write_text("{", encoding="utf-8")
    done = topdown("report", later)
    check(done.returncode == 125 and "bad.json" in done.stderr, "nothing can be added", done.stderr)
    (later / "bad.json").unlink()
    done = topdown("report", later)
    check(
        done.returncode == 125 and "no session in this folder" in done.stderr, "a folder of none", done.stderr
    )


def check_twice(folder):
    """A file that is given twice counts once, whatever it is called."""
    alone = folder / "alone.json"
    write(alone, {key: value for key, value in rank_session(0, 1).items() if key != "job"})
    (folder / "other-name.json").symlink_to(alone)
    found = report(alone, folder / "other-name.json")
    wanted = [f"{folder}/other-name.json is left out: it is the file {alone}."]
    check(found["job"]["remarks"] == wanted and found["job"]["ranks"] == 1, "a file twice", found["job"])


def check_unknown(folder):
    """Times that no rank knows are unknown, and no 0."""
    job = folder / "untimed"
    job.mkdir()
    for rank in range(3):
        session = rank_session(rank, 3)
        session["runs"] = [{**run, "wall_s": None, "cpu_s": None} for run in session["runs"]]
        write(job / f"r-{rank}.json", session)
    found = report(job)
    check(found["summary"]["wall_s"] is None, "no time is known", found["summary"])
    rows = {row["name"]: row for row in found["job"]["tables"][0]["figures"]}
    check(
        rows["Seconds"]["known"] == 0 and rows["Seconds"]["median"] is None, "nor a rank's", rows["Seconds"]
    )
    check("Seconds" not in topdown("report", job).stdout, "a row of nothing is left out")


def check_models(folder, sessions):
    """Cores of different models are not added."""
    other = [rank_session(rank, 4, times=2, machine="another model", job="77") for rank in (2, 3)]
    mixed = folder / "mixed"
    mixed.mkdir()
    for rank, session in enumerate(sessions[:2] + other):
        write(mixed / f"r-{rank}.json", session)
    parts = report(mixed)["parts"]
    check([part["part"] for part in parts] == [sessions[0]["machine"], "another model"], "models", parts)
    for part, group in zip(parts, (sessions[:2], other)):
        alone = values_of(report(write(folder / "group.json", summed(group)))["nodes"])
        for name, value in values_of(part["nodes"]).items():
            near = value == alone[name] or abs(value - alone[name]) <= 1e-9 * abs(alone[name])
            check(near, f"a model's {name}", (value, alone[name]))


def check_machine(folder):
    """What is of the whole machine one rank counts, and no other one: the sum has it once a host."""
    job = folder / "machine"
    job.mkdir()
    sessions = [rank_session(rank, 4, times=rank + 1) for rank in range(4)]
    own = summed(sessions)
    number = [count["event"] for count in own["counts"]].index("ICACHE_DATA.STALLS")
    whole = report(write(folder / "machine.json", own))
    own["counts"][number]["value"] = sum(sessions[rank]["counts"][number]["value"] for rank in (0, 2))
    for rank in (1, 3):
        missing = {"state": "refused", "value": None, "raw": 0, "enabled_ns": 0, "running_ns": 0}
        sessions[rank]["counts"][number].update(missing, reason=ELSEWHERE)
    wanted = report(write(folder / "machine.json", own))
    check(values_of(whole["nodes"]) != values_of(wanted["nodes"]), "the event makes a difference")
    for order in ([0, 1, 2, 3], [3, 1, 0, 2]):
        found = report(*[write(job / f"r-{rank}.json", sessions[rank]) for rank in order])
        check(values_of(found["nodes"]) == values_of(wanted["nodes"]), f"{order}: once a host")
        check(found["job"]["ranks"] == 4 and not found["job"]["remarks"], f"{order}: all count", found["job"])


def check_spread(folder):
    """Each rank has one of eight groups, and all together the tree; without the ranks of a group its nodes
    are missing."""
    job = folder / "spread"
    job.mkdir()
    sessions = [spread(rank_session(rank, 20, times=1 + rank % 4)) for rank in range(20)]
    for rank, session in enumerate(sessions):
        write(job / f"r-{rank:02}.json", session)
    found = report(job)
    wanted = report(write(folder / "over.json", over_ranks(sessions)))
    for name, value in values_of(wanted["nodes"]).items():
        mine = values_of(found["nodes"])[name]
        near = value == mine or abs(value - mine) <= 1e-9 * abs(value)
        check(near, f"over ranks: {name}", (value, mine))
    check(sum(value is not None for value in values_of(found["nodes"]).values()) > 20, "over ranks: a tree")
    check("Over ranks: " in found["job"]["remarks"][0], "over ranks: it is said", found["job"])
    ranks = found["job"]["tables"][0]["ranks"]
    check(all(one["values"][4]["value"] for one in ranks), "over ranks: instructions of each", ranks[:2])
    for path in job.iterdir():
        if int(path.stem[2:]) % 8 == 2:
            path.unlink()
    fewer = report(job)
    lost = [name for name, value in values_of(fewer["nodes"]).items() if value is None]
    check(lost and set(lost) < set(values_of(found["nodes"])), "a group that nobody has", lost)


def check_spread_measured(folder):
    """Of a plan of two runs each rank makes one, and the sum has both nodes."""
    machine = folder / "soft"
    machine.mkdir()
    words = [*soft_pmu(machine), "-l1", "--spread-groups"]
    job = folder / "soft-job"
    job.mkdir()
    for rank in range(4):
        variables = {**OPEN_MPI, "OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_SIZE": "4"}
        done = launched(folder, variables, *words, "--save", f"{job}/r-%r.json", "--", "ls", "/")
        if done.returncode and "can't be counted" in done.stderr:
            return
        check(done.returncode == 0, f"spread: rank {rank}", done.stderr)
        session = read_json(job / f"r-{rank}.json")
        groups = {count["group"] for count in session["counts"]}
        check(groups == {rank % 2 + 1}, f"spread: rank {rank}: its group", groups)
        check(len(session["runs"]) == 1, f"spread: rank {rank}: one run", session["runs"])
    done = topdown("report", "--format", "json", "--db", machine / "db", job)
    nodes = values_of(json.loads(done.stdout)["nodes"])
    check(nodes["minor"] > 80 and nodes["major"] is not None, "spread: both nodes", nodes)
    done = launched(folder, {}, *words, "--", "true")
    check(done.returncode == 125 and "--spread-groups: no launcher" in done.stderr, "no job", done.stderr)


def check_compared(folder, sessions):
    """Two jobs: their sums are compared."""
    after = folder / "after"
    after.mkdir()
    for rank in range(4):
        write(after / f"r-{rank}.json", rank_session(rank, 4, times=1))
    write(folder / "after.json", summed([rank_session(rank, 4, times=1) for rank in range(4)]))
    write(folder / "before.json", summed(sessions))
    words = ("compare", "--format", "json")
    jobs = json.loads(topdown(*words, folder / "job", after).stdout)
    sums = json.loads(topdown(*words, folder / "before.json", folder / "after.json").stdout)
    check(jobs["metrics"] == sums["metrics"] and jobs["metrics"], "jobs are compared by their sums", jobs)


def main():
    with temporary() as folder:
        check_names(folder)
        check_refused(folder)
        job = folder / "job"
        job.mkdir()
        sessions = [rank_session(rank, 4, times=3 if rank == 3 else 1) for rank in range(4)]
        files = [write(job / f"r-{rank}.json", session) for rank, session in enumerate(sessions)]
        check_spreads(check_sums(job, sessions, files), files)
        check_text(job)
        check_amiss(folder, sessions, files)
        check_twice(folder)
        check_unknown(folder)
        check_models(folder, sessions)
        check_machine(folder)
        check_spread(folder)
        check_spread_measured(folder)
        check_compared(folder, sessions)
    finish()


main()
