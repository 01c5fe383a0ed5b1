#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""completion.py - what `topdown completion words` offers is what --help and `topdown list` name, all of it is
accepted, and bash, zsh and fish show it: each by its own functions, and by keys on a terminal. A shell that
is not here is left out, and said so."""
import concurrent.futures
import csv
import io
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    EVERY,
    NO_PMU,
    PATIENCE,
    TOPDOWN,
    check,
    check_failure,
    check_success,
    environment,
    finish,
    some,
    temporary,
    topdown,
)
from lib.terminal import SEQUENCE, set_size

OVERVIEW = re.search(r"^commands:\n(.*?)\n\n", topdown("--help").stdout, re.M | re.S)[1]
COMMANDS = [line.split()[0] for line in OVERVIEW.splitlines() if re.match(r"  \w", line)]
CPUS = ("sapphirerapids", "cascadelakex", "amdzen4", "neoverse-v1")
# Values that nobody can list: numbers, times, names of the user's own, and what a history has.
FREE = {
    "--budget",
    "--prepare",
    "--warmup",
    "--repeat",
    "--interval",
    "--delay",
    "--duration",
    "--timeout",
    "--idle-threshold",
    "--mux-interval",
    "--max-runs",
    "--counters",
    "--sim-sample",
    "--sim-seconds",
    "--layouts",
    "--toggle",
    "--frequency",
    "--period",
    "--callers",
    "--annotate",
    "--thread",
    "--process",
    "--module",
    "--percent-limit",
    "--tid",
    "--tag",
    "--fixed",
    "--pin",
    "--program",
    "--machine",
    "--branch",
    "--since",
    "--last",
    "--least",
    "--keep",
    "--before",
    "--seconds",
    "--per-function",
    "--times",
}
HISTORY_OWN = {("history", "--metrics")}
NO_LIST = {("doctor", "--steady")}


def asked(*words):
    """(what the shell adds, its number, [words]) for a command line that ends in the last word."""
    result = topdown("completion", "words", "--", *words)
    check_success(result, f"completion words {words}")
    first, *lines = result.stdout.splitlines()
    kind, number = first.split()
    return kind, int(number), [line.split("\t")[0] for line in lines]


def offered(*words):
    return asked(*words)[2]


def short_help(command):
    words = ("help", "options", "--every") if command == "" else (command, "--help")
    return topdown(*words, env=environment(COLUMNS="80")).stdout


def options_of(command):
    """[(letter or None, name, argument)] as --help has them."""
    found = re.findall(
        r"^  (?:-(\w), |    )(--[\w-]+)(?: ([^ \n]+)|(\[=\w+\]))?(?:\n|  )", short_help(command), re.M
    )
    return [(letter or None, name, argument or optional) for letter, name, argument, optional in found]


def prefix(command):
    return (command,) if command else ()


def column(what, key, *words):
    rows = csv.DictReader(io.StringIO(topdown("list", what, "--format", "csv", *words).stdout))
    return [row[key] for row in rows]


def check_options():
    """Each command offers what its --help lists, in that order, and no more."""
    for command in ("", *COMMANDS):
        listed = options_of(command)
        check(len(listed) >= 2, f"{command} --help has options", listed)
        check(
            offered(*prefix(command), "--") == [name for _, name, _ in listed],
            f"{command}: options behind --",
            set(offered(*prefix(command), "--")) ^ {name for _, name, _ in listed},
        )
        both = [word for letter, name, _ in listed for word in ([f"-{letter}"] if letter else []) + [name]]
        check(
            offered(*prefix(command), "-") == both,
            f"{command}: options behind -",
            offered(*prefix(command), "-"),
        )
    check(sorted(offered("")) == sorted(COMMANDS), "the first word", offered(""))
    check(asked("")[:2] == ("program", 0), "or a program", asked("")[:2])


def check_values():
    """Each option with a value has names or files, or is one whose values nobody knows. Choices are those of
    the error's sentence."""
    for number, command in enumerate(("", *COMMANDS)):
        for _, name, argument in some(options_of(command), number):
            if not argument:
                continue
            with_sign = [*prefix(command), f"{name}="]
            behind = with_sign if argument.startswith("[") else [*prefix(command), name, ""]
            on_cpu = [*prefix(command), "--cpu", "clx", *behind[len(prefix(command)) :]]
            kind, _, words = asked(*on_cpu)
            is_free = name in FREE or (command, name) in HISTORY_OWN | NO_LIST
            check(
                (kind != "words" or bool(words)) != is_free,
                f"{command} {name}: something is offered, or nobody knows",
                (kind, words[:3]),
            )
            same = [f"{name}={word}" for word in words]
            check(
                (
                    offered(*on_cpu[:-2], f"{name}=") == same
                    if name != "--pid" and not argument.startswith("[")
                    else True
                ),
                f"{command} {name}= offers the same",
            )
            if argument in ("FILE", "FILE.db") and name != "--module":
                check(kind == "files", f"{command} {name}: files", kind)
            if argument == "DIR":
                check(kind == "folders", f"{command} {name}: folders", kind)
            error = re.search(
                r"must be one of (.*)", topdown(*prefix(command), f"{name}=nosuch", "--help").stderr
            )
            if error:
                choices = set(re.split(r", | or ", error[1])) - ({"perf"} if command != "plan" else set())
                choices -= {"sim"} if name == "--pmu" else set()  # which --cpu excludes
                check(set(words) == choices, f"{command} {name}: the choices", (words, choices))


