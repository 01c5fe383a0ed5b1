#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""simulate.py - topdown --pmu sim: how the program runs under it, what is reported, and what is missing. Exit
status 77 without Valgrind."""
import functools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    BUILD,
    NO_PMU,
    PATIENCE,
    SOURCE,
    TOPDOWN,
    check,
    check_all,
    check_failure,
    check_success,
    environment,
    finish,
    need_simulator,
    read_json,
    temporary,
    topdown,
)

BEHAVE = BUILD / "kernels/behave"
SIM = ("--pmu", "sim", "--sim-core", "skylake")
WORK = 200000  # rounds of behave.c, of five instructions or a few more
FAULTS = 100  # of its long jumps


simulate = functools.partial(topdown, *SIM, "--format", "json")


def check_run(what, output, status=0):
    """The program's own output and exit status; and a report of the run."""
    result = simulate(BEHAVE, what)
    check(result.returncode == status, f"{what}: exit status", (result.returncode, result.stderr[-300:]))
    check(result.stdout == output, f"{what}: output", result.stdout)
    report = json.loads(result.stderr)
    check(report["simulated"] is True, f"{what}: simulated")
    check(report["summary"]["exit_status"] == status, f"{what}: reported exit status", report["summary"])
    check(
        "was not counted" not in json.dumps(report["notes"]),
        f"{what}: nothing that was asked for is missing",
        report["notes"],
    )
    return report["summary"]["instructions"]


def check_behaviour():
    plain = check_run("signal", "caught 10\n")
    check_run("dlopen", "1\n")
    check_run("status-7", "", 7)
    check_run("crash", "", 128 + signal.SIGSEGV)
    threads = check_run("threads", f"{4 * (WORK * (WORK - 1) // 2)}\n")
    check(threads - plain >= 4 * 4 * WORK, "the work of all threads is counted", (plain, threads))
    check_run("crowd", "520 threads\n")
    child = check_run("fork", "child 3\n")
    check(child - plain >= 4 * WORK, "the work of a forked child is counted", (plain, child))
    check(child - plain < 8 * WORK, "and once", (plain, child))


def counts_after(folder, rounds, *words):
    """Of a program that ends as it may, after some rounds of two instructions."""
    session = folder / f"{words[0]}.{rounds}".replace(" ", "_")
    simulate("--no-anchor", "--save", session, BEHAVE, *words, rounds)
    return {row["event"]: row["value"] for row in read_json(session)["counts"]}


def check_moments(folder):
    """Whenever something happens to the program, nothing that it has done is lost, and nothing counted
    twice."""
    for what in ("fork", "signal", "crash", "dlopen", "long jumps"):
        few = counts_after(folder, "111", what)["inst.retired"]
        for rounds in ("222", "333", "555"):
            more = counts_after(folder, rounds, what)["inst.retired"] - few
            check(
                abs(more - 2 * (int(rounds) - 111)) < 5,
                f"{what}: each of {rounds} rounds is counted once",
                (few, more),
            )
    # What a block would have loaded behind a fault, it has not: eight loads a fault.
    one, many = (counts_after(folder, "111", what)["loads.all"] for what in ("long jumps", "more jumps"))
    check(abs(many - one) < 2 * FAULTS, "loads behind a fault are not made", (one, many))


def instructions(result, what):
    check(result.returncode == 0, f"{what}: exit status", (result.returncode, result.stderr[-300:]))
    return json.loads(result.stderr)["summary"]["instructions"]


