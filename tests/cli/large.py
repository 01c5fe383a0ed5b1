#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""large.py - small inputs whose answer could be huge: what is written stays within a bound, and a sentence
says what was cut or why nothing was read. No time is measured: what took the square of an input's size wrote
as much, or ends at a limit on CPU time that is twenty times what it takes now."""
import json
import re
import resource
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib.explored import View, block
from lib import SOURCE, TOPDOWN, check, environment, finish, profiles, read_json, temporary

CPU_S = 60
CHAIN = 20_000
FORMS = ("folded", "speedscope", "pprof", "callgrind", "firefox", "svg")
NAME = 1 << 20


def run(*words):
    """(status, bytes, words of stderr)"""
    done = subprocess.run(
        [TOPDOWN, *map(str, words)],
        capture_output=True,
        check=False,
        env=environment(),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S)),
    )
    return done.returncode, done.stdout, " ".join(done.stderr.decode(errors="replace").split())


def chain(number):
    """Each call has a row of one sample, and calls the next."""
    profile = profiles.Profile()
    caller, task = -1, profile.tasks.of((10, 11, "worker", "prog"))
    for i in range(number):
        place = profile.places.of((profile.modules.of("/bin/prog"), ((f"f{i}", "a.c", 1),)))
        caller = profile.stacks.of((place, caller))
        profile.rows.append((caller, task, 0, 1, 0, 1, 1_000_000))
    profile.events[0].update(samples=number, weight=1_000_000 * number)
    return profile


def written(folder, data):
    (folder / "input").write_text(data if isinstance(data, str) else json.dumps(data))
    return folder / "input"


def check_chain(folder):
    """All forms: no sample is lost, and each is still of its innermost function."""
    file = written(folder, chain(CHAIN).session())
    for form in FORMS:
        status, data, said = run("export", "--to", form, file)
        check(status == 0, f"a chain as {form}: exit status", (status, said[:300]))
        check(len(data) < 120 << 20, f"a chain as {form}: size", len(data))
    lines = run("export", "--to", "folded", file)[1].decode().splitlines()
    own = {line.rpartition(" ")[0].rpartition(";")[2]: int(line.rpartition(" ")[2]) for line in lines}
    check(own == {f"f{i}": 1_000_000 for i in range(CHAIN)}, "each function has its sample", len(own))
    check({line.partition(";")[0] for line in lines[1:]} == {"f0"}, "below the outermost call")
    status, data, _ = run("report", "--functions", "--format", "json", file)
    sentences = [s for s in json.loads(data)["notes"] if "frames" in s] if status == 0 else []
    check(
        len(sentences) == 1 and f"of {CHAIN} call stacks have more than" in sentences[0],
        "the report says so",
        sentences,
    )
    short = written(folder, chain(1000).session())
    check(
        max(line.count(";") for line in run("export", "--to", "folded", short)[1].decode().splitlines())
        == 999,
        "1,000 calls stay as they are",
    )


def check_inlined(folder):
    profile = profiles.Profile()
    profile.add([("/bin/prog", [(f"f{i}", "a.c", i) for i in range(20_000)])], 50)
    file = written(folder, profile.session())
    status, data, said = run("export", "--to", "folded", file)
    names = data.decode().rpartition(" ")[0].split(";")
    check(status == 0 and names[0] == "f0" and names[-1] == "f19999" and len(names) == 256, "inlined", said)
    status, data, said = run("report", "--functions", "--format", "html", file)
    check(status == 0 and len(data) < 1 << 20, "their page", (status, len(data)))
    check(b"more than 256 inlined functions" in data, "it says so")


def check_names(folder):
    """A name of a megabyte, plain, of markup and beyond ASCII, in a character of which it must not be cut."""
    for what, name in (("plain", "n" * NAME), ("markup", "<&" * (NAME // 2)), ("wide", "a" + "ä" * NAME)):
        profile = profiles.Profile()
        profile.add([("/bin/prog", [(name, name, 1)])], 50)
        file = written(folder, profile.session())
        for form in ("text", "markdown", "html", "json", "csv"):
            status, data, said = run("report", "--functions", "--format", form, file)
            check(status == 0, f"a {what} name, {form}", said[:300])
            check(len(data) < 1 << 20, f"a {what} name, {form}: size", len(data))
            text = data.decode()
            check("…" in text, f"a {what} name, {form}: an ellipsis")
            check(
                "names of more than 4096 bytes were cut" in " ".join(text.split()), f"{what}, {form}: is said"
            )
        for form in FORMS if what == "wide" else ():
            status, data, said = run("export", "--to", form, file)
            check(
                status == 0 and len(data) < 1 << 20,
                f"a {what} name to {form}",
                (status, len(data), said[:300]),
            )


def check_functions_table(folder):
    """Functions below themselves count once in the page's table; how deep they are takes no more time."""
    profile = profiles.Profile()
    frame = ("/bin/prog", [("fib", "a.c", 1)])
    other = ("/bin/prog", [("leaf", "a.c", 2)])
    profile.add([frame] * 300, 40)
    profile.add([frame] * 200 + [other], 60)
    status, data, _ = run("report", "--functions", "--format", "html", written(folder, profile.session()))
    check(status == 0, "recursion as a page")
    text = data.decode()
    table = text[text.index("Functions of") :]
    check('value="100"' in table[: table.index("</table>")], "fib has all of the samples once")
    view = View(block(text, "topdown-view"))
    depth = max(len(path) for path, _ in view.paths())
    check(depth == 250, "a picture is no deeper than people look", depth)
    check(abs(view.calls[0].total[0] - 100) < 0.001, "what is deeper is in it", view.calls[0].total)


