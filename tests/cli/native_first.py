#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""native_first.py - where nothing can be counted, the program runs natively and is then simulated in silence:
what it does to others is done once, and what is not simulated says so. Exit status 77 where counters are, no
Valgrind, or a kernel that watches no programs."""
import json
import os
import re
import signal
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    BUILD,
    PATIENCE,
    TOPDOWN,
    check,
    children_of,
    environment,
    finish,
    is_there,
    lines_in,
    need_simulator,
    read_json,
    skip,
    temporary,
    topdown,
    wait_until,
)

MULTIPLY = str(BUILD / "kernels/multiply")
QUICK, SHORT, LONG = "3000000", "60000000", "100000000000"  # rounds: SHORT is some 50 ms, LONG for ever
AS_JSON = ("--format", "json", "--no-last")
ONLY = "not done twice"
BUFFERED = 200_000  # instructions that the simulator traces before it looks whether it is to end, and more


def words_of(text):
    return re.sub(r"\s+", " ", text)


def measure(folder, script, *options, **given):
    """The report of a shell's script, with topdown's result."""
    result = topdown(*AS_JSON, *options, "-o", folder / "report", "sh", "-c", script, **given)
    return read_json(folder / "report"), result


def check_order(folder):
    """The first answer stands before the simulation, and the output is there once."""
    result = topdown("--no-last", MULTIPLY, SHORT)
    lines = result.stderr.splitlines()
    check(
        lines[0].startswith("topdown: nothing can be counted here") and "natively" in lines[0],
        "a notice",
        lines,
    )
    check(
        re.match(r"topdown: .* natively, .* CPUs used\. .*% of the time is in .* By module: ", lines[1]),
        "the answer",
        lines,
    )
    check(
        "Ctrl-C: report so far" in lines[1] and "Frontend_Bound" in result.stderr, "a tree behind it", lines
    )
    check(len(result.stdout.splitlines()) == 1, "output is shown once", result.stdout)
    result = topdown(*AS_JSON, MULTIPLY, SHORT)
    report = json.loads(result.stderr)
    anchor = report["anchor"]
    check(
        anchor["wall_s"] > 0 and anchor["user_s"] > 0 and anchor["ratio"],
        "it is held against that run",
        anchor,
    )
    check(anchor["reason"] is None and result.returncode == 0, "without a reason not to", anchor)


def check_effects(folder):
    """Each effect happens once: before any output the program is simulated only, as if it had not begun."""
    file, other = folder / "written", folder / "other"
    other.write_text("", encoding="utf-8")
    for what, script, words in (
        ("a line", f"echo x >> {file}", f"it opened {file} for writing"),
        ("a removed file", f"rm {other}", f"it removed {other}"),
        ("a directory", f"mkdir {folder}/directory", f"it made the directory {folder}/directory"),
        ("a renamed file", f"mv {file} {file}.moved", f"it renamed {file}"),
        ("a link", f"ln -s target {folder}/link", f"it made the link {folder}/link"),
        ("a signal", "trap '' USR2; kill -USR2 $PPID", "it sent a signal to another process"),
    ):
        report, result = measure(folder, f"{script}; exit 3", "--wall", preexec_fn=ignore_signal)
        check(report["anchor"]["reason"].startswith(words), what, report["anchor"])
        refused, threads = report["wall"]["refused"] or "", report["wall"]["threads"]
        check(
            f"did not run natively ({words}" in refused and not threads, f"{what}: no clock", report["wall"]
        )
        check(report["anchor"]["wall_s"] is None and report["nodes"], f"{what}: a tree", report)
        check(result.returncode == 3, f"{what}: its status", result.returncode)
    check(
        lines_in(folder / "written.moved") == ["x"], "each was done once", lines_in(folder / "written.moved")
    )


def ignore_signal():
    signal.signal(signal.SIGUSR2, signal.SIG_IGN)


def check_harmless(folder):
    """What fails, or reaches nobody, is no effect."""
    for what, script in (
        ("a file that is not there", f"rm {folder}/none 2>/dev/null; true"),
        ("a directory that is", f"mkdir {folder} 2>/dev/null; true"),
        ("a device without a memory", "echo x > /dev/null"),
        ("a pipeline", "x=$(echo a | tr a b); echo $x"),
    ):
        report, result = measure(folder, script)
        # no reason: where the host is slow it took more than 10 ms, and can be compared
        check(
            ONLY not in result.stderr and "10 ms" in (report["anchor"]["reason"] or "10 ms"),
            what,
            (result.stderr, report["anchor"]),
        )
        check(report["anchor"]["wall_s"] > 0, f"{what}: it ran natively", report["anchor"])


def check_scratch(folder):
    """Temporary files that a program removes again are its own in both runs; one that stays is a result."""
    scratch = folder / "scratch"
    scratch.mkdir()
    env = environment(TMPDIR=str(scratch))
    script = (
        "t=$(mktemp); d=$(mktemp -d); echo x > $t; echo y > $d/name; mv $t $d/other; rm -r $d; "
        "o=$TMPDIR/own.$$; echo z > $o; rm $o; "
        f"{MULTIPLY} {QUICK}"
    )
    report, result = measure(folder, script, env=env)
    anchor = report["anchor"]
    check(ONLY not in result.stderr and anchor["wall_s"] > 0, "it runs natively", (result.stderr, anchor))
    check(
        not any("Simulated: its first" in note for note in report["notes"]),
        "all of it is simulated",
        report["notes"],
    )
    check(list(scratch.iterdir()) == [], "nothing is left", list(scratch.iterdir()))
    report, result = measure(folder, f"mktemp; {MULTIPLY} {QUICK}", env=env)
    left = list(scratch.iterdir())
    check(
        len(left) == 1 and result.stdout.splitlines()[0] == str(left[0]),
        "one stays, that was shown",
        (left, result),
    )
    said = words_of(result.stderr + json.dumps(report))
    check(
        f"it opened {scratch}/tmp." in said and f"for writing, which is {ONLY}" in said,
        "a result",
        said[-2000:],
    )


def check_given(folder):
    """What the program was given behind stderr is there once."""
    report = folder / "report"
    for what, script in (("read", "read -r x <&4; echo $x"), ("written", "echo y >&5")):
        words = (
            f"{TOPDOWN} --format json --no-last -o {report} sh -c '{script}' 4</etc/passwd 5>>{folder}/given"
        )
        result = subprocess.run(
            ["sh", "-c", words],
            capture_output=True,
            text=True,
            env=environment(),
            stdin=subprocess.DEVNULL,
            check=False,
        )
        check(
            "(descriptor " in read_json(report)["anchor"]["reason"],
            what,
            (result, read_json(report)["anchor"]),
        )
    check(lines_in(folder / "given") == ["y"], "written once", lines_in(folder / "given"))


def check_shown(folder):
    """Behind its output the program goes on natively, and is simulated up to its effect."""
    file = folder / "late"
    report, result = measure(folder, f"echo shown; echo x >> {file}; {MULTIPLY} {QUICK}; exit 4")
    check(
        result.stdout.splitlines()[0] == "shown" and len(result.stdout.splitlines()) == 2,
        "shown once",
        result,
    )
    check(
        lines_in(file) == ["x"] and result.returncode == 4, "done once", (lines_in(file), result.returncode)
    )
    said = words_of(result.stderr + json.dumps(report))
    check(f"it opened {file} for writing, which is {ONLY}" in said, "and it says so", said[:2000])


def check_left(folder):
    """What is left running goes on when topdown has ended."""
    file = folder / "left"
    result = topdown(*AS_JSON, "sh", "-c", f"(sleep 1; echo late >> {file}) >/dev/null 2>&1 & echo begun")
    check(result.stdout == "begun\n", "begun once", result)
    check(wait_until(lambda: lines_in(file) == ["late"]), "done by itself", lines_in(file))


def check_server(folder):
    """A server runs once, natively, and its samples are the report."""
    code = (
        "import socket; s = socket.socket(socket.AF_UNIX); s.bind('%s/socket'); s.listen();"
        "print(sum(i * i for i in range(1000000)))" % folder
    )
    python = os.path.realpath(sys.executable)
    result = topdown("--no-last", python, "-I", "-S", "-c", code)
    check(result.stdout.strip() == str(sum(i * i for i in range(1000000))), "it ran once", result.stdout)
    check(
        "it is a server" in result.stderr and "% of the time is in" in result.stderr,
        "by samples",
        result.stderr,
    )
    check(
        "Next topdown --anchor never " in words_of(result.stderr),
        "how it is simulated all the same",
        result.stderr,
    )


def check_input(folder):
    """Both runs read the same; a program that was held reads it as if for the first time."""
    text = "".join(f"{i}\n" for i in range(1000))
    (folder / "input").write_text(text, encoding="utf-8")
    for what, script in (
        ("counted", "wc -l"),
        ("held", f"read -r x; rm -f {folder}/input2; read -r y; echo $x $y"),
    ):
        (folder / "input2").write_text("", encoding="utf-8")
        wanted = "1000" if what == "counted" else "0 1"
        result = topdown(*AS_JSON, "sh", "-c", script, input=text)
        check(result.stdout.strip() == wanted, f"{what}: a pipe", result)
        (folder / "input2").write_text("", encoding="utf-8")
        with open(folder / "input", encoding="utf-8") as stdin:
            result = topdown(*AS_JSON, "sh", "-c", script, stdin=stdin)
        check(result.stdout.strip() == wanted, f"{what}: a file", result)


def check_silence(folder):
    """The silent run's output is no device that programs know: grep ends at a match where it is /dev/null."""
    report, _ = measure(folder, "[ /dev/stdout -ef /dev/null ] && exit 9; exit 0")
    check("status" not in (report["anchor"]["reason"] or ""), "both runs end alike", report["anchor"])
    report, _ = measure(
        folder, "[ /dev/stdout -ef /dev/null ] && exit 9; exit 0", "--pmu", "sim", "--anchor", "always"
    )
    check(
        "status" not in (report["anchor"]["reason"] or ""),
        "--pmu sim: in the other order too",
        report["anchor"],
    )


