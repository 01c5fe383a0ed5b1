# SPDX-License-Identifier: GPL-2.0-or-later
"""A CPU's counters: which events each can count, what the MSRs hold, and what the kernel's scheduler makes of
a group."""
from golden import number

ANY = {"u", "k"}  # modifiers that every counter has
WATCHDOG = "the NMI watchdog"


class Pmu:
    """The counters of one thread. Events are tuples as in wanted.py."""

    def __init__(self, cpu, general=None, watchdog=False, metrics=True, fixed=None):
        header, self.cpu, self.watchdog = cpu.header, cpu, watchdog
        published = header.get("GeneralCounters", "4")
        if not cpu.smt:
            published = header.get("GeneralCountersSMTOff", published)
        self.general = [f"gp{i}" for i in range(general or int(published))]
        self.fixed = [
            f"fixed{i}" for i in range(int(header.get("FixedCounters", "0"))) if fixed is None or i in fixed
        ]
        self.metrics = metrics and "SlotsEvent" in header
        self.codes = {
            rule: {int(code, 16) for code in header.get(rule, "").split(",") if code}
            for rule in ("Exclusive", "Paired")
        }
        self.half = len(self.general) // 2
        self.crowd = 0  # general counters that something in each group holds

    @property
    def counters(self):
        return self.general + self.fixed

    def row(self, event):
        return self.cpu.rows[event[0]]

    def is_exclusive(self, event):
        """Linux on Sandy Bridge to Haswell: with SMT its group has half of the general counters."""
        return (
            event != WATCHDOG
            and self.cpu.smt
            and number(self.row(event), "EventCode") in self.codes["Exclusive"]
        )

    def is_paired(self, event):
        """Linux on AMD from Zen on: it takes an even counter and the one behind it."""
        return event != WATCHDOG and number(self.row(event), "EventCode") in self.codes["Paired"]

    def is_field(self, event):
        return self.row(event).get("Counter", "").startswith("Metric")

    def places(self, event):
        """The counters that may count the event, in the kernel's order; none for a PERF_METRICS field."""
        if event == WATCHDOG:
            return (
                self.places((self.cpu.header["Cycles"].lower(),))
                if "Cycles" in self.cpu.header
                else self.general
            )
        row = self.row(event)
        text = row.get("Counter", "") if self.cpu.smt else row.get("CounterHTOff", row.get("Counter", ""))
        if text.startswith("Metric"):
            return []
        if self.is_paired(event):
            return self.general[0 : 2 * ((len(self.general) - self.crowd) // 2) : 2]
        if not text:
            return self.general
        if not text.startswith("Fixed"):
            return [name for name in self.general if name[2:] in text.split(",")]
        is_filtered = set(event[1:]) - ANY or any(
            number(row, key) for key in ("EdgeDetect", "Invert", "CounterMask", "Equal")
        )
        if is_filtered:
            return self.general
        fixed = [name for name in self.fixed if name == "fixed" + text.split()[-1]]
        if number(row, "EventCode"):
            return self.general + fixed
        twin = (
            event[0] + "_p"
        )  # without its fixed counter an event is counted by its twin's code; fields have none
        is_slots = event[0] == self.cpu.header.get("SlotsEvent", "").lower()
        return fixed if fixed or is_slots or twin not in self.cpu.rows else self.places((twin,))

    def can_count(self, event):
        if self.is_field(event):
            return self.metrics
        is_slots = event[0] == self.cpu.header.get("SlotsEvent", "").lower()
        return bool(self.places(event)) and (self.metrics or not is_slots)

    def holds(self, events):
        """Can the counters hold these at once, in any way? Each event takes a counter from another that finds
        a new one."""
        waiting = ([WATCHDOG] if self.watchdog else []) + [
            event for event in events if not self.is_field(event)
        ]
        behind = [("behind", event) for event in waiting if self.is_paired(event)]
        idle = (
            [("idle", i) for i in range(len(self.general) - self.half)]
            if any(map(self.is_exclusive, waiting))
            else []
        )
        odd = [f"gp{int(name[2:]) + 1}" for name in self.general[:-1:2]]
        owner = {}

        def take(event, seen):
            for name in odd if event in behind else self.general if event in idle else self.places(event):
                if name not in seen and (seen.add(name) or name not in owner or take(owner[name], seen)):
                    owner[name] = event
                    return True
            return False

        return all(
            values + room * alone <= room for values, alone, room in self.registers(events).values()
        ) and all(take(event, set()) for event in behind + idle + waiting)

    # MSRs

    def registers(self, events):
        """{MSR: (different values, events that share it with nothing, values that it can hold)}"""
        found = {}
        for event in events:
            row = self.row(event)
            if number(row, "MSRIndex"):
                found.setdefault(number(row, "MSRIndex"), []).append(event)
        result = {}
        for register, users in found.items():
            alone = [event for event in users if number(self.row(event), "TakenAlone")]
            values = {self.value(event) for event in users if event not in alone}
            room = 1 + ("," in self.row(users[0])["MSRIndex"])
            result[register] = len(values), len(alone), room
        return result

    def value(self, event):
        own = [modifier for modifier in event[1:] if modifier.startswith("ocr_msr_val=")]
        return own[0] if own else number(self.row(event), "MSRValue")

    # What the kernel does

    def accepts(self, group):
        """Does the kernel find counters for the group's events, in their order? arch/x86/events/core.c,
        perf_assign_events(): the most restricted events first, each on its fixed counter if that is free, or
        else on the first free general one. No event moves again. Beside an exclusive event half of the
        general counters hold events. drivers/perf/arm_pmuv3.c is the same with cycles as the only event that
        has a fixed counter.
        """
        waiting = ([WATCHDOG] if self.watchdog else []) + [
            event for event in group if not self.is_field(event)
        ]
        most = self.half if any(map(self.is_exclusive, waiting)) else len(self.general)
        used = set()
        for event in sorted(
            waiting, key=lambda each: len(self.places(each))
        ):  # stable, as the kernel's loop is
            places = [name for name in self.places(event) if not self.taken(event, name) & used]
            fixed = [name for name in places if name.startswith("fixed")]
            if not places:
                return False
            used |= self.taken(event, (fixed or places)[0])
        return len(waiting) <= len(self.counters) and len(used & set(self.general)) <= most

    def taken(self, event, name):
        return {name, f"gp{int(name[2:]) + 1}"} if self.is_paired(event) else {name}