def check_names():
    """Names are those of `topdown list`."""
    check(offered("plan", "--cpu", "") == column("cpus", "name"), "--cpu offers the CPUs")
    check(offered("--sim-core", "") == column("cores", "name"), "--sim-core offers the cores")
    for cpu in CPUS:
        here = ("--cpu", cpu)
        for words, what, key in (
            (("report", *here, "--nodes", ""), "nodes", "title"),
            (("plan", *here, "--metrics", ""), "metrics", "title"),
            (("plan", *here, "--groups", ""), "groups", "group"),
            (("plan", *here, "-e", ""), "events", "name"),
            (("metrics", *here, ""), "metrics", "title"),
        ):
            expected = column(what, key, *here)
            check(
                len(expected) > 2 and offered(*words) == expected,
                f"{words}: `topdown list {what}`",
                (offered(*words)[:3], expected[:3]),
            )
        both = column("nodes", "title", *here) + column("metrics", "title", *here)
        check(offered("explain", *here, "") == both, f"explain on {cpu}: nodes and metrics")
    machine = ("--sysroot", NO_PMU)
    check(
        offered("report", *machine, "--nodes", "") == column("nodes", "title", *machine),
        "without --cpu the machine's",
        offered("report", *machine, "--nodes", ""),
    )
    check(
        offered("--pmu", "sim", "--nodes", "") == column("nodes", "title", "--pmu", "sim"),
        "with --pmu sim the simulator's",
    )
    topics = re.findall(
        r"\w+", re.search(r"Other pages for `topdown help`: (.*?)\.", topdown("help").stdout)[1]
    )
    check(
        set(offered("help", "")) == {*COMMANDS, *topics, "options"},
        "help offers its pages",
        offered("help", ""),
    )


