#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Import a folder of Linux' pmu-events and compare its model with the shipped one, on the same random counts.

usage: perf_form.py [FOLDER]...     TOPDOWN names the program, REFERENCE the vendors' data

FOLDER is one of reference/linux-7.3/x86, which have the metrics; the events that go with them are the shipped
ones, written in Linux' form. Where both models are of one version of the method, every node and every metric
of it must agree. Where they are not, those that may differ stand below with what changed, and all others must
agree. Exit status 77 without the data.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "equality"))
from equality import SKIPPED, TOOLS, Draw, is_close, reference_with
from lib.rows import run_rows

DRAWS = 8
TOPDOWN = os.environ.get("TOPDOWN", "topdown")

# Linux does not say in the files which version its metrics are of; docs/VENDOR-DIFFERENCES.md has how it
# shows.
# the event version of mapfile.csv, and each CPU's version of the method; '': Linux' metrics are the shipped
# ones
FOLDERS = {
    "sandybridge": ("v19", {"sandybridge": ""}),
    "jaketown": ("v24", {"jaketown": ""}),
    "ivybridge": ("v24", {"ivybridge": ""}),
    "ivytown": ("v24", {"ivytown": ""}),
    "haswell": ("v36", {"haswell": "5.01"}),
    "haswellx": ("v29", {"haswellx": "5.01"}),
    "broadwell": ("v30", {"broadwell": "5.01"}),
    "broadwellde": ("v12", {"broadwellde": ""}),
    "broadwellx": ("v23", {"broadwellx": "5.01"}),
    "skylake": ("v59", {"skylake": ""}),
    "skylakex": ("v1.37", {"skylakex": ""}),
    "cascadelakex": ("v1.25", {"cascadelakex": ""}),
    "icelake": ("v1.24", {"icelake": "5.1"}),
    "icelakex": ("v1.30", {"icelakex": "5.1"}),
    "tigerlake": ("v1.19", {"tigerlake": "5.1"}),
    "rocketlake": ("v1.04", {"rocketlake": ""}),
    "sapphirerapids": ("v1.39", {"sapphirerapids": "5.1"}),
    "emeraldrapids": ("v1.24", {"emeraldrapids": "5.2"}),
    "graniterapids": ("v1.20", {"graniterapids": "5.2"}),
    "alderlake": ("v1.40", {"alderlake:core": "", "alderlake:atom": ""}),
    "meteorlake": ("v1.22", {"meteorlake:core": "", "meteorlake:atom": ""}),
    "lunarlake": ("v1.26", {"lunarlake:core": "", "lunarlake:atom": ""}),
    "arrowlake": ("v1.20", {"arrowlake:core": "", "arrowlake:atom": ""}),
    "alderlaken": ("v1.40", {"alderlaken": ""}),
    "clearwaterforest": ("v1.04", {"clearwaterforest": ""}),
    "sierraforest": ("v1.18", {"sierraforest": "3.6"}),
    "grandridge": ("v1.13", {"grandridge": "3.6"}),
}

# Where the shipped model and Linux' differ, on which CPUs, and why.
TABLES = {
    "values": [
        (
            "5.2 reads LOCK_CYCLES.CACHE_LOCK_DURATION and MEM_INST_RETIRED.SPLIT_LOADS",
            "sapphirerapids",
            "tma_lock_latency tma_split_loads",
        ),
        (
            "5.2 counts cycles with 12 requests, 5.1 those with 4",
            "sapphirerapids",
            "tma_mem_bandwidth tma_mem_latency",
        ),
        (
            "Linux' text has lost Intel's eq1 (VENDOR-DIFFERENCES)",
            "lunarlake:core arrowlake:core",
            "tma_dsb tma_lsd tma_mite",
        ),
    ],
    "thresholds": [],
    "added nodes": [],
    "removed nodes": [
        ("perfmon has no persistent memory", "icelakex sapphirerapids graniterapids", "tma_cxl_mem_bound")
    ],
    "metrics": [
        (
            "one unit's clock has no value over several sockets, by whose number Linux multiplies",
            "clearwaterforest",
            "cpu_cstate_c0 cpu_cstate_c6",
        ),
        (
            "their nodes have lost eq1",
            "lunarlake:core arrowlake:core",
            "tma_info_botlnk_l2_dsb_bandwidth tma_info_botlnk_l2_dsb_misses",
        ),
        (
            "5.2 divides by the operations of all sources, 5.1 by those issued",
            "icelakex sapphirerapids",
            "tma_info_frontend_dsb_coverage",
        ),
        (
            "their nodes differ",
            "sapphirerapids",
            (
                "tma_bottleneck_data_cache_memory_bandwidth tma_bottleneck_data_cache_memory_latency "
                "tma_bottleneck_memory_data_tlbs tma_bottleneck_memory_synchronization"
            ),
        ),
    ],
}
# the kernel's words, which Linux' metrics have, for what perfmon counts by a name: the shipped model reads
# one of these
BESIDE = {
    "power/energy-pkg/": ("FREERUN_PKG_ENERGY_STATUS", "UNC_PKG_ENERGY_STATUS"),
    "power/energy-ram/": ("FREERUN_DRAM_ENERGY_STATUS",),
    "uncore_cbox_0/event=0x0/": ("UNC_C_CLOCKTICKS:one_unit",),
    "uncore_cha_0/event=0x0/": ("UNC_CHA_CLOCKTICKS:one_unit",),
    "uncore_cha_0/event=0x1/": ("UNC_CHA_CLOCKTICKS:one_unit",),
    "uncore_pcu_0/UNC_P_CLOCKTICKS/": ("UNC_P_CLOCKTICKS",),
    "pcu_0@UNC_P_CLOCKTICKS@": ("UNC_P_CLOCKTICKS:one_unit",),
}
REST = (  # 100 less all others: rounding makes it differ where they are large
    "tma_bottleneck_other_bottlenecks"
)


