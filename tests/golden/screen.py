# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a report as people see it and says which of its words the expected values do not bear out."""
import re

import assessed

FACTORS = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
WIDTH = 80
OVER = "!"
WORST = "<== start here"
RULE = "bottleneck: it and its parents exceed {} thresholds"
NUMBER = r"-|-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?: [kMGTP](?= |$))?"


def whose(golden):
    return "topdown's" if golden.header["Thresholds"] == "topdown" else "the vendor's"


def rule(golden):
    """What is marked: above whose thresholds."""
    return RULE.format(whose(golden))


def is_rounded(text, value):
    """Is text the value, as far as its digits go? "-" stands for no value."""
    if text == "-" or value is None:
        return text == "-" and value is None
    digits, _, prefix = text.partition(" ")
    mantissa, _, power = digits.partition("e")
    decimals = len(mantissa.partition(".")[2])
    unit = FACTORS[prefix] * 10.0 ** (int(power or 0) - decimals)
    return abs(float(digits) * FACTORS[prefix] - value) <= unit * 0.5000001


def significant(text):
    return len(re.sub(r"^0+", "", text.partition(" ")[0].partition("e")[0].replace(".", "").lstrip("-")))


# The tree


def shown_nodes(golden, level):
    """Level 1, what is over its threshold, and the ancestors of that."""
    shown = {node.name for node in golden.nodes if node.level == 1}
    for node in golden.nodes:
        if node.over and node.level <= level:
            while node:
                shown.add(node.name)
                node = node.parent
    return shown


def tree_rows(golden, level, is_verbose=False):
    """(what stands before the title, node), in the order of the screen"""
    every = {node.name for node in golden.nodes if node.level <= level}
    shown = every if is_verbose else shown_nodes(golden, level)
    rows = []

    def add(nodes, before, is_top):
        nodes = [node for node in nodes if node.name in shown]
        for node in nodes:
            is_last = node is nodes[-1]
            rows.append((before + ("" if is_top else "└─ " if is_last else "├─ "), node))
            add(node.children, before + ("" if is_top else "   " if is_last else "│  "), False)

    add(golden.tops, "", True)
    return rows


def node_words(node, leaf, has_unit, has_quality):
    """What stands behind the value."""
    unit = node.unit.split() if has_unit else []
    mark = [node.quality] if has_quality and node.quality not in ("exact", "none") else []
    return unit + ([OVER] if node.bottleneck else []) + mark + (WORST.split() if node is leaf else [])


def node_differences(row, line, words):
    stem, node = row
    start = stem + node.title
    if not line.startswith(start + "  "):
        yield f"{line!r} should be about {start!r}"
        return
    value, *found = line[len(start) :].split()
    if not re.fullmatch(r"-|\d+\.\d", value) or not is_rounded(value, node.value):
        yield f"{line!r}: the value is {node.value}"
    if node.value is not None and found != words:
        yield f"{line!r}: the words behind the value should be {words}"


def hidden_text(golden, level):
    shown = shown_nodes(golden, level)
    hidden = [node for node in golden.nodes if node.level <= level and node.name not in shown]
    lacking = sum(node.value is None for node in hidden)
    more = f"{len(hidden)} more node{'s' * (len(hidden) != 1)}"
    return f"{more}{f', {lacking} not measured' * bool(lacking)}: -v" if hidden else None


def common(values):
    """What all of them are, or None where they differ or there is none."""
    values = set(values)
    return values.pop() if len(values) == 1 else None


def key_line(golden, level, rows):
    """What all rows share, what the mark means, and the nodes that are left out."""
    known = [node for _, node in rows if node.value is not None]
    unit, quality = common(node.unit for node in known), common(node.quality for node in known)
    shared = [
        part
        for part in (unit and unit.replace("% ", "% of "), quality if quality != "scaled" else None)
        if part
    ]
    every = [node for node in golden.nodes if node.level <= level]
    marks = (
        f"! over {whose(golden)} thresholds"
        if any(node.bottleneck for node in every)
        else f"none over {whose(golden)} thresholds"
    )
    parts = [", ".join(shared), marks, hidden_text(golden, level)]
    return "; ".join(part for part in parts if part)


# Below the tree


def run_differences(golden, text):
    """The line of what was run: time, work, CPU."""
    title = golden.events.header["Title"].split(" (")[0]
    if f"; {title}; -v: more" not in f"; {text}":
        yield f"Run: {text!r} should name {title}"
    yield from work_differences(golden, text)
    yield from time_differences(golden, text)


def work_differences(golden, line):
    """Instructions and cycles with three significant digits, and their ratio."""
    cycles, instructions = golden.count("Cycles"), golden.count("Instructions")
    known = [
        (r"(%s) instructions" % NUMBER, instructions),
        (r"(%s) cycles" % NUMBER, cycles),
        (r"IPC (%s)" % NUMBER, instructions / cycles if cycles and instructions else None),
    ]
    for pattern, value in known:
        found = re.search(pattern, line)
        if value is None and not found:
            continue
        if not found or not is_rounded(found.group(1), value) or significant(found.group(1)) not in (0, 2, 3):
            yield f"Run: {line!r}: {pattern} should be {value}"