def check_accepted():
    """Nothing is offered that the program refuses."""
    for cpu in some(offered("plan", "--cpu", "")[::5]):  # plan.* plan for each of them
        result = topdown("plan", "--cpu", cpu)
        check(result.returncode == 0 or "no tree" in result.stderr, f"plan --cpu {cpu}", result.stderr)
    for cpu in CPUS:
        for option, list_of in (("--nodes", "nodes"), ("--metrics", "metrics"), ("--groups", "groups")):
            words = ",".join(offered("plan", "--cpu", cpu, option, ""))
            result = topdown("plan", "--cpu", cpu, option, words)
            check(result.returncode == 0, f"plan --cpu {cpu} {option}: all {list_of}", result.stderr[:300])
        for event in some(offered("plan", "--cpu", cpu, "-e", "")[::160]):
            result = topdown("plan", "--cpu", cpu, "-l1", "-e", event)
            check(result.returncode == 0, f"plan --cpu {cpu} -e {event}", result.stderr[:300])
    for command, words in (
        ("plan", ["--cpu", "clx"]),
        ("list", ["cpus"]),
        ("explain", ["--cpu", "clx", "Retiring"]),
        ("metrics", ["--cpu", "clx"]),
        ("doctor", ["--sysroot", NO_PMU]),
        ("help", ["plan"]),
    ):
        for form in some(offered(command, "--format", "")):
            result = topdown(command, "--format", form, *words)
            check(result.returncode in (0, 1) and result.stdout, f"{command} --format {form}", result.stderr)
    for what in offered("list", ""):
        check_success(topdown("list", what, "--cpu", "clx"), f"list {what}")
    for shell in offered("completion", ""):
        check_success(topdown("completion", shell), f"completion {shell}")
    for word in some(offered("help", "")):
        check_success(topdown("help", word), f"help {word}")
    for form in offered("export", "--to", ""):
        check("form" not in topdown("export", "--to", form, "/nonexistent").stderr, f"export --to {form}")
    for form in offered("import", "--from", ""):
        check(
            "--from"
            not in topdown("import", "--from", form, "-o", "/nonexistent/a", "/nonexistent/b").stderr,
            f"import --from {form}",
        )
    for word in some(offered("--what-if", "")):
        result = topdown("--pmu", "sim", "--what-if", word, "/nonexistent/prog")
        check("nothing is called" not in result.stderr, f"--what-if {word}", result.stderr)
    steady = topdown(
        f"--steady={','.join(offered('--steady='))[len('--steady='):].replace('--steady=', '')}",
        "--sysroot",
        NO_PMU,
        "/nonexistent/prog",
    )
    check("is none of" not in steady.stderr and len(offered("--steady=")) == 5, "--steady", steady.stderr)


def check_numbers():
    """CPUs that are online, and processes: of a machine that is made up, and of this one."""
    with temporary() as root:
        (root / "proc/sys/kernel").mkdir(parents=True)
        (root / "sys/devices/system/cpu").mkdir(parents=True)
        for cpu in (0, 1, 2, 3, 5):
            (root / f"sys/devices/system/cpu/cpu{cpu}/topology").mkdir(parents=True)
            (root / f"sys/devices/system/cpu/cpu{cpu}/topology/core_id").write_text(
                f"{cpu}\n", encoding="utf-8"
            )
        (root / "sys/devices/system/cpu/online").write_text("0-2,5\n", encoding="utf-8")
        (root / "proc/cpuinfo").write_text(
            "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\nstepping\t: 8\n", encoding="utf-8"
        )
        for number, name, user, memory in (
            (71, "mine", os.geteuid(), True),
            (72, "of another", os.geteuid() + 1, True),
            (73, "kthread", os.geteuid(), False),
        ):
            (root / f"proc/{number}").mkdir()
            (root / f"proc/{number}/status").write_text(
                f"Name:\t{name}\nUid:\t{user}\t{user}\t{user}\t{user}\n" + "VmSize:\t  100 kB\n" * memory,
                encoding="utf-8",
            )
        here = ("--sysroot", str(root))
        check(
            offered(*here, "-C", "") == ["0", "1", "2", "5"],
            "-C: CPUs that are online",
            offered(*here, "-C", ""),
        )
        check(
            offered(*here, "--cpus=0,") == [f"--cpus=0,{cpu}" for cpu in (0, 1, 2, 5)],
            "--cpus: a list",
            offered(*here, "--cpus=0,"),
        )
        owned = ["71", "72"] if os.geteuid() == 0 else ["71"]
        check(
            offered(*here, "-p", "") == owned,
            "-p: one's own processes, root's are all; not the kernel's",
            offered(*here, "-p", ""),
        )
        lines = topdown("completion", "words", "--", *here, "--pid", "71,7").stdout.splitlines()
        check("71,71\tmine" in lines, "-p: a list, with names", lines)
    check(str(os.getpid()) in offered("-p", ""), "-p: this test", offered("-p", "")[:5])


