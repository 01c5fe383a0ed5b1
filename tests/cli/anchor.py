#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""anchor.py - topdown --pmu sim runs the program natively too: what it is given, what is reported, and when
it does not run. Exit status 77 without Valgrind."""
import csv
import ctypes
import functools
import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    BUILD,
    NO_PMU,
    PATIENCE,
    TOPDOWN,
    check,
    check_failure,
    check_success,
    environment,
    finish,
    is_there,
    lines_in,
    need_simulator,
    read_json,
    temporary,
    topdown,
    wait_until,
)

SIM = ("--pmu", "sim", "--format", "json")  # the default core is this machine's
SAMPLE = ("--sim-sample", "0.01")  # where the program is long: what it does is followed all the same


simulate = functools.partial(topdown, *SIM)


def anchor_of(result):
    return json.loads(result.stderr)["anchor"]


def check_effects(folder):
    """What a program does to others is done once, and the report says what it was; --anchor always does it
    twice."""
    file, other = folder / "written", folder / "other"
    other.write_text("", encoding="utf-8")
    for what, script, words in (
        ("a line", f"echo x >> {file}", f"it opened {file} for writing"),
        (
            "a file that is removed again",
            f": > {file}.tmp; rm {file}.tmp",
            f"it opened {file}.tmp for writing",
        ),
        ("a removed file", f"rm {other}", f"it removed {other}"),
        ("a directory", f"mkdir {folder}/directory", f"it made the directory {folder}/directory"),
        ("a renamed file", f"mv {file} {file}.moved", f"it renamed {file}"),
        ("rights", f"chmod 600 {file}.moved", f"it changed the rights of {file}.moved"),
        ("a link", f"ln -s target {folder}/link", f"it made the link {folder}/link"),
        ("a signal to another process", "kill -USR2 $PPID", "it sent a signal to another process"),
        ("a file of the caller's", "echo x >&5", "it wrote to a terminal or a file that it was given"),
        (
            "a file of the caller's that was read",
            "read -r x <&4",
            "it read from a terminal or another input that is there only once",
        ),
    ):
        inner = (
            f"trap '' USR2; {TOPDOWN} --pmu sim --format json -o {folder}/report sh -c '{script}'"
            f" 4</etc/passwd 5>>{folder}/given"
        )
        subprocess.run(["sh", "-c", inner], stdin=subprocess.DEVNULL, env=environment(), check=False)
        anchor = read_json(folder / "report")["anchor"]
        check(
            anchor["reason"] and anchor["reason"].startswith(words) and anchor["wall_s"] is None, what, anchor
        )
        check("--anchor always" in anchor["reason"], f"{what}: how it runs all the same", anchor)
    check(
        lines_in(folder / "written.moved") == ["x"] and lines_in(folder / "given") == ["x"],
        "each was done once",
        (lines_in(folder / "written.moved"), lines_in(folder / "given")),
    )
    result = topdown("--pmu", "sim", "-v", "sh", "-c", f"echo x >> {file}")
    text = re.sub(r"\s+", " ", result.stderr)
    check(
        lines_in(file) == ["x"]
        and f"Checked no: it opened {file} for writing; --anchor always runs it once more" in text,
        "one line, and the report",
        result.stderr,
    )
    result = topdown("--pmu", "sim", "--anchor", "always", "sh", "-c", f"echo x >> {file}")
    check(
        lines_in(file) == ["x"] * 3 and "once more, natively" in result.stderr,
        "--anchor always: two more",
        (lines_in(file), result.stderr[:300]),
    )
    check(
        result.stderr.index("once more, natively") < result.stderr.index("\nFrontend_Bound"),
        "which is announced before the report",
        result.stderr,
    )
    for words in (("--anchor", "never"), ("--no-anchor",), ("--no-anchor", "--anchor", "never")):
        file.unlink()
        result = simulate(*words, "sh", "-c", f"echo x >> {file}")
        check(
            lines_in(file) == ["x"] and anchor_of(result) is None,
            f"{words}: one run, null",
            (lines_in(file), anchor_of(result)),
        )
    check(
        "Checked" not in topdown("--pmu", "sim", "-v", "--anchor", "never", "true").stderr,
        "--anchor never: no line",
    )
    last = simulate("--no-anchor", "--anchor", "always", "sh", "-c", f"echo x >> {file}")
    check(anchor_of(last) is not None, "the last one counts: --no-anchor is --anchor never", last.stderr)
    check_failure(
        topdown("--pmu", "sim", "--anchor", "sometimes", "true"), "another word", "--anchor", "always"
    )


def check_given(folder):
    """What is shared with the caller, what reaches the kernel, and what Valgrind does not know; and what is
    none of these."""
    file = folder / "shared"
    file.write_text("1234\n", encoding="utf-8")
    short = "a native run takes under 10 ms"
    for what, words in (
        ("unknown", "it made system call 1000, which the simulator does not know"),
        ("netlink", "it opened a socket to the kernel"),
        ("socket", short),
        ("seek", "it moved the position in a file that it was given (descriptor 3)"),
        ("flags", "it changed the flags"),
        ("lock", "it locked a file that it was given (descriptor 3)"),
        ("write stdin", "it wrote to a terminal or a file that it was given (descriptor 0)"),
        ("move stdin", short),
    ):
        subprocess.run(
            [
                "sh",
                "-c",
                (
                    f"{TOPDOWN} --pmu sim --format json -o {folder}/report {BUILD}/kernels/behave '{what}'"
                    f" 0<>{folder}/stdin 3<{file}"
                ),
            ],
            env=environment(),
            check=False,
        )
        reason = read_json(folder / "report")["anchor"]["reason"]
        check(reason.startswith(words), what, reason)


def check_connection(folder):
    """A connection as stdin, as inetd hands it over, stays one, and what came through it is there only
    once."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(
        server.getsockname()
    ) as peer:
        accepted, _ = server.accept()
        with accepted:
            peer.sendall(b"question\n")
            peer.settimeout(PATIENCE)
            result = subprocess.run(
                [TOPDOWN, *SIM, "-o", folder / "report", "sh", "-c", "read -r x; echo answer >&0"],
                stdin=accepted,
                env=environment(),
                check=False,
            )
        check(result.returncode == 0 and peer.recv(100) == b"answer\n", "the peer gets an answer", result)
    reason = read_json(folder / "report")["anchor"]["reason"]
    check("there only once (descriptor 0)" in reason, "and the program does not run again", reason)


