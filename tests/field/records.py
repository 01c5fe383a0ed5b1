# SPDX-License-Identifier: GPL-2.0-or-later
"""records.py - outputs of `perf stat` that people published, read without topdown: counts, and the values
printed beside them."""
import dataclasses
import re

# A count: blanks as thousands separators, full stops or commas; perf prints a unit only behind its clocks.
COUNT = re.compile(
    r"^\s*(?P<count>\d[\d., \u00a0\u202f]*|<not counted>|<not supported>)\s+"
    r"(?:(?P<unit>ns|msec)\s+)?(?P<event>[A-Za-z_]\S*)(?P<rest>.*)$"
)
PRINTED = re.compile(
    r"#\s+(?P<value>-?\d[\d.,]*)\s*(?P<percent>%?)\s+(?:MPKI\s\s+)?(?P<name>[A-Za-z][\w ]*?[\w])\s*(?:\(|$)"
)
RUNNING = re.compile(r"\((\d+[.,]\d+)%\)\s*$")
SECONDS = re.compile(r"seconds (time elapsed|user|sys)")


@dataclasses.dataclass
class Count:
    """A line with a count, as perf printed it."""

    event: str
    value: float
    unit: str
    percent: float


@dataclasses.dataclass
class Printed:
    """A value of perf's own: digits are those behind the decimal point."""

    name: str
    value: float
    digits: int
    is_percent: bool
    event: str  # the one that it stands beside


def number(text):
    """A number of any locale: the last separator is a decimal one, unless three digits stand behind each."""
    text = re.sub(r"[ \u00a0\u202f]", "", text)
    if re.fullmatch(r"\d{1,3}([.,]\d{3})+", text):
        return float(re.sub(r"[.,]", "", text)), 0
    head, separator, tail = re.fullmatch(r"(.*?)(?:([.,])(\d+))?", text).groups()
    return float(re.sub(r"[.,]", "", head) + "." + (tail or "0")), len(tail or "") if separator else 0


def decimal(text):
    """A metric's value, where a single separator is a decimal one."""
    head, _, tail = text.replace(",", ".").rpartition(".")
    return float(f"{head.replace('.', '')}.{tail}") if head else float(text), len(tail) if head else 0


def printed_of(text, event):
    match = PRINTED.search(text)
    if not match:
        return []
    value, digits = decimal(match["value"])
    return [Printed(match["name"], value, digits, bool(match["percent"]), event)]


def read_text(text):
    """Counts and printed values of an output for people."""
    counts, printed, event = [], [], ""
    for line in text.splitlines():
        match = COUNT.match(line)
        if match and not SECONDS.search(line):
            event = match["event"]
            running = RUNNING.search(line)
            value = float("nan") if match["count"].startswith("<") else number(match["count"].strip())[0]
            counts.append(
                Count(event, value, match["unit"] or "", number(running[1])[0] if running else 100.0)
            )
        if match or line.lstrip().startswith("#"):
            printed += printed_of(match["rest"] if match else line, event)
    return counts, printed


def read_csv(text):
    """The same of `perf stat -x, -I`: one interval."""
    counts, printed, event = [], [], ""
    for line in text.splitlines():
        columns = re.split(r",(?=(?:[^/]*/[^/]*/)*[^/]*$)", line)[1:]
        if columns[0]:
            event = columns[2]
            counts.append(Count(event, float(columns[0]), columns[1], float(columns[4])))
        if columns[5]:
            printed += printed_of(f"# {columns[5]} {columns[6]}", event)
    return counts, printed


def core_type(event):
    """core, atom or nothing: the PMU before the slash."""
    match = re.match(r"cpu_(core|atom)/", event)
    return match[1] if match else ""


def as_csv(counts):
    """As `perf stat -x,` prints it; a second of measuring."""
    return "".join(
        f"{count.value:.17g},{count.unit},{count.event},{count.percent * 1e7:.0f},{count.percent:.2f},,\n"
        for count in counts
    )
