#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""roofline_places.py - topdown report --roofline on counts that this test chose, for CPUs of Intel, AMD and
Arm: operations by width and type, bytes of each level, and the intensities that follow. What an event stands
for is written here once more, from the vendors' documents.
"""
import json
import pathlib
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import SOURCE, check, check_failure, check_success, finish, read_json, temporary, topdown

LINE = 64

# CPU: {event: count}, operations, share of vectors in percent (None: the events don't say), lines by level
# (None: not counted), types
INTEL_512 = {
    "SCALAR_SINGLE": (1, "f32"),
    "SCALAR_DOUBLE": (1, "f64"),
    "128B_PACKED_SINGLE": (4, "f32"),
    "128B_PACKED_DOUBLE": (2, "f64"),
    "256B_PACKED_SINGLE": (8, "f32"),
    "256B_PACKED_DOUBLE": (4, "f64"),
    "512B_PACKED_SINGLE": (16, "f32"),
    "512B_PACKED_DOUBLE": (8, "f64"),
}


def intel(prefix, names, start):
    """Another count for each event; the operations, and those of vectors."""
    counts = {f"{prefix}.{name}": start * (i + 1) for i, name in enumerate(names)}
    each = {f"{prefix}.{name}": INTEL_512[name][0] for name in names}
    flops = sum(counts[event] * each[event] for event in counts)
    vectors = sum(counts[event] * each[event] for event in counts if "SCALAR" not in event)
    return counts, flops, 100 * vectors / flops


def cases():
    counts, flops, vectors = intel("FP_ARITH_INST_RETIRED", INTEL_512, 1_000_000)
    yield "cascadelakex", counts, flops, vectors, {
        "L2": {"L1D.REPLACEMENT": 3_000_000},
        "L3": {"L2_LINES_IN.ALL": 2_000_000, "L2_LINES_OUT.NON_SILENT": 700_000},
        "DRAM": {"LONGEST_LAT_CACHE.MISS": 500_000},
    }
    yield "sapphirerapids", counts, flops, vectors, {
        "L2": {"L1D.REPLACEMENT": 3_000_000},
        "L3": {"L2_LINES_IN.ALL": 2_000_000, "L2_LINES_OUT.NON_SILENT": 700_000},
        "DRAM": {"LONGEST_LAT_CACHE.MISS": 500_000, "OCR.WRITE_ESTIMATE.MEMORY": 250_000},
    }
    counts, flops, vectors = intel(
        "FP_ARITH_INST_RETIRED", [name for name in INTEL_512 if "512" not in name], 2_000_000
    )
    yield "skylake", counts, flops, vectors, {"L2": {"L1D.REPLACEMENT": 1_000_000}}
    yield "broadwell", counts, flops, vectors, {
        "L2": {"L1D.REPLACEMENT": 1_000_000, "L2_TRANS.L1D_WB": 400_000},
        "L3": {"L2_LINES_IN.ALL": 300_000, "L2_TRANS.L2_WB": 100_000},
    }
    counts, flops, vectors = intel(
        "FP_ARITH_OPS_RETIRED", [name for name in INTEL_512 if "512" not in name], 3_000_000
    )
    yield "lunarlake:core", counts, flops, vectors, {"L2": {"L1D.REPLACEMENT": 1_000_000}}
    # AMD's events count operations: scalars and vectors of each type on Zen 5, neither before.
    zen5 = {
        "scalar_single_flops": 100,
        "scalar_double_flops": 200,
        "packed_single_flops": 3000,
        "packed_double_flops": 4000,
    }
    yield "amdzen5", {
        f"fp_ret_sse_avx_ops.{name}": count * 1000 for name, count in zen5.items()
    }, 7_300_000, 100 * 7000 / 7300, {
        "L2": {"ls_any_fills_from_sys.all": 90_000},
        "L3": {"l2_fill_rsp_src.all": 50_000},
        "DRAM": {"l2_fill_rsp_src.dram_io_near": 20_000, "l2_fill_rsp_src.dram_io_far": 5_000},
    }
    zen3 = {"add_sub_flops": 1000, "mult_flops": 2000, "div_flops": 30, "mac_flops": 8000}
    dram = {
        "ls_any_fills_from_sys.mem_io_local": 7000,
        "ls_any_fills_from_sys.mem_io_remote": 100,
        "l2_pf_miss_l2_l3": 9000,
    }
    yield "amdzen3", {f"fp_ret_sse_avx_ops.{name}": count for name, count in zen3.items()}, 11030, None, {
        "DRAM": dram
    }
    yield "amdzen1", {
        "fp_ret_sse_avx_ops.sp_add_sub_flops": 1000,
        "fp_ret_sse_avx_ops.sp_mult_flops": 2000,
        "fp_ret_sse_avx_ops.sp_div_flops": 3,
        "fp_ret_sse_avx_ops.sp_mult_add_flops": 4000,
        "fp_ret_sse_avx_ops.dp_add_sub_flops": 50,
        "fp_ret_sse_avx_ops.dp_mult_flops": 60,
        "fp_ret_sse_avx_ops.dp_div_flops": 7,
        "fp_ret_sse_avx_ops.dp_mult_add_flops": 80,
    }, 7200, None, {}
    # Arm: operations of SVE by 128 bits, of which Neoverse V1 has two at a time, N2 and V2 one.
    caches = {
        "L2": {"L1D_CACHE_REFILL": 40_000, "L1D_CACHE_WB": 20_000},
        "L3": {"L2D_CACHE_REFILL": 30_000, "L2D_CACHE_WB": 10_000},
        "DRAM": {"LL_CACHE_MISS_RD": 9_000},
    }
    scalable = {"FP_FIXED_OPS_SPEC": 1_000_000, "FP_SCALE_OPS_SPEC": 3_000_000}
    yield "neoverse-v1", scalable, 1_000_000 + 2 * 3_000_000, None, caches
    yield "neoverse-v2", scalable, 4_000_000, None, caches
    yield "neoverse-n1", {"VFP_SPEC": 123_456}, 123_456, None, caches


def near(found, expected, what):
    check(found is not None and abs(found - expected) <= 1e-9 * abs(expected), what, (found, expected))


def place(path, *words):
    return topdown("report", "--roofline", *words, path)


def check_case(folder, case):
    cpu, flops_counts, flops, vectors, lines = case
    counts = dict(flops_counts)
    for events in lines.values():
        counts.update(events)
    path = folder / "counts.json"
    path.write_text(
        json.dumps(
            {
                "format": "topdown-counts",
                "cpu": cpu,
                "constants": {"DURATIONTIMEINMILLISECONDS": 500},
                "counts": counts,
            }
        ),
        encoding="utf-8",
    )
    done = place(path, "--format", "json")
    check_success(done, cpu)
    point = json.loads(done.stdout)["roofline"]["points"][0]
    near(point["flops"], flops, f"{cpu}: operations")
    if vectors is None:
        check(
            point["vector_percent"] is None, f"{cpu}: vectors are not distinguished", point["vector_percent"]
        )
    else:
        near(point["vector_percent"], vectors, f"{cpu}: share of vectors")
    for level in point["levels"]:
        events = lines.get(level["level"])
        if events:
            near(level["bytes"], LINE * sum(events.values()), f"{cpu}: bytes of {level['level']}")
            near(
                level["intensity"],
                flops / (LINE * sum(events.values())),
                f"{cpu}: intensity of {level['level']}",
            )
        else:
            check(
                level["bytes"] is None and level["intensity"] is None,
                f"{cpu}: {level['level']} was not counted",
                level,
            )
        check(level["source"], f"{cpu}: {level['level']} names its source", level)


def check_types(folder):
    counts, _, _ = intel("FP_ARITH_INST_RETIRED", INTEL_512, 1000)
    path = folder / "types.json"
    path.write_text(
        json.dumps({"format": "topdown-counts", "cpu": "skylakex", "counts": counts}), encoding="utf-8"
    )
    widths = json.loads(place(path, "--format", "json").stdout)["roofline"]["points"][0]["widths"]
    found = {(width["type"], width["bits"]): width["flops"] for width in widths}
    for i, (name, (each, kind)) in enumerate(INTEL_512.items()):
        bits = int(name[:3]) if "SCALAR" not in name else int(kind[1:])
        near(found.get((kind, bits)), 1000 * (i + 1) * each, f"operations of {name}")


def check_missing(folder):
    """One event of a set alone says nothing of the whole."""
    path = folder / "few.json"
    path.write_text(
        json.dumps(
            {
                "format": "topdown-counts",
                "cpu": "skylakex",
                "counts": {"FP_ARITH_INST_RETIRED.SCALAR_DOUBLE": 5},
            }
        ),
        encoding="utf-8",
    )
    report = json.loads(place(path, "--format", "json").stdout)["roofline"]
    check(
        report["points"][0]["flops"] is None and report["points"][0]["bound"] == "unknown",
        "operations that were not all counted",
        report["points"],
    )
    check("not counted" in report["flops_source"], "it says what is missing", report["flops_source"])
    check("were not counted" in place(path).stdout, "so does the text")


def check_command():
    check_failure(
        topdown("roofline", "--per-function"), "functions of no program", "--per-function", "none is named"
    )
    check_failure(
        topdown("roofline", "--save", "run.json"), "a session of no program", "--save", "none is named"
    )


def check_data():
    """Each set says where it is from, and some CPU has all of its events."""
    rows = read_json(SOURCE / "models/roofline.json")["Roofline"]
    known = [
        {event["EventName"] for event in read_json(path)["Events"] if "EventName" in event}
        for path in pathlib.Path(SOURCE / "events").glob("*.json")
        if path.name not in ("cpus.json",)
    ]
    for head in (row for row in rows if "Of" in row):
        events = [row["EventName"] for row in rows if row["Set"] == head["Set"] and "EventName" in row]
        check(head.get("Source"), f"{head['Set']}: its source")
        check(
            head.get("Scope") == "machine" or any(set(events) <= names for names in known),
            f"{head['Set']}: a CPU has its events",
            events,
        )


def main():
    with temporary() as folder:
        for case in cases():
            check_case(folder, case)
        check_types(folder)
        check_missing(folder)
    check_command()
    check_data()
    finish()


if __name__ == "__main__":
    main()