REFUSED = (
    ("events.txt", lambda: " Performance counter stats for 'x':\n\n" + "".join(
        f"{i + 1:>18,}      event_{i}\n" for i in range(20_000)) + "\n 0.5 seconds time elapsed\n",
     "20000 different events, where perf stat's output has up to 5000"),
    ("cpus.txt", lambda: " Performance counter stats for 'system wide':\n\n" + "".join(
        f"CPU{i:<8} {i + 1:>18,}      cycles\n" for i in range(20_000)) + "\n",
     "20000 CPUs or sockets, where perf stat's output has up to 8192"),
    ("intervals.csv", lambda: "".join(f"{i / 10:.9f},{i},,cycles,1000,100.00,,\n" for i in range(1, 100_003)),
     "100002 intervals are more than the 100000 that can be shown"),
    ("flat.json", lambda: json.dumps({"format": "topdown-counts", "cpu": "skylakex",
                                      "counts": {f"EVENT_{i}": i for i in range(20_000)}}),
     "more than 5000 counts"),
    ("calls.json", lambda: json.dumps({**profiles.HEAD, "syscalls": {f"call_{i}": i for i in range(4097)}}),
     "syscalls: more than 4096 of them"),
)  # fmt: skip
LIMITS = (
    [{"metric": f"m{i}", "max": 1} for i in range(1001)],
    [{"metric": "cycles", "max": 1, "note": "n" * 260_000}],
)


def check_parts(folder):
    """A page has the parts with most cycles, in their order; JSON has all."""
    whole = read_json(SOURCE / "docs/sample-session.json")
    head = {key: value for key, value in whole.items() if key not in ("format", "version")}
    # 7 has no divisor with 250: each number of cycles is there once.
    parts = [
        {**head, "part": f"thread {i} worker", "part_kind": "thread", "counts": counts_of(whole, i * 7 % 250)}
        for i in range(250)
    ]
    file = written(folder, {"format": "topdown-session", "version": 2, "parts": parts})
    status, data, said = run("report", "--format", "html", file)
    found = re.findall(r"<summary[^>]*>[^<]*thread (\d+) worker", data.decode())
    busiest = [i for i in range(250) if i * 7 % 250 >= 50]
    check(status == 0 and "200 parts with most cycles of 250" in data.decode(), "it says so", said)
    check([int(i) for i in dict.fromkeys(found)] == busiest, "the busiest parts, in order", found[:9])
    status, data, _ = run("report", "--format", "json", file)
    check(status == 0 and len(json.loads(data)["parts"]) == 250, "JSON has all")