def check_children(place):
    """Programs that are started with exec: not counted, or each as it would be by itself."""
    adds = BUILD / "kernels/adds"
    one = instructions(simulate(adds, "20000"), "one")
    script = f"{adds} 20000; {adds} 20000; true"
    without = instructions(simulate("--trace-children", "no", "sh", "-c", script), "a shell")
    both = instructions(simulate("sh", "-c", script), "a shell and its children")
    check(without < one, "--trace-children no: they are not counted", (without, one))
    # The environment that the shell leaves them differs by a word or two, which the loader walks through.
    check(abs(both - without - 2 * one) < one / 50, "twice the work of one", (without, one, both))
    # A program that replaces itself, and one that fails to, has done what it did.
    replaced = instructions(simulate("sh", "-c", f"exec {adds} 20000"), "exec")
    check(one < replaced < one + without, "exec: the shell and what it became", (one, replaced, without))
    # Many at once.
    parallel = instructions(
        simulate("sh", "-c", f"{adds} 20000 & {adds} 20000 & {adds} 20000 & wait"), "parallel"
    )
    check(abs(parallel - without - 3 * one) < one / 10, "three at once", (without, one, parallel))
    check(not list(place.glob("topdown-*")), "nothing is left", list(place.glob("topdown-*")))


def by_thread(result, what):
    """The reports, and the instructions of each part."""
    check(result.returncode == 0, f"{what}: exit status", (result.returncode, result.stderr[-300:]))
    parts = json.loads(result.stderr)["parts"]
    return parts, {part["part"]: part["summary"]["instructions"] for part in parts}


def near(got, rounds, most=20000):
    """Four instructions a round, and the thread's beginning and end."""
    return 0 <= got - 4 * rounds < most


def check_threads(folder):
    """--per-thread: each has what it did, also when another one gets its number, and when they alternate."""
    words = ("--per-thread", "--no-anchor", BEHAVE)
    _, four = by_thread(simulate(*words, "threads"), "threads")
    check(list(four) == [f"thread {i} behave" for i in range(1, 6)], "five threads", four)
    check_all(range(2, 6), lambda i: near(four[f"thread {i} behave"], WORK), "each with the same work")
    parts, named = by_thread(simulate("--save", folder / "named", *words, "names"), "named threads")
    check(
        list(named) == ["thread 1 behave", "thread 2 worker 1", "thread 3 worker 2", "thread 4 worker 3"],
        "names",
        named,
    )
    check_all((1, 2, 3), lambda i: near(named[f"thread {i + 1} worker {i}"], i * WORK), "one after another")
    whole = instructions(simulate("--no-anchor", BEHAVE, "names"), "all of it")
    # The order in which Valgrind lets them run is not always the same, and with it what they wait for.
    check(abs(sum(named.values()) - whole) < whole / 100, "the parts are the whole", (named, whole))
    for part in parts:
        check(
            abs(sum(node["value"] for node in part["nodes"] if node["level"] == 1) - 100) < 0.01,
            "each has a tree of its own",
            part["nodes"][:4],
        )
    again = topdown("report", "--format", "json", folder / "named")
    check_success(again, "report")
    check(
        [part["summary"]["instructions"] for part in json.loads(again.stdout)["parts"]]
        == list(named.values()),
        "as they were saved",
    )
    _, turns = by_thread(simulate(*words, "turns"), "threads that alternate")
    # Either may be the first to run.
    less, more = sorted(turns[f"thread {i} behave"] for i in (2, 3))
    check(near(less, 20 * WORK) and near(more, 40 * WORK), "threads that alternate", turns)
    _, child = by_thread(simulate(*words, "fork"), "a child")
    check(list(child) == ["process 1, thread 1 behave", "process 2, thread 1 behave"], "processes", child)
    check(near(child["process 2, thread 1 behave"], WORK), "the child's work is its own", child)


