#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""pprof.py - `topdown export --to pprof`: decoded by protobuf's rules
(https://protobuf.dev/programming-guides/encoding) with the field
numbers of google/pprof's profile.proto, its consistency rules hold, and each function has what the test gave
it, in all values."""
import collections
import gzip
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.append(f"{sys.path[0]}/..")
from lib import check, finish
from lib.made_up import chosen, deep, hostile, write

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
# message: field number: (name, what it is); a list: repeated
MESSAGES = {
    "Profile": {
        1: ("sample_type", ["ValueType"]),
        2: ("sample", ["Sample"]),
        3: ("mapping", ["Mapping"]),
        4: ("location", ["Location"]),
        5: ("function", ["Function"]),
        6: ("string_table", ["string"]),
        7: ("drop_frames", "int"),
        8: ("keep_frames", "int"),
        9: ("time_nanos", "int"),
        10: ("duration_nanos", "int"),
        11: ("period_type", "ValueType"),
        12: ("period", "int"),
        13: ("comment", ["int"]),
        14: ("default_sample_type", "int"),
    },
    "ValueType": {1: ("type", "int"), 2: ("unit", "int")},
    "Sample": {1: ("location_id", ["int"]), 2: ("value", ["int"]), 3: ("label", ["Label"])},
    "Label": {1: ("key", "int"), 2: ("str", "int"), 3: ("num", "int"), 4: ("num_unit", "int")},
    "Mapping": {
        1: ("id", "int"),
        2: ("memory_start", "int"),
        3: ("memory_limit", "int"),
        4: ("file_offset", "int"),
        5: ("filename", "int"),
        6: ("build_id", "int"),
        7: ("has_functions", "int"),
        8: ("has_filenames", "int"),
        9: ("has_line_numbers", "int"),
        10: ("has_inline_frames", "int"),
    },
    "Location": {
        1: ("id", "int"),
        2: ("mapping_id", "int"),
        3: ("address", "int"),
        4: ("line", ["Line"]),
        5: ("is_folded", "int"),
    },
    "Line": {1: ("function_id", "int"), 2: ("line", "int")},
    "Function": {
        1: ("id", "int"),
        2: ("name", "int"),
        3: ("system_name", "int"),
        4: ("filename", "int"),
        5: ("start_line", "int"),
    },
}


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        at += 1
        shift += 7
        if data[at - 1] < 0x80:
            return value - (1 << 64) if value >> 63 else value, at


def scalar(kind, data):
    return data.decode("utf-8") if kind == "string" else decode(kind, data)


def decode(message, data):
    """{field: value}; what is absent has its default."""
    fields = MESSAGES[message]
    found = {name: [] if isinstance(kind, list) else 0 for name, kind in fields.values()}
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        name, kind = fields[tag >> 3]
        inner = kind[0] if isinstance(kind, list) else kind
        if tag & 7 == VARINT:
            value, at = varint(data, at)
            values = [value]
        else:
            check(tag & 7 == BYTES, f"{message}.{name}: wire type", tag & 7)
            length, at = varint(data, at)
            piece, at = data[at : at + length], at + length
            values = []
            if inner == "int":  # packed
                i = 0
                while i < len(piece):
                    value, i = varint(piece, i)
                    values.append(value)
            else:
                values = [scalar(inner, piece)]
        if isinstance(kind, list):
            found[name] += values
        else:
            found[name] = values[-1]
    return found


def check_rules(profile):
    texts = profile["string_table"]
    check(texts[0] == "" and len(set(texts)) == len(texts), "the first text is empty, each is there once")
    for name in ("mapping", "location", "function"):
        ids = [item["id"] for item in profile[name]]
        check(0 not in ids and len(set(ids)) == len(ids), f"{name}: ids")
    mappings = {mapping["id"]: mapping for mapping in profile["mapping"]}
    functions = {function["id"] for function in profile["function"]}
    for location in profile["location"]:
        mapping = mappings[location["mapping_id"]]
        check(
            mapping["memory_start"] <= location["address"] < mapping["memory_limit"],
            "an address is in its mapping",
            location["address"],
        )
        check(
            location["line"] and all(line["function_id"] in functions for line in location["line"]),
            "a location has functions",
        )
    locations = {location["id"] for location in profile["location"]}
    for sample in profile["sample"]:
        check(len(sample["value"]) == len(profile["sample_type"]), "as many values as types")
        check(set(sample["location_id"]) <= locations and sample["location_id"], "locations are there")
    for number in [
        function[key] for function in profile["function"] for key in ("name", "system_name", "filename")
    ]:
        check(0 <= number < len(texts), "a text is there", number)


def check_sums(made, profile):
    texts = profile["string_table"]
    names = {function["id"]: texts[function["name"]] for function in profile["function"]}
    modules = {mapping["id"]: texts[mapping["filename"]].split("/")[-1] for mapping in profile["mapping"]}
    locations = {
        location["id"]: [
            (names[line["function_id"]], modules[location["mapping_id"]]) for line in location["line"]
        ]
        for location in profile["location"]
    }
    for weighing in range(len(made.weighings)):
        own, total = collections.Counter(), collections.Counter()
        for sample in profile["sample"]:
            stack = [
                function for number in sample["location_id"] for function in locations[number]
            ]  # innermost first
            own[stack[0]] += sample["value"][weighing]
            for function in set(stack):
                total[function] += sample["value"][weighing]
        check(+own == made.own(weighing), f"weighing {weighing}: own")
        check(+total == made.totals(weighing), f"weighing {weighing}: totals")


def check_labels(made, profile):
    texts = profile["string_table"]
    sums, wanted = collections.Counter(), collections.Counter()
    for sample in profile["sample"]:
        labels = {texts[label["key"]]: texts[label["str"]] or label["num"] for label in sample["label"]}
        sums[labels["pid"], labels["tid"], labels["thread"]] += sample["value"][0]
    for row in made.rows:
        pid, tid, name, _ = made.tasks[row.task]
        wanted[pid, tid, name] += row.weights[0]
    check(sums == wanted, "by thread", (sums, wanted))


def check_viewer(made, data):
    """Where Go's pprof is installed it prints the same total."""
    tool = ["pprof"] if shutil.which("pprof") else ["go", "tool", "pprof"] if shutil.which("go") else None
    if not tool:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "x.pb.gz")
        path.write_bytes(gzip.compress(data))
        done = subprocess.run(
            [*tool, "-symbolize=none", "-top", "-sample_index=tma_dram_bound", str(path)],
            stdout=subprocess.PIPE,
            text=True,
            check=False,
            env={**os.environ, "HOME": folder},
        )
        check(done.returncode == 0 and f" of {made.total(1)}" in done.stdout, "pprof -top", done.stdout[:300])


def main():
    for seed in range(5):
        made = chosen(seed)
        data = write(made, "pprof", seed % 3)
        profile = decode("Profile", data)
        texts = profile["string_table"]
        check_rules(profile)
        kinds = [(texts[kind["type"]], texts[kind["unit"]]) for kind in profile["sample_type"]]
        check(
            kinds == [("cycles", "cycles"), ("tma_dram_bound", "slots"), ("cpu-clock", "nanoseconds")],
            "types",
            kinds,
        )
        check(
            texts[profile["default_sample_type"]] == made.weighings[seed % 3].name, "the chosen one is shown"
        )
        check([texts[number] for number in profile["comment"]] == ['./prog <b> & "c"'], "the command")
        check_sums(made, profile)
        check_labels(made, profile)
    check_viewer(made, data)
    for made in (hostile(), deep(1000)):
        profile = decode("Profile", write(made, "pprof"))
        check_rules(profile)
        check(sum(sample["value"][0] for sample in profile["sample"]) == made.total(0), "sum")
    check(len(profile["sample"][0]["location_id"]) == 1000, "1,000 frames")
    finish()


main()
