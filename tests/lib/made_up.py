# SPDX-License-Identifier: GPL-2.0-or-later
"""made_up.py - profiles that a test chooses, what each function has of them, and what `topdown export` would
write about them."""
import collections
import random
import subprocess

from lib.checks import SKIPPED, check, skip
from lib.program import BUILD, PATIENCE


Frame = collections.namedtuple("Frame", "name file line")
Weighing = collections.namedtuple("Weighing", "name title unit kind")
Row = collections.namedtuple("Row", "task samples weights places")  # places: innermost first


def hexed(text):
    return "-" if text is None else (text if isinstance(text, bytes) else text.encode()).hex()


class Profile:
    """What a test made up. Places are (module, address, frames), the innermost frame first."""

    def __init__(self, weighings):
        self.moments = []  # (row, number, weight)
        self.weighings, self.nodes, self.modules, self.places, self.tasks, self.rows = (
            weighings,
            [],
            [],
            [],
            [],
            [],
        )

    def text(self):
        lines = [f"W {hexed(w.name)} {hexed(w.title)} {hexed(w.unit)} {w.kind}" for w in self.weighings]
        lines += [
            f"N {hexed(title)} {weighing} {parent} {slots}" for title, weighing, parent, slots in self.nodes
        ]
        lines += [f"M {hexed(path)} {kind}" for path, kind in self.modules]
        for module, address, frames in self.places:
            lines.append(
                " ".join(
                    [f"P {module} {address}", *(f"{hexed(f.name)}:{hexed(f.file)}:{f.line}" for f in frames)]
                )
            )
        lines += [f"T {pid} {tid} {hexed(name)} {hexed(program)}" for pid, tid, name, program in self.tasks]
        for row in self.rows:
            lines.append(
                f"R {row.task} {row.samples} {','.join(map(str, row.weights))} {','.join(map(str, row.places))}"  # noqa: E501
            )
        lines += [f"O {row} {number} {weight}" for row, number, weight in self.moments]
        return "\n".join(lines) + "\n"

    def function(self, place, frame):
        """(name, module) as they are shown."""
        module, _, frames = self.places[place]
        path = self.modules[module][0].split("/")[-1]
        name = frames[frame].name if frames else None
        return (name or f"[{path}]", path)

    def stack(self, row):
        """The functions from the outermost to the innermost."""
        return [
            self.function(place, i)
            for place in reversed(row.places)
            for i in reversed(range(max(1, len(self.places[place][2]))))
        ]

    def own(self, weighing, shown=lambda function: function):
        sums = collections.Counter()
        for row in self.rows:
            sums[shown(self.stack(row)[-1])] += row.weights[weighing]
        return +sums

    def totals(self, weighing, shown=lambda function: function):
        """In it or in what it calls; a row counts once however often the function is in its stack."""
        sums = collections.Counter()
        for row in self.rows:
            for function in {shown(function) for function in self.stack(row)}:
                sums[function] += row.weights[weighing]
        return +sums

    def total(self, weighing):
        return sum(row.weights[weighing] for row in self.rows)


WORDS = (
    "main",
    "work",
    "std::vector<int, std::allocator<int> >::push_back(int const&)",
    "operator<<",
    "a;b",
    "größe",
    "読む",
    "<script>alert(1)</script>",
    "quote\"s'",
    "core::ptr::drop_in_place::h0123456789abcdef",
    "f(char*) const",
    "x&y",
    "(anonymous)",
    "1",
)


def chosen(seed, rows=150, weighings=None):
    """A random profile: recursion, inlined functions, one name in two modules, places without names, several
    tasks."""
    draw = random.Random(seed)
    made = Profile(
        weighings
        or [
            Weighing("cycles", "cycles", "cycles", "event"),
            Weighing("tma_dram_bound", "DRAM_Bound", "slots", "exact"),
            Weighing("cpu-clock", "time", "ns", "event"),
        ]
    )
    made.modules = [("/usr/bin/prog", 0), ("/usr/lib/lib c.so.6", 0), ("/opt/x;y", 0)]
    for number in range(60):
        module = draw.randrange(3)
        frames = [
            Frame(draw.choice(WORDS), draw.choice(("a.c", "/src/b b.h")), draw.randrange(0, 90))
            for _ in range(draw.randrange(4))
        ]
        frames = [Frame(f.name, f"{f.name}.c", f.line) for f in frames]  # a function has one file
        made.places.append((module, 0x1000 + 16 * number, frames))
    made.tasks = [
        (10, 10, "prog", "/usr/bin/prog"),
        (10, 11, "w", "/usr/bin/prog"),
        (12, 12, "other", "/usr/bin/other"),
    ]
    for _ in range(rows):
        depth = draw.randrange(1, 9)
        weights = [draw.choice((0, draw.randrange(1, 1000))) for _ in made.weighings]
        made.rows.append(
            Row(draw.randrange(3), draw.randrange(1, 50), weights, [draw.randrange(60) for _ in range(depth)])
        )
    return made


