# SPDX-License-Identifier: GPL-2.0-or-later
"""profiles.py - sessions with a profile, written from rows of the test's own (docs/FORMATS.md,
topdown-session). A stack is a list of places from its root, a place a list of frames from the outermost, a
frame (function, file, line); () is code without a name.
"""

HEAD = {
    "format": "topdown-session",
    "version": 1,
    "cpu": "amdzen4",
    "cpuid": "AuthenticAMD-25-11-1",
    "machine": "a machine",
    "command": "./prog",
    "scope": "user",
    "started": "2026-11-22T19:25:30Z",
    "tool_version": "0.2.0",
    "model_version": None,
    "level": 1,
    "events": None,
    "facts": {
        "smt_on": 0,
        "core_wide": 0,
        "num_cpus": 2,
        "num_cpus_online": 2,
        "num_cores": 2,
        "num_dies": 1,
        "num_packages": 1,
        "slots": None,
        "system_tsc_freq": None,
        "has_pmem": 0,
    },
    "planned_runs": 1,
    "groups": 0,
    "runs": [{"run": 1, "wall_s": 0.5, "cpu_s": 0.4, "status": 0}],
    "counts": [],
}

CLOCK = {
    "event": "cpu-clock",
    "period": 1000000,
    "frequency": 0,
    "precise": 0,
    "wanted": 0,
    "lost": 0,
    "throttled": 0,
    "enabled_ns": None,
    "running_ns": None,
    "run": 0,
}


class Numbers:
    """Each thing once, with its number."""

    def __init__(self):
        self.all = {}

    def of(self, thing):
        return self.all.setdefault(thing, len(self.all))


class Profile:
    def __init__(self, events=(CLOCK,)):
        self.events = [dict(event, samples=0, weight=0) for event in events]
        self.modules, self.tasks, self.places, self.stacks = Numbers(), Numbers(), Numbers(), Numbers()
        self.rows, self.remarks, self.sentences, self.counts = [], {}, [], []
        self.groups, self.deltas = [], []
        self.intervals = []  # (from_s, to_s); rows are all of the first

    def stack_of(self, stack):
        caller = -1
        for module, frames in stack:
            place = self.places.of((self.modules.of(module), tuple(frames)))
            caller = self.stacks.of((place, caller))
        return caller

    def add_exact(self, stack, counts):
        """counts: {number of the event among the session's counts: value}."""
        for item, value in counts.items():
            self.counts.append((len(self.rows), item, value))
        self.rows.append((self.stack_of(stack), self.tasks.of((10, 10, "prog", "prog")), -1, 4, 0, 0, 0))

    def add(self, stack, samples, task=(10, 11, "worker", "prog"), event=0, truncated=False):
        """stack: [(module, frames)]; one that is there already is added to."""
        weight = samples * (self.events[event]["period"] or 1)
        self.rows.append(
            (self.stack_of(stack), self.tasks.of(task), event, 1, int(truncated), samples, weight)
        )
        self.events[event]["samples"] += samples
        self.events[event]["weight"] += weight

    def add_group(self, event, members):
        """A group that was read with the samples of an event of its own."""
        self.groups.append((event, members))

    def add_delta(self, place, batch, pairs, values, group=0):
        """What a group has counted in a function, or in none."""
        self.deltas.append(
            (
                -1 if place is None else self.places.of((self.modules.of(place[0]), tuple(place[1]))),
                group,
                batch,
                pairs,
                values,
            )
        )

    def groups_data(self):
        if not self.groups:
            return {}
        columns = list(zip(*self.deltas))
        return {
            "group_events": [name for _, members in self.groups for name in members],
            "groups": {
                "event": [event for event, _ in self.groups],
                "members": [len(members) for _, members in self.groups],
            },
            "deltas": dict(zip(("place", "group", "batch", "pairs"), map(list, columns))),
            "delta_values": {"value": [value for values in columns[4] for value in values]},
        }

    def data(self):
        texts, frames = Numbers(), []
        for _, place in self.places.all:
            for function, file, line in reversed(place):
                frames.append([texts.of(function), -1 if file is None else texts.of(file), line])
        columns = list(zip(*self.rows)) or [[]] * 7
        return {
            "seconds": 0.5,
            "scope": "user",
            "method": "fp",
            "remarks": self.sentences,
            "modules": [
                {
                    "kind": "file",
                    "path": path,
                    "pid": 0,
                    **({"remark": self.remarks[path]} if path in self.remarks else {}),
                }
                for path in self.modules.all
            ],
            "tasks": [dict(zip(("pid", "tid", "name", "program"), task)) for task in self.tasks.all],
            "events": self.events,
            "texts": list(texts.all),
            "frames": {
                "function": [frame[0] for frame in frames],
                "file": [frame[1] for frame in frames],
                "line": [frame[2] for frame in frames],
            },
            "places": {
                "module": [module for module, _ in self.places.all],
                "address": [0x1000 + 4 * i for i in range(len(self.places.all))],
                "frames": [len(place) for _, place in self.places.all],
            },
            "stacks": {
                "place": [place for place, _ in self.stacks.all],
                "caller": [caller for _, caller in self.stacks.all],
            },
            "rows": dict(
                zip(
                    ("stack", "task", "event", "method", "truncated", "samples", "weight"), map(list, columns)
                )
            ),
            **(
                {"intervals": dict(zip(("from_s", "to_s"), map(list, zip(*self.intervals))))}
                if self.intervals
                else {}
            ),
            **(
                {"counts": dict(zip(("row", "item", "value"), map(list, zip(*self.counts))))}
                if self.counts
                else {}
            ),
            **self.groups_data(),
        }

    def session(self, head=None):
        return {**(head or HEAD), "profile": self.data()}
