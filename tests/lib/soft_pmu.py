# SPDX-License-Identifier: GPL-2.0-or-later
"""A made-up machine whose core PMU is the kernel's software PMU (type 1): cycles are its clock, misses are
page faults."""
import json
import os

# perf_event_open(2), PERF_TYPE_SOFTWARE
CLOCK, FAULTS, SWITCHES, MINOR, MAJOR = "0x0", "0x2", "0x3", "0x5", "0x6"


def event(name, code, **more):
    return {"EventName": name, "EventCode": code, "Counter": "0,1", **more}


EVENTS = {
    "Header": {"Cpu": "soft", "Vendor": "Intel", "GeneralCounters": 2, "Pmu": "cpu", "Cycles": "CYCLES"},
    "Events": [
        event("CYCLES", CLOCK),
        event("FAULTS", FAULTS, SampleAfterValue="50"),
        event("MINOR", MINOR, SampleAfterValue="10"),
        event("MAJOR", MAJOR, SampleAfterValue="1"),
        event("SWITCHES", SWITCHES),
    ],
}


def node(name, formula, threshold, locating=""):
    return {
        "MetricName": name,
        "Title": name.capitalize(),
        "MetricExpr": formula,
        "MetricGroup": "TopdownL1",
        "MetricThreshold": threshold,
        "ScaleUnit": "100%",
        "CountDomain": "Slots",
        **({"LocateWith": locating} if locating else {}),
    }


# Each takes two events, and there are two counters: two runs.
MODEL = {
    "Header": {"Cpu": "soft", "Version": "1"},
    "Metrics": [
        node("minor", "MINOR / FAULTS", "minor > 0.01", "MINOR"),
        node("major", "MAJOR / FAULTS", "major > 2"),
    ],
}

FILES = {
    "root/proc/cpuinfo": "\n".join(
        f"processor\t: {cpu}\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 250\nmodel name\t:"
        f" Test\nstepping\t: 1\nphysical id\t: 0\ncore id\t\t: {cpu}\n"
        for cpu in range(os.cpu_count())
    ),
    "root/sys/bus/event_source/devices/cpu/type": "1\n",
    "root/sys/bus/event_source/devices/cpu/format/event": "config:0-63\n",
    "db/events/mapfile.csv": (
        "Family-model,Version,Filename,EventType,ShortName\nGenuineIntel-6-FA,v1,soft,core,SFT\n"
    ),
    "db/events/soft.json": json.dumps(EVENTS),
    "db/models/soft.json": json.dumps(MODEL),
}


def soft_pmu(folder):
    """Writes it; returns the options for it."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return ["--sysroot", folder / "root", "--db", folder / "db"]
