# SPDX-License-Identifier: GPL-2.0-or-later
"""Linux' scheduler of counters on x86, as arch/x86/events has it: does a group open, and does it ever run?

x86_schedule_events() asks for each event's constraint and hands them to perf_assign_events(): events with the
fewest counters first, each on a fixed counter if that is free, else on the first free general one, and none
moves again.
"""
import re
from dataclasses import dataclass, replace

from linux_source import FIXED_SHIFT, METRIC_BITS, PSEUDO, SLOTS_BIT, Constraint

FIELDS = {
    "event": (0, 8),
    "umask": (8, 8),
    "edge": (18, 1),
    "any": (21, 1),
    "inv": (23, 1),
    "cmask": (24, 8),
    "in_tx": (32, 1),
    "in_tx_cp": (33, 1),
    "eq": (36, 1),
}
ALTERNATIVES = (
    ("RSP_", "PMU_FL_HAS_RSP_1", 2),
    ("OMR_", "PMU_FL_HAS_OMR", 4),
)  # registers that hold the same: intel_alt_er()


@dataclass(frozen=True)
class Event:
    name: str
    config: int
    config1: int


def event_of(name, perf):
    """From perf's spelling, cpu/event=0xc2,umask=0x2/."""
    config = config1 = 0
    for term, text in re.findall(r"([\w-]+)=(0x[0-9a-f]+)", perf.split("/")[1]):
        value = int(text, 16)
        if term == "event":
            config |= value & 0xFF | value >> 8 << 32
        elif term == "umask":
            config |= (value & 0xFF) << 8 | value >> 8 << 40
        elif term in FIELDS:
            config |= value << FIELDS[term][0]
        else:
            config1 = value
    return Event(name, config, config1)


class Counters:
    """A CPU's driver with so many counters."""

    def __init__(self, general, fixed, smt):
        self.general, self.smt = general, smt
        self.all = (1 << general) - 1
        self.fixed = sum(1 << (FIXED_SHIFT + number) for number in fixed)
        self.flags, self.has_exclusive = set(), False
        self.unconstrained = Constraint(0, 0, 0, self.all, general, frozenset(), False)

    def opens(self, group):
        """None, or why the kernel refuses to open an event of it: each is validated with those before it."""
        for i in range(1, len(group) + 1):
            reason = self.refuses(group[i - 1], group[0]) or self.schedule(group[:i], None)[0]
            if reason:
                return f"{group[i - 1].name} does not open: {reason}"
        return None

    def runs(self, group, watchdog):
        """None, or why it is never on the counters; with SMT also when the other thread of the core has the
        same group."""
        held = [watchdog] if watchdog else []
        metrics = sum(map(self.is_metric, group))
        if len(held + group) > self.general + self.fixed.bit_count() + metrics:
            return "more events than counters"
        reason, states = self.schedule(held + group, {})
        if not reason and self.has_exclusive and self.smt:
            reason, _ = self.schedule(held + group, states)
            reason = reason and f"beside the same group on the other thread: {reason}"
        return reason and f"opens and never runs: {reason}"

    def refuses(self, event, leader):
        return None

    def is_metric(self, event):
        return False

    def schedule(self, group, other):
        """(why not or None, the state of each counter). other: the states of the core's other thread; None:
        the group is only validated, which leaves out the rule of exclusive events.
        """
        constraints, held = [], {}
        for event in group:
            constraint = self.constraint(event, held)
            if isinstance(constraint, str):
                return f"{event.name}: {constraint}", {}
            constraints.append(constraint)
        most = self.general
        if other is not None and self.has_exclusive and self.smt:
            if any("EXCL" in each.flags for each in constraints) or "EXCL" in other.values():
                most //= 2
            constraints = [beside(each, other) for each in constraints]
        pairs = sum("PAIR" in each.flags for each in constraints)
        places = assign(constraints, most - pairs)
        if places is None:
            return f"no counters for {len(group)} events, {most - pairs} of them on general ones", {}
        return None, {
            place: "EXCL" if "EXCL" in each.flags else "SHARED" for place, each in zip(places, constraints)
        }

    def constraint(self, event, _held):
        return self.unconstrained


def beside(constraint, other):
    """What is left of it by the counters of the core's other thread: intel_get_excl_constraints()."""
    counters = constraint.counters
    for counter, state in other.items():
        if state == "EXCL" or (state == "SHARED" and "EXCL" in constraint.flags):
            counters &= ~(1 << counter)
    return replace(constraint, counters=counters, weight=counters.bit_count())


