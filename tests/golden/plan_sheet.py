# SPDX-License-Identifier: GPL-2.0-or-later
"""The text of `topdown plan`, read as people read it: the table by its columns, the lists below it by their
titles."""
import re

TITLES = (
    "Complete in group",
    "Combined from several groups (*: too large for one)",
    "Not countable with these counters",
    "Events",
)
KINDS = {"f": "fixed", "g": "gp"}


class Sheet:
    """groups: for each group, its run, {counter: number of the event}, the numbers in the column of fields,
    and the titles of the nodes that are complete there. events: {number: (name, perf)}. combined: {title:
    groups}; large: those of them that no group can hold. missing: titles. fewer: the last sentence.
    """

    def __init__(self, text):
        parts = text.rstrip("\n").split("\n\n")
        self.head = parts[0].splitlines()
        self.groups, self.events, self.combined, self.large, self.missing, self.fewer = [], {}, {}, [], [], ""
        self.matrix(parts[1].splitlines())
        for part in parts[2:]:
            title, *lines = part.splitlines()
            if title not in TITLES:
                self.fewer = " ".join(part.split())
            else:
                (self.complete, self.combine, self.leave_out, self.legend)[TITLES.index(title)](lines)
        for group in self.groups:
            group["titles"] = [
                title for title in (word.strip() for word in group["text"].split(",")) if title
            ]

    def matrix(self, lines):
        head, *lines = lines
        columns = [(match.group(), match.end()) for match in re.finditer(r"\S+", head)]
        counters = [(label, end) for label, end in columns if re.fullmatch(r"[fg]\d+", label)]
        fields, nodes = head.find("fields"), head.find("complete")
        for line in lines:
            numbers = line[:nodes] if nodes >= 0 else line
            if not numbers.strip():  # more nodes of the group above
                self.groups[-1]["text"] += " " + line.strip()
                continue
            places, begin = {}, counters[0][1] - len(counters[0][0]) - 1
            run = numbers[:begin].split()[0]
            for label, end in counters:
                cell = numbers[begin:end].strip()
                begin = end
                if cell != ".":
                    places[KINDS[label[0]] + label[1:]] = int(cell)
            without = numbers[fields:].strip() if fields >= 0 else ""
            self.groups.append(
                {
                    "run": int(run),
                    "places": places,
                    "fields": self.ranges(without),
                    "text": line[nodes:] if nodes >= 0 else "",
                }
            )

    @staticmethod
    def ranges(text):
        numbers = []
        for part in filter(None, text.split(",")):
            first, *last = map(int, part.split("-"))
            numbers += range(first, (last or [first])[0] + 1)
        return numbers

    def complete(self, lines):
        group = None
        for line in lines:
            number = line[:4].strip()
            group = self.groups[int(number) - 1] if number else group
            group["text"] += " " + line[6:]

    def combine(self, lines):
        for title, star, groups in re.findall(
            r"(.+?)(\*?) \(([\d+]+)\)(?:, |$)", " ".join(line.strip() for line in lines)
        ):
            self.combined[title] = [int(group) for group in groups.split("+")]
            self.large += [title] * len(star)

    def leave_out(self, lines):
        self.missing = " ".join(line.strip() for line in lines).split(", ")

    def legend(self, lines):
        words = " ".join(lines).split()
        for number, name, perf in zip(words[::3], words[1::3], words[2::3], strict=True):
            self.events[int(number)] = name, perf

    def group_events(self, group):
        """(counter, name, perf) of each event of a group"""
        placed = list(group["places"].items()) + [("metric", number) for number in group["fields"]]
        return [(counter, *self.events[number]) for counter, number in placed]
