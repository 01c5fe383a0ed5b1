# SPDX-License-Identifier: GPL-2.0-or-later
"""What Linux' PMU drivers say of each x86 CPU, read from their source: constraint tables, extra registers and
flags.

The tables are expanded by the macros of arch/x86/events/perf_event.h. Which CPU has which table is found by
going through intel_pmu_init() of intel/core.c from the CPU's case label on, as the kernel does.
"""
import re
from dataclasses import dataclass, field
from functools import lru_cache

EVENTS = "arch/x86/events"

# Of headers that the reference does not have (arch/x86/include/asm/perf_event.h): architectural bits of an
# event select register.
NAMES = {
    "ARCH_PERFMON_EVENTSEL_EVENT": 0xFF,
    "ARCH_PERFMON_EVENTSEL_UMASK": 0xFF00,
    "INTEL_ARCH_EVENT_MASK": 0xFFFF,
    "ARCH_PERFMON_EVENTSEL_EDGE": 1 << 18,
    "ARCH_PERFMON_EVENTSEL_ANY": 1 << 21,
    "ARCH_PERFMON_EVENTSEL_INV": 1 << 23,
    "ARCH_PERFMON_EVENTSEL_CMASK": 0xFF << 24,
    "HSW_IN_TX": 1 << 32,
    "HSW_IN_TX_CHECKPOINTED": 1 << 33,
    "INTEL_PMC_IDX_METRIC_BASE": 48,
    "AMD64_RAW_EVENT_MASK": 0xF000FFFFF,
}
NAMES["X86_RAW_EVENT_MASK"] = sum(
    NAMES[f"ARCH_PERFMON_EVENTSEL_{each}"] for each in ("EVENT", "UMASK", "EDGE", "INV", "CMASK")
)
NAMES["X86_ALL_EVENT_FLAGS"] = sum(
    NAMES[f"ARCH_PERFMON_EVENTSEL_{each}"] for each in ("EDGE", "INV", "CMASK", "ANY")
)
METRICS = (
    "RETIRING",
    "BAD_SPEC",
    "FE_BOUND",
    "BE_BOUND",
    "HEAVY_OPS",
    "BR_MISPREDICT",
    "FETCH_LAT",
    "MEM_BOUND",
)
NAMES |= {f"INTEL_TD_METRIC_{name}": 0x8000 + 0x100 * i for i, name in enumerate(METRICS)}

PSEUDO = 0xFF  # a code without these bits exists only on its fixed counter: use_fixed_pseudo_encoding()
FIXED_SHIFT = 32
SLOTS_BIT, METRIC_BITS = 1 << 35, 0xFF << 48