def check_terminal(folder):
    """What somebody typed is there once only; a terminal that is only shown to is no obstacle."""
    for script, words in (
        ("read -r x; echo $x", "it read from a terminal"),
        ("echo x; echo y >&2", "a native run takes under 10 ms"),
    ):
        master, slave = pty.openpty()
        os.write(master, b"typed\n")
        with subprocess.Popen(
            [TOPDOWN, *SIM, "-o", folder / "report", "sh", "-c", script],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment(),
        ) as process:
            process.wait(timeout=PATIENCE)
        os.close(slave)
        os.close(master)
        reason = read_json(folder / "report")["anchor"]["reason"]
        check(reason.startswith(words), script, reason)


# Some 50 ms natively: by no clock rate too short to be compared.
MULTIPLY = (BUILD / "kernels/multiply", "60000000")


def check_repeatable(folder):
    """Programs that only compute, read files and write to stdout run twice, with the same input and one
    output."""
    (folder / "input").write_text("one\n" * 3, encoding="utf-8")
    python = (
        os.path.realpath(sys.executable),
        "-I",
        "-S",
        "-c",
        "import sys; t = sum(range(1000001)); print(len(sys.stdin.read()), t)",
    )
    for what, words, wanted in (("a kernel", MULTIPLY, None), ("python", python, "12 500000500000\n")):
        with open(folder / "input", encoding="utf-8") as stdin:
            result = simulate(*SAMPLE, "-o", folder / "report", *words, stdin=stdin)
        anchor = read_json(folder / "report")["anchor"]
        check(anchor["wall_s"] and anchor["user_s"], f"{what} runs natively", anchor)
        check(
            anchor["native_runs"] in range(1, 6)  # fewer where the first take long
            and anchor["additions"] > 1
            and anchor["additions_alone"] > 0,
            f"{what}: with additions beside",
            anchor,
        )
        check(
            result.stderr.count("natively and without output") == 1 and len(result.stdout.splitlines()) == 1,
            f"{what}: is announced, and shown once",
            (result.stdout, result.stderr),
        )
        check(wanted in (None, result.stdout), f"{what}: its output", result.stdout)
    result = simulate(*SAMPLE, *MULTIPLY)
    check(
        result.stderr.startswith("{"), "no announcement where a machine reads the report", result.stderr[:80]
    )


