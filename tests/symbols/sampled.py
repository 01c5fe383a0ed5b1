#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""sampled.py - names of what was sampled, by time: programs linked in several ways, deleted and replaced
while they run, another root, libraries that come and go, the vdso, and code that a program made. Each program
spends nearly all of its time where it says."""
import itertools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.append(f"{sys.path[0]}/..")
import reader
from lib import FAILED, check, cpu_s, finish, output_of, read_json, skip, topdown, until_enough, wait_until

BURN = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
static inline __attribute__((always_inline)) uint64_t mixed(uint64_t x)
{
	for (int i = 0; i < 100000; i++)
		x = x * 6364136223846793005u + 1; /* hot */
	return x;
}
__attribute__((noinline)) uint64_t spend(double seconds)
{
	uint64_t x = 1;
	for (double end = now() + seconds; now() < end;)
		x = mixed(x);
	return x;
}
"""
SPEND = BURN + "int main(void) { return spend(0.5) == 7; }\n"
ENDLESS = BURN + "int main(void) { return spend(9999) == 7; }\n"
GONE = BURN + "int main(int argc, char **argv) { (void)argc; unlink(argv[0]); return spend(0.5) == 7; }\n"
REPLACED = (
    BURN
    + "int main(int argc, char **argv) { (void)argc; rename(argv[1], argv[0]); return spend(0.5) == 7; }\n"
)
LOADER = (
    BURN
    + """
int main(int argc, char **argv)
{
	(void)argc;
	for (int i = 1; i <= 2; i++) {
		void *library = dlopen(argv[i], RTLD_NOW);
		((uint64_t (*)(double))dlsym(library, "spend_there"))(0.3);
		dlclose(library);
	}
	return 0;
}
"""
)
CLOCK = (
    BURN
    + """
int main(void)
{
	struct timespec t;
	for (double end = now() + 0.5; now() < end;)
		for (int i = 0; i < 100000; i++)
			clock_gettime(CLOCK_MONOTONIC, &t);
	return 0;
}
"""
)
# mov $n, %rcx; dec %rcx; jnz; ret
MADE = (
    BURN
    + """
int main(int argc, char **argv)
{
	static const unsigned char code[] = { 0x48, 0xc7, 0xc1, 0x40, 0x42, 0x0f, 0x00, 0x48, 0xff, 0xc9, 0x75, 0xfb, 0xc3 };
	unsigned char *made = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	FILE *map;
	(void)argc, (void)argv;
	memcpy(made, code, sizeof(code));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	fprintf(map, "%lx %zx made <script> code\\n", (unsigned long)made, sizeof(code));
	fclose(map);
	for (double end = now() + 0.5; now() < end;)
		((void (*)(void))made)();
	return 0;
}
"""  # noqa: E501
)


def build(folder, name, source, *words):
    (folder / "burn.c").write_text(source, encoding="ascii")
    output_of("gcc", "-O1", "-g", *words, "burn.c", "-o", name, "-ldl", where=folder)
    return folder / name


class Sampled:
    """What a session says: samples by the functions of the innermost frame, and by its module; lines of the
    hottest, remarks of modules."""

    def __init__(self, folder, *words):
        out = folder / "session.json"
        done = topdown("sample", "-e", "cpu-clock", "-u", "-g", "none", "--no-last", "--save", out, *words)
        profile = read_json(out)["profile"] if done.returncode == 0 else None
        self.said = done.stderr
        self.samples, self.lines, self.modules, self.remarks = {}, {}, {}, {}
        if not profile:
            check(False, f"{words}", done.stderr)
            return
        self.remarks = {module["path"]: module.get("remark") for module in profile["modules"]}
        self.read(profile)

    def read(self, profile):
        frames, places = profile["frames"], profile["places"]
        firsts = [0, *itertools.accumulate(places["frames"])]
        for row, stack in enumerate(profile["rows"]["stack"]):
            place = profile["stacks"]["place"][stack]
            first, end = firsts[place], firsts[place + 1]
            text = [self.text(profile, frames["function"][i]) for i in range(first, end)]
            key = " < ".join(text) if text else None
            samples = profile["rows"]["samples"][row]
            self.samples[key] = self.samples.get(key, 0) + samples
            module = places["module"][place]
            path = profile["modules"][module]["path"] if module >= 0 else None
            self.modules.setdefault(path, {}).setdefault(key, 0)
            self.modules[path][key] += samples
            if first < end:
                line = (self.text(profile, frames["file"][first]), frames["line"][first])
                self.lines[line] = self.lines.get(line, 0) + samples

    @staticmethod
    def text(profile, number):
        return profile["texts"][number] if number >= 0 else None

    def share(self, function):
        total = sum(self.samples.values())
        return self.samples.get(function, 0) / total if total else 0


