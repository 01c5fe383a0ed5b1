#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A guest machine: the CPU that QEMU shows, the PMU it gets, and the answers its rates lead to.

machines/NAME.py sets MACHINE. The configs there are the hardware's own, from the vendors' event lists: they
are not read from the program's databases, so that a wrong code in those is noticed.

    machine.py NAME qemu      prints the options for run.sh, one per line
    machine.py NAME files DIR writes what else there is to say, a file each where there is anything:
      pmu           the module parameters of its PMU, one per line; not for a PMU that QEMU emulates
      drill         how deep --drilldown goes, where it is tried
      part          what is selected, where that is tried, as two lines: nodes, metrics
      pmu2          the same of the second one, if there is one
      units         the parameters of the PMUs beside the cores
      some-metrics  a list for --metrics, with such PMUs
      units-asked   events of those PMUs for -e, one a line
      units-turns   a metric whose events of one unit take several runs, where one is tried
      brief         a word where units.sh leaves out what every machine says alike
      other-model   a script for sed that makes another model of the first of them, where that is tried
      asked         a list for -e, where it is tried
      refused       a word where all of trust.sh is tried
      placed        a word where topdown roofline is tried
      verified      a word where topdown verify is tried
      script        which test runs on it
      faults        which faults its PMU gets for a while, where any are tried
      same-ipc      with phases, what rates2 becomes where both shall have the same IPC
      fewer         the number of general counters that are left to it for a while; not for a PMU that QEMU
      emulates