def check_places():
    """Where the cursor stands, by hand."""
    clx = ("--cpu", "clx")
    for words, expected in (
        (("pl",), ("program", 0, ["plan"])),
        (("./prog", "-"), ("program", 0, [])),
        (("-l3", ""), ("program", 1, [])),
        (("-l3", "--", "plan", "-"), ("program", 2, [])),
        (("-l", "3", "-vp", "12", "prog", ""), ("program", 4, [])),
        (("-l", "--save", "x"), ("program", 2, [])),
        (("--save", "x"), ("files", 0, [])),
        (("--save=x",), ("files", 7, [])),
        (("sample", "--frequency", "99", "./prog", "--cpu", ""), ("program", 3, [])),
        (("metrics", *clx, "--", "prog", ""), ("program", 4, [])),
        (("plan", *clx, "--nodes", "DRAM_Bound,!l3_b"), ("words", 0, ["DRAM_Bound,!L3_Bound"])),
        (("plan", *clx, "--nodes=tma_dram"), ("words", 8, ["--nodes=tma_dram_bound"])),
        (("plan", "--cpu=clx", "--nodes", "^dram_b"), ("words", 0, ["^DRAM_Bound"])),
        (("plan", "--cpu", "clx", "--nod", "dram_b"), ("words", 0, ["DRAM_Bound"])),
        (("plan", *clx, "--nodes", "Memory_Bound/2"), ("words", 0, [])),
        (("plan", "--format", "p"), ("words", 0, ["perf"])),
        (("report", "--format", "p"), ("words", 0, [])),
        (("gate", "--format", "j"), ("words", 0, ["json", "junit"])),
        (("list", "nodes", ""), ("words", 0, [])),
        (("report", "x"), ("files", 0, [])),
        (("report", "--", "-"), ("files", 0, [])),
        (("import", "--from", "perf", "x"), ("folders", 0, [])),
        (("history", "x"), ("files", 0, [])),
        (("history", "x.db", "a"), ("words", 0, ["accept", "annotate"])),
        (("history", "x.db", "import", "x"), ("files", 0, [])),
        (("plan", "--nosuch", "--cpu", "sapphirerapidsh"), ("words", 0, ["sapphirerapidshbm"])),
        (("plan", "--cpu", "nosuch", "--nodes", ""), ("words", 0, [])),
        (("plan", "--nosuch="), ("words", 9, [])),
        (("-l3", "--syscalls", "all,openat2"), ("words", 0, ["all,openat2"])),
        (("--steady=pin,as",), ("words", 9, ["--steady=pin,aslr"])),
        (("doctor", "--steady="), ("words", 9, [])),
    ):
        check(asked(*words) == expected, f"{words}", asked(*words))
    for words in (
        ("completion",),
        ("completion", "words"),
        ("completion", "tcsh"),
        ("completion", "bash", "zsh"),
    ):
        check_failure(topdown(*words), " ".join(words), "bash|zsh|fish")


# What shells show: the command line, split as each of them does, and the words that take the place of the
# last part.
LINES = [
    ("topdown plan --cpu sapphirerapidsh", ["sapphirerapidshbm"]),
    ("topdown plan --cpu 'sapphirerapidsh", ["sapphirerapidshbm"]),
    ("topdown plan --cpu=sapphirerapidsh", ["sapphirerapidshbm"]),
    ("topdown plan --cpu alderlake:", ["core", "atom"]),
    ("topdown rep", ["report"]),
    ("topdown plan --cpu=clx --nodes=Retiring,dram_b", ["Retiring,DRAM_Bound"]),
    ("topdown list ", ["cpus", "cores", "events", "metrics", "nodes", "groups"]),
    ("topdown report fir", ["first.json"]),
    ("topdown --output=fir", ["first.json"]),
    ("topdown import --from perf fo", ["folder"]),
    ("topdown -l3 -o first.json only", ["onlyhere"]),
    ("topdown -l3 onlyhere fir", ["first.json"]),
]


