#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""stripped.py - programs without symbols: each function is called by where it begins, with the range that nm
has of the same program before it was stripped. Then such a program sampled, simulated, shown and exported,
beside its twin with symbols."""
import json
import pathlib
import shutil
import sys
import tempfile

sys.path.append(f"{sys.path[0]}/..")
import reader
from lib import BUILD, FAILED, check, environment, finish, output_of, topdown
from reader import functions, names

C = """
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) static double divided(double x, int n)
{
	for (int i = 0; i < n; i++)
		x = 1 / (x + 1.5);
	return x;
}
__attribute__((noinline)) static double much(double x) { return divided(x, 3000) + 1; }
__attribute__((noinline)) static double little(double x) { return divided(x, 1000) + 2; }
int main(int argc, char **argv)
{
	double sum = 0;
	for (int i = argc > 1 ? atoi(argv[1]) : 1; i > 0; i--)
		sum += much(i) + little(i);
	printf("%f\\n", sum);
	return 0;
}
"""
CC = """
#include <cstdio>
#include <stdexcept>
#include <vector>
namespace shapes {
struct shape { virtual double area(double x) { if (x < 0) throw std::runtime_error("negative"); return x * x; } virtual ~shape() {} };
struct circle : shape { double area(double x) override { return 3.14 * shape::area(x); } };
template <class T> __attribute__((noinline)) T twice(T x) { return x + x; }
}
int main(int argc, char **)
{
	std::vector<shapes::shape *> all{new shapes::shape, new shapes::circle};
	double sum = 0;
	try {
		for (auto *one : all)
			sum += one->area(argc) + shapes::twice(argc) + shapes::twice(sum);
	} catch (const std::exception &error) {
		puts(error.what());
	}
	printf("%f\\n", sum);
}
"""  # noqa: E501
RUST = """
#[inline(never)] fn sum(numbers: &[u64]) -> u64 { numbers.iter().fold(7, |a, b| a.wrapping_mul(31) ^ b) }
#[inline(never)] fn generic<T: std::fmt::Debug>(x: &T) -> String { format!("{:?}", x) }
struct Loud(u64);
impl Drop for Loud { fn drop(&mut self) { println!("{}", self.0); } }
fn main() {
    let numbers: Vec<u64> = (0..std::env::args().count() as u64 * 100).collect();
    let _loud = Loud(sum(&numbers));
    println!("{} {}", generic(&numbers[3]), generic(&"text"));
}
"""
# Of functions written here: part of their names, as nm prints them.
KNOWN = {
    "c": ["divided", "much", "little", "main"],
    "cc": ["shapes::", "main"],
    "rs": ["sum", "generic", "Loud", "main"],
}
SIM = ("--pmu", "sim", "--sim-core", "skylake", "--no-anchor", "--nodes", "Divider")
MANY = "300"  # rounds that take a simulator a moment


def compile_as(folder, name, suffix, source, *words):
    path = folder / f"{name}.{suffix}"
    path.write_text(source, encoding="utf-8")
    output_of(*words, path, "-o", folder / name)
    return folder / name


def strip(path):
    naked = path.with_name(f"{path.name}-naked")
    output_of("strip", "-o", naked, path)
    return naked


def check_ranges(path, known):
    """First, middle and last byte of each function."""
    naked = strip(path)
    table = [
        (begin, end)
        for begin, end, many in functions(path)
        if any(part in name for name in many for part in known)
    ]
    check(len(table) >= 3, f"{path.name}: functions", table)
    addresses = sorted({address for begin, end in table for address in (begin, (begin + end) // 2, end - 1)})
    ours, said = names(naked, addresses)
    check("stripped" in said, f"{path.name}: the remark", said)
    for begin, end in table:
        for address in (begin, (begin + end) // 2, end - 1):
            check(
                ours[address] == [(f"{naked.name}+{begin:#x}", "-", 0, begin, end - begin)],
                f"{naked.name}: {address:x} of {begin:x}",
                ours[address],
            )


def check_all_ranges(folder):
    forms = {
        "pie": ["-O2"],
        "no-pie": ["-O2", "-no-pie"],
        "static-pie": ["-O1", "-static-pie"],
        "sections": ["-O2", "-ffunction-sections"],
    }
    for form, words in forms.items():
        check_ranges(compile_as(folder, f"c-{form}", "c", C, "gcc", *words), KNOWN["c"])
    check_ranges(compile_as(folder, "cc", "cc", CC, "g++", "-O2"), KNOWN["cc"])
    if shutil.which("clang"):
        check_ranges(compile_as(folder, "c-clang", "c", C, "clang", "-O2"), KNOWN["c"])
    if shutil.which("rustc"):
        check_ranges(compile_as(folder, "rust", "rs", RUST, "rustc", "-O"), KNOWN["rs"])


def check_no_information(folder):
    """Without .eh_frame there are no ranges, so no name is made up."""
    path = compile_as(
        folder, "bare", "c", C, "gcc", "-O1", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables"
    )
    begins = [begin for begin, _, many in functions(path) if many & {"divided", "much", "main"}]
    ours, _ = names(strip(path), begins)
    check(
        len(begins) == 3 and all(frames[0][0] == "-" for frames in ours.values()),
        "without unwind tables",
        ours,
    )


def own_functions(path, naked):
    """{name in the twin: name in the stripped program}"""
    return {
        next(iter(many)): f"{naked.name}+{begin:#x}"
        for begin, _, many in functions(path)
        if many & set(KNOWN["c"])
    }


def rows_of(report):
    return {row["name"]: row for row in report["profile"]["functions"]}


def simulated(*words):
    done = topdown(*SIM, "--format", "json", *words, MANY)
    check(done.returncode == 0, f"{words}", done.stderr[-500:])
    text = done.stderr[done.stderr.index("{") :]
    return json.loads(text)


def check_simulated(folder, path, naked):
    """The twin's shares and callers, by other names."""
    same = own_functions(path, naked)
    before, after = rows_of(simulated("--functions", path)), rows_of(simulated("--functions", naked))
    for name, other in same.items():
        if name in before:
            values = [
                round(rows[key].get(kind, 0), 1)
                for rows, key in ((before, name), (after, other))
                for kind in ("self", "total")
                if key in rows
            ]
            check(
                len(values) == 4 and values[:2] == values[2:],
                f"simulated: {name}",
                (before.get(name), after.get(other)),
            )
    check(abs(after[same["divided"]]["self"] - 100) < 5, "simulated: the divisions", after)
    text = topdown(*SIM, "--callers", same["divided"], "--annotate", same["divided"], naked, MANY).stderr
    shares = {
        words[-1]: float(words[0])
        for words in map(str.split, text.splitlines())
        if len(words) == 3 and words[1].startswith("[")
    }
    check(
        abs(shares.get(same["much"], 0) / max(shares.get(same["little"], 1), 1) - 3) < 0.1,
        "callers: three times as much",
        text[-1500:],
    )
    check(
        "div" in text and "no symbol" in " ".join(text.split()),
        "the instructions, and the sentence",
        text[-1500:],
    )
    session = folder / "session.json"
    done = topdown(*SIM, "--functions", "--save", session, naked, MANY)
    check(done.returncode == 0, "a session of a simulation", done.stderr)
    folded = topdown("export", "--to", "folded", session).stdout
    check(
        f"{same['main']};{same['much']};{same['divided']} " in folded, "a flame graph of a simulation", folded
    )


