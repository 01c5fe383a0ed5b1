#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""explorer.py - pages explored by real clicks, drags and keys, in Chromium and in Firefox: a node leads to
its functions, a function to its lines and callers, a span of time to its tree; each number is the JSON
report's; the address brings all of it back."""
import json
import os
import subprocess
import sys
import time

sys.path.append(f"{sys.path[0]}/..")
from lib import TOPDOWN, check, chromium, finish, firefox, pages as made, read_json, skip, temporary
from lib.interval_table import series

TEXTS = ".map(e => e.querySelector('.n').textContent + ' ' + e.title)"
ROWS = "[...document.querySelectorAll('.x-{} .x-row')]" + TEXTS
SHOWN = "performance.getEntriesByName('topdown-shown').length"
LONG_S = 100  # for what takes some ms
TREE = (
    "Object.fromEntries([...document.querySelectorAll('.x-icicle button')].map(e =>"
    " { const t = e.title.split(' '); return [t[0], Number(t[1])]; }))"
)
SMALL_C = """int f(int x) { int s = 0; for (int i = 0; i < x; i++) s += i * x; return s; }
int main(void) { return f(9); }
"""
QUERY = (
    "with recursive n(i) as (select 1 union all select i + 1 from n where i < 9000) select sum(i * i) from n;"
)


def wait(tab, expression):
    until = time.monotonic() + LONG_S
    while not tab.run(f"Boolean({expression})"):
        if time.monotonic() > until:
            raise TimeoutError(expression)
        time.sleep(0.02)


def place(tab, element, x=0.5, y=0.5):
    """Where an element is, by an expression of it: a part of its width and height from its corner."""
    return tab.run(
        f"(() => {{ const e = {element}; e.scrollIntoView({{ block: 'center' }});"
        " const b = e.getBoundingClientRect();"
        f" return [b.x + b.width * {x}, b.y + b.height * {y}]; }})()"
    )


def click(tab, element, x=0.5, y=0.5):
    at = place(tab, element, x, y)
    tab.point(("pointerMove", *at), ("pointerDown", *at), ("pointerUp", *at))


def press(tab, key):
    tab.press(key, *chromium.KEYS.get(key, ()))


def find(selector, text):
    return (
        f"[...document.querySelectorAll({json.dumps(selector)})].find(e =>"
        f" (e.title || e.textContent).startsWith({json.dumps(text)}))"
    )


def report(path, *words):
    done = subprocess.run(
        [TOPDOWN, "report", "--format", "json", *words, str(path)], check=True, capture_output=True, text=True
    )
    return (
        [json.loads(line) for line in done.stdout.splitlines()]
        if "\n{" in done.stdout
        else json.loads(done.stdout)
    )


def rows(tab, part):
    """[(percent, name and module)]"""
    return [
        (float(value), name)
        for value, _, name in (text.partition(" ") for text in tab.run(ROWS.format(part)))
    ]


def same_rows(name, found, wanted):
    """The largest of both, with one digit behind the point."""
    wrong = [
        (one, other)
        for one, other in zip(found, wanted)
        if abs(one - other) > 0.0501 and not one == round(other, 1)
    ]
    check(found and len(found) <= len(wanted) and not wrong, name, wrong or (found[:3], wanted[:3]))


def check_node(name, tab, path, node):
    """A click on a node: functions and lines are its."""
    click(tab, find(".x-icicle button", f"{node} "))
    wait(tab, f"location.hash == '#node={node}'")
    profile = report(path, "--lines", "-l6", "--nodes", node)["profile"]
    wanted = sorted((row["self"] for row in profile["functions"]), reverse=True)
    same_rows(f"{name}: functions by {node}", [value for value, _ in rows(tab, "functions")], wanted)
    first = rows(tab, "functions")[0][1]
    largest = [row for row in profile["functions"] if row["self"] >= wanted[0] - 0.1]
    known = {row["name"] or f"[{os.path.basename(row['module'])}]" for row in largest}
    check(any(first.startswith(one) for one in known), f"{name}: the first one", (first, known))
    pressed = tab.run("[...document.querySelectorAll('.x-icicle [aria-pressed=true]')].map(e => e.title)")
    check(len(pressed) == 1 and pressed[0].startswith(node), f"{name}: it is marked", pressed)


