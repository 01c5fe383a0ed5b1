#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""simulate_odd.py - topdown --pmu sim where something is in the way: others' settings of Valgrind, no room,
programs that are none, processes that are lost.

Exit status 77 without Valgrind.
"""
import functools
import json
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    BUILD,
    PATIENCE,
    SOURCE,
    TOPDOWN,
    check,
    check_failure,
    environment,
    finish,
    need_simulator,
    read_json,
    temporary,
    topdown,
)

SIM = ("--pmu", "sim", "--sim-core", "skylake", "--no-anchor")


simulate = functools.partial(topdown, *SIM)


def report_of(result, what):
    check(result.returncode == 0, f"{what}: exit status", (result.returncode, result.stderr[-300:]))
    return json.loads(result.stderr) if result.returncode == 0 else {"notes": [], "summary": {}}


def check_settings(folder):
    """What somebody has set for other tools of Valgrind says nothing here, and the program sees its own
    environment."""
    (folder / ".valgrindrc").write_text("--leak-check=full --no-such-option\n", encoding="utf-8")
    for what, changes in (
        ("VALGRIND_OPTS", {"env": environment(VALGRIND_OPTS="--leak-check=full --tool=memcheck")}),
        ("~/.valgrindrc", {"env": environment(HOME=str(folder))}),
        ("./.valgrindrc", {"cwd": folder}),
    ):
        result = simulate("sh", "-c", "echo ran", **changes)
        check(
            result.returncode == 0 and result.stdout == "ran\n" and "% of slots, simulated" in result.stderr,
            what,
            result.stderr[-300:],
        )
    given = environment(MINE="1")
    seen = simulate("env", env=given).stdout.splitlines()
    added = {line.split("=")[0] for line in seen} - set(given)
    check(
        added <= {"VALGRIND_LIB", "LD_PRELOAD", "PWD", "SHLVL", "_"},
        "nothing is added to the program's environment",
        added,
    )
    check(f"PATH={given['PATH']}" in seen and "MINE=1" in seen, "and nothing changed", seen)


def check_room(folder):
    """Counts that can't be written whole are none."""
    odd = folder / "100%p of it"
    odd.mkdir()
    result = simulate("true", env=environment(TMPDIR=str(odd)))
    check(
        "simulated" in result.stderr and not list(odd.iterdir()), "TMPDIR with a per cent sign", result.stderr
    )
    check_failure(
        simulate("true", env=environment(TMPDIR=str(folder / "nowhere"))),
        "no TMPDIR",
        "TMPDIR names another place",
    )
    for length in (1000, 5000):  # beyond PATH_MAX too, and either way no screen full of it
        result = simulate("true", env=environment(TMPDIR="/tmp/" + length // 100 * ("x" * 99 + "/")))
        check_failure(result, f"TMPDIR of {length} characters", "TMPDIR")
        check(len(result.stderr) < 400, f"TMPDIR of {length} characters: a short sentence", result.stderr)
    small = folder / "small"
    small.mkdir()
    script = 'mount -t tmpfs -o size=16k none "$0" || exit 99; TMPDIR=$0; export TMPDIR; exec "$@"'
    words = (
        "unshare",
        "-rm",
        "sh",
        "-c",
        script,
        small,
        TOPDOWN,
        *SIM,
        "--lines",
        BUILD / "kernels/adds",
        "100",
    )
    if not shutil.which("unshare"):
        return
    result = subprocess.run(
        [*map(str, words)], env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    if result.returncode not in (1, 99):  # 1: unshare may not
        check(
            result.returncode == 125 and "no room for the simulated counts" in result.stderr,
            "a full TMPDIR",
            result,
        )


def check_limits():
    """Limits that a simulation, or topdown, can't live with: one sentence before anything runs."""
    mib = 1 << 20
    for limit, size, words in (
        (resource.RLIMIT_AS, 100 * mib, (*SIM, "true")),
        (resource.RLIMIT_DATA, mib, (*SIM, "true")),
        (resource.RLIMIT_FSIZE, 0, (*SIM, "true")),
        (resource.RLIMIT_STACK, mib // 16, (*SIM, "true")),
        (resource.RLIMIT_STACK, mib // 16, ("sample", "true")),
    ):
        result = subprocess.run(
            [TOPDOWN, *words],
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=functools.partial(resource.setrlimit, limit, (size, size)),
        )
        check_failure(result, f"limit {limit}: {words}", "limit", "ulimit -")
    result = subprocess.run(
        [TOPDOWN, *SIM, "--no-last", "true"],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=functools.partial(resource.setrlimit, resource.RLIMIT_AS, (160 * mib, 160 * mib)),
    )
    check(result.returncode == 0, "what is said to be enough is enough", result.stderr[-300:])


def check_programs(folder):
    """What could not be executed natively is reported in the same words."""
    for name, content, words in (
        ("plain", "echo ran\n", "a script needs a first line"),
        ("lost", "#!/nonexistent/sh\n", "interpreter"),
        ("empty", "", "a script needs a first line"),
    ):
        (folder / name).write_text(content, encoding="utf-8")
        (folder / name).chmod(0o755)
        result = simulate(folder / name)
        check(
            result.returncode == 126 and words in result.stderr and len(result.stderr.splitlines()) == 1,
            name,
            (result.returncode, result.stderr),
        )
    (folder / "su").write_text(f"#!{folder}/true -x\n", encoding="utf-8")
    shutil.copy(shutil.which("true"), folder / "true")
    (folder / "true").chmod(0o4755)
    (folder / "su").chmod(0o755)
    check_failure(
        simulate(folder / "su"),
        "a script of an interpreter with other rights",
        f"{folder}/true",
        "set-user-ID",
    )
    loader = bytearray((folder / "true").read_bytes())
    found = re.search(rb"/lib[\w./-]*/ld-linux[\w.-]*", loader)
    if found:
        loader[found.start() + 1] = ord("n")
        (folder / "loader").write_bytes(loader)
        (folder / "loader").chmod(0o755)
        result = simulate(folder / "loader")
        check(
            result.returncode == 126 and "dynamic loader" in result.stderr,
            "no dynamic loader",
            (result.returncode, result.stderr),
        )
    if os.getuid():
        (folder / "true").chmod(0o111)
        check_failure(simulate(folder / "true"), "a program that can't be read", "can't be read", "chmod +r")


def lost(report):
    return [note for note in report["notes"] if "left no counts" in note]


def check_copied(folder):
    """One file that was copied names both places where its simulator was looked for, and ran nothing."""
    (folder / "alone/bin").mkdir(parents=True)
    shutil.copy(TOPDOWN, folder / "alone/bin/topdown")
    result = topdown("--pmu", "sim", "touch", "ran", program=folder / "alone/bin/topdown", cwd=folder)
    check_failure(
        result,
        "a copied topdown",
        f"{folder}/alone/bin/libexec/topdown",
        f"{folder}/alone/libexec/topdown",
        "copy the folder",
    )
    check(
        "built without" not in result.stderr and not (folder / "ran").exists(),
        "a copied topdown: the reason, nothing run",
        result.stderr,
    )


def check_lost(folder):
    """Processes whose counts are missing are reported, and nothing is compared then."""
    json_form = ("--format", "json")
    whole = report_of(topdown("--pmu", "sim", *json_form, "sh", "-c", "(:) & wait; exit 0"), "a child")
    check(
        not lost(whole) and "left no counts" not in whole["anchor"]["reason"],
        "a child that ends",
        whole["notes"],
    )
    killed = "(while :; do :; done) & kill -KILL $!; wait; exit 0"
    report = report_of(topdown("--pmu", "sim", *json_form, "sh", "-c", killed), "a child that is killed")
    check(
        lost(report) and lost(report)[0].startswith("1 of the program's processes"),
        "a child that is killed is reported",
        report["notes"],
    )
    check(
        report["anchor"]["reason"]
        in ("some of its processes left no counts", "sim is not this machine's core"),
        "nothing is compared",
        report["anchor"],
    )
    flag = folder / "flag"
    flag.touch()
    report = report_of(
        simulate(*json_form, "sh", "-c", f"(while [ -e {flag} ]; do :; done) >/dev/null 2>&1 & exit 0"),
        "one that goes on",
    )
    flag.unlink()
    check(lost(report), "one that outlives the program is reported", report["notes"])
    shutil.copy(shutil.which("true"), folder / "rights")
    (folder / "rights").chmod(0o4755)
    script = f"{folder}/rights; echo $?; exit 0"
    plain = simulate(*json_form, "--trace-children", "no", "sh", "-c", script)
    check(
        plain.stdout == "0\n" and not lost(report_of(plain, "not traced")),
        "another program, not simulated, is no process that is lost",
        plain.stdout,
    )


def check_next(folder):
    """The next command that is printed can be typed as it is, and measures the same in the same way."""
    shown = (
        "--format",
        "json",
        "--save",
        folder / "next",
        "-l9",
    )  # so that it asks for lines, which were not counted
    how = (
        "--sim-core",
        write_core(folder, "own core", lambda values: None),
        "--no-anchor",
        "--trace-children",
        "no",
        "--sim-sample",
        "0.5",
    )
    script = (  # longer than what is modelled in full
        f"i=0; while [ $i -lt 10000 ]; do i=$((i+1)); done; {BUILD}/kernels/adds 20000; :"
    )
    first = report_of(topdown("--pmu", "sim", *shown, *how, "sh", "-c", script), "the report that names it")
    check(
        json.loads(topdown("report", "--format", "json", folder / "next").stdout)["look_closer"]
        == first["look_closer"],
        "the session has it too",
    )
    words = shlex.split(first["look_closer"])
    check(words[0] == "topdown" and "--lines" in words, "the next command", words)
    again = report_of(topdown(*words[1:-3], "--format", "json", *words[-3:]), "the next command")
    for name in ("instructions", "cycles", "machine", "sampling"):
        check(
            first["summary"][name] == again["summary"][name],
            f"it measures the same {name}",
            (first["summary"], again["summary"]),
        )
    check(again["lines"], "and has lines")
    once = topdown(
        "--pmu", "sim", "--multiplex", "--format", "json", "sh", "-c", f"echo x >> {folder}/once; exit 0"
    )
    check(
        "once only (--max-runs 1)" in report_of(once, "--multiplex")["anchor"]["reason"],
        "--multiplex: no native run",
        once.stderr,
    )
    check((folder / "once").read_text(encoding="utf-8") == "x\n", "--multiplex: one run")


def check_names(folder):
    """A program whose path would end a field, or a line, of the file between the simulator and topdown."""
    odd = folder / "a\\b\tc\nd"
    shutil.copy(BUILD / "kernels/adds", odd)
    result = simulate("--lines", "--save", folder / "odd", odd, "400000")
    check(
        result.returncode == 0 and json.dumps(str(odd)) in (folder / "odd").read_text(encoding="utf-8"),
        "a path with backslash, tab and newline is kept",
        result.stderr[-300:],
    )
    check(
        "main\n" in result.stderr and "\t" not in result.stderr and "c\nd" not in result.stderr,
        "on a page it ends no line",
        result.stderr[-800:],
    )


def write_core(folder, name, change):
    core = read_json(SOURCE / "events/sim/skylake.json")
    values = {row["Name"]: row["Value"] for row in core["Parameters"]}
    change(values)
    core["Parameters"] = [{"Name": key.strip(), "Value": value} for key, value in values.items()]
    path = folder / f"{name}.json"
    path.write_text(json.dumps(core), encoding="utf-8")
    return path


def check_instructions(folder):
    """What is wrong with the figures of single instructions is named, with the core or the table."""
    table = folder / "db/events/sim/instructions.csv"
    table.parent.mkdir(parents=True)
    core = read_json(SOURCE / "events/sim/skylake.json")
    path = folder / "figured.json"
    words = ("--pmu", "sim", "--no-anchor", "--db", folder / "db", "--sim-core", path, "true")
    for column, rows, parts in (
        ("mine", "4801d8,1 0.25 1", None),  # add %rbx, %rax
        ("other", "4801d8,1 0.25 1", ("instructions.csv", "no column 'other'")),
        ("mine", "4801d8,1 many 1", ("instructions.csv", "'1 many 1'", "'4801d8'")),
        ("mine", "4801d8,201 1 1", ("'instruction 4801d8 201 100 1'", "can't be")),
        ("mine", "add,1 1 1", ("'instruction add 1 100 1'", "can't be")),
        ("mine", "4801d8,1 1 1\n4d01c8,2 1 1", ("'instruction 4d01c8 2 100 1'", "twice")),
    ):
        core["Header"]["Instructions"] = column
        path.write_text(json.dumps(core), encoding="utf-8")
        table.write_text(f"Bytes,mine\n{rows}\n", encoding="utf-8")
        result = topdown(*words)
        if parts:
            check_failure(result, f"instructions: {rows}", path, *parts)
        else:
            check(result.returncode == 0 and "simulated" in result.stderr, "instructions", result.stderr)


def check_by_itself():
    """Where there is no PMU, nodes and metrics are those of the simulation, and not what the CPU's PMU would
    have had."""
    if "SIMULATED" not in topdown("true").stderr:
        return
    for words, part in (
        (("metrics", "IPC", "*MPKI*", "--", "true"), "L1D_Cache_MPKI"),
        (("--nodes", "Store_Bound^", "-v", "true"), "Store_Bound"),
        (("-e", "loads.dram", "true"), "loads.dram"),
        (("--groups", "tma_core_bound_group", "-v", "true"), "Dependency_Chains"),
    ):
        result = topdown(*words)
        check(
            result.returncode == 0 and "SIMULATED" in result.stderr and part in result.stderr,
            f"by itself: {words}",
            result.stderr[-300:],
        )
    check_failure(topdown("-r", "3", "true"), "a repeat", "--repeat", "0.1 %")
    check_failure(
        topdown("--sim-core", "zen4", "-p", str(os.getpid())),
        "a process of a simulated core",
        "--sim-core",
        "--pmu sim",
    )


def check_cores(folder):
    """A core of one's own by its file; and each way in which it can be wrong is reported before anything is
    simulated with it."""
    words = ("-v", "--pmu", "sim", "--no-anchor", "--sim-core")
    good = topdown(*words, write_core(folder, "good", lambda values: None), "true")
    check(
        "CPU      simulated Skylake and Cascade Lake servers (good)\n" in good.stderr,
        "a core by its file",
        good.stderr,
    )
    check(
        "CPU      simulated Skylake and Cascade Lake servers (skylake)\n"
        in topdown(*words, "SkyLake", "true").stderr,
        "upper and lower case",
    )
    for name, change, parts in (
        ("missing", lambda values: values.pop("l3_latency"), ("'l3_latency' is missing", "1 to 1000")),
        ("zero", lambda values: values.update(width=0), ("'width 0'", "1 to 16")),
        (
            "large",
            lambda values: values.update(reorder_buffer=100000),
            ("'reorder_buffer 100000'", "16 to 1024"),
        ),
        ("unknown", lambda values: values.update(depth=4), ("'depth' is no parameter",)),
        ("negative", lambda values: values.update(width=-1), ("'width' needs a whole",)),
        ("fraction", lambda values: values.update(width=2.5), ("'width' needs a whole",)),
        ("twice", lambda values: values.update({"width ": 4}), ("'width' is there twice",)),
        ("name", lambda values: values.update({"Wide core": 4}), ('needs a "Name"',)),
    ):
        path = write_core(folder, name, change)
        check_failure(topdown(*words, path, "true"), f"a core: {name}", path, *parts)
    check_failure(
        topdown(*words, folder / "nowhere.json", "true"), "no such file", "nowhere.json", "No such file"
    )


need_simulator()
with temporary() as place:
    check_settings(place)
    check_room(place)
    check_limits()
    check_programs(place)
    check_copied(place)
    check_lost(place)
    check_cores(place)
    check_instructions(place)
    check_next(place)
    check_names(place)
    check_by_itself()
finish()