# the case labels of intel_pmu_init(), by this project's names; /core and /atom: which PMU of a hybrid
MODELS = {
    "nehalemep": "NEHALEM_EP",
    "nehalemex": "NEHALEM_EX",
    "westmereep-dp": "WESTMERE_EP",
    "westmereep-sp": "WESTMERE",
    "westmereex": "WESTMERE_EX",
    "sandybridge": "SANDYBRIDGE",
    "jaketown": "SANDYBRIDGE_X",
    "ivybridge": "IVYBRIDGE",
    "ivytown": "IVYBRIDGE_X",
    "haswell": "HASWELL",
    "haswellx": "HASWELL_X",
    "broadwell": "BROADWELL",
    "broadwellde": "BROADWELL_D",
    "broadwellx": "BROADWELL_X",
    "skylake": "SKYLAKE",
    "skylakex": "SKYLAKE_X",
    "cascadelakex": "SKYLAKE_X",
    "icelake": "ICELAKE",
    "icelakex": "ICELAKE_X",
    "tigerlake": "TIGERLAKE",
    "rocketlake": "ROCKETLAKE",
    "sapphirerapids": "SAPPHIRERAPIDS_X",
    "sapphirerapidshbm": "SAPPHIRERAPIDS_X",
    "emeraldrapids": "EMERALDRAPIDS_X",
    "graniterapids": "GRANITERAPIDS_X",
    "diamondrapids": "DIAMONDRAPIDS_X",
    "alderlake-core": "ALDERLAKE",
    "alderlake-atom": "ALDERLAKE",
    "alderlaken": "ATOM_GRACEMONT",
    "meteorlake-core": "METEORLAKE",
    "meteorlake-atom": "METEORLAKE",
    "arrowlake-core": "ARROWLAKE",
    "arrowlake-atom": "ARROWLAKE",
    "arrowlake-lowpower": "ARROWLAKE_H",
    "lunarlake-core": "LUNARLAKE_M",
    "lunarlake-atom": "LUNARLAKE_M",
    "pantherlake-core": "PANTHERLAKE_L",
    "pantherlake-atom": "PANTHERLAKE_L",
    "novalake-core": "NOVALAKE",
    "novalake-atom": "NOVALAKE",
    "sierraforest": "ATOM_CRESTMONT_X",
    "grandridge": "ATOM_CRESTMONT",
    "clearwaterforest": "ATOM_DARKMONT_X",
    "elkhartlake": "ATOM_TREMONT",
    "snowridgex": "ATOM_TREMONT_D",
    "goldmont": "ATOM_GOLDMONT",
    "goldmontplus": "ATOM_GOLDMONT_PLUS",
    "silvermont": "ATOM_SILVERMONT",
    "bonnell": "ATOM_BONNELL",
    "knightslanding": "XEON_PHI_KNL",
    # cores that no file knows, but the kernel does: one of the newest of each kind stands for them
    "generic-intel": "GRANITERAPIDS_X",
    "generic-intel-core": "NOVALAKE",
    "generic-intel-atom": "NOVALAKE",
    "generic-atom": "ATOM_DARKMONT_X",
    "generic-intel-ratios": "SKYLAKE",
}
ARM_CORES = {"NVIDIA_OLYMPUS": "olympus"}  # of asm/cputype.h
HYBRID_INDEX = {
    "core": "X86_HYBRID_PMU_CORE_IDX",
    "atom": "X86_HYBRID_PMU_ATOM_IDX",
    "lowpower": "X86_HYBRID_PMU_TINY_IDX",
}


class NotUnderstood(Exception):
    """The source has a form that is not handled here: the test has to learn it."""


@dataclass(frozen=True)
class Constraint:
    code: int
    last: int  # of a range of codes
    mask: int  # of config, that is compared
    counters: int
    weight: int
    flags: frozenset
    is_fixed: bool  # the mask that disqualifies filtered events from fixed counters

    def matches(self, config):
        return 0 <= (config & self.mask) - self.code <= self.last - self.code


@dataclass(frozen=True)
class ExtraRegister:
    event: int
    register: str
    mask: int
    valid: int  # bits of config1 that may be set
    index: str


@dataclass
class Driver:
    """What a CPU's driver has chosen."""

    tables: dict = field(default_factory=dict)  # event_constraints, extra_regs, pebs_constraints
    flags: set = field(default_factory=set)  # PMU_FL_, pebs_prec_dist
    has_ht_bug: bool = False


def read(reference, name):
    text = (reference / EVENTS / name).read_text(encoding="utf-8")
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def split_arguments(text):
    """'a, f(b, c)' -> ['a', 'f(b, c)']"""
    parts, depth, start = [], 0, 0
    for i, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if char == "," and not depth:
            parts.append(text[start:i].strip())
            start = i + 1
    return [*parts, text[start:].strip()]