def check_budget(folder):
    """A simulation whose time is up ends, and says what was simulated; the status is the native run's."""
    code = f"{MULTIPLY} 200000000; exit 5"
    report, result = measure(folder, code, "--sim-seconds", "0.3")
    notes = words_of(json.dumps(report["notes"]))
    check("Simulated: its first" in notes and "in 0 s" in notes, "only a part", notes[:2000])
    check(
        result.returncode == 5 and report["anchor"]["ratio"] is None,
        "its status",
        (result.returncode, report["anchor"]),
    )
    report, _ = measure(folder, code, env=environment(TOPDOWN_SIM_SECONDS="0.3"))
    notes = words_of(json.dumps(report["notes"]))
    check("Simulated: its first" in notes and "in 0 s" in notes, "a host's usual time", notes[:2000])
    for usual in ("0", "soon", "-1"):
        result = topdown("true", env=environment(TOPDOWN_SIM_SECONDS=usual))
        check(
            result.returncode == 125 and f"TOPDOWN_SIM_SECONDS={usual}: it is a number" in result.stderr,
            "a time that is none",
            result,
        )
    report, result = measure(folder, code, "--sim-seconds", "0")
    check(report["nodes"] == [] and result.returncode == 5, "0: no tree", (list(report), result.returncode))
    for name in ("one", "other"):
        measure(folder, code, "--sim-seconds", "0.3", "--save", folder / f"{name}.json")
    text = topdown("compare", folder / "one.json", folder / "other.json").stdout
    check("can't tell: only a part of" in text, "parts are not compared", text)
    check("more instructions" not in text and "fewer instructions" not in text, "nor are reasons given", text)
    result = topdown("--no-last", "--sim-seconds", "0", MULTIPLY, SHORT)
    check("--sim-seconds 0 leaves the simulation out" in result.stderr, "0: that is said", result.stderr)
    check(
        "% of the time is in" in result.stderr and "Frontend_Bound" not in result.stderr,
        "samples",
        result.stderr,
    )