def names_of(table, cpu):
    return {name for _, cpus, names in table if cpu in cpus.split() for name in names.split()}


# The folder as Linux would have it


def read_json(path):
    return json.loads(Path(path).read_text(encoding="utf-8"))


def events_of(cpu):
    return read_json(ROOT / "events" / f"{cpu.replace(':', '-')}.json")["Events"]


def in_linux_form(event, cpu):
    core = cpu.split(":")[1:]
    return dict(event, Unit=f"cpu_{core[0]}") if core else event


def write_folder(folder, source, cpus):
    """PERF_METRICS.* are no events of the vendor's files; the import adds them."""
    folder.mkdir()
    for path in source.glob("*-metrics.json"):
        (folder / path.name).write_bytes(path.read_bytes())
    events = [
        in_linux_form(event, cpu)
        for cpu in cpus
        for event in events_of(cpu)
        if not event["EventName"].startswith("PERF_METRICS.")
    ]
    (folder / "core.json").write_text(json.dumps(events), encoding="utf-8")


def run(*words):
    return subprocess.run([TOPDOWN, *map(str, words)], capture_output=True, check=True, text=True).stdout


# Counts for both models


def same_events(cpu):
    """NAME:u0x0f is the event of that unit mask, if there is one under a name of its own; so is what the
    kernel's words mean."""
    rows = events_of(cpu)
    by_name = {row["EventName"]: row for row in rows}

    def encoding(row, mask):
        return [row.get(key) for key in ("EventCode", "CounterMask", "EdgeDetect", "Invert", "MSRIndex")] + [
            mask
        ]

    def same(name):
        named = [other for other in BESIDE.get(name, ()) if other.split(":")[0] in by_name]
        if named:
            return named[0]
        masked = re.fullmatch(r"([\w.]+):u(0x[0-9a-f]+)", name)
        if not masked:
            return name
        wanted = encoding(by_name[masked.group(1)], int(masked.group(2), 16))
        found = [row["EventName"] for row in rows if encoding(row, int(row.get("UMask", "0"), 16)) == wanted]
        return found[0] if found else name

    return same


class Counts(Draw):
    """A draw for two models: whatever one of them misses is drawn."""

    def __init__(self, cpu, smt, seed):
        super().__init__(cpu, smt, seed)
        # Linux' formulas estimate the core's cycles where one thread is counted, and part persistent memory's
        # stalls off.
        self.constants.update({"#core_wide": 1, "#has_pmem": 0})
        self.same = same_events(cpu)

    def add(self, name):
        self.count(self.same(name))
        if self.same(name) != name:
            self.counts[name], self.names[name] = int(self.count(self.same(name))), name

    def report(self, *options):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(self.flat(), file)
            file.flush()
            return json.loads(run("report", *options, "--format", "json", file.name))

    def reports(self, database):
        while True:
            both = self.report("--db", ROOT), self.report("--db", database)
            missing = {
                name
                for report in both
                for row in report["nodes"] + report["metrics"]
                for name in row.get("missing", ())
                if name.lower() not in TOOLS
            }
            if not missing:
                return both
            for name in sorted(missing):
                self.add(name)


# Comparison


def rows_of(report, renamed):
    return {renamed.get(row["name"], row["name"]): row for row in report["nodes"] + report["metrics"]}


def renames(ours, theirs):
    """From a name that only theirs has to ours, by the glossary."""
    lists = read_json(ROOT / "models/glossary.json")["Header"]["SameNode"]
    return {
        name: other
        for names in lists
        for name in names
        for other in names
        if name in theirs and name not in ours and other in ours and other not in theirs
    }


