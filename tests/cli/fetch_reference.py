#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""fetch_reference.py - tests/fetch-reference.sh makes the layout that tests expect, of the pinned commits and
no others.

The repositories are small ones made here, which the script's variables name in place of the vendors'."""
import hashlib
import os
import re
import shutil
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import PATIENCE, SOURCE, check, finish, skip, temporary

SCRIPT = SOURCE / "tests/fetch-reference.sh"
GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@b",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@b",
    "GIT_TERMINAL_PROMPT": "0",
}
STAMPS = {"arm/.commit", "linux-7.3/.commit", "kernel-7.3/.commit"}
NO_COMMIT = "0" * 39 + "1"

# What the upstream repositories hold, as far as it matters; None: not wanted, else the place below DIR
PMU_EVENTS = "tools/perf/pmu-events/arch"
DRIVERS = (
    "arch/x86/events/perf_event.h",
    "arch/x86/events/intel/core.c",
    "arch/x86/events/intel/ds.c",
    "arch/x86/events/amd/core.c",
    "drivers/perf/arm_pmuv3.c",
)
UPSTREAM = {
    "perfmon": {
        "LICENSE": ("intel/LICENSE", "tma/LICENSE"),
        "Atom_TMA.csv": "tma/Atom_TMA.csv",
        "E-core_TMA_Metrics.csv": None,
        "TMA_Metrics-full.csv": "tma/TMA_Metrics-full.csv",
        "mapfile.csv": "intel/mapfile.csv",
        "README.md": None,
        "scripts/config.json": None,
        "SPR/events/spr_core.json": "intel/SPR/events/spr_core.json",
        "SPR/events/spr_matrix.json": None,
        "SPR/metrics/spr_metrics.json": "intel/SPR/metrics/spr_metrics.json",
        "SPR/metrics/perf/spr_perf.json": None,
        "BDW-DE/events/bdw_core.json": "intel/BDW-DE/events/bdw_core.json",
    },
    "linux": {
        "COPYING": ("linux-7.3/COPYING", "kernel-7.3/COPYING"),
        "Makefile": None,
        f"{PMU_EVENTS}/x86/mapfile.csv": "linux-7.3/x86/mapfile.csv",
        f"{PMU_EVENTS}/x86/skylake/skl-metrics.json": "linux-7.3/x86/skylake/skl-metrics.json",
        f"{PMU_EVENTS}/x86/skylake/cache.json": None,
        f"{PMU_EVENTS}/x86/skylakex/uncore-io.json": "linux-7.3/x86/skylakex/uncore-io.json",
        f"{PMU_EVENTS}/x86/skylakex/uncore-cache.json": None,
        f"{PMU_EVENTS}/x86/bonnell/cache.json": None,
        f"{PMU_EVENTS}/x86/amdzen4/cache.json": "linux-7.3/x86/amdzen4/cache.json",
        f"{PMU_EVENTS}/arm64/sbsa.json": "linux-7.3/arm64/sbsa.json",
        f"{PMU_EVENTS}/powerpc/mapfile.csv": None,
        f"{PMU_EVENTS}/arm64/arm/neoverse-n1/bus.json": "linux-7.3/arm64/arm/neoverse-n1/bus.json",
        **{path: f"kernel-7.3/{path}" for path in DRIVERS},
        "arch/x86/events/rapl.c": None,
        "arch/x86/kvm/pmu.c": None,
    },
    "arm": {
        "LICENSE.md": "arm/LICENSE.md",
        "README.md": None,
        "data/schema/cpu/v1.0.schema.json": "arm/schema.v1.0.json",
        "data/pmu/cpu/lumex/arm-c1-ultra-r0p0-pmu.json": "arm/arm-c1-ultra-r0p0-pmu.json",
        "data/pmu/cpu/cortex/cortex-a720.json": None,
        "data/pmu/cpu/neoverse/neoverse-n2.json": "arm/neoverse-n2.json",
        "data/pmu/cmn/cmn-700.json": None,
    },
    "perfspect": {
        "LICENSE": "perfspect/LICENSE",
        "README.md": None,
        "cmd/metrics/resources/perfmon/spr/spr.json": None,
        "cmd/metrics/resources/perfmon/spr/spr_alt_tma_metrics.json": "perfspect/spr_alt_tma_metrics.json",
    },
}


def git(folder, *words):
    return subprocess.run(
        ["git", "-C", folder, *words], env={**os.environ, **GIT}, check=True, capture_output=True, text=True
    ).stdout.strip()


def commit(folder):
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "data")
    return git(folder, "rev-parse", "HEAD")


def make_upstream(folder):
    """Each repository, and the script's variables that name it and its first commit; a second one follows."""
    variables = {}
    for name, files in UPSTREAM.items():
        root = folder / name
        for path in files:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(f"{path}\n", encoding="utf-8")
        if name == "arm":
            (root / "data/pmu/cpu/neoverse/neoverse-n2-r0p0.json").symlink_to("neoverse-n2.json")
        git(folder, "init", "-q", name)
        git(root, "config", "uploadpack.allowFilter", "true")
        git(root, "config", "uploadpack.allowAnySHA1InWant", "true")
        variables |= {f"{name.upper()}_URL": f"file://{root}", f"{name.upper()}_COMMIT": commit(root)}
        git(root, "tag", "-a", "-m", "release", "v7.3")
        for path in files:
            (root / path).write_text("newer\n", encoding="utf-8")
        commit(root)
    metrics = {
        place.split("/x86/")[1]: path
        for path, place in UPSTREAM["linux"].items()
        if place and "linux-7.3/x86/" in place
    }
    return {
        **variables,
        "LINUX_DIGEST": digest(metrics),
        "KERNEL_DIGEST": digest({path: path for path in DRIVERS}),
    }


