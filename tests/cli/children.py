#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""children.py - programs that a simulated program starts: they are simulated, and one that can't be runs
natively and is named. What else Valgrind has no way for. What stands on a terminal meanwhile.

Exit status 77 without Valgrind.
"""
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    BUILD,
    PATIENCE,
    TOPDOWN,
    check,
    check_all,
    environment,
    finish,
    lines_in,
    need_simulator,
    read_json,
    temporary,
    topdown,
    wait_until,
)
from lib.terminal import set_size

SIM = ("--pmu", "sim", "--sim-core", "skylake", "--no-anchor")
ADDS = BUILD / "kernels/adds"


def report_of(*words):
    result = topdown(*SIM, "--format", "json", *words)
    check(result.returncode == 0, f"{words[-1]}: exit status", (result.returncode, result.stderr[-300:]))
    return json.loads(result.stderr), result.stdout


def script(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def check_wrappers(folder):
    """What a shell, a script and a link lead to is simulated without an option: adds has 11 instructions a
    round."""
    rounds = 20000
    for what, words in (
        ("sh -c", ("sh", "-c", f"{ADDS} {rounds}; :")),
        ("a script", (script(folder / "run.sh", f"exec {ADDS} {rounds}"),)),
        ("a script of a script", (script(folder / "outer.sh", f"{folder}/run.sh"),)),
    ):
        work = report_of(*words)[0]["summary"]["instructions"]
        check(work > 11 * rounds, f"{what}: the program is counted", work)
    left_out, _ = report_of("--trace-children", "no", "sh", "-c", f"{ADDS} {1000 * rounds}; :")
    check(
        left_out["summary"]["instructions"] < 11 * rounds * 1000,
        "--trace-children no: it is not",
        left_out["summary"],
    )
    check(
        any("started another one" in note and "--trace-children no" in note for note in left_out["notes"]),
        "which is said",
        left_out["notes"],
    )
    check("--trace-children no" in left_out["look_closer"], "and repeated", left_out["look_closer"])
    refused = topdown("--trace-children", "sh", "-c", ":")
    check(
        refused.returncode == 125 and "yes or no" in refused.stderr, "a word that is neither", refused.stderr
    )


def natives(report):
    return " ".join(note for note in report["notes"] if note.startswith("Not simulated, so what"))


def check_natives(folder):
    """Programs that Valgrind can't run do what they always do; the report names each, with the reason."""
    true = pathlib.Path(shutil.which("true")).read_bytes()
    for name, mode, content in (("rights", 0o4755, true), ("bits-32", 0o755, true[:4] + b"\1" + true[5:])):
        (folder / name).write_bytes(content)
        (folder / name).chmod(mode)
    (folder / "su.sh").write_text(f"#!{folder}/rights\n", encoding="utf-8")
    (folder / "su.sh").chmod(0o755)
    words = "; ".join(f"{folder}/{name}; echo $?" for name in ("rights", "su.sh", "bits-32"))
    plain = subprocess.run(["sh", "-c", words], capture_output=True, text=True, check=False).stdout
    report, out = report_of("sh", "-c", f"{words}; exit 0")
    check(out == plain and out.startswith("0\n0\n"), "they end as without a simulation", (out, plain))
    for name, reason in (("rights", "set-user-ID"), ("su.sh", "set-user-ID"), ("bits-32", "64-bit")):
        check(
            re.search(rf"{folder}/{name} \([^)]*{reason}", natives(report)),
            f"{name} is named",
            report["notes"],
        )
    check("left no counts" not in str(report["notes"]), "nothing else is missing", report["notes"])
    again, _ = report_of(
        "sh", "-c", f"{folder}/rights; {folder}/rights; {folder}/missing 2>/dev/null; exit 0"
    )
    check(
        natives(again).count("/rights") == 1 and "/missing" not in natives(again),
        "once, and none that does not exist",
        again["notes"],
    )
    anchored = topdown("--pmu", "sim", "--format", "json", "sh", "-c", f"{folder}/rights; exit 0")
    anchor = json.loads(anchored.stderr)["anchor"]
    check(
        anchor["reason"] in ("some of its programs can't be simulated", "sim is not this machine's core"),
        "nothing is compared",
        anchor,
    )


def check_simulators(folder):
    """A simulator within a simulation, and another tool of Valgrind's."""
    inner = f"{TOPDOWN} --pmu sim --no-anchor --format json -o {folder}/inner {ADDS} 20000"
    report, out = report_of("sh", "-c", f"{inner}; echo $?; valgrind --tool=none -q true; echo $?")
    check(
        out.endswith("0\n0\n") and "a simulator itself" in natives(report),
        "both work, and are named",
        (out, report["notes"]),
    )
    check(read_json(folder / "inner")["summary"]["instructions"] > 11 * 20000, "the inner one counts")