def check_sampled(folder, path, naked):
    same = own_functions(path, naked)
    session = folder / "sampled.json"
    done = topdown(
        "sample",
        "-e",
        "cpu-clock",
        "-g",
        "dwarf",
        "-u",
        "--save",
        session,
        naked,
        "20000",
        env=environment(COLUMNS="160"),
    )  # a sample in another object may widen its column
    if done.returncode == FAILED:
        print(f"not sampled: {done.stderr}")
        return
    hot = [line.split()[-1] for line in done.stderr.splitlines() if f"[{naked.name}]" in line]
    check(hot and hot[0] == same["divided"], "sampled: the hottest function", done.stderr)
    folded = topdown("export", "--to", "folded", session).stdout
    check(f";{same['main']};{same['much']};{same['divided']} " in folded, "a flame graph of samples", folded)


def main():
    reader.need("gcc", "g++", "nm", "strip")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        check_all_ranges(folder)
        check_no_information(folder)
        path = compile_as(folder, "twin", "c", C, "gcc", "-O1", "-fno-inline")
        naked = strip(path)
        check_sampled(folder, path, naked)
        if any((BUILD / "libexec/topdown").glob("topdown-*-linux")) and shutil.which("valgrind"):
            check_simulated(folder, path, naked)
    finish()


main()