def check_trials(folder):
    """What is tried is compared with as much of the program."""
    words = ("--sim-seconds", "1", "--what-if", "branches", MULTIPLY, "1000000000")
    result = topdown(*AS_JSON, *words)
    check(result.returncode == 0, "what-if", result)
    report = json.loads(result.stderr)
    check([row["name"] for row in report["what_if"]] == ["branches"], "it was tried", report["what_if"])
    other = re.search(r"the program ran ([\d.]+) % (more|fewer)", " ".join(report["notes"]))
    apart = float(other[1]) / 100 * report["summary"]["instructions"] if other else 0
    check(apart < BUFFERED, "in as many instructions", (apart, report["notes"]))


def runs_multiply(shell):
    """Has the shell begun the program? Each child is asked for what it runs."""
    for pid in children_of(shell):
        try:
            if os.readlink(f"/proc/{pid}/exe") == os.path.realpath(MULTIPLY):
                return True
        except OSError:
            continue
    return False


def interrupted(folder, begun):
    """A program that never ends, interrupted when that stands in topdown's output."""
    with subprocess.Popen(
        [
            TOPDOWN,
            "--no-last",
            "sh",
            "-c",
            f"echo $$ >&2; {MULTIPLY} {LONG if begun == 'natively' else SHORT}0",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(TMPDIR=str(folder)),
        start_new_session=True,
    ) as process:
        said = ""
        while begun not in said.split("nothing can be counted")[-1].split("\n", 1)[-1]:
            line = process.stderr.readline()
            if not line:
                break
            said += line
            if begun == "natively" and line.strip().isdigit():
                # a shell that is just starting it would wait for a program that has not seen the signal
                check(wait_until(lambda: runs_multiply(int(line))), "natively: it runs", said)
                break
        os.killpg(process.pid, signal.SIGINT)
        said += process.communicate(timeout=PATIENCE)[1]
    check(process.returncode == 128 + signal.SIGINT, f"{begun}: its status", (process.returncode, said))
    pid = next(line for line in said.splitlines() if line.isdigit())
    check(
        not is_there(pid) and not list(folder.iterdir()), f"{begun}: nothing is left", list(folder.iterdir())
    )
    return said


def check_interrupted(folder):
    said = interrupted(folder, "natively")
    wanted = ("it was interrupted", "it ended with status 130")  # whichever topdown learned of first
    check(any(words in said for words in wanted), "natively: samples so far", said)
    said = interrupted(folder, "Now simulated")
    check("% of slots, simulated" in said or "interrupted" in said, "simulated: a report so far", said)


need_simulator()
if "runs natively, then SIMULATED" not in topdown("--no-last", "true").stderr:
    skip("this machine counts, or its kernel watches no programs")
for run_check in (
    check_order,
    check_effects,
    check_harmless,
    check_scratch,
    check_given,
    check_shown,
    check_left,
    check_server,
    check_input,
    check_silence,
    check_budget,
    check_trials,
    check_interrupted,
):
    with temporary() as own:
        run_check(own)
finish()