def check_function(name, tab, path, node):
    """A click on a function: its lines, its own tree, its callers."""
    first = rows(tab, "functions")[0][1]
    click(tab, "document.querySelector('.x-functions .x-row')")
    wait(tab, "location.hash.includes('fn=')")
    address = tab.run("location.hash")
    check(address.startswith(f"#node={node}&fn="), f"{name}: both are in the address", address)
    tree = tab.run(TREE)
    level1 = [node for node in report(path, "-l6")["nodes"] if node["level"] == 1]
    check(
        abs(sum(tree.get(one["title"], 0) for one in level1) - 100) < 1,
        f"{name}: level 1 of {first} comes to all of it",
        tree,
    )
    click(tab, find(".x-flame button", "Callers and callees"))
    wait(tab, "location.hash.includes('view=sandwich')")
    click(tab, find(".x-flame button", "Inverted"))
    wait(tab, "location.hash.includes('view=invert')")
    return address


def shown_of(tab):
    said = "document.querySelector('.said').textContent"
    return [tab.run(ROWS.format("functions")), tab.run(TREE), tab.run(said)]


def check_address(name, tab, address):
    """Back, forward, and the same after it is loaded again."""
    tab.run("history.back()")
    wait(tab, "location.hash.includes('view=sandwich')")
    tab.run("history.back()")
    wait(tab, f"location.hash == {json.dumps(address)}")
    before = shown_of(tab)
    tab.run("(sessionStorage.before = 1, setTimeout(() => location.reload()), 1)")
    wait(tab, f"{SHOWN} && performance.getEntriesByType('navigation')[0].type == 'reload'")
    after = shown_of(tab)
    check(before == after, f"{name}: the address brings it back", (before[2], after[2]))
    press(tab, "Escape")
    wait(tab, "location.hash == ''")


def check_search(name, tab):
    word = rows(tab, "functions")[1][1].split(" ")[0].split("(")[0]
    tab.run("document.querySelector('nav input').focus()")
    tab.run(
        f"(e => {{ e.value = {json.dumps(word)}; e.dispatchEvent(new Event('input')); }})"
        "(document.querySelector('nav input'))"
    )
    wait(tab, "location.hash.startsWith('#q=')")
    found = rows(tab, "functions")
    check(
        found and all(word.lower() in text.lower() for _, text in found),
        f"{name}: only what is looked for",
        found,
    )
    said = tab.run("document.querySelector('nav [role=status]').textContent")
    check("function" in said, f"{name}: the search says how much", said)
    tab.run(
        "(e => { e.value = ''; e.dispatchEvent(new Event('input')); })(document.querySelector('nav input'))"
    )
    wait(tab, "location.hash == ''")


def check_flame(name, tab):
    """The box of the whole is on top; keys go down and say what is there; a click enlarges and chooses."""
    tab.run("document.querySelector('.x-flame canvas').focus()")
    press(tab, "ArrowDown")
    said = tab.run("document.querySelector('.x-flame .tip').textContent")
    check("%" in said, f"{name}: a key says what a box is", said)
    press(tab, "Enter")
    wait(tab, "location.hash.includes('fn=')")
    press(tab, "Escape")
    press(tab, "Escape")
    wait(tab, "location.hash == ''")
    click(tab, "document.querySelector('.x-flame canvas')", 0.02, 0.999 / max(1, depth(tab)) * 1.5)
    wait(tab, "location.hash.includes('fn=')")
    press(tab, "Escape")
    press(tab, "Escape")
    wait(tab, "location.hash == ''")


def depth(tab):
    return tab.run("Math.round(document.querySelector('.x-flame canvas').clientHeight / 18)")


def explore(name, tab, path):
    wait(tab, SHOWN)
    nodes = [
        node["title"]
        for node in report(path, "-l6")["nodes"]
        if node["level"] > 1 and (node["value"] or 0) > 4 and "etiring" not in node["path"]
    ]
    check(nodes, f"{name}: there are nodes to click", nodes)
    check_node(name, tab, path, nodes[0])
    address = check_function(name, tab, path, nodes[0])
    check_address(name, tab, address)
    check_search(name, tab)
    check_flame(name, tab)
    check(not tab.messages, f"{name}: nothing is written to the console", tab.messages)