"""
import pathlib
import runpy
import sys
from dataclasses import dataclass, field

KHZ = 2_000_000


@dataclass(frozen=True)
class Units:
    """A kind of PMUs beside the cores: NAME_0, NAME_1 ..., or NAME alone; see pmu/units.c."""

    name: str
    count: int  # 0: one, without a number
    counters: int  # for each CPU of the mask
    formats: dict[str, str]
    events: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)  # beside those; with a part for each unit: "0|2"

    def parameter(self):
        files = (
            ";".join(f"{name}:{text}" for name, text in texts.items())
            for texts in (self.formats, self.events, self.files)
        )
        return "/".join(("kind=" + self.name, str(self.count), str(self.counters), *files))


@dataclass(frozen=True)
class Placed:
    """What rates come to below the ceilings, each a cycle: by the vendor's rules, not by
    models/roofline.json."""

    widths: dict[
        tuple[str, int | None], float
    ]  # operations by type and bits of the vectors, as the events distinguish them
    lines: dict[str, float]  # of 64 bytes, by level
    sources: dict[
        str, str
    ]  # of the operations ("flops") and of some levels: words that the report has for them
    # their share of the operations, in percent; None: the events do not distinguish them
    vectors: float | None


@dataclass(frozen=True)
class Machine:
    arch: str  # of run.sh
    qemu: list[str]  # further options of run.sh
    cycles: str  # the program's name for an event that counts cycles at level 1
    ipc: float  # instructions a cycle, as its rates have it
    level1: dict[str, float]  # node: percent; all nodes of this level
    deeper: dict[str, float] = field(default_factory=dict)  # some nodes of levels 2 and 3
    metrics: dict[str, float] = field(default_factory=dict)  # some metrics of level 3 that are no nodes
    khz: int = KHZ  # cycles per ms
    not_for_users: tuple[str, ...] = ()  # nodes of level 1 that only root can have
    level1_runs: int = 1  # that level 1 takes
    note: str = ""  # what the report of level 1 has to say about these counts
    no_ipc: tuple[
        str, ...
    ] = ()  # steps of guest.sh in which the counters are all taken and instructions left out
    pmu: dict[str, str] = field(default_factory=dict)  # module parameters; none: QEMU's own PMU
    rates: dict[str, tuple[int, float]] = field(default_factory=dict)  # event: config, counts a cycle
    rates2: dict[str, tuple[int, float]] = field(default_factory=dict)  # of rates: those of the second phase
    second_level1: dict[str, float] = field(default_factory=dict)  # level1 and deeper in it
    second_deeper: dict[str, float] = field(default_factory=dict)
    drill_level: int = 0  # -l of --drilldown; each level above it has bottlenecks with children
    drilled: tuple[str, ...] = ()  # of deeper: what is below the bottlenecks
    not_drilled: tuple[str, ...] = ()  # nodes below no bottleneck, whose events no other node needs
    part: tuple[str, ...] = ()  # a list for --nodes, and the words of `topdown metrics`
    part_rows: tuple[str, ...] = ()  # what these select
    part_metrics: dict = field(default_factory=dict)  # what metrics come to that are measured there only
    asked: tuple[str, ...] = ()  # of rates: events for -e, each of which has to be counted
    placed: Placed | None = None  # what topdown roofline comes to
    verified: dict = field(
        default_factory=dict
    )  # kernels of topdown verify that are tried, and the node of each
    fewer: int = 0  # general counters left for the test with too few of them
    second: "Machine | None" = None  # of a hybrid: pmu, rates, level1 and ipc of the other core type
    kernel_share: float = 0  # of the counts, those that the kernel's work makes
    findings: dict[str, tuple[str, str]] = field(
        default_factory=dict
    )  # of doctor: state and a part of what was found
    units: tuple[Units, ...] = ()  # all that it has beside the cores
    some_metrics: tuple[str, ...] = ()  # which read the first kind of them, and maybe others
    units_asked: tuple[str, ...] = ()  # events of units for -e
    units_turns: str = ""  # a metric that reads more of one unit than its counters hold at a time
    other_model: tuple[str, str] | tuple[
        ()
    ] = ()  # of the first unit's files: what stands there, and what another model has
    is_brief: bool = False  # of units.sh only what depends on the machine
    hidden: str = ""  # an event that the kernel does not list, because this PMU does not have it
    faults: str = ""  # which steps of faults.sh are done: vm, dead-metrics
    # whether it is tried what the kernel refuses and limits, whatever the PMU, and what repeats are
    refused: bool = False
    script: str = "guest"  # what runs in the guest: script.sh; and what checks what it left: script.py


def intel(event, umask=0, cmask=0, edge=0, any_thread=0):
    return event | umask << 8 | edge << 18 | any_thread << 21 | cmask << 24


def amd(event, umask=0, cmask=0):
    return event & 0xFF | umask << 8 | cmask << 24 | event >> 8 << 32


def definitions(name):
    """What machines/NAME.py defines."""
    return runpy.run_path(str(pathlib.Path(__file__).parent / "machines" / f"{name}.py"))


def load(name):
    return definitions(name)["MACHINE"]


def rate_list(rates):
    return ",".join(f"{config:x}:{round(rate * 1e6)}" for config, rate in rates.values())


def module_parameters(machine):
    if not machine.pmu:
        return []
    return [f"{key}={value}" for key, value in machine.pmu.items()] + [
        f"khz={machine.khz}",
        f"rates={rate_list(machine.rates)}",
        *([f"rates2={rate_list(machine.rates2)}"] if machine.rates2 else []),
    ]


def main(name, what, folder=None):
    machine = load(name)
    if what == "qemu":
        print("\n".join(["--arch", machine.arch, *machine.qemu]))
        return
    files = {
        "pmu": module_parameters(machine),
        "drill": [str(machine.drill_level)] if machine.drill_level else [],
        "part": list(machine.part),
        "pmu2": module_parameters(machine.second) if machine.second else [],
        "script": [machine.script],
        "faults": [machine.faults] if machine.faults else [],
        "asked": [",".join(machine.asked)] if machine.asked else [],
        "units": [unit.parameter() for unit in machine.units] + ["cpumask=0,2"] if machine.units else [],
        "some-metrics": [",".join(machine.some_metrics)] if machine.some_metrics else [],
        "refused": ["yes"] if machine.refused else [],
        "units-turns": [machine.units_turns] if machine.units_turns else [],
        "brief": ["yes"] if machine.is_brief else [],
        "units-asked": list(machine.units_asked),
        "other-model": (
            [f"s/{machine.other_model[0]}/{machine.other_model[1]}/"] if machine.other_model else []
        ),
        "placed": ["yes"] if machine.placed else [],
        "verified": ["yes"] if machine.verified else [],
        "same-ipc": (
            [rate_list({name: row for name, row in machine.rates2.items() if name != "INST_RETIRED.ANY"})]
            if machine.rates2
            else []
        ),
        "fewer": [str(machine.fewer)] if machine.fewer else [],
    }
    for name, lines in files.items():
        if lines:
            (pathlib.Path(folder) / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