def prepare(folder):
    """Files and a program to be completed, and the scripts."""
    (folder / "bin").mkdir()
    (folder / "bin/topdown").symlink_to(TOPDOWN)
    (folder / "bin/onlyhere").write_text("#!/bin/sh\n", encoding="utf-8")
    (folder / "bin/onlyhere").chmod(0o755)
    (folder / "first.json").write_text("{}", encoding="utf-8")
    (folder / "folder").mkdir()
    for shell in ("bash", "zsh", "fish"):
        (folder / shell).write_text(topdown("completion", shell).stdout, encoding="utf-8")
    return environment(
        HOME=str(folder),
        PATH=f"{folder}/bin:{os.environ['PATH']}",
        XDG_CONFIG_HOME=str(folder / "config"),
        TERM="xterm",
        XDG_DATA_HOME=str(folder / "data"),
    )


def run_script(folder, env, *words):
    return subprocess.run(
        [*map(str, words)],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=PATIENCE,
    )


BASH = r"""
[ -z "$COMMON" ] || . "$COMMON"
. ./bash
compopt() { :; }
split() { # as readline does: at blanks, and at = and :, which are words
	local rest=$1
	COMP_WORDS=()
	while [[ $rest =~ ^\ *([^\ =:]+|[=:]+)(.*)$ ]]; do COMP_WORDS+=("${BASH_REMATCH[1]}") rest=${BASH_REMATCH[2]}; done
	[[ $1 != *" " ]] || COMP_WORDS+=("")
}
while IFS= read -r line; do
	split "$line"
	COMP_LINE=$line COMP_POINT=${#line} COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
	_topdown topdown "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
	printf '%s\n' "$line" "${COMPREPLY[@]}" ""
done
"""  # noqa: E501


def check_bash():
    common = "/usr/share/bash-completion/bash_completion"
    if not os.path.exists(common):
        print("bash-completion is not here: bash is driven without it alone")
    for extra in ("", *([common] if os.path.exists(common) else [])):
        with temporary() as folder:
            env = {**prepare(folder), "COMMON": extra}
            (folder / "driver").write_text(BASH, encoding="utf-8")
            result = subprocess.run(
                ["bash", "driver"],
                input="".join(f"{line}\n" for line, _ in LINES),
                cwd=folder,
                env=env,
                capture_output=True,
                text=True,
                check=False,
                timeout=PATIENCE,
            )
            check(not result.stderr, f"bash {extra}: stderr", result.stderr)
            parts = [part.split("\n") for part in result.stdout.split("\n\n")]
            for (line, expected), (found_line, *found) in zip(LINES, parts):
                check(
                    found_line == line and sorted(set(found)) == sorted(expected),
                    f"bash {extra}: {line!r}",
                    (found_line, found),
                )


def check_fish():
    with temporary() as folder:
        env = prepare(folder)
        for line, expected in LINES:
            last = re.split(r"[ =]", line)[-1] if not line.endswith(" ") else ""
            result = run_script(
                folder, env, "fish", "--no-config", "-c", 'source fish; complete -C "$argv[1]"', line
            )
            check(not result.stderr, f"fish: {line!r}: stderr", result.stderr)
            found = [row.split("\t")[0].rstrip("/") for row in result.stdout.splitlines()]
            option = re.search(r" (--\w+=)[^ ]*$", line)
            whole = [
                (option[1] if option else "") + (last if last.endswith(":") else "") + word
                for word in expected
            ]
            check(sorted(found) == sorted(whole), f"fish: {line!r}", (found, whole))