class Comparison:
    def __init__(self, cpu, version):
        self.cpu, self.version, self.wrong = cpu, version, []
        self.compared, self.nodes = 0, set()
        self.found = {what: set() for what in TABLES}

    def expect(self, what, found, wanted):
        if found != wanted:
            self.wrong.append(f"{self.cpu}: {what}: {found} instead of {wanted}")

    def is_close_up(self, name, ours, theirs):
        """The node and all that are above it agree, so the threshold judges the same."""
        while name:
            if name not in theirs or not is_close(ours[name]["raw"], theirs[name]["raw"]):
                return False
            name = ours[name].get("parent")
        return True

    def node(self, name, ours, theirs):
        self.compared += 2
        self.expect(f"level of {name}", theirs[name].get("level"), ours[name]["level"])
        if not is_close(theirs[name]["raw"], ours[name]["raw"]):
            self.found["values"].add(name)
        elif (
            self.is_close_up(name, ours, theirs)
            and ours[name]["over_threshold"] != theirs[name]["over_threshold"]
        ):
            self.found["thresholds"].add(name)

    def metric(self, name, ours, theirs):
        self.compared += 1
        if not is_close(theirs[name]["raw"], ours[name]["raw"]):
            self.found["metrics"].add(name)

    def draw(self, both):
        renamed = renames(*[rows_of(report, {}) for report in both])
        ours, theirs = [rows_of(report, renamed) for report in both]
        our_nodes, their_nodes = [
            {name for name, row in rows.items() if "level" in row} for rows in (ours, theirs)
        ]
        self.found["added nodes"] |= our_nodes - their_nodes
        self.found["removed nodes"] |= their_nodes - our_nodes
        self.nodes |= our_nodes & their_nodes
        for name in our_nodes & their_nodes:
            self.node(name, ours, theirs)
        for name in ours.keys() & theirs.keys() - our_nodes:
            if (name.startswith("tma_") or not self.version) and name != REST:
                self.metric(name, ours, theirs)

    def end(self, our_version):
        """The differences are exactly those of the tables, and none where the version is the same."""
        self.expect("anything compared", self.compared > 0, True)
        for what, table in TABLES.items():
            self.expect(what, sorted(self.found[what]), sorted(names_of(table, self.cpu)))
        counts = ", ".join(f"{len(names)} {what}" for what, names in self.found.items())
        print(
            f"perf_form.py: {self.cpu}: TMA {our_version or 'of Linux'} against Linux'"
            f" {self.version or 'own'}: {len(self.nodes)} nodes, {self.compared} numbers compared; differing:"
            f" {counts}"
        )


def check_cpu(cpu, version, database):
    comparison = Comparison(cpu, version)
    for smt in (0, 1):
        for seed in range(DRAWS):
            ours, theirs = Counts(cpu, smt, seed).reports(database)
            comparison.draw((ours, theirs))
    comparison.end(ours["tma_version"])
    return comparison.wrong


def check_names(folder, database, cpus):
    """No metric of the method may be lost on the way."""
    names = {}
    for path in folder.glob("*-metrics.json"):
        for row in read_json(path):
            names.setdefault(row.get("Unit", ""), set()).add(
                re.sub("[ %]", "", row["MetricName"].replace("%_", ""))
            )
    for cpu in cpus:
        unit = f"cpu_{cpu.split(':')[1]}" if ":" in cpu else ""
        wanted = {name for name in names.get(unit, set()) | names.get("", set()) if name.startswith("tma_")}
        rows = read_json(database / "models" / f"{cpu.replace(':', '-')}.json")["Metrics"]
        for name in sorted(wanted - {row["MetricName"] for row in rows}):
            yield f"{cpu}: {name} was lost"


def mapfile_version(reference, folder):
    lines = (reference / "linux-7.3/x86/mapfile.csv").read_text(encoding="utf-8").splitlines()
    return next(line.split(",")[-3] for line in lines if line.split(",")[-2] == folder)


def check_folder(name, reference):
    version, cpus = FOLDERS[name]
    wrong = []
    if mapfile_version(reference, name) != version:
        wrong.append(f"{name}: mapfile.csv has another version than {version}: whose TMA version is that?")
    with tempfile.TemporaryDirectory() as place:
        folder, database = Path(place) / name, Path(place) / "out"
        write_folder(folder, reference / "linux-7.3/x86" / name, cpus)
        run("import", "--db", ROOT, "--from", "perf", "-o", database, folder)
        wrong += check_names(folder, database, cpus)
        for cpu, tma in cpus.items():
            wrong += check_cpu(cpu, tma, database)
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


def main(names):
    reference = reference_with("linux-7.3/x86")
    if not reference:
        return SKIPPED
    run_rows(FOLDERS, lambda name: check_folder(name, reference), names, data=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