class Macros:
    def __init__(self, *texts):
        self.found = {}
        for text in texts:
            for name, parameters, body in re.findall(
                r"^#define\s+(\w+)(\([\w, ]*\))?[ \t]*((?:.*\\\n)*.*)$", text, re.M
            ):
                self.found[name] = (
                    [each.strip() for each in parameters[1:-1].split(",")] if parameters else None,
                    body.replace("\\\n", " ").strip(),
                )

    def expand(self, name, arguments, last):
        """The arguments of the macro `last` that the call becomes."""
        while name != last:
            parameters, body = self.found[name]
            values = dict(zip(parameters, arguments))
            body = re.sub(r"#{0,2}\b(\w+)\b", lambda m: values.get(m[1], m[1]), body)
            name, inside = re.match(r"(\w+)\s*\((.*)\)\s*$", body).groups()
            arguments = split_arguments(inside)
        return arguments

    def number(self, text):
        text = re.sub(r"\b(0x[0-9a-fA-F]+|\d+)[uUlL]+\b", r"\1", text)

        def value(match):
            name = match[0]
            if re.match(r"\d", name):
                return name
            if name in NAMES:
                return str(NAMES[name])
            if name in self.found and self.found[name][0] is None:
                return f"({self.number(self.found[name][1])})"
            raise NotUnderstood(name)

        return eval(
            re.sub(r"\b(?!HWEIGHT|BIT)\w+\b", value, text),  # pylint: disable=eval-used
            {"__builtins__": {}, "HWEIGHT": lambda n: n.bit_count(), "BIT_ULL": lambda n: 1 << n},
        )


class Source:
    """The drivers' source below a folder."""

    def __init__(self, reference):
        self.header, self.intel, self.amd = (
            read(reference, name) for name in ("perf_event.h", "intel/core.c", "amd/core.c")
        )
        self.arm = re.sub(
            r"/\*.*?\*/", "", (reference / "drivers/perf/arm_pmuv3.c").read_text(encoding="utf-8"), flags=re.S
        )
        self.text = self.intel + read(reference, "intel/ds.c")  # where tables are
        self.macros = Macros(self.header)
        self.body = function_lines(self.intel, "intel_pmu_init")

    # Tables

    def entries(self, name):
        found = re.search(rf"\b{name}\[\][^=]*=\s*\{{(.*?)\n\}};", self.text, re.S)
        if not found:
            raise NotUnderstood(f"no table {name}")
        for call in re.findall(r"^\s*(\w+\(.*\))\s*,?\s*$", found[1], re.M):
            macro, inside = re.match(r"(\w+)\((.*)\)$", call).groups()
            yield macro, split_arguments(inside)
        left = re.sub(r"^\s*\w+\(.*\)\s*,?\s*$", "", found[1], flags=re.M).split()
        if [each for each in left if not each.startswith(("EVENT_CONSTRAINT_END", "EVENT_EXTRA_END"))]:
            raise NotUnderstood(f"{name}: {left}")

    @lru_cache(maxsize=None)
    def constraints(self, name):
        result = []
        for macro, arguments in self.entries(name):
            code, last, counters, mask, weight, _, flags = self.macros.expand(
                macro, arguments, "__EVENT_CONSTRAINT_RANGE"
            )
            number = self.macros.number
            result.append(
                Constraint(
                    number(code),
                    number(last),
                    number(mask),
                    number(counters),
                    number(weight),
                    frozenset(re.findall(r"PERF_X86_EVENT_(\w+)", flags)),
                    "FIXED_EVENT" in macro,
                )
            )
        return result

    @lru_cache(maxsize=None)
    def registers(self, name):
        result = []
        for macro, arguments in self.entries(name):
            event, register, mask, valid, index = self.macros.expand(macro, arguments, "EVENT_EXTRA_REG")
            result.append(
                ExtraRegister(
                    self.macros.number(event),
                    register,
                    self.macros.number(mask),
                    self.macros.number(valid),
                    index,
                )
            )
        return result

    # Which CPU has which

    @lru_cache(maxsize=None)
    def driver(self, cpu):
        """The CPU's, by the project's name; KeyError where it is not in MODELS."""
        driver = Driver()
        walk = Walk(self, driver, HYBRID_INDEX.get(cpu.rpartition("-")[2]), MODELS[cpu])
        walk.go(self.body, f"case INTEL_{MODELS[cpu]}:")
        if "event_constraints" not in driver.tables:
            raise NotUnderstood(f"{cpu}: no constraints")
        return driver

    def pair_codes(self):
        """AMD's event codes that take two counters, and the first family that has them."""
        codes = re.findall(r"case (0x\w+):\s*return true;", self.amd)
        family = re.search(r"boot_cpu_data\.x86 >= (0x\w+)\) \{[^}]*\}?.*?PMU_FL_PAIR", self.amd, re.S)
        if not codes or not family:
            raise NotUnderstood("paired events")
        return {int(code, 16) for code in codes}, int(family[1], 16)

    def without_cycle_counter(self):
        """The Arm cores, by the project's names, on which cycles are counted by general counters only."""
        found = re.search(r"armv8pmu_avoid_pmccntr_cpus\[\] = \{(.*?)\n\};", self.arm, re.S)
        if not found:
            raise NotUnderstood("armv8pmu_avoid_pmccntr_cpus")
        return {ARM_CORES[name] for name in re.findall(r"MIDR_ALL_VERSIONS\(MIDR_(\w+)\)", found[1])}