def expect(what, sampled, function, least=0.8):
    check(sampled.share(function) > least, f"{what}: {function}", (sampled.samples, sampled.remarks))


def check_links(folder):
    hot = 1 + (BURN[: BURN.index("/* hot */")]).count("\n")
    for name, words in {"pie": [], "static": ["-static"]}.items():
        found = Sampled(folder, build(folder, name, SPEND, *words))
        expect(name, found, "mixed < spend")
        lines = {line: count for line, count in found.lines.items() if line[0] and line[0].endswith("burn.c")}
        near = sum(count for (_, line), count in lines.items() if line in (hot - 1, hot))
        check(near > 0.8 * sum(lines.values()), f"{name}: the hot line", lines)
    shutil.copy(folder / "pie", folder / "stripped")
    output_of("strip", folder / "stripped")
    found = Sampled(folder, folder / "stripped")
    check(
        found.share("mixed < spend") == 0 and "stripped" in (found.remarks[str(folder / "stripped")] or ""),
        "stripped",
        (found.samples, found.remarks),
    )
    begin = next(begin for begin, _, many in reader.functions(folder / "pie") if "spend" in many)
    expect("stripped", found, f"stripped+{begin:#x}")


def attached(folder, pid):
    """As long as it takes until there are some samples."""
    return until_enough(
        lambda seconds: Sampled(folder, "-p", str(pid), "--duration", f"{seconds:g}"),
        lambda found: sum(found.samples.values()) >= 20,
    )


def check_lost_files(folder):
    found = Sampled(folder, build(folder, "gone", GONE))
    check(
        found.share("mixed < spend") == 0
        and any("gone" in (remark or "") for remark in found.remarks.values()),
        "deleted",
        found.remarks,
    )
    other = build(folder, "other", SPEND.replace("spend", "wrong"))
    found = Sampled(folder, build(folder, "replaced", REPLACED), other)
    check(not any("wrong" in (key or "") for key in found.samples), "replaced: no wrong names", found.samples)
    check(
        any("replaced" in (remark or "") or "deleted" in (remark or "") for remark in found.remarks.values()),
        "replaced",
        found.remarks,
    )
    program = build(folder, "lives", ENDLESS)
    with subprocess.Popen([program]) as process:
        try:
            wait_until(lambda: cpu_s(process.pid) > 0.05)
            program.unlink()
            expect("deleted, attached", attached(folder, process.pid), "mixed < spend")
        finally:
            process.kill()


def check_other_root(folder):
    if os.geteuid() != 0:
        print("without another root: only root may change it")
        return
    root = folder / "root"
    root.mkdir()
    shutil.move(build(folder, "inside", ENDLESS, "-static"), root / "inside")
    with subprocess.Popen(["chroot", str(root), "/inside"]) as process:
        try:
            wait_until(lambda: cpu_s(process.pid) > 0.05)
            expect("another root", attached(folder, process.pid), "mixed < spend")
        finally:
            process.kill()


def check_libraries(folder):
    library = BURN.replace("spend(", "spend_there(")
    paths = [
        build(folder, f"{name}.so", library.replace("mixed", f"mixed_{name}"), "-shared", "-fPIC")
        for name in ("one", "two")
    ]
    found = Sampled(folder, build(folder, "loader", LOADER), *paths)
    for name in ("one", "two"):
        expect("a library that comes and goes", found, f"mixed_{name} < spend_there", 0.1)


def check_made(folder):
    found = Sampled(folder, build(folder, "clock", CLOCK))
    vdso = found.modules.get("[vdso]", {})
    check(sum(vdso.values()) > 0.5 * sum(found.samples.values()), "the vdso", found.modules)
    # What a compiler left a function of its own there has no name: a vdso has only its entries' names.
    check(any(key and "clock_gettime" in key for key in vdso), "the vdso's entry has its name", found.modules)
    check(
        all(None not in of for path, of in found.modules.items() if path and "lib" in path),
        "libraries",
        found.modules,
    )
    if os.uname().machine != "x86_64":
        return
    before = set(pathlib.Path("/tmp").glob("perf-*.map"))
    try:
        expect("code that it made", Sampled(folder, build(folder, "made", MADE)), "made <script> code")
    finally:
        for path in set(pathlib.Path("/tmp").glob("perf-*.map")) - before:
            path.unlink()


def main():
    reader.need("gcc", "strip")
    probe = topdown("sample", "-e", "cpu-clock", "-u", "--no-last", "true")
    if probe.returncode == FAILED:
        skip(f"nothing can be sampled here: {probe.stderr}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        check_links(folder)
        check_lost_files(folder)
        check_other_root(folder)
        check_libraries(folder)
        check_made(folder)
    finish()


main()