def check_confined(folder):
    """What a program does natively only leaves nothing behind: it can't write, unless it may run twice
    whatever it does."""
    file = folder / "natively"
    script = (
        f"{MULTIPLY[0]} {MULTIPLY[1]}; grep -q /libexec/topdown/ /proc/self/maps || echo x 2>/dev/null >>"
        f" {file}; echo y > /dev/null"
    )
    anchor = anchor_of(simulate(*SAMPLE, "sh", "-c", script))
    check(anchor["wall_s"] and anchor["reason"] is None, "it runs natively, to its end", anchor)
    check(
        lines_in(file) == [] if has_landlock() else lines_in(file) == ["x"],
        "and wrote nothing",
        lines_in(file),
    )
    file.unlink(missing_ok=True)
    simulate(*SAMPLE, "--anchor", "always", "sh", "-c", script)
    check("x" in lines_in(file), "--anchor always: nothing is in its way", lines_in(file))


def has_landlock():
    return ctypes.CDLL(None).syscall(444, None, 0, 1) > 0  # the version that the kernel has


def check_runs(folder):
    """--anchor always: two runs with the same input and one output."""
    script = (
        f"while read -r line; do echo $line >> {folder}/seen; done; echo x >> {folder}/runs; echo out; echo"
        " err >&2"
    )
    for what, options in (("pipe", {"input": "one\ntwo\n"}), ("file", {})):
        for name in ("seen", "runs"):
            (folder / name).write_text("", encoding="utf-8")
        words = ("--anchor", "always", "-o", folder / "report", "sh", "-c", script)
        if what == "file":
            (folder / "input").write_text("one\ntwo\n", encoding="utf-8")
            with open(folder / "input", encoding="utf-8") as stdin:
                result = simulate(*words, stdin=stdin)
        else:
            result = simulate(*words, **options)
        check(
            result.stdout == "out\n"
            and result.stderr.startswith("err\n")
            and result.stderr.count("err") == 1,
            f"{what}: output is shown once",
            (result.stdout, result.stderr),
        )
        check(lines_in(folder / "runs") == ["x", "x"], f"{what}: two runs")
        check(
            lines_in(folder / "seen") == ["one", "two"] * 2,
            f"{what}: the same input",
            lines_in(folder / "seen"),
        )


def check_environment(folder):
    """The native run has the user's environment, and nothing that was for Valgrind."""
    for given, wanted in ((None, "none"), ("/mine", "/mine")):
        (folder / "variable").write_text("", encoding="utf-8")
        simulate(
            "--anchor",
            "always",
            "sh",
            "-c",
            f"echo ${{VALGRIND_LIB-none}} >> {folder}/variable",
            env=environment(TMPDIR=str(folder), VALGRIND_LIB=given),
        )
        seen = (folder / "variable").read_text(encoding="utf-8").split()
        check(len(seen) == 2 and seen[1] == wanted, f"the native run's VALGRIND_LIB is {wanted}", seen)