def check_sanitized(folder):
    """AddressSanitizer and Valgrind want the same memory: such a child runs natively, such a program is
    refused before it starts."""
    source = folder / "checked.c"
    source.write_text('#include <stdio.h>\nint main(void) { puts("checked"); return 3; }\n', encoding="utf-8")
    names = []
    for compiler in ("gcc", "clang"):
        built = subprocess.run(
            [compiler, "-s", "-fsanitize=address", source, "-o", folder / f"by-{compiler}"],
            capture_output=True,
            check=False,
        )
        names += [f"by-{compiler}"] if not built.returncode else []
    for name in names:
        report, out = report_of("sh", "-c", f"{folder}/{name}; echo $?; exit 0")
        check(
            out == "checked\n3\n" and f"{folder}/{name} (built with AddressSanitizer)" in natives(report),
            f"{name} runs, and is named",
            (out, report["notes"]),
        )
        refused = topdown(*SIM, folder / name)
        check(
            refused.returncode == 125
            and not refused.stdout
            and "without -fsanitize=address" in refused.stderr,
            f"{name} is refused",
            refused.stderr,
        )
    if names:
        subprocess.run([names[0][3:], "-fsanitize=undefined", source, "-o", folder / "undefined"], check=True)
        report, out = report_of("sh", "-c", f"{folder}/undefined; echo $?; exit 0")
        check(
            out == "checked\n3\n" and not natives(report), "another sanitizer is simulated", report["notes"]
        )


def check_instruction():
    """A child of which Valgrind can't run an instruction."""
    if os.uname().machine != "x86_64":
        return
    report, _ = report_of("sh", "-c", f"{BUILD}/kernels/behave avx512 2>/dev/null; exit 0")
    check(
        any(
            "kernels/behave" in note and "AVX-512" in note and "x86-64-v3" in note for note in report["notes"]
        ),
        "AVX-512 is named",
        report["notes"],
    )


ODD = r"""
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <unistd.h>

extern char **environ;

static void list_descriptors(void)
{
	char path[300], target[300];
	DIR *list = opendir("/proc/self/fd");
	struct dirent *entry;

	while ((entry = readdir(list))) {
		ssize_t length;

		snprintf(path, sizeof(path), "/proc/self/fd/%s", entry->d_name);
		length = readlink(path, target, sizeof(target) - 1);
		if (atoi(entry->d_name) < 1024 && length > 0)
			printf("%s %.*s\n", entry->d_name, (int)length, target);
	}
}

static int without_name(void)
{
	char bytes[65536], *words[] = { "odd", "second", NULL };
	int from = open("/proc/self/exe", O_RDONLY), to = memfd_create("mine", MFD_CLOEXEC);

	for (ssize_t got; (got = read(from, bytes, sizeof(bytes))) > 0;)
		if (write(to, bytes, got) != got)
			return 99;
	fexecve(to, words, environ);
	return 98;
}

int main(int count, char **words)
{
	const char *act = count > 1 ? words[1] : "";
	char line[80];

	if (!strcmp(act, "second"))
		return 7;
	if (!strcmp(act, "itself"))
		execl("/proc/self/exe", words[0], "second", (char *)0);
	if (!strcmp(act, "memory"))
		return without_name();
	if (!strcmp(act, "descriptors"))
		list_descriptors();
	if (!strcmp(act, "traced") && ptrace(PTRACE_TRACEME, 0, 0, 0) == 0)
		raise(SIGSTOP);
	if (!strcmp(act, "signal"))
		kill(getpid(), atoi(words[2]));
	if (!strcmp(act, "core"))
		abort();
	if (strcmp(act, "stopped") && strcmp(act, "waits"))
		return 5;
	if (!strcmp(act, "stopped"))
		kill(getpid(), SIGTSTP);
	puts("it waits");
	fflush(stdout);
	return fgets(line, sizeof(line), stdin) && !strcmp(line, "go on\n") ? 6 : 97;
}
"""


def build_odd(folder):
    (folder / "odd.c").write_text(ODD, encoding="utf-8")
    subprocess.run(["cc", "-w", folder / "odd.c", "-o", folder / "odd"], check=True)
    return folder / "odd"