def time_differences(golden, line):
    milliseconds = golden.data.get("constants", {}).get("DURATIONTIMEINMILLISECONDS")
    expected = None if milliseconds is None else milliseconds / 1000
    found = re.match(r"(\d+\.\d+) s[;,]", line)
    if bool(found) != (expected is not None) or (found and not is_rounded(found.group(1), expected)):
        yield f"Run: {line!r} should take {expected} s"


def next_sections(golden):
    """Arm: the groups of metrics that the bottlenecks ask for, as heading and metrics."""
    askers = {}
    for node in golden.nodes:
        for group in node.next_groups if node.bottleneck else []:
            askers.setdefault(group, []).append(node.title)
    for group, titles in askers.items():
        metrics = [metric for metric in golden.metrics if group in metric.groups]
        if metrics:
            yield f"Next: {group} ({', '.join(titles)})", metrics


def metric_differences(metric, line):
    found = re.fullmatch(r"  %s\s+(%s) (.*)" % (re.escape(metric.title), NUMBER), line)
    if not found or not is_rounded(found.group(1), metric.value) or found.group(2).strip() != metric.unit:
        yield f"{line!r}: should be {metric.title} {metric.value} {metric.unit}"


def section_differences(section, lines):
    heading, metrics = section
    if lines[0] != heading or len(lines) != len(metrics) + 1:
        yield f"{lines[0]!r} with {len(lines) - 1} lines should be {heading!r} with {len(metrics)}"
        return
    for metric, line in zip(metrics, lines[1:]):
        yield from metric_differences(metric, line)


def assessment_differences(figures, lines):
    """The sentence about what is beyond its bounds."""
    sentence = " ".join(map(str.strip, lines))
    found = re.findall(r"(?:: |, )(\w+) (%s) ([^()]*) \(([^()]*)\)" % NUMBER, sentence)
    if [(title, unit, words) for title, _, unit, words in found] != [
        (row.title, row.unit, row.words) for row in figures
    ]:
        yield f"{sentence!r} should be about {[(row.title, row.words) for row in figures]}"
    for (title, number, _, _), row in zip(found, figures):
        if not is_rounded(number, row.value):
            yield f"{title}: {number} should be {row.value}"
    if not sentence.startswith("Beyond healthy bounds: ") or not sentence.endswith(". -v shows all."):
        yield f"{sentence!r}"


def end_differences(golden, level, lines):
    """What to try, the next command, what was run."""
    text = " ".join(" ".join(lines).split())
    found = re.fullmatch(r"(?:Try (.*?) )?(?:Next (.*?) )?Run (.*)", text)
    if not found:
        yield f"{text!r} should have what to try, the next command and what was run"
        return
    words = golden.words(level)
    advice = words[1].removeprefix("Try: ") if words else ""
    tried = found.group(1) or ""
    if not advice.startswith(tried) or (advice and not tried) or (tried and not tried.endswith(".")):
        yield f"Try: {tried!r} should be the first sentences of {advice!r}"
    commands = [golden.closer(level), golden.sampler(level), *golden.commands(level)]
    following = next((command for command in commands if command), None)
    if (found.group(2) or None) != following:
        yield f"Next: {found.group(2)!r} should be {following!r}"
    yield from run_differences(golden, found.group(3))


def expected_blocks(golden, level):
    """Behind the answer, each as a function from its lines to differences."""
    leaf = golden.find_worst(level)
    rows = tree_rows(golden, level)
    known = [node for _, node in rows if node.value is not None]
    has_unit, quality = common(node.unit for node in known) is None, common(node.quality for node in known)
    has_quality = quality is None or quality == "scaled"

    def tree(lines):
        key = " ".join(lines[len(rows) :])
        if len(lines) <= len(rows) or key != key_line(golden, level, rows):
            yield f"{lines[len(rows) :]} should be {key_line(golden, level, rows)!r}"
        for row, line in zip(rows, lines):
            yield from node_differences(row, line, node_words(row[1], leaf, has_unit, has_quality))

    def wrapped(paragraphs):
        def compare(lines):
            if " ".join(map(str.strip, lines)) != " ".join(paragraphs) or any(
                len(line) > WIDTH for line in lines
            ):
                yield f"{lines} should be {paragraphs}"

        return compare

    if "NoTree" in golden.header:
        yield wrapped([golden.header["NoTree"]])
    yield tree
    for section in next_sections(golden):
        yield lambda lines, section=section: section_differences(section, lines)
    figures = assessed.beyond(golden) if leaf is None else []
    if figures:
        yield lambda lines: assessment_differences(figures, lines)
    close = list(golden.close(level))
    if close:
        yield wrapped([f"* {sentence}" for sentence in close])
    yield lambda lines: end_differences(golden, level, lines)