def check_reasons(folder):
    """Without a number there is the reason for it."""
    behave = BUILD / "kernels/behave"
    short = anchor_of(simulate(behave, "signal"))
    check(
        short["ratio"] is None and short["far"] is None and "under 10 ms, too short" in short["reason"],
        "too short",
        short,
    )
    check(short["wall_s"] is None, "and so not run", short)
    short = anchor_of(simulate("--anchor", "always", behave, "signal"))
    check(
        short["ratio"] is None and "under 10 ms of user time, too short" in short["reason"],
        "always: too short to compare",
        short,
    )
    check(
        short["user_s"] is not None and short["hz"] > 0 and short["wall_s"] > 0,
        "the times and the rate are reported all the same",
        short,
    )
    result = simulate("sh", "-c", f"echo x >> {folder}/failing; exit 7")
    check(
        result.returncode == 7 and "status 7" in anchor_of(result)["reason"],
        "a program that failed",
        anchor_of(result),
    )
    check(lines_in(folder / "failing") == ["x"], "is not run again")
    result = simulate("--anchor", "always", "sh", "-c", f"test -e {folder}/flag && exit 3; : > {folder}/flag")
    check(
        result.returncode == 0 and "status 3" in anchor_of(result)["reason"],
        "another end natively",
        anchor_of(result),
    )
    with_child = f"echo x >> {folder}/parent; /bin/echo"
    result = simulate("--trace-children", "no", "sh", "-c", f"{with_child}; exit 0")
    check(
        "--trace-children" in anchor_of(result)["reason"], "a program that starts others", anchor_of(result)
    )
    check(
        (folder / "parent").read_text(encoding="utf-8") == "x\n",
        "is not run again, as there is nothing to compare",
    )
    result = simulate("sh", "-c", "/bin/echo; exit 0")
    check("under 10 ms" in anchor_of(result)["reason"], "unless these are simulated too", anchor_of(result))
    result = simulate("sh", "-c", "/nonexistent/program 2>&-; exit 0")
    check("under 10 ms" in anchor_of(result)["reason"], "one that tries to", anchor_of(result))
    other = "neoverse-v1" if os.uname().machine == "x86_64" else "zen4"
    result = simulate("--sim-core", other, "--anchor", "always", "sh", "-c", f"echo x >> {folder}/other")
    check("not this machine's core" in anchor_of(result)["reason"], "another core", anchor_of(result))
    check(lines_in(folder / "other") == ["x"], "is not compared with this machine")
    foreign = simulate("--sysroot", NO_PMU, "true")
    check("not this machine's core" in anchor_of(foreign)["reason"], "another machine", anchor_of(foreign))


SERVER = """
import os, sys, _socket
server = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
server.bind(("127.0.0.1", 0))
server.listen()
with open(sys.argv[1], "a") as file:
    print(server.getsockname()[1], file=file)
while os.read(server._accept()[0], 100) != b"shutdown":
    pass
"""


def wait_for(path):
    return wait_until(lambda: lines_in(path))[0]