def check_odd(odd, folder):
    """What a program does that Valgrind has no way for ends as it does natively, and is said."""
    (folder / "room").mkdir()
    (folder / "here").mkdir()
    for words, status, said in (
        (("itself",), 7, "/proc/self/exe (a name that leads to Valgrind)"),
        (("memory",), 7, "/memfd:mine (deleted) (a file in memory, or removed)"),
        (("traced",), 5, "PTRACE_TRACEME"),
        (("signal", "31"), 128 + 31, ""),
        (("signal", "64"), 128 + 64, ""),
    ):
        native = subprocess.run([odd, *words], check=False).returncode if words[0] != "traced" else status
        check(native in (status, 128 - status), f"{words}: natively", native)
        result = topdown(*SIM, "--format", "json", odd, *words, env=environment(TMPDIR=str(folder / "room")))
        check(
            result.returncode == status and said in " ".join(json.loads(result.stderr)["notes"]),
            f"{words}: {status}",
            (result.returncode, result.stdout, result.stderr[-600:]),
        )
    script = 'ulimit -c unlimited && exec "$@"'
    result = subprocess.run(
        ["sh", "-c", script, "sh", TOPDOWN, *SIM, odd, "core"],
        cwd=folder / "here",
        env=environment(TMPDIR=str(folder / "room")),
        capture_output=True,
        check=False,
    )
    check(result.returncode == 128 + 6, "a program that dumps core", result)
    check(
        [path.name[:7] for path in (folder / "here").iterdir()] == ["vgcore."],
        "its core is in the current directory",
        list((folder / "here").iterdir()),
    )
    check(not list((folder / "room").iterdir()), "and nothing is left", list((folder / "room").iterdir()))
    seen = [
        subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False).stdout.split(b"\n")
        for words in ((odd, "descriptors"), (TOPDOWN, *SIM, odd, "descriptors"))
    ]
    natively, simulated = ([line.split()[0] for line in lines if line] for lines in seen)
    check(natively == simulated, "the same descriptors are open", seen)


SHELL = (
    f"PATIENCE = {PATIENCE}"
    + """
import os, signal, sys, time
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
job = os.fork()
if not job:
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    os.execv(sys.argv[1], sys.argv[1:])
_, status = os.waitpid(job, os.WUNTRACED)
os.tcsetpgrp(0, os.getpid())
def states_of(group):
    states = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[2]) == group:
            states.add(fields[0])
    return states
# The terminal's signal comes to each of the group by itself, and on a busy machine late.
end = time.monotonic() + PATIENCE
while (states := states_of(job)) != {"T"} and time.monotonic() < end:
    time.sleep(0.01)
print("the shell: stopped", os.WIFSTOPPED(status), states, flush=True)
os.tcsetpgrp(0, job)
os.killpg(job, signal.SIGCONT)
print("the shell: continued", flush=True)
_, status = os.waitpid(job, 0)
print("the shell: status", os.waitstatus_to_exitcode(status), flush=True)
"""
)


def check_job(odd):
    """Ctrl-Z, and a program that stops itself: topdown stops and goes on with it, as a job of a shell."""
    for act in ("waits", "stopped"):
        for words in ((*SIM, "--no-last"), ("sample",)):
            pid, terminal = pty.fork()
            if not pid:
                shell = [sys.executable, "-c", SHELL, TOPDOWN, *words, odd, act]
                os.execve(sys.executable, list(map(str, shell)), environment(TERM="dumb"))
            text, is_typed, answers = "", False, False
            while True:
                try:
                    text += os.read(terminal, 65536).decode(errors="replace")
                except OSError:
                    break
                if act == "waits" and "it waits" in text and not is_typed:
                    is_typed = os.write(terminal, b"\x1a") > 0
                if "the shell: continued" in text and not answers:
                    answers = os.write(terminal, b"go on\n") > 0
            os.waitpid(pid, 0)
            check(
                "the shell: stopped True {'T'}" in text and "the shell: status 6" in text,
                f"{words[0]}: {act}",
                text[-900:],
            )


def check_late(folder):
    """A process that outlives the program starts others when the simulation's files have gone."""
    report, _ = report_of(
        "sh",
        "-c",
        (
            f"(while [ ! -e {folder}/go ]; do sleep 0.1; done; {ADDS} 1000; echo $? > {folder}/late)"
            " >/dev/null 2>&1 & exit 0"
        ),
    )
    check("left no counts" in str(report["notes"]), "its work is missing, which is said", report["notes"])
    (folder / "go").touch()
    check(wait_until(lambda: lines_in(folder / "late")) == ["0"], "it works all the same")