def check_thread_options(folder):
    sampled = simulate("--per-thread", "--sim-sample", "0.2", "--no-anchor", BEHAVE, "names")
    _, named = by_thread(sampled, "sampled threads")
    # The shortest may have no window, and then it is said.
    check(near(named["thread 4 worker 3"], 3 * WORK), "instructions are counted, not sampled", named)
    check(
        len(named) == 4 or f"{4 - len(named)} more thread" in sampled.stderr,
        "no thread is lost",
        sampled.stderr[-300:],
    )
    check_failure(
        topdown(*SIM, "--per-thread", "--lines", BEHAVE, "names"),
        "lines of threads",
        "--lines",
        "--per-thread",
    )
    anchored = topdown(
        "--pmu", "sim", "--per-thread", "--format", "json", "--save", folder / "anchored", BEHAVE, "turns"
    )
    parts, _ = by_thread(anchored, "anchored threads")
    check(
        [bool(part["anchor"]) for part in parts] == [True, False, False],
        "the native run's time is that of all threads",
        parts[0]["anchor"],
    )
    if parts[0]["anchor"]["reason"] is None:  # else this CPU has no core of its own, or was too fast
        cycles = sum(part["summary"]["cycles"] for part in parts)
        check(
            abs(parts[0]["anchor"]["modelled_cycles"] - cycles) <= len(parts),
            "and is compared with all",
            (parts[0]["anchor"], cycles),
        )
        check(
            "in all threads" in topdown("report", folder / "anchored").stdout,
            "which is said, when it is read again too",
        )


def check_sample():
    """Fractions that are none are refused; a program that ends before the first window is all modelled."""
    for bad in ("0", "-0.1", "1.5", "0.0001", "nan", "half", ""):
        check_failure(
            topdown(*SIM, "--sim-sample", bad, "true"), f"--sim-sample {bad}", "--sim-sample", "0.001 to 1"
        )
    short = topdown(*SIM, "--sim-sample", "0.001", BEHAVE, "status-7")
    check(
        short.returncode == 7 and "sampled:" not in short.stderr,
        "a short program is all modelled",
        short.stderr,
    )


def check_no_counts():
    killed = topdown(*SIM, BEHAVE, "kill")
    check(killed.returncode == 128 + signal.SIGKILL, "killed: exit status", killed.returncode)
    check(
        "SIGKILL" in killed.stderr and len(killed.stderr.splitlines()) == 1, "killed: one line", killed.stderr
    )
    if os.uname().machine != "x86_64":
        return
    result = topdown(*SIM, BEHAVE, "avx512")
    check(result.returncode == 128 + signal.SIGILL, "AVX-512: exit status", result.returncode)
    check(
        "AVX-512" in result.stderr and "x86-64-v3" in result.stderr and len(result.stderr.splitlines()) == 1,
        "AVX-512: one line with a remedy",
        result.stderr,
    )


def check_signal_passes():
    """SIGTERM to topdown reaches the program, which ends in its own way; the report is printed, and the
    status says that it was cut."""
    with subprocess.Popen(
        [TOPDOWN, *SIM, BEHAVE, "wait"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    ) as process:
        check(process.stdout.readline() == "ready\n", "wait: is ready")
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=PATIENCE)
    check(out == "caught 15\n", "the program got SIGTERM", out)
    check(
        process.returncode == 128 + signal.SIGTERM and "% of slots, simulated" in err,
        "and the report was printed",
        (process.returncode, err),
    )


def check_streams(folder):
    result = topdown(*SIM, "-o", folder / "report", "cat", input="one\ntwo\n")
    check_success(result, "cat")
    check(
        result.stdout == "one\ntwo\n" and not result.stderr,
        "stdin and stdout are the program's",
        (result.stdout, result.stderr),
    )
    check(not list(pathlib.Path(folder).glob("topdown-*")), "nothing is left behind in TMPDIR")


def check_same(folder):
    """Two runs of one program with one input: the same counts, to the last one."""
    counts = []
    for run in ("a", "b"):
        check(topdown(*SIM, "--save", folder / run, BEHAVE, "dlopen").returncode == 0, f"run {run}")
        session = read_json(folder / run)
        counts.append([(item["event"], item["raw"]) for item in session["counts"]])
    values = dict(counts[0])
    check(
        0.9 < values["slots.branch"] / values["branch.all"] < 1.4,
        "a branch that is fused with its compare is a slot of branches",
        (values["slots.branch"], values["branch.all"]),
    )
    check(
        len(counts[0]) > 40 and counts[0] == counts[1],
        "two runs count the same",
        [pair for pair in zip(*counts) if pair[0] != pair[1]],
    )