def check_server(folder):
    """A server that is shut down does not come back, whatever was asked for."""
    (folder / "server.py").write_text(SERVER, encoding="utf-8")
    ports = folder / "ports"
    with subprocess.Popen(
        [
            TOPDOWN,
            *SIM,
            *SAMPLE,
            "--anchor",
            "always",
            os.path.realpath(sys.executable),
            "-I",
            "-S",
            folder / "server.py",
            ports,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        stdin=subprocess.DEVNULL,
        env=environment(),
    ) as process:
        port = wait_for(ports)
        check(port, "the server starts")
        with socket.create_connection(("127.0.0.1", int(port))) as peer:
            peer.sendall(b"shutdown")
        _, err = process.communicate(timeout=PATIENCE)
    anchor = json.loads(err)["anchor"]
    check("it is a server" in anchor["reason"] and anchor["wall_s"] is None, "a server", anchor)
    check(len(lines_in(ports)) == 1, "was started once", lines_in(ports))


def check_limit(folder):
    """What takes longer natively than it may is ended with all of its process group, when it ignores SIGTERM
    too."""
    script = (
        f"trap '' TERM; if test -e {folder}/again; then sleep 9999 & echo $$ $! > {folder}/pids; wait; wait;"
        f" sleep 9999; fi; : > {folder}/again"
    )
    result = simulate("--anchor", "always", "sh", "-c", script)
    anchor = anchor_of(result)
    check(
        result.returncode == 0
        and re.search(r"ended after \d+ s: at least 10 times the modelled time", anchor["reason"])
        and anchor["wall_s"] > 1.5,
        "the limit",
        (result.returncode, anchor),
    )
    pids = wait_for(folder / "pids").split()
    check(len(pids) == 2, "it has started one more", pids)
    check(wait_until(lambda: not any(map(is_there, pids))), "nothing of it is left", pids)


def check_interrupted(folder):
    """SIGTERM ends the program; in its simulated run there is no native one then, in the native run the
    counts are kept."""
    script = f"test -e {folder}/second && echo x > {folder}/first && exec sleep 9999; : > {folder}/second"
    with subprocess.Popen(
        [TOPDOWN, *SIM, "--anchor", "always", "-o", folder / "report", "sh", "-c", script],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
    ) as process:
        check(wait_for(folder / "first"), "it runs natively")
        process.send_signal(signal.SIGINT)
        status = process.wait(timeout=PATIENCE)
    anchor = read_json(folder / "report")["anchor"]
    check(
        status == 0 and "interrupted while the program ran natively" in anchor["reason"],
        "interrupted natively",
        (status, anchor),
    )
    with subprocess.Popen(
        [TOPDOWN, *SIM, "--anchor", "always", BUILD / "kernels/behave", "wait"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    ) as process:
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=PATIENCE)
        reason = json.loads(err)["anchor"]["reason"]
    check(
        out == "caught 15\n" and process.returncode == 128 + signal.SIGTERM and "interrupted" in reason,
        "a program that catches it runs once",
        (out, reason),
    )
    # Somebody else ends it, and topdown gets no signal.
    result = simulate("--anchor", "always", "sh", "-c", "trap 'exit 0' TERM; kill -TERM $$; exit 1")
    check(
        result.returncode == 0 and "asked to end (SIGTERM)" in anchor_of(result)["reason"],
        "asked to end",
        anchor_of(result),
    )
    result = simulate("--anchor", "always", "sh", "-c", "kill -TERM $$")
    check(
        result.returncode == 143 and "status 143" in anchor_of(result)["reason"],
        "ended by a signal",
        anchor_of(result),
    )


def check_little(folder):
    """A program that hardly runs is called so, without advice about its code; nobody knows whether it
    waited."""
    report = json.loads(simulate("--save", folder / "sleeper", "sleep", "1").stderr)
    notes = " ".join(report["notes"])
    # Too short to run natively: its time is the simulator's, which waits for its CPU where others have it.
    check("starting a program takes about as many" in notes and "mostly waited" not in notes, "sleep", notes)
    check(report["advice"]["try"] is None and report["advice"]["means"], "no advice", report["advice"])
    text = topdown("report", folder / "sleeper").stdout
    check("PGO" not in text and "Try " not in text, "text", text)


def check_number(folder):
    """A run that is long enough has a number, and the session has it too."""
    result = simulate(*SAMPLE, "--save", folder / "run", *MULTIPLY)
    report = json.loads(result.stderr)
    anchor = report["anchor"]
    check(anchor["hz"] and anchor["hz"] > 0, "the clock rate", anchor["hz"])
    check(anchor["modelled_cycles"] == report["summary"]["cycles"], "modelled cycles", anchor)
    if anchor["reason"] is None:
        check(
            abs(anchor["measured_cycles"] / (anchor["user_s"] * anchor["hz"]) - 1) < 1e-9,
            "measured cycles",
            anchor,
        )
        check(
            abs(anchor["ratio"] / (anchor["modelled_cycles"] / anchor["measured_cycles"]) - 1) < 1e-9,
            "ratio",
            anchor,
        )
    again = topdown("report", "--format", "json", folder / "run")
    check_success(again, "report")
    check(json.loads(again.stdout)["anchor"] == anchor, "the session has it", again.stdout[:300])


def check_kernel(folder):
    """Where the kernel had most of the CPU time, the answer begins with that; where it had some, a remark
    says so."""
    session = read_json(folder / "run")
    for system, answer, remark in ((3.0, "75 %", None), (0.8, None, "44 %"), (0.1, None, None)):
        rows = {"task_clock_s": 1 + system, "user_s": 1.0, "system_s": system}
        session["anchor"] = {
            "user_s": 1.0,
            "cpu_s": 1 + system,
            "wall_s": 1 + system,
            "hz": 1e9,
            "reason": None,
            "software": [{"name": name, "value": value, "source": "perf"} for name, value in rows.items()],
        }
        (folder / "chosen").write_text(json.dumps(session), encoding="utf-8")
        text = " ".join(topdown("report", folder / "chosen").stdout.split())
        check(
            text.startswith(f"The kernel had {answer} of the CPU time, outside this tree; the rest: ")
            == bool(answer),
            f"{system}: the answer",
            text[:300],
        )
        check(
            (f"{remark} of the CPU time was spent in the kernel" in text) == bool(remark)
            and text.count("of the CPU time") == bool(answer or remark),
            f"{system}: the remark",
            text,
        )


def check_words(folder):
    """What is reported, with times that the test chooses: the session's."""
    session = read_json(folder / "run")
    cycles = next(item["value"] for item in session["counts"] if item["event"] == "core.cycles")
    for ratio, more, words in (
        (1.1, {}, None),
        (0.8, {}, None),
        (0.1, {"wall_s": 3.0}, "(natively it did far more: a program that works for a set time"),
        (1.6, {}, "a factor of 1.6 (something is modelled as slower"),
        (0.5, {}, "a factor of 2.0 (other load on this machine, or"),
        (0.5, {"cpu_s": 2.0, "preemptions": 300}, "(other programs had its CPU meanwhile, 300 times)"),
        (
            0.5,
            {"cpu_s": 4.0, "faults": 70000},
            "(50 % of its CPU time was the kernel's, with 70000 page faults",
        ),
        (0.5, {"cpu_s": 4.0, "tick_s": 1.0}, None),
    ):
        session["anchor"] = {"user_s": 2.0, "hz": cycles / ratio / 2, "reason": None, **more}
        (folder / "chosen").write_text(json.dumps(session), encoding="utf-8")
        printed = topdown("report", "-v", folder / "chosen").stdout
        text = re.sub(r"\s+", " ", printed)
        check(
            re.search(
                (
                    r"Checked .* cycles modelled, .* natively \(2.00 s of user time at \d+\.\d\d GHz\):"
                    rf" ratio {ratio:.2f}"
                ),
                text,
            ),
            f"{ratio} {more}: the line",
            printed,
        )
        check(("Take the tree as a hint" in text) == bool(words), f"{ratio} {more}: the sentence", printed)
        check(not words or words in text, f"{ratio} {more}: why", printed)
        whole = topdown("report", folder / "chosen").stdout
        short = whole.split("\n\n")[0]
        check(
            f"Modelled; its cycles are {ratio:.2f} times a native run's" in " ".join(short.split())
            and ("hint" in short) == bool(words),
            f"{ratio} {more}: before the tree",
            short,
        )
        length = "3.00 s natively" if "wall_s" in more else "2.00 s of user time natively"
        check(f"Run   {length};" in whole, f"{ratio} {more}: how long it runs", whole[-300:])
        check(
            ("(at least 0.25: user time is measured in clock ticks)" in text) == ("tick_s" in more),
            f"{ratio} {more}: the range",
            printed,
        )
        markdown = topdown("report", "--format", "markdown", folder / "chosen").stdout
        check(
            f"ratio {ratio:.2f}" in markdown and (not words or words in markdown),
            f"{ratio} {more}: Markdown",
            markdown,
        )
        rows = [
            row
            for row in csv.DictReader(
                topdown("report", "--format", "csv", folder / "chosen").stdout.splitlines()
            )
            if row["kind"] == "anchor"
        ]
        judged = json.loads(topdown("report", "--format", "json", folder / "chosen").stdout)["anchor"]
        check(
            judged["far"] == bool(words) and bool(judged["remark"]) == bool(words),
            f"{ratio} {more}: JSON",
            judged,
        )
        sheet = {row["name"]: row["text"] or (float(row["value"]) if row["value"] else None) for row in rows}
        check(
            sheet == {name: value for name, value in judged.items() if name != "reason"},
            f"{ratio} {more}: CSV has what JSON has",
            (sheet, judged),
        )
    session["anchor"] = {"user_s": "long", "hz": 1, "reason": None}
    (folder / "chosen").write_text(json.dumps(session), encoding="utf-8")
    check_failure(
        topdown("report", folder / "chosen"), "a time that is none", "anchor.user_s: expected a number"
    )


need_simulator()
with temporary() as place:
    check_effects(place)
    check_given(place)
    check_connection(place)
    check_terminal(place)
    check_repeatable(place)
    check_confined(place)
    check_runs(place)
    check_environment(place)
    check_reasons(place)
    check_server(place)
    check_limit(place)
    check_interrupted(place)
    check_little(place)
    check_number(place)
    check_kernel(place)
    check_words(place)
finish()