def function_lines(text, name):
    found = re.search(rf"^[^\n;]*\b{name}\([^;{{]*\)\s*\n\{{\n(.*?)^\}}", text, re.S | re.M)
    if not found:
        raise NotUnderstood(f"no function {name}")
    return [
        line.strip() for line in re.sub(r"\n\s*(?==)|(?<==)\n\s*", " ", found[1]).splitlines() if line.strip()
    ]


class Walk:
    """Through intel_pmu_init() and the functions that it calls, statement by statement."""

    def __init__(self, source, driver, hybrid, model):
        self.source, self.driver, self.hybrid, self.model = source, driver, hybrid, model
        self.pmu = None  # the PMU of a hybrid that statements are about, while it is not known which: all

    def is_ours(self):
        return not (self.hybrid and self.pmu) or self.pmu == self.hybrid

    def go(self, lines, start):
        place = next((i for i, line in enumerate(lines) if line == start), None)
        if place is None:
            raise NotUnderstood(start)
        while place < len(lines):
            line = lines[place]
            if line == "break;":
                return
            jump = re.match(r"goto (\w+);", line)
            place = lines.index(f"{jump[1]}:") if jump else self.step(lines, place)
        raise NotUnderstood(f"{start} without an end")

    def step(self, lines, place):
        line = lines[place]
        which = re.match(r"if \(boot_cpu_data\.x86_vfm == INTEL_(\w+)\)$", line)
        if which:  # if (...) statement; else statement;
            self.statement(lines[place + (1 if which[1] == self.model else 3)])
            return place + 4
        if re.match(r"if \(.*\{$", line) or re.match(r"if \(", line) and not line.endswith(";"):
            return self.skip(lines, place)
        self.statement(line)
        return place + 1

    @staticmethod
    def skip(lines, place):
        """Behind what is done under a condition: bits of the boot CPU, which the tables don't depend on."""
        while lines[place].count("(") > lines[place].count(")"):
            place += 1
        if not lines[place].endswith("{") and not lines[place + 1].endswith("{"):
            return place + 2
        depth = 0
        while True:
            depth += lines[place].count("{") - lines[place].count("}")
            place += 1
            if depth <= 0 and "}" in lines[place - 1] and "else" not in lines[place - 1]:
                return place

    def statement(self, line):
        chosen = re.match(r"pmu = &x86_pmu\.hybrid_pmu\[(\w+)\]", line)
        if chosen:
            self.pmu = chosen[1]
        if not self.is_ours():
            return
        table = re.match(
            r"(?:x86_pmu\.|pmu->|hybrid\(pmu, )(event_constraints|extra_regs|pebs_constraints)\)? = (\w+);",
            line,
        )
        if table:
            self.driver.tables[table[1]] = table[2]
        for sign, flag in re.findall(r"x86_pmu\.flags (\|=|&=) ~?(PMU_FL_\w+)", line):
            (self.driver.flags.add if sign == "|=" else self.driver.flags.discard)(flag)
        if line == "x86_pmu.pebs_prec_dist = true;":
            self.driver.flags.add("pebs_prec_dist")
        self.driver.has_ht_bug |= line == "x86_add_quirk(intel_ht_bug);"
        called = re.match(r"(intel_pmu_init_\w+)\((?:NULL|&pmu->pmu|pmu)\);", line)
        if called and called[1] != "intel_pmu_init_hybrid":
            for each in function_lines(self.source.intel, called[1]):
                self.statement(each)