class Shell:
    """A shell on a terminal of its own, with keys typed."""

    def __init__(self, folder, env, words, begin):
        self.master, slave = pty.openpty()
        set_size(self.master, 160, 200)
        self.process = subprocess.Popen(
            words,
            cwd=folder,
            env={**env, "PS1": "> "},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        self.typed("".join(f"{line}\n" for line in begin))

    def typed(self, keys, appears=None):
        """What appears until the shell answers the next command. Tabs are typed when what is before them has
        appeared, and the command when they have had their effect: keys that come at once are taken for pasted
        text."""
        self.seen = ""
        text = keys.rstrip("\t")
        os.write(self.master, text.encode())
        if appears:
            self.read_until(lambda seen: text.split()[-1] in seen)
            os.write(self.master, keys[len(text) :].encode())
            self.read_until(appears)
            os.write(self.master, b"\x15")  # Ctrl-U: the line goes
        os.write(self.master, b"echo do''ne\n")
        self.read_until(lambda seen: "\ndone" in seen)
        return self.seen

    def read_until(self, holds):
        end = time.monotonic() + PATIENCE
        while not holds(self.seen.replace("\r", "\n")) and time.monotonic() < end:
            if select.select([self.master], [], [], 1)[0]:
                self.seen = SEQUENCE.sub(
                    "", self.seen + os.read(self.master, 65536).decode("utf-8", "replace")
                )

    def close(self):
        os.close(self.master)
        self.process.kill()
        self.process.wait()


def listed_in(seen):
    return set(re.findall(r"(?:^|\s)(--[a-z][\w-]*)(?=\s|$)", seen))


def check_keys(shell, words, begin, tabs):
    """Tab completes what is unique, and lists the options."""
    with temporary() as folder:
        screen = Shell(folder, prepare(folder), words, begin)
        try:
            seen = screen.typed("topdown plan --cpu sapphirerapidsh\t", lambda seen: "idshbm" in seen)
            check("sapphirerapidshbm" in seen, f"{shell}: Tab completes a name", seen[-300:])
            seen = screen.typed("topdown plan --cpu=sapphirerapidsh\t", lambda seen: "idshbm" in seen)
            check("--cpu=sapphirerapidshbm" in seen.replace("\r", ""), f"{shell}: Tab behind =", seen[-300:])
            expected = {name for _, name, _ in options_of("plan")}
            seen = screen.typed("topdown plan --" + tabs, lambda seen: expected <= listed_in(seen))
            listed = listed_in(seen)
            check(
                expected <= listed,
                f"{shell}: Tab lists all options of plan",
                (sorted(expected - listed), seen[-600:]),
            )
            check(not {"--lines", "--live"} & listed, f"{shell}: Tab lists no others", listed - expected)
        finally:
            screen.close()


def check_shells():
    shells = {
        "bash": (
            ["bash", "--norc", "--noprofile", "-i"],
            ["bind 'set completion-query-items 0'", "bind 'set page-completions off'", ". ./bash"],
            "\t\t",
        ),
        "zsh": (
            ["zsh", "-f", "-i"],
            ["autoload -Uz compinit", "compinit -u -D", "LISTMAX=0", "source ./zsh"],
            "\t",
        ),
        "fish": (["setsid", "--ctty", "fish", "--no-config", "-i"], ["source fish"], "\t"),
    }  # which reads from no terminal but its own
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        waits = []
        for shell, (words, begin, tabs) in shells.items():
            if not shutil.which(shell):
                print(f"{shell} is not here: not driven")
                continue
            if shell == "bash":
                waits.append(pool.submit(check_bash))
            if shell == "fish":
                waits.append(pool.submit(check_fish))
            waits.append(pool.submit(check_keys, shell, words, begin, tabs))
        for wait in waits:
            wait.result()


check_options()
check_values()
check_names()
check_accepted()
check_numbers()
check_places()
if EVERY == 1:  # shells have no sanitizers
    check_shells()
finish()
