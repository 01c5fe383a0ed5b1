#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""anchor.py - topdown --pmu sim runs the program natively too: what it is given, what is told, and when it is not. Exit status 77 without Valgrind."""
import json
import os
import re
import signal
import subprocess
import time

from cli import (BUILD, NO_PMU, SOURCE, TOPDOWN, check, check_failure, check_success, environment, finish, need_simulator, temporary,
                 topdown)

SIM = ("--pmu", "sim", "--format", "json")  # the default core is this machine's


def simulate(*words, **options):
    return topdown(*SIM, *words, **options)


def anchor_of(result):
    return json.loads(result.stderr)["anchor"]


def check_runs(folder):
    """Two runs with the same input and one output; one with --no-anchor."""
    script = f"while read -r line; do echo $line >> {folder}/seen; done; echo x >> {folder}/runs; echo out; echo err >&2"
    for what, options in (("pipe", {"input": "one\ntwo\n"}), ("file", {})):
        for name in ("seen", "runs"):
            (folder / name).write_text("", encoding="utf-8")
        if what == "file":
            (folder / "input").write_text("one\ntwo\n", encoding="utf-8")
            with open(folder / "input", encoding="utf-8") as stdin:
                result = simulate("-o", folder / "report", "sh", "-c", script, stdin=stdin)
        else:
            result = simulate("-o", folder / "report", "sh", "-c", script, **options)
        check(result.stdout == "out\n" and result.stderr == "err\n", f"{what}: output is shown once", (result.stdout, result.stderr))
        check((folder / "runs").read_text(encoding="utf-8") == "x\nx\n", f"{what}: two runs")
        check((folder / "seen").read_text(encoding="utf-8") == "one\ntwo\n" * 2, f"{what}: the same input", (folder / "seen").read_text(encoding="utf-8"))
    (folder / "runs").write_text("", encoding="utf-8")
    result = simulate("--no-anchor", "sh", "-c", f"echo x >> {folder}/runs")
    check((folder / "runs").read_text(encoding="utf-8") == "x\n", "--no-anchor: one run")
    check(anchor_of(result) is None, "--no-anchor: null", anchor_of(result))
    check("Anchor" not in topdown("--pmu", "sim", "--no-anchor", "true").stderr, "--no-anchor: no line")


def check_environment(folder):
    """The native run has the user's environment, and nothing that was for Valgrind."""
    for given, wanted in ((None, "none"), ("/mine", "/mine")):
        (folder / "variable").write_text("", encoding="utf-8")
        simulate("sh", "-c", f"echo ${{VALGRIND_LIB-none}} >> {folder}/variable", env=environment(TMPDIR=str(folder), VALGRIND_LIB=given))
        seen = (folder / "variable").read_text(encoding="utf-8").split()
        check(len(seen) == 2 and seen[1] == wanted, f"the native run's VALGRIND_LIB is {wanted}", seen)


def check_reasons(folder):
    """Without a number there is the reason for it."""
    behave = BUILD / "kernels/behave"
    short = anchor_of(simulate(behave, "signal"))
    check(short["ratio"] is None and short["far"] is None and "below 10 ms" in short["reason"], "too short", short)
    check(short["user_s"] is not None and short["hz"] > 1e8, "the time and the rate are told all the same", short)
    result = simulate("sh", "-c", f"echo x >> {folder}/failing; exit 7")
    check(result.returncode == 7 and "status 7" in anchor_of(result)["reason"], "a program that failed", anchor_of(result))
    check((folder / "failing").read_text(encoding="utf-8") == "x\n", "is not run again")
    result = simulate("sh", "-c", f"test -e {folder}/flag && exit 3; : > {folder}/flag")
    check(result.returncode == 0 and "status 3" in anchor_of(result)["reason"], "another end natively", anchor_of(result))
    with_child = f"echo x >> {folder}/parent; /bin/echo"
    result = simulate("sh", "-c", f"{with_child}; exit 0")
    check("--trace-children" in anchor_of(result)["reason"], "a program that starts others", anchor_of(result))
    check((folder / "parent").read_text(encoding="utf-8") == "x\n", "is not run again, as there is nothing to compare")
    result = simulate("--trace-children", "sh", "-c", f"{with_child}; exit 0")
    check("below 10 ms" in anchor_of(result)["reason"], "unless these are simulated too", anchor_of(result))
    result = simulate("sh", "-c", "/nonexistent/program 2>/dev/null; exit 0")
    check("below 10 ms" in anchor_of(result)["reason"], "one that tries to", anchor_of(result))
    other = "neoverse-v1" if os.uname().machine == "x86_64" else "zen4"
    result = simulate("--sim-core", other, "sh", "-c", f"echo x >> {folder}/other")
    check("not this machine's core" in anchor_of(result)["reason"], "another core", anchor_of(result))
    check((folder / "other").read_text(encoding="utf-8") == "x\n", "is not compared with this machine")
    foreign = simulate("--sysroot", NO_PMU, "true")
    check("not this machine's core" in anchor_of(foreign)["reason"], "another machine", anchor_of(foreign))