def assign(constraints, most):
    """perf_assign_events(): the counter of each, or None."""
    used, general, places = 0, 0, [None] * len(constraints)
    for number in sorted(range(len(constraints)), key=lambda i: constraints[i].weight):
        each = constraints[number]
        place = next(
            (i for i in range(FIXED_SHIFT, 64) if each.counters >> i & 1 and not used >> i & 1), None
        )
        mask = None if place is None else 1 << place
        if place is None:
            width = 3 if "PAIR" in each.flags else 1
            place = next(
                (i for i in range(FIXED_SHIFT) if each.counters >> i & 1 and not used & width << i), None
            )
            if place is None or general >= most:
                return None
            mask, general = width << place, general + 1
        used, places[number] = used | mask, place
    return places


class IntelCounters(Counters):
    def __init__(self, source, cpu, general, fixed, smt):
        super().__init__(general, fixed, smt)
        driver = source.driver(cpu)
        self.flags, self.has_exclusive = driver.flags, driver.has_ht_bug
        self.table = [self.limited(each) for each in source.constraints(driver.tables["event_constraints"])]
        self.registers = (
            source.registers(driver.tables["extra_regs"]) if "extra_regs" in driver.tables else []
        )

    def limited(self, constraint):
        """To the counters that exist: intel_pmu_check_event_constraints()."""
        counters = constraint.counters
        if counters & (SLOTS_BIT | METRIC_BITS):
            counters = counters if self.fixed & SLOTS_BIT else 0
        elif constraint.is_fixed:
            counters &= self.fixed
            counters |= self.all if constraint.code & PSEUDO else 0
        else:
            counters &= self.all | self.fixed
        return replace(constraint, counters=counters, weight=counters.bit_count())

    def register(self, event):
        return next((each for each in self.registers if each.event == event.config & each.mask), None)

    def refuses(self, event, leader):
        register = self.register(event)
        if register and event.config1 & ~register.valid:
            return f"{event.config1:#x} has bits that {register.register} has not"
        is_led = leader.config & 0xFFFF == 0x400
        return "its leader is not slots" if self.is_metric(event) and not is_led else None

    def is_metric(self, event):
        return not event.config & 0xFF and 0x8000 <= event.config & 0xFFFF <= 0x8700

    def alternatives(self, register, value):
        """The registers that are tried for it, in this order: __intel_shared_reg_get_constraints(),
        intel_alt_er()."""
        kind, flag, count = next(
            (each for each in ALTERNATIVES if register.index.startswith(each[0])), ("", "", 1)
        )
        if flag not in self.flags:
            return [register.index]
        first = int(register.index[len(kind) :])
        tried = [register.index]
        for step in range(1, count):
            number = (first + step) % count
            if value & ~self.registers[number].valid:
                break
            tried.append(f"{kind}{number}")
        return tried

    def constraint(self, event, held):
        """Its own or the table's; a text where an extra register that it needs has another value."""
        register = self.register(event)
        if register:
            tried = self.alternatives(register, event.config1)
            free = [index for index in tried if held.get(index, event.config1) == event.config1]
            if not free:
                return f"{register.register} has other values"
            held[free[0]] = event.config1
        found = next((each for each in self.table if each.matches(event.config)), self.unconstrained)
        if event.config >> 33 & 1:  # cycles up to a checkpoint: hsw_get_event_constraints()
            found = replace(found, counters=found.counters & 4, weight=1)
        return found if found.counters else "no counter of this CPU counts it"


class AmdCounters(Counters):
    def __init__(self, source, cpu, general, fixed, smt):
        super().__init__(general, fixed, smt)
        self.pairs, family = source.pair_codes()
        if not cpu.startswith(("amdzen", "generic-amd")) or family > 0x17:  # Zen is family 17h
            raise KeyError(cpu)
        even = sum(1 << i for i in range(0, general - 1, 2))
        self.pair = Constraint(0, 0, 0, even, general // 2, frozenset(["PAIR"]), False)

    def constraint(self, event, _held):
        code = event.config & 0xFF | event.config >> 24 & 0xF00
        found = self.pair if code in self.pairs else self.unconstrained
        return found if found.counters else "no counter of this CPU counts it"


class ArmCounters:
    """drivers/perf/arm_pmuv3.c: cycles on their own counter, which some cores do not use, and those with SMT;
    all others on general ones.
    """

    def __init__(self, source, cpu, general, fixed):
        self.general, self.has_cycles = general, 0 in fixed and cpu not in source.without_cycle_counter()

    def opens(self, group):
        cycles = sum(event.config == 0x11 for event in group)
        own = min(cycles, 1) if self.has_cycles else 0
        return None if len(group) - own <= self.general else "more events than counters"

    def runs(self, group, watchdog):
        return self.opens(([watchdog] if watchdog else []) + group)