def check_marks(folder):
    """Whatever is printed of it says that it is simulated, when it is read again too."""
    for form, mark in (
        ("text", "% of slots, simulated; "),
        ("json", '"quality": "simulated"'),
        ("csv", ",simulated,"),
        ("markdown", "- Counted: SIMULATED, "),
    ):
        again = topdown("report", "--format", form, folder / "a")
        check_success(again, form)
        check(mark in again.stdout, f"{form}: is marked", again.stdout[:400])
        check("exact" not in again.stdout, f"{form}: nothing is called exact", again.stdout[:400])
    check(
        "perf record" not in topdown("report", "-v", folder / "a").stdout,
        "perf can't sample what is simulated",
    )
    failed = simulate("--save", folder / "failed", BEHAVE, "status-7")
    check(failed.returncode == 7, "status 7")
    markdown = topdown("report", "--format", "markdown", folder / "failed").stdout
    check(
        "wall under the simulator" in markdown and "GHz" not in markdown and "- Status: 7\n" in markdown,
        "Markdown: whose time, no clock, the status",
        markdown[:400],
    )
    parts = simulate("--per-thread", "--no-anchor", "--save", folder / "parts", BEHAVE, "names")
    check(
        parts.returncode == 0 and "CPUs used" not in topdown("report", folder / "parts").stdout,
        "no share of the CPUs for a thread",
    )
    check(
        "CPUs used" not in topdown("report", "--format", "markdown", folder / "parts").stdout,
        "Markdown: neither",
    )


def check_programs(folder):
    """What Valgrind refuses is reported before Valgrind starts; a relative TMPDIR is where it was when the
    program goes elsewhere."""
    plain = pathlib.Path(shutil.which("true")).read_bytes()
    for name, mode, content in (
        ("setuid", 0o4755, plain),
        ("setgid", 0o2755, plain),
        ("bits-32", 0o755, plain[:4] + b"\1" + plain[5:]),
        ("s390", 0o755, plain[:18] + b"\x16\0" + plain[20:]),
    ):
        (folder / name).write_bytes(content)
        (folder / name).chmod(mode)
        words = ("copy", "cp ") if name.startswith("set") else ("64-bit", "build it")
        check_failure(topdown(*SIM, folder / name), name, folder / name, *words)
    moved = topdown(*SIM, "sh", "-c", "cd /; echo there", cwd=folder, env=environment(TMPDIR="."))
    check(
        moved.returncode == 0 and moved.stdout == "there\n" and "simulated" in moved.stderr,
        "a relative TMPDIR",
        moved.stderr,
    )
    check(not list(folder.glob("topdown-*")), "and nothing is left in it")
    script = folder / "script"
    script.write_text("#!/bin/sh\necho ran\n", encoding="utf-8")
    script.chmod(0o755)
    check(topdown(*SIM, script).stdout == "ran\n", "a script")


def check_own_core(folder):
    """A core of one's own beside the shipped ones: half as wide, so that the same instructions take more
    cycles."""
    core = read_json(SOURCE / "events/sim/skylake.json")
    core["Header"]["Core"] = "mine"
    next(row for row in core["Parameters"] if row["Name"] == "width")["Value"] = 2
    (folder / "db/events/sim").mkdir(parents=True)
    (folder / "db/events/sim/mine.json").write_text(json.dumps(core), encoding="utf-8")
    words = ("--pmu", "sim", "--format", "json", "--no-anchor", "--db", folder / "db", "--sim-core")
    summaries = {
        name: json.loads(topdown(*words, name, BUILD / "kernels/adds", "300000").stderr)["summary"]
        for name in ("mine", "skylake")
    }
    check("mine" in summaries["mine"]["machine"], "a core of one's own", summaries["mine"]["machine"])
    check(
        summaries["mine"]["instructions"] == summaries["skylake"]["instructions"],
        "the same instructions",
        summaries,
    )
    check(summaries["mine"]["cycles"] > 1.5 * summaries["skylake"]["cycles"], "in more cycles", summaries)