def check_names(folder):
    """Lines of several programs stand apart by their objects; a file is called as where it is sampled, and
    not as the link that starts it."""
    (folder / "alias").symlink_to(BUILD / "kernels/multiply")
    words = f"{ADDS} 50000; {folder}/alias 50000; :"
    report, _ = report_of("--lines", "--nodes", "Retiring", "sh", "-c", words)
    objects = {
        pathlib.Path(row["object"]).name
        for group in report["lines"]
        for row in group["lines"]
        if row["object"]
    }
    check({"adds", "multiply"} <= objects and "alias" not in objects, "objects", objects)


# ---- on a terminal ----


def on_terminal(*words, look=lambda text: None):
    """All that a terminal of 80 columns gets, and the exit status. look() is given what there is so far."""
    pid, terminal = pty.fork()
    if not pid:
        set_size(0, 80, 24)
        os.execve(TOPDOWN, [str(word) for word in (TOPDOWN, *words)], environment(TERM="xterm", NO_COLOR="1"))
    text = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        text += part
        look(text.decode(errors="replace"))
    return text.decode().replace("\r\n", "\n"), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


PROGRESS = re.compile(
    r"\r\x1b\[Ktopdown: (\d+) M instructions in (\d+) s"
    r"(?:, \d+\.\d M/s|( \(Ctrl-C: report; faster: a smaller input\)))"
)


def check_progress(folder):
    """A line that grows, with the way to a shorter wait, and that has gone before anything else is written.
    The program ends when it has been seen to grow, and to name that way."""
    wait = f"while [ ! -e {folder}/stop ]; do :; done; printf 'of the program'; exit 0"

    def stop(text):
        found = PROGRESS.findall(text)
        if len(found) >= 3 and found[-1][2] and int(found[-1][0]) > int(found[0][0]):
            (folder / "stop").touch()

    # What is sampled has no shorter wait, and after 200 M instructions it is by itself.
    text, status = on_terminal(*SIM, "--sim-sample", "1", "sh", "-c", wait, look=stop)
    lines = PROGRESS.findall(text)
    check(status == 0 and len(lines) >= 3, "progress", (status, text[:600]))
    numbers, seconds = ([int(line[i]) for line in lines] for i in (0, 1))
    check(numbers == sorted(numbers) and numbers[0] < numbers[-1], "it grows", lines)
    check(seconds == sorted(set(seconds)), "once a second", lines)
    check(
        [bool(line[2]) for line in lines] == [second >= 4 for second in seconds],
        "and names the way to a shorter wait after some seconds",
        lines,
    )
    before, _, after = text.partition("of the program")
    check(before.endswith("\r\x1b[K"), "the line has gone when the program writes", before[-80:])
    check("M instructions in " not in after, "and stays away", after[:200])
    work = re.search(r"^Run .*?\b([\d.]+) ([MG])\s+instructions", after, re.M | re.S)
    check(
        work and float(work[1]) * (1000 if work[2] == "G" else 1) >= numbers[-1],
        "no more than there were",
        (work and work[0], numbers),
    )
    check(
        "M instructions in " not in topdown(*SIM, "sh", "-c", "sleep 1.3").stderr,
        "nothing where standard error is not a terminal",
    )


def check_paragraph():
    """Why it is simulated: one paragraph within the terminal's columns, before everything else."""
    text, _ = on_terminal("--no-anchor", "true")
    if "SIMULATED core instead" not in re.sub(r"\s+", " ", text):
        return  # something can be counted here
    paragraph = re.split(r"\n(?=[\d.]+ [kM] instructions are)", text)[0]
    check_all(paragraph.split("\n"), lambda line: len(line) <= 80, "80 columns")
    check(
        len(paragraph.split()) <= 42 and "topdown doctor" in re.sub(r"\s+", " ", paragraph),
        "few words, and where more are",
        paragraph,
    )
    check(
        "topdown sample" not in re.sub(r"\s+", " ", paragraph),
        "no word about places where none was asked for",
        paragraph,
    )
    text = re.sub(r"\s+", " ", on_terminal("--no-anchor", "--lines", "true")[0])
    check(
        "as long; `topdown sample` is the quick way, by time. " in text, "--lines: the quick way", text[:400]
    )


need_simulator()
with temporary() as place:
    check_wrappers(place)
    check_natives(place)
    check_simulators(place)
    check_sanitized(place)
    check_instruction()
    program = build_odd(place)
    check_odd(program, place)
    check_job(program)
    check_late(place)
    check_names(place)
    check_progress(place)
    check_paragraph()
finish()