def digest(wanted):
    """Of Linux' files that are read, each with its path upstream as its text, in the script's way."""
    sums = {name: hashlib.sha256(f"{path}\n".encode()).hexdigest() for name, path in wanted.items()}
    lines = [f"{sums[name]}  {name}\n" for name in sorted(sums)]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def fetch(out, variables):
    return subprocess.run(
        [SCRIPT, out],
        env={**os.environ, **GIT, **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


def files_of(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def check_layout(out):
    expected = {
        each: path
        for files in UPSTREAM.values()
        for path, place in files.items()
        if place
        for each in (place if isinstance(place, tuple) else (place,))
    }
    expected["arm/neoverse-n2-r0p0.json"] = "data/pmu/cpu/neoverse/neoverse-n2.json"
    there = {path for path in files_of(out) if not path.endswith("/.commit")}
    check(there == expected.keys(), "the layout", sorted(there ^ expected.keys()))
    for place in there & expected.keys():
        check(
            (out / place).read_text(encoding="utf-8") == f"{expected[place]}\n",
            f"{place} is of the pinned commit",
        )
        check(not (out / place).is_symlink(), f"{place} is a file by itself")


def check_fetch(upstream, out, variables):
    result = fetch(out, variables)
    check(result.returncode == 0, "a first call", result.stderr)
    check_layout(out)
    check(not list(out.glob(".fetch*")), "nothing else is left")
    result = fetch(
        out, {**variables, **{name: "file:///nonexistent" for name in variables if name.endswith("_URL")}}
    )
    check(result.returncode == 0, "a second call fetches nothing", result.stderr)
    for folder in ("linux-7.3", "kernel-7.3"):
        shutil.rmtree(out / folder)
    result = fetch(out, {**variables, "LINUX_COMMIT": "v7.3"})
    check(result.returncode == 0, "a tag whose files have the digest", result.stderr)
    check_layout(out)
    shutil.rmtree(out / "arm")
    result = fetch(out, {**variables, "PERFMON_URL": "file:///nonexistent"})
    check(result.returncode == 0, "a call fetches what is missing", result.stderr)
    check_layout(out)
    check(files_of(upstream), "the repositories stay")


def check_refused(out, variables):
    """What was there before stays as it was."""
    before = files_of(out)
    for what, changes, part in (
        ("a commit that is not there", {"ARM_COMMIT": NO_COMMIT}, NO_COMMIT),
        ("a branch's name", {"ARM_COMMIT": "HEAD"}, "'HEAD' is no commit"),
        ("a tag of another than Linux", {"ARM_COMMIT": "v7.3"}, "'v7.3' is no commit"),
        ("a tag with other files", {"LINUX_COMMIT": "v7.4", "LINUX_DIGEST": "0" * 64}, "v7.4"),
        ("other drivers", {"LINUX_COMMIT": "v7.3", "KERNEL_DIGEST": "0" * 64}, "kernel: the files of v7.3"),
        ("other files", {"LINUX_COMMIT": "v7.3", "LINUX_DIGEST": "0" * 64}, f"not {'0' * 64}"),
        ("a short commit", {"ARM_COMMIT": variables["ARM_COMMIT"][:12]}, "40 hexadecimal digits"),
        (
            "another repository",
            {"ARM_URL": variables["LINUX_URL"], "ARM_COMMIT": variables["LINUX_COMMIT"]},
            "other files than expected",
        ),
    ):
        for name in STAMPS:
            (out / name).unlink(missing_ok=True)
        result = fetch(out, {**variables, **changes})
        check(
            result.returncode == 1 and part in result.stderr,
            f"{what} is refused",
            (result.returncode, result.stderr),
        )
        check(files_of(out) >= before - STAMPS and not list(out.glob(".fetch*")), f"{what} changes nothing")


def check_pins():
    """The commits are whole ones, Linux' tag has a digest, and events/README.md names them."""
    pins = set(re.findall(r"_(?:COMMIT:-(?!v)|DIGEST:-)(\w*)", SCRIPT.read_text(encoding="utf-8")))
    readme = (SOURCE / "events/README.md").read_text(encoding="utf-8")
    check(
        len(pins) == 5 and all(re.fullmatch("[0-9a-f]{40}|[0-9a-f]{64}", pin) for pin in pins),
        "five pins",
        pins,
    )
    for pin in pins:
        check(pin[:12] in readme, "events/README.md names the commit", pin[:12])


if not shutil.which("git"):
    skip("there is no git")
check_pins()
with temporary() as place:
    (place / "upstream").mkdir()
    found = make_upstream(place / "upstream")
    check_fetch(place / "upstream", place / "out", found)
    check_refused(place / "out", found)
finish()