def check_remarks(folder):
    """A file says as much as it likes; each row of CSV repeats its head."""
    session = read_json(SOURCE / "docs/sample-session.json")
    said = [f"Sentence {i} of the file." for i in range(20_000)]
    profile = profiles.Profile()
    profile.add([("/bin/prog", [("main", "a.c", 1)])], 1)
    profile.sentences = said
    for source in ({**session, "remarks": said}, profile.session()):
        status, data, words = run("report", "--format", "csv", written(folder, source))
        text = data.decode()
        check(status == 0 and text.count(" of the file.") == 1000, "the first 1,000", (status, words))
        check("19000 more remarks of the file are left out." in text, "it says so")


def check_command(folder):
    """Every row of CSV has the command that was measured, and its machine."""
    session = read_json(SOURCE / "docs/sample-session.json")
    long = {"command": "./prog " + "ä" * NAME, "machine": "m" * NAME, "target": "t" * NAME}
    events = " 1,000      cycles\n 2,000      instructions\n"
    printed = (
        f" Performance counter stats for './prog {'x' * NAME}':\n\n{events}\n 0.5 seconds time elapsed\n"
    )
    for what, text in (("session", {**session, **long}), ("perf stat", printed)):
        for form in ("text", "markdown", "html", "json", "csv"):
            status, data, said = run(
                "report",
                *(["--cpu", "skylakex"] if text is printed else []),
                "-v",
                "--format",
                form,
                written(folder, text),
            )
            check(status == 0, f"{what}: a long command, {form}", said[:300])
            check(
                len(data) < (4 * NAME if form == "csv" else NAME) and "…" in data.decode(),
                f"{what}, {form}: is cut",
                len(data),
            )


def check_printed(folder):
    """Percentages of perf stat, more than there are nodes: the report is that of the one that has a node."""
    printed, reports = {"frontend_bound": 7}, []
    for more in (0, 60_000):
        printed = {**{f"tma_node_of_a_long_name_{i}": i % 100 for i in range(more)}, **printed}
        file = written(folder, {**profiles.HEAD, "printed": printed})
        status, data, said = run("report", "--format", "json", file)
        check(status == 0, f"{more} percentages more are read", (status, said[:300]))
        reports.append(json.loads(data))
    nodes = [{row["name"]: (row["quality"], row["value"]) for row in report["nodes"]} for report in reports]
    check(
        nodes[0] == nodes[1] and ("printed", 7) in nodes[0].values(), "the node's percentage is there", nodes
    )


def counts_of(whole, factor):
    return [
        {**one, **{key: one[key] * (factor + 1) // 100 + 1 for key in ("value", "raw")}}
        for one in whole["counts"]
    ]


def check_refused(folder):
    for name, make, words in REFUSED:
        (folder / name).write_text(make())
        status, _, said = run("report", folder / name)
        check(status == 125 and words in said, f"{name}: is refused", (status, said[:300]))
    for rows in LIMITS:
        file = written(folder, {"format": "topdown-limits", "version": 1, "limits": rows})
        status, _, said = run("gate", "--limits", file, "--", "./none")
        check(
            status == 125 and "too large for limits: they are up to 1000 in 256 kB" in said,
            "limits: are refused",
            (status, said[:300]),
        )


def check_blank(folder):
    """4 MB of what is no perf stat output, in lines: 60 s are far from what it takes."""
    for what, line in (("blank", "\n"), ("x", "x\n"), ("quoted", "> \n")):
        file = written(folder, line * (4_000_000 // len(line)))
        status, _, said = run("report", file)
        check(status == 125, f"{what} lines", (status, said[:200]))


def main():
    with temporary() as folder:
        for case in (
            check_chain,
            check_inlined,
            check_names,
            check_functions_table,
            check_parts,
            check_remarks,
            check_command,
            check_printed,
            check_refused,
            check_blank,
        ):
            case(folder)
    finish()


if __name__ == "__main__":
    main()