def answer_differences(golden, answer, level):
    """The first sentence has the worst node and its value, or how much is useful."""
    path = [row for row in golden.nodes if row.worst_path and row.level <= level]
    worst = max(path, key=lambda row: row.level)
    is_useful = worst.path.startswith("Retiring")
    amount = f"{path[0].value if is_useful else worst.value:.1f} % of the "
    if not answer.startswith(amount) or worst.title not in answer:
        yield f"the answer has neither {amount!r} nor {worst.title}: {answer}"
    if ("useful work" in answer) != is_useful or "Counted" in answer:
        yield f"the answer to another question, or it repeats what the tree says: {answer}"


def differences(golden, text, level):
    """One line for each word of the screen that is not borne out."""
    answer, *blocks = [block.split("\n") for block in text.rstrip("\n").split("\n\n")]
    expected = list(expected_blocks(golden, level))
    yield from answer_differences(golden, " ".join(answer), level)
    if len(blocks) != len(expected):
        yield f"{len(blocks)} blocks, expected {len(expected)}"
    for compare, lines in zip(expected, blocks):
        yield from compare(lines)


# Markdown


def summary_section(text):
    return text.split("\n## Topdown summary\n")[-1].split("\n## ")[0]


def markdown_rows(text):
    """The cells of the rows of the tables of nodes and metrics, which stand in the summary."""
    for line in summary_section(text).splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and cells[0] not in ("Node", "Metric", "---"):
            yield cells


def not_here(golden):
    """A line for each PMU that would have to count some metrics, in the order of the first of them."""
    titles = {}
    for metric in golden.metrics:
        if metric.needs:
            titles.setdefault(metric.needs, []).append(metric.title)
    for needs, names in titles.items():
        yield f"Not here, needs {needs}, whose events are not among these counts: {', '.join(names)}"


def row_differences(cells, row):
    if cells[0].lstrip("- ") != row.title or not is_rounded(cells[1], row.value):
        yield f"{cells}: should be {row.title} {row.value}"
    if row.value is not None and (cells[2] != row.unit or cells[4] != row.quality):
        yield f"{cells}: should be {row.unit}, {row.quality}"
    if ("bottleneck" in cells[5], "worst" in cells[5]) != (row.bottleneck, row.worst_path):
        yield f"{cells}: bottleneck {row.bottleneck}, on the worst path {row.worst_path}"
    verdict = cells[3].split(":")[0]
    expected = "-" if row.value is None else "" if not row.has_threshold else "over" if row.over else "ok"
    if (expected if verdict in ("high", "low") else verdict) != expected or (row.over and verdict == "ok"):
        yield f"{cells}: the assessment should be {expected}"


def section_rows(golden, text):
    """The metrics below their headings, each of which has them in the model's order; as one list."""
    metrics = {row.title: row for row in golden.metrics if not row.needs}
    order = list(metrics)
    found = []
    for section in summary_section(text).split("\n### ")[1:]:
        titles = [cells[0] for cells in markdown_rows(section) if cells[0] not in golden.common.values()]
        if titles != sorted(titles, key=order.index):
            yield f"{titles} are not in the order of the model"
        found += titles
    if sorted(found) != sorted(order):
        yield f"{sorted(set(order) ^ set(found))} should be there, each once"


def markdown_differences(golden, text, level):
    leaf = golden.find_worst(level)
    metrics = {row.title: row for row in golden.metrics if not row.needs}
    nodes = [node for _, node in tree_rows(golden, level, is_verbose=True)]
    found = [line for line in text.splitlines() if line.startswith("Not here")]
    if found != list(not_here(golden)):
        yield f"{found} should be {list(not_here(golden))}"
    rows = [cells for cells in markdown_rows(text) if cells[0] not in golden.common.values()]
    if len(rows) != len(nodes) + len(metrics):
        yield f"{len(rows)} rows, expected {len(nodes) + len(metrics)}"
    yield from section_rows(golden, text)
    for cells, node in zip(rows, nodes):
        yield from row_differences(cells, node)
    for cells in rows[len(nodes) :]:
        yield from row_differences(cells, metrics[cells[0]])
    lines = text.splitlines()
    commands = [
        f"- `{command}`"
        for command in golden.commands(level) + [golden.sampler(level), golden.closer(level)]
        if command
    ]
    means, advice = golden.words(level) or ("", "")
    for line in [f"{rule(golden)}; the worst: start here"] * bool(leaf) + [means] + commands:
        if line not in lines:
            yield f"lacks {line!r}"
    if not any(advice.removeprefix("Try: ") in line for line in lines if line.startswith("- ")):
        yield f"lacks {advice!r}"
