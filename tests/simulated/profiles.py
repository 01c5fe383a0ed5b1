# SPDX-License-Identifier: GPL-2.0-or-later
"""profiles.py - what a session says of where."""
import collections


class Profile:
    """What a session says of where: for each row its callers, outermost first, inlined ones too, the function
    itself, its thread, and its counts."""

    def __init__(self, session):
        profile, self.items = session["profile"], [count["event"] for count in session["counts"]]
        self.whole = {count["event"]: count["value"] for count in session["counts"]}
        texts, frames, first = profile["texts"], profile["frames"], 0
        places = []
        for number in profile["places"]["frames"]:
            names = [
                texts[frames["function"][i]] if frames["function"][i] >= 0 else "?"
                for i in range(first, first + number)
            ]
            places.append(list(zip(names, frames["line"][first : first + number]))[::-1] or [("?", 0)])
            first += number
        self.rows = []
        stacks = profile["stacks"]
        for i, stack in enumerate(profile["rows"]["stack"]):
            chain = []
            while stack >= 0:
                chain = places[stacks["place"][stack]] + chain
                stack = stacks["caller"][stack]
            self.rows.append(
                {
                    "chain": chain,
                    "task": profile["tasks"][profile["rows"]["task"][i]],
                    "counts": collections.Counter(),
                    "cut": profile["rows"].get("truncated", [0] * (i + 1))[i],
                }
            )
        counts = profile["counts"]
        for row, item, value in zip(counts["row"], counts["item"], counts["value"]):
            self.rows[row]["counts"][self.items[item]] += value

    def slots(self, function, event="slots.retired"):
        """Of each way to the function below main: {"once": 120.0}."""
        sums = collections.Counter()
        for row in self.rows:
            names = [name for name, _ in row["chain"]]
            if names[-1] == function:
                below = names[names.index("main") : -1] if "main" in names else names[:-1]
                sums[" ".join(below)] += row["counts"][event]
        return sums