def hostile():
    """Each byte that a name may have, long names, markup."""
    made = Profile([Weighing("cycles", "cycles", "cycles", "event")])
    made.modules = [
        (bytes(range(1, 256)).replace(b"/", b""), 0),
        ("]]></script><script>alert(1)</script>", 0),
    ]
    names = [bytes([byte]) for byte in range(1, 256)] + [
        b"a" + bytes([byte]) + b"b" for byte in range(1, 256)
    ]
    names += [
        b"n" * 10000,
        b"]]>",
        b"</title><script>alert(1)</script>",
        b"javascript:alert(1)",
        b"\xed\xa0\x80",
        b"\xef\xbf\xbf",
        b"\xef\xbf\xbe",
        b"\xf4\x90\x80\x80",
        b"\xe2\x80\xae",
        b"--><!--",
        b"&#0;",
        b"all",
        b"(1) name",
        b"fn=(2) x",
        b"calls=1 1",
        b"+1 1",
        b"* 1",
    ]
    made.tasks = [(1, 1, b"\xff<\n>", b"/x/\x01;")]
    for number, name in enumerate(names):
        made.places.append((number % 2, number, [Frame(name, name, number)]))
        made.rows.append(Row(0, 1, [number % 7 + 1], [number, 0]))
    return made


def deep(depth):
    """One stack of so many calls, each of another function."""
    made = Profile([Weighing("cycles", "cycles", "cycles", "event")])
    made.modules = [("/bin/deep", 0)]
    made.tasks = [(1, 1, "deep", "/bin/deep")]
    made.places = [(0, number, [Frame(f"f{number}", "deep.c", 1)]) for number in range(depth)]
    made.rows = [Row(0, 40, [5], list(range(depth)))]
    return made


def write(made, form, *words):
    """The bytes that the form has of it. Without a library that the form needs the test is skipped."""
    done = subprocess.run(
        [BUILD / "tests/export_write", form, *map(str, words)],
        input=made.text().encode(),
        stdout=subprocess.PIPE,
        check=False,
        timeout=PATIENCE,
    )
    if done.returncode == SKIPPED:
        skip(f"this build cannot write {form}")
    check(done.returncode == 0, f"{form}: exit status", done.returncode)
    return done.stdout


EVENTS = (("cycles", None), ("MEM_LOAD_RETIRED.L3_MISS", "tma_dram_bound"), ("cpu-clock", None))
KINDS = ("file", "kernel", "driver", "vdso", "jit", "unknown")


def profile_of(made):
    """The profile object of a session (docs/FORMATS.md): each weight of a row becomes a row of its event, of
    EVENTS."""
    texts, numbers = [], {}

    def number(text):
        if text is None:
            return -1
        if text not in numbers:
            numbers[text] = len(texts)
            texts.append(text)
        return numbers[text]

    frames = [frame for _, _, frames in made.places for frame in frames]
    stacks, known = {"place": [], "caller": []}, {}
    rows = {"stack": [], "task": [], "event": [], "samples": [], "weight": []}
    for row in made.rows:
        caller = -1
        for place in reversed(row.places):
            if (place, caller) not in known:
                known[place, caller] = len(known)
                stacks["place"].append(place)
                stacks["caller"].append(caller)
            caller = known[place, caller]
        for event, weight in enumerate(row.weights):
            if weight:
                for key, value in zip(rows, (caller, row.task, event, row.samples, weight)):
                    rows[key].append(value)
    weights = [sum(row.weights[event] for row in made.rows) for event in range(len(EVENTS))]
    samples = [sum(row.samples for row in made.rows if row.weights[event]) for event in range(len(EVENTS))]
    return {
        "seconds": 1.5,
        "scope": "user",
        "method": "auto",
        "remarks": [],
        "modules": [{"kind": KINDS[kind], "path": path, "pid": 0} for path, kind in made.modules],
        "tasks": [dict(zip(("pid", "tid", "name", "program"), task)) for task in made.tasks],
        "events": [
            {
                "event": event,
                **({"node": node} if node else {}),
                "period": 1000 if node else 0,
                "frequency": 0 if node else 997,
                "precise": 0,
                "wanted": 0,
                "samples": samples[i],
                "lost": 0,
                "throttled": 0,
                "weight": weights[i],
                "enabled_ns": 1e9,
                "running_ns": 1e9,
                "run": 0,
            }
            for i, (event, node) in enumerate(EVENTS)
        ],
        "texts": texts,
        "frames": {
            "function": [number(f.name) for f in frames],
            "file": [number(f.file) for f in frames],
            "line": [f.line for f in frames],
        },
        "places": {
            "module": [module for module, _, _ in made.places],
            "address": [address for _, address, _ in made.places],
            "frames": [len(frames) for _, _, frames in made.places],
        },
        "stacks": stacks,
        "rows": rows,
    }