def check_span(name, tab, path, words):
    """Drawn over: the tree is that of the intervals, by their cycles."""
    wait(tab, SHOWN)
    a, b = place(tab, "document.querySelector('.x-time canvas')", 0.1), place(
        tab, "document.querySelector('.x-time canvas')", 0.3
    )
    tab.point(("pointerMove", *a), ("pointerDown", *a), ("pointerMove", *b), ("pointerUp", *b))
    wait(tab, "location.hash.startsWith('#span=')")
    first, last = map(int, tab.run("location.hash.slice(6)").split("-"))
    every = [one for one in report(path, *words) if one["interval"]]
    each = 1
    while (len(every) + each - 1) // each > 600:
        each *= 2
    chosen = every[first * each : (last + 1) * each]
    tree = tab.run(TREE)
    for title in ("Frontend_Bound", "Backend_Bound", "Retiring"):
        points = [
            [(one["nodes"], one["summary"]["cycles"]) for one in chosen[i : i + each]]
            for i in range(0, len(chosen), each)
        ]

        def value(nodes):
            return next(node["value"] for node in nodes if node["title"] == title)

        weights = [sum(cycles for _, cycles in point) for point in points]
        means = [sum(value(nodes) for nodes, _ in point) / len(point) for point in points]
        wanted = sum(mean * weight for mean, weight in zip(means, weights)) / sum(weights)
        check(abs(tree.get(title, 0) - wanted) < 0.06, f"{name}: {title} of the span", (tree, wanted))
    check(
        tab.run(
            "[...document.querySelectorAll('.x-time button')]"
            ".filter(e => e.textContent.startsWith('Phase')).length"
        )
        >= 2,
        f"{name}: phases are found",
    )
    click(tab, find(".x-time button", "Phase 2"))
    wait(tab, f"location.hash != '#span={first}-{last}'")
    from_, to = map(int, tab.run("location.hash.slice(6)").split("-"))
    check(
        abs(from_ * each - len(every) / 2) <= max(2 * each, 4) and to == (len(every) - 1) // each,
        f"{name}: the second phase is the second half",
        (from_, to, each, len(every)),
    )
    check(not tab.messages, f"{name}: nothing is written to the console", tab.messages)


TURNS_C = """#include <time.h>
volatile unsigned sum;
static double now(void)
{
	struct timespec at;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
	return at.tv_sec + at.tv_nsec * 1e-9;
}
__attribute__((noinline)) void first(double until)
{
	while (now() < until)
		for (int i = 0; i < 100000; i++)
			sum += i;
}
__attribute__((noinline)) void second(double until)
{
	while (now() < until)
		for (int i = 0; i < 100000; i++)
			sum ^= i * 3;
}
int main(void) { first(0.8); second(1.6); return 0; }
"""
LOOPS_C = """enum { N = 100000 };
double a[N], b[N];
__attribute__((noinline)) void scale(double *to, const double *from)
{
	for (int i = 0; i < N; i++)
		to[i] = from[i] * 3 + 1;
}
__attribute__((noinline)) double chain(double x)
{
	for (int i = 0; i < N; i++)
		x = x * 0.5 + 1.5;
	return x;
}
int main(void)
{
	double x = 0;
	for (int i = 0; i < 4; i++) {
		scale(a, b);
		x = chain(x);
	}
	return x > 9;
}
"""


def build(folder, name, text):
    (folder / f"{name}.c").write_text(text, encoding="utf-8")
    subprocess.run(["gcc", "-g", "-O2", "-o", name, f"{name}.c"], check=True, cwd=folder)


def check_turns(name, browser, folder):
    """Sampled without -I: when is known, so that each half of the time has its function."""
    tab = browser.open(folder / "turns.html")
    wait(tab, SHOWN)
    profile = read_json(folder / "turns.json")["profile"]
    by_row = [0.0] * len(profile["rows"]["stack"])
    for row, weight in zip(profile["moments"]["row"], profile["moments"]["weight"]):
        by_row[row] += weight
    check(by_row == profile["rows"]["weight"], f"{name}: moments have all samples")
    phases = tab.run(
        "[...document.querySelectorAll('.x-time button')].map(e => e.textContent)"
        ".filter(e => e.startsWith('Phase'))"
    )
    check(len(phases) >= 2, f"{name}: phases are found", phases)
    for phase, function in ((phases[0], "first"), (phases[-1], "second")):
        click(tab, find(".x-time button", phase))
        wait(tab, "location.hash.startsWith('#span=')")
        largest = rows(tab, "functions")[0]
        check(
            largest[1].startswith(f"{function} ") and largest[0] > 80,
            f"{name}: {phase} is {function}",
            largest,
        )
        press(tab, "Escape")
        wait(tab, "location.hash == ''")
    check(not tab.messages, f"{name}: nothing is written to the console", tab.messages)
    tab.close()