def check_nested():
    """In a virtual machine, of which nothing is known but the CPU, the default core walks two page tables; a
    core that is named does not."""
    words = ("--pmu", "sim", "--format", "json", "--no-anchor", "--sysroot", NO_PMU)
    chase = (
        BUILD / "kernels/chase",
        "32768",
        "30000",
    )  # 8192 pages: four times as many as the second-level TLB has
    default, named = (
        json.loads(topdown(*words, *core, *chase).stderr)["summary"]
        for core in ((), ("--sim-core", "golden-cove"))
    )
    check(
        default["machine"] == named["machine"] and default["instructions"] == named["instructions"],
        "the same core and work",
        (default, named),
    )
    check(default["cycles"] > 1.02 * named["cycles"], "nested walks take longer", (default, named))


def check_errors(folder):
    check_failure(
        topdown(*SIM, BEHAVE, "signal", env=environment(PATH="/nonexistent")),
        "no Valgrind",
        "valgrind",
        "install",
    )
    alone = folder / "bin/topdown"
    alone.parent.mkdir()
    alone.write_bytes(pathlib.Path(TOPDOWN).read_bytes())
    alone.chmod(0o755)
    places = (f"{folder}/bin/libexec/topdown", f"{folder}/libexec/topdown")
    check_failure(
        topdown(*SIM, BEHAVE, "signal", program=str(alone)),
        "no tool beside it: where it was looked for",
        "not next to",
        *places,
        "copy",
    )
    check(
        "built without" not in topdown(*SIM, BEHAVE, "signal", program=str(alone)).stderr,
        "which is not that it was built without",
    )
    no_valgrind = environment(PATH="/nonexistent")
    check_failure(
        topdown(*SIM, BEHAVE, "signal", program=str(alone), env=no_valgrind),
        "neither tool nor Valgrind",
        "not next to",
        "valgrind package",
    )
    shutil.copytree(BUILD / "libexec", folder / "libexec")
    check(topdown(*SIM, BEHAVE, "signal", program=str(alone)).returncode == 0, "copied there it works")
    shutil.rmtree(folder / "libexec")
    if "SIMULATED" in topdown("true").stderr:  # this machine has no PMU
        sampled = topdown(BEHAVE, "status-7", env=environment(PATH="/nonexistent"))
        check(
            sampled.returncode == 7
            and "by samples: nothing can be counted" in sampled.stderr
            and "install the distribution's valgrind" in sampled.stderr,
            "neither PMU nor Valgrind",
            sampled,
        )
        check_failure(
            topdown("--lines", "--sysroot", SOURCE / "tests/machines/xeon-clx", "true"),
            "lines of another machine's PMU",
            "this CPU's counters do not know",
        )
    check_failure(
        topdown("--pmu", "sim", "--sim-core", "skylak", BEHAVE, "signal"),
        "no such core",
        "'skylak'",
        "skylake",
        "list cores",
    )
    check_failure(
        topdown("--pmu", "sim", "--cpu", "clx", BEHAVE, "signal"), "a CPU to simulate", "--cpu", "--sim-core"
    )
    missing = topdown(*SIM, "./nothing")
    check(
        missing.returncode == 127 and "./nothing" in missing.stderr,
        "no such program",
        (missing.returncode, missing.stderr),
    )
    check_failure(
        topdown("--sysroot", NO_PMU, BEHAVE, "signal"),
        "another machine without a PMU is not simulated",
        "PMU",
    )
    check_failure(topdown("--pmu", "cpu", "--sysroot", NO_PMU, BEHAVE, "signal"), "--pmu cpu", "PMU")


need_simulator()
with temporary() as place:
    os.environ["TMPDIR"] = str(place)
    check_behaviour()
    check_children(place)
    check_threads(place)
    check_moments(place)
    check_thread_options(place)
    check_sample()
    check_no_counts()
    check_signal_passes()
    check_streams(place)
    check_same(place)
    check_marks(place)
    check_programs(place)
    check_own_core(place)
    check_nested()
    check_errors(place)
finish()
