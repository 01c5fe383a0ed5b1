#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""steady.py - --steady: in a made-up /sys the governor, turbo and SMT are changed while a program is
measured, and are as before after each kind of end: its own, an error, Ctrl-C, SIGTERM, kill -9 of topdown,
and of topdown with its guard. The program is pinned, without ASLR. And doctor --steady, which changes
nothing.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import PATIENCE, TOPDOWN, check, environment, finish, read_json, skip, temporary, topdown, wait_until
from lib.soft_pmu import soft_pmu

CPU = "sys/devices/system/cpu/"
BEFORE = {
    CPU + "cpufreq/policy0/scaling_governor": "powersave",
    CPU + "cpufreq/policy1/scaling_governor": "schedutil",
    CPU + "cpufreq/policy0/scaling_available_governors": "performance powersave",
    CPU + "intel_pstate/no_turbo": "0",
    CPU + "smt/control": "on",
    "run/.keep": "",
}
STEADY = {
    CPU + "cpufreq/policy0/scaling_governor": "performance",
    CPU + "cpufreq/policy1/scaling_governor": "performance",
    CPU + "intel_pstate/no_turbo": "1",
    CPU + "smt/control": "off",
}
RECORD = "run/topdown-steady"


class Machine:
    def __init__(self, folder):
        self.folder, self.root = folder, folder / "root"
        self.options = list(map(str, soft_pmu(folder)))
        self.reset()

    def reset(self):
        for name, text in BEFORE.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text + "\n", encoding="utf-8")
        (self.root / RECORD).unlink(missing_ok=True)

    def text(self, name):
        return (self.root / name).read_text(encoding="utf-8").strip()

    def state(self):
        return {name: self.text(name) for name in STEADY}

    def becomes(self, wanted):
        """By topdown, or its guard."""
        return wait_until(lambda: self.state() == wanted)

    def check_restored(self, what):
        check(
            self.becomes({name: BEFORE[name] for name in STEADY}),
            f"{what}: everything is as before",
            self.state(),
        )
        check(wait_until(lambda: not (self.root / RECORD).exists()), f"{what}: no record is left")

    def words(self, *more, steady="governor,turbo,smt"):
        return ["-l1", *self.options, f"--steady={steady}", *more]

    def start(self, *program, is_running=True):
        """topdown, in a session of its own, once the machine is steady, and the program runs."""
        child = subprocess.Popen(
            [TOPDOWN, *self.words("--", *program)],
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        check(self.becomes(STEADY), "the machine is steady", self.state())
        check(not is_running or wait_until(lambda: programs_of(child.pid)), "the program runs")
        return child


def programs_of(pid):
    """Children of topdown that have become the program."""
    found = subprocess.run(
        ["pgrep", "-x", "-P", str(pid), "sleep"], capture_output=True, text=True, check=False
    ).stdout.split()
    return list(map(int, found))


def guards_of(pid):
    """Children of topdown in a session of their own: the guard."""
    found = subprocess.run(
        ["ps", "-o", "pid=,sess=", "--ppid", str(pid)], capture_output=True, text=True, check=False
    ).stdout.split("\n")
    return [int(line.split()[0]) for line in found if line.split() and line.split()[0] == line.split()[1]]


def check_normal(machine):
    result = topdown(*machine.words("--", "cat", *[machine.root / name for name in STEADY]))
    check(result.returncode == 0, "it measures", result.stderr[-400:])
    check(result.stdout.split() == list(STEADY.values()), "the program sees a steady machine", result.stdout)
    check(
        "performance (was powersave)" in result.stderr and "restored at the end" in result.stderr,
        "what was changed is said",
        result.stderr[:500],
    )
    machine.check_restored("its own end")
    result = topdown(*machine.words("--", "sh", "-c", "exit 3"))
    check(result.returncode == 3, "the program's status", result.returncode)
    machine.check_restored("a program that failed")
    result = topdown(*machine.words("-e", "NO_SUCH_EVENT", "--", "true"))
    check(
        result.returncode == 125 and "NO_SUCH_EVENT" in result.stderr,
        "an error after the change",
        result.stderr[-300:],
    )
    machine.check_restored("an error")
    result = topdown(*machine.words("--", machine.folder / "nothing"))
    check(result.returncode == 127, "no such program", result.returncode)
    machine.check_restored("no such program")


def check_signals(machine):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        child = machine.start("sleep", "9999")
        os.killpg(child.pid, number)  # as a terminal does
        child.communicate(timeout=PATIENCE)
        machine.check_restored(f"{number.name}")
    # Before the program runs: the guard alone restores.
    child = machine.start("sleep", "9999", is_running=False)
    os.killpg(child.pid, signal.SIGKILL)  # with what it has just started; the guard has a session of its own
    child.communicate(timeout=PATIENCE)
    machine.check_restored("kill -9 at once")
    child = machine.start("sleep", "9999")
    programs = programs_of(child.pid)
    child.kill()
    for pid in programs:
        os.kill(pid, signal.SIGKILL)
    child.communicate(timeout=PATIENCE)
    machine.check_restored("kill -9: the guard")


def check_killed(machine):
    """topdown and its guard: only the record is left, and the next start restores by it."""
    child = machine.start("sleep", "9999")
    programs = programs_of(child.pid)
    again = topdown(*machine.words("--", "true"))
    check(
        again.returncode == 125 and "another topdown" in again.stderr,
        "a second one is refused",
        again.stderr[-300:],
    )
    check(machine.state() == STEADY, "and leaves the machine to the first", machine.state())
    guards = guards_of(child.pid)
    check(len(guards) == 1, "there is a guard", guards)
    for pid in [*guards, child.pid, *programs]:
        os.kill(pid, signal.SIGKILL)
    child.communicate(timeout=PATIENCE)
    check(
        machine.state() == STEADY and (machine.root / RECORD).exists(),
        "nobody restores it then",
        machine.state(),
    )
    result = topdown("-l1", *machine.options, "--", "true")
    check(
        result.returncode == 0
        and "an earlier topdown was killed" in result.stderr
        and "4 settings" in result.stderr,
        "the next start says so",
        result.stderr[:400],
    )
    machine.check_restored("kill -9 of both: the next start")
    # A record that names other files does no harm.
    (machine.root / "victim").write_text("1\n", encoding="utf-8")
    (machine.root / RECORD).write_text(
        f"topdown-steady 1 1\nvictim 7\n../victim 7\n{CPU}cpufreq/policy0/../boost 1\n", encoding="utf-8"
    )
    topdown("-l1", *machine.options, "--", "true")
    check(machine.text("victim") == "1", "a record of other files", machine.text("victim"))
    machine.reset()


def check_midway(machine):
    """A setting that can't be changed, after others were: those are restored."""
    control = machine.root / CPU / "smt/control"
    control.unlink()
    control.symlink_to("/dev/full")
    result = topdown(*machine.words("--", "true"))
    check(result.returncode == 125, "a failure midway", (result.returncode, result.stderr[-300:]))
    control.unlink()
    control.write_text("on\n", encoding="utf-8")
    machine.check_restored("a failure midway")
    (machine.root / CPU / "cpufreq/policy1/scaling_governor").unlink()
    (machine.root / CPU / "cpufreq/policy0/scaling_governor").unlink()
    result = topdown(*machine.words("--", "true"))
    check(
        result.returncode == 125 and "no clock governor" in result.stderr,
        "a machine without a governor",
        result.stderr[-300:],
    )
    machine.reset()
    (machine.root / CPU / "intel_pstate/no_turbo").unlink()
    result = topdown(*machine.words("--", "true", steady="turbo"))
    check(
        result.returncode == 125 and "no switch for turbo" in result.stderr,
        "a machine without a switch for turbo",
        result.stderr[-300:],
    )
    result = topdown(*machine.words("--", "true", steady="turbo,fast"))
    check(
        result.returncode == 125 and "'fast' is none of pin" in result.stderr,
        "a word that is none",
        result.stderr[-300:],
    )
    machine.reset()
    result = topdown("-l1", *machine.options, "--steady", "-p", str(os.getpid()), "--duration", "0.1")
    check(
        result.returncode == 125 and "a program that topdown starts" in result.stderr,
        "-p can't be pinned",
        result.stderr[-300:],
    )


def check_rights(machine):
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        return
    for path in [machine.folder, *machine.folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    result = topdown(
        "--reuid=65534",
        "--regid=65534",
        "--clear-groups",
        TOPDOWN,
        *machine.words("--", "true"),
        program="setpriv",
    )
    check(
        result.returncode == 125 and "can't be changed" in result.stderr and "as root" in result.stderr,
        "without rights",
        result.stderr[-300:],
    )
    machine.check_restored("without rights")


def check_program(machine):
    """The program's own: its CPU and its addresses, and what is said of the choice."""
    result = topdown(
        "-l1", *machine.options, "--steady", "--", "grep", "Cpus_allowed_list", "/proc/self/status"
    )
    allowed = result.stdout.split(":")[-1].strip()
    check(allowed.isdigit() and int(allowed) in os.sched_getaffinity(0), "pinned to one CPU", result.stdout)
    check(f"starts on CPU {allowed} alone" in result.stderr, "which is said", result.stderr[:300])
    check(
        len(os.sched_getaffinity(0)) >= 1 and machine.state()[CPU + "smt/control"] == "on",
        "plain --steady changes no setting",
        machine.state(),
    )
    saved = machine.folder / "run.json"
    command = [
        "--save",
        str(saved),
        "--",
        "sh",
        "-c",
        "grep -m1 stack /proc/self/maps; grep -m1 '\\[stack' /proc/$$/maps",
    ]
    layouts = {
        re.search(r"^(\w+)-", topdown("-l1", *machine.options, "--steady=aslr", *command).stdout)[1]
        for _ in range(3)
    }
    check(len(layouts) == 1, "without ASLR the stack is where it was", layouts)
    check("--steady=aslr" in read_json(saved)["options"], "the session says how it was measured")
    result = topdown(
        "sample", "-g", "none", "--steady=pin,aslr", "--", "grep", "Cpus_allowed_list", "/proc/self/status"
    )
    if result.returncode == 0:
        check(result.stdout.split(":")[-1].strip().isdigit(), "sample --steady", result.stdout)


CHECKS = {
    "steady_time": ("time_s", 0.01),
    "steady_cycles": ("cycles", 0.01),
    "steady_clock": ("clock_hz", 0.02),
    "steady_cache": ("cache_s", 0.1),
    "steady_memory": ("memory_s", 0.1),
}  # the spread that each is judged by, and from which share on it limits
CAUSES = ("run_queue", "steal", "interrupts", "cpu_quota")


def doctor(*words):
    return json.loads(topdown("doctor", "--format", "json", *words).stdout)


def check_doctor(machine):
    """What doctor --steady says of this machine follows from its own figures; what they are is the
    machine's."""
    plain = doctor()
    check(
        not any(row["check"] in CHECKS for row in plain["checks"]) and "steadiness" not in plain,
        "nobody asked how steady it is",
        plain.get("steadiness"),
    )
    before = machine.state()
    document = doctor("--steady")
    told, rows = document["steadiness"], {row["check"]: row for row in document["checks"]}
    for name, (key, limit) in CHECKS.items():
        spread, row = told[key], rows[name]
        if spread["median"] is None:
            check(
                row["state"] == "unknown" and spread["n"] == 0,
                f"{name}: what is not measured is unknown",
                (row, spread),
            )
            continue
        share = (spread["high"] - spread["low"]) / spread["median"]
        check(
            spread["n"] >= 1 and 0 < spread["low"] <= spread["median"] <= spread["high"],
            f"{name}: a spread",
            spread,
        )
        check(row["state"] == ("ok" if share <= limit else "limits"), f"{name}: state", (row["state"], share))
        said = float(re.match(r"([\d.]+) % between the tenths", row["found"])[1])
        check(
            abs(said - 100 * share) <= (0.006 if share < 0.1 else 0.6),
            f"{name}: the share",
            (row["found"], share),
        )
        check(bool(row.get("change")) == (row["state"] == "limits"), f"{name}: a remedy where it limits", row)
    check(
        0 <= told["on_cpu"] <= 1.001 and told["seconds"] >= 1.9 and told["running"] >= 0,
        "its causes are figures",
        told,
    )
    limits = [name for name in (*CHECKS, *CAUSES) if rows[name]["state"] == "limits"]
    check(told["steady"] == (not limits), "it is steady where nothing limits", (told["steady"], limits))
    check(("is not steady now" in told["conclusion"]) == bool(limits), "the sentence", told["conclusion"])
    text = " ".join(topdown("doctor", "--steady").stdout.split())
    check(
        all(title in text for title in ("Same work, time", "Shared cache", "Run queue"))
        and "steady now: the same small piece of work" in text,
        "as text",
        text[-600:],
    )
    elsewhere = doctor("--steady", "--sysroot", machine.root)
    found = {row["found"] for row in elsewhere["checks"] if row["check"] in (*CHECKS, *CAUSES)}
    check(
        found == {"not measured: not this machine"} and not elsewhere.get("steadiness"),
        "of another machine nothing is measured",
        found,
    )
    check(
        machine.state() == before and not (machine.root / RECORD).exists(),
        "doctor changes nothing",
        machine.state(),
    )
    refused = topdown("doctor", "--steady=smt")
    check(
        refused.returncode == 125 and "takes no list" in refused.stderr,
        "doctor --steady takes no list",
        refused.stderr,
    )


def main():
    if topdown("sample", "-g", "none", "true").returncode:
        skip("the kernel's own events can't be counted here")
    with temporary() as folder:
        machine = Machine(folder)
        for part in (
            check_normal,
            check_signals,
            check_killed,
            check_midway,
            check_rights,
            check_program,
            check_doctor,
        ):
            part(machine)
    finish()


main()