def check_loops(name, browser, folder):
    """A loop in the roofline's table or plot opens its lines."""
    tab = browser.open(folder / "loops.html")
    wait(tab, SHOWN)
    links = tab.run("[...document.querySelectorAll('td a, .plot a')].map(e => e.getAttribute('href'))")
    lines = LOOPS_C.splitlines()
    for function in ("scale", "chain"):
        begin = next(i for i, line in enumerate(lines) if f" {function}(" in line)
        loop = [line.strip() for line in lines[begin : begin + 5] if "for" in line or "* " in line]
        chosen = [link for link in links if link.startswith(f"#fn={function}&lines=")]
        check(chosen, f"{name}: a loop of {function} is a link", links)
        click(tab, f"document.querySelector('td a[href=\"{chosen[0]}\"]')")
        wait(tab, f"location.hash == {json.dumps(chosen[0])}")
        wait(tab, "document.querySelector('.x-line.marked')")
        marked = tab.run("[...document.querySelectorAll('.x-line.marked')].map(e => e.textContent)")
        check(
            marked and all(any(text in line for text in loop) for line in marked),
            f"{name}: the loop's lines are marked",
            (marked, loop),
        )
    check(not tab.messages, f"{name}: nothing is written to the console", tab.messages)
    tab.close()


def make_native(folder):
    """Pages of programs of which the test knows what they do when, and where; whether there are samples."""
    build(folder, "turns", TURNS_C)
    build(folder, "loops", LOOPS_C)
    words = [TOPDOWN, "roofline", "--per-function", "--pmu", "sim", "--anchor", "never"]
    words += ["-o", "loops.html", "./loops"]
    subprocess.run(words, check=True, cwd=folder, capture_output=True)
    words = [TOPDOWN, "sample", "--save", "turns.json", "-o", "turns.html", "./turns"]
    done = subprocess.run(words, check=False, cwd=folder, capture_output=True, text=True)
    return done.returncode == 0 or check(
        "perf_event_open" in done.stderr, "turns: sampled", done.stderr[-300:]
    )


def simulate(folder):
    """{name: session} of programs that nobody here wrote, and of threads."""
    (folder / "text").write_text("".join(f"{i * i} " for i in range(20000)), encoding="utf-8")
    (folder / "small.c").write_text(SMALL_C, encoding="utf-8")
    programs = {
        "python3": ["/usr/bin/python3", "-S", "-c", "print(sum(i * i for i in range(2000)))"],
        "sqlite3": ["sqlite3", ":memory:", QUERY],
        # threads
        "xz": ["xz", "-T2", "-0", "--block-size=64KiB", "-k", "-f", str(folder / "text")],
        "gcc": ["gcc", "-O2", "-c", "-o", str(folder / "small.o"), str(folder / "small.c")],
    }
    for name, words in programs.items():
        path = folder / f"{name}.json"
        done = subprocess.run(
            [TOPDOWN, "--pmu", "sim", "--anchor", "never", "--lines", "-l6", "--save", str(path), *words],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode == 0 and path.exists():
            yield name, path
        else:
            check(
                name in ("sqlite3", "xz") and "not found" in done.stderr,
                f"{name}: it is simulated",
                done.stderr[-300:],
            )


def main():
    browsers = [one for one in (chromium, firefox) if one.find()]
    if not browsers:
        skip("no browser here: pages are not explored (./bootstrap.sh test all installs two)")
    with temporary() as folder:
        found, words = [("lines alone", made.SIMULATED)], ("-l2", "--cpu", "clx")
        found = list(simulate(folder))
        has_samples = make_native(folder)
        table = series(folder / "series.csv", 3000, second=("IDQ_UOPS_NOT_DELIVERED.CORE", 3))
        for path, more in [*((path, ("--lines", "-l6")) for _, path in found), (table, words)]:
            made.make(TOPDOWN, ["report", *more, str(path)], path.with_suffix(".html"))
        for one in browsers:
            with one.Browser() as browser:
                for name, path in found:
                    tab = browser.open(path.with_suffix(".html"))
                    explore(f"{one.__name__}, {name}", tab, path)
                    tab.close()
                check_loops(f"{one.__name__}, loops", browser, folder)
                if has_samples:
                    check_turns(f"{one.__name__}, turns", browser, folder)
                tab = browser.open(table.with_suffix(".html"))
                check_span(f"{one.__name__}, 3,000 intervals", tab, table, words)
                tab.close()
    finish()


main()