def check_interrupted(folder):
    """SIGTERM ends the program; in its simulated run there is no native one then, in the native run the counts are kept."""
    script = f"test -e {folder}/second && echo > {folder}/first && exec sleep 30; echo > {folder}/second"
    with subprocess.Popen([TOPDOWN, *SIM, "-o", folder / "report", "sh", "-c", script], stdin=subprocess.DEVNULL, env=environment()) as process:
        for _ in range(600):
            if (folder / "first").exists():
                break
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        status = process.wait(timeout=60)
    anchor = json.loads((folder / "report").read_text(encoding="utf-8"))["anchor"]
    check(status == 0 and "interrupted" in anchor["reason"] and "natively" in anchor["reason"], "interrupted natively", (status, anchor))
    with subprocess.Popen([TOPDOWN, *SIM, BUILD / "kernels/behave", "wait"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()) as process:
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
        reason = json.loads(err)["anchor"]["reason"]
    check(out == "caught 15\n" and process.returncode == 0 and "interrupted" in reason, "a program that catches it runs once", (out, reason))


def check_number(folder):
    """A run that is long enough has a number, and the session has it too."""
    result = simulate("--save", folder / "run", BUILD / "kernels/multiply", "12000000")
    report = json.loads(result.stderr)
    anchor = report["anchor"]
    check(anchor["hz"] and 2e8 < anchor["hz"] < 1e10, "the clock rate", anchor["hz"])
    check(anchor["modelled_cycles"] == report["summary"]["cycles"], "modelled cycles", anchor)
    if anchor["reason"] is None:
        check(abs(anchor["measured_cycles"] / (anchor["user_s"] * anchor["hz"]) - 1) < 1e-9, "measured cycles", anchor)
        check(abs(anchor["ratio"] / (anchor["modelled_cycles"] / anchor["measured_cycles"]) - 1) < 1e-9, "ratio", anchor)
    again = topdown("report", "--format", "json", folder / "run")
    check_success(again, "report")
    check(json.loads(again.stdout)["anchor"] == anchor, "the session has it", again.stdout[:300])


def check_words(folder):
    """What is told, with a time that the test chooses: the session's."""
    session = json.loads((folder / "run").read_text(encoding="utf-8"))
    cycles = next(item["value"] for item in session["counts"] if item["event"] == "core.cycles")
    for ratio, words in ((1.1, None), (0.8, None), (1.6, "1.60 times the cycles"), (0.5, "50 % of the cycles")):
        session["anchor"] = {"user_s": 2.0, "hz": cycles / ratio / 2, "reason": None}
        (folder / "chosen").write_text(json.dumps(session), encoding="utf-8")
        told = topdown("report", folder / "chosen").stdout
        text = re.sub(r"\s+", " ", told)
        check(re.search(rf"Anchor .* cycles modelled, .* measured natively \(2.00 s of user time at \d+\.\d\d GHz\): ratio {ratio:.2f}", text), f"{ratio}: the line", told)
        check(("The model is off" in text) == bool(words), f"{ratio}: the sentence", told)
        check(not words or words in text and text.index(words) < text.index("Frontend_Bound"), f"{ratio}: before the tree", told)
        markdown = topdown("report", "--format", "markdown", folder / "chosen").stdout
        check(f"ratio {ratio:.2f}" in markdown and (not words or words in markdown), f"{ratio}: Markdown", markdown)
        far = json.loads(topdown("report", "--format", "json", folder / "chosen").stdout)["anchor"]["far"]
        check(far == bool(words), f"{ratio}: JSON", far)
    session["anchor"] = {"user_s": "long", "hz": 1, "reason": None}
    (folder / "chosen").write_text(json.dumps(session), encoding="utf-8")
    check_failure(topdown("report", folder / "chosen"), "a time that is none", "anchor.user_s: expected a number")


need_simulator()
with temporary() as place:
    check_runs(place)
    check_environment(place)
    check_reasons(place)
    check_interrupted(place)
    check_number(place)
    check_words(place)
finish()
