#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""ci_jobs.py - the commands of docs/CI.md, taken from its jobs as GitHub, GitLab and Jenkins would take them,
and run in a repository of the test's own: green for the same program, red for one that does more, with what
each of them shows."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET

sys.path.append(f"{sys.path[0]}/..")
from lib import PATIENCE, SOURCE, TOPDOWN, check, environment, finish, need_simulator, temporary

PAGE = (SOURCE / "docs/CI.md").read_text(encoding="utf-8")
PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
static unsigned values[256];
__attribute__((noinline)) static void work(unsigned times)
{
	for (unsigned i = 0; i < 20000 * times; i++)
		values[i & 255] += i ^ values[(i + 1) & 255];
}
int main(int argc, char **argv)
{
	work(argc > 1 ? 4 * (unsigned)atoi(argv[1]) : 1);
	return puts("done") < 0;
}
"""


def block(name):
    return re.search(rf"^```\w+ {name}\n(.*?)^```", PAGE, re.M | re.S)[1]


def script_of(name):
    """The commands of a job, without those that install something."""
    text = block(name)
    if name == "github":  # what stands behind each "run: |", deeper than it
        lines = [
            line
            for part in re.findall(r"^( +)run: \|\n((?:\1 +.*\n)+)", text, re.M)
            for line in part[1].splitlines()
        ]
    elif name == "gitlab":
        lines = re.findall(r"^    - (.*)", text, re.M)
    elif name == "jenkins":
        lines = re.findall(r"\bsh '([^']*)'", text)
    else:
        lines = text.splitlines()
    lines = [line.strip() for line in lines]
    return [line for line in lines if line and "apt-get" not in line and not line.startswith("#")]


def run(folder, name, **variables):
    """Each command stops the job where it fails."""
    lines = script_of(name)
    check(any("topdown gate" in line for line in lines), f"{name} has a gate", lines)
    env = environment(PATH=f"{folder}/bin:{os.environ['PATH']}", GIT_CONFIG_GLOBAL="/dev/null", **variables)
    return subprocess.run(
        ["sh", "-e", "-c", "\n".join(lines)],
        cwd=folder / "repo",
        env=env,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )


def git(folder, *words):
    subprocess.run(
        ["git", "-c", "user.name=x", "-c", "user.email=x@y", *words],
        cwd=folder,
        check=True,
        capture_output=True,
    )


def prepare(folder):
    repo = folder / "repo"
    (folder / "bin").mkdir()
    (folder / "bin/topdown").symlink_to(TOPDOWN)
    repo.mkdir()
    (repo / "topdown-limits.json").write_text(
        re.search(r"^```json\n(.*?)^```", PAGE, re.M | re.S)[1], encoding="utf-8"
    )
    (repo / "prog.c").write_text(PROGRAM, encoding="utf-8")
    git(repo, "init", "-q")
    subprocess.run(["cc", "-O2", "-g", "-o", "prog", "prog.c"], cwd=repo, check=True)
    result = run(folder, "baseline")
    check(
        result.returncode == 0 and (repo / "topdown-baseline.json.gz").exists(),
        "the baseline is made",
        result.stderr,
    )
    git(repo, "add", "prog.c")
    git(repo, "commit", "-qm", "one")
    return repo


def check_red(folder, repo):
    summary = folder / "summary.md"
    result = run(folder, "github", GITHUB_STEP_SUMMARY=str(summary), GITHUB_WORKSPACE=str(repo))
    check(
        result.returncode == 3 and re.search(r"^::error file=prog\.c,line=\d+,title=", result.stderr, re.M),
        "GitHub is red",
        result.stderr,
    )
    check("| FAILED |" in summary.read_text(encoding="utf-8"), "the summary says so")
    check("work is on every request's path" in result.stderr, "the limit's note", result.stderr)
    result = run(folder, "jenkins")
    suite = ET.parse(repo / "gate.xml").getroot()[0]
    check(
        result.returncode == 3 and suite.get("failures") == "3" and suite.get("tests") == "4",
        "Jenkins is red",
        suite.attrib,
    )
    result = run(folder, "comment")
    check(
        result.stdout.endswith("status 3\n")
        and (repo / "gate.md").read_text(encoding="utf-8").startswith("# topdown gate"),
        "Markdown",
        result.stdout,
    )


def publish(folder, version):
    """A release's tarball, whose program is the one that is tested, and its sum."""
    name = f"topdown-{version}-{os.uname().machine}-linux"
    place = folder / f"releases/v{version}"
    (folder / name / "bin").mkdir(parents=True)
    (folder / name / "bin/topdown").write_text(f'#!/bin/sh\nexec {TOPDOWN} "$@"\n', encoding="utf-8")
    (folder / name / "bin/topdown").chmod(0o755)
    place.mkdir(parents=True)
    subprocess.run(["tar", "-C", folder, "-czf", place / f"{name}.tar.gz", name], check=True)
    sums = subprocess.run(["sha256sum", f"{name}.tar.gz"], cwd=place, check=True, capture_output=True).stdout
    (place / "SHA256SUMS").write_bytes(sums)
    return place


def check_action(folder, repo):
    """The steps of action.yml: the tarball is checked and unpacked, then the gate runs as in other jobs."""
    action = (SOURCE / "action.yml").read_text(encoding="utf-8")
    version = re.search(r'^    default: "([\d.]+)"', action, re.M)[1]
    project = re.search(r"^project\(topdown VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text(), re.M)[
        1
    ]
    check(version == project, "the action installs this version", (version, project))
    place = publish(folder, version)
    blocks = re.findall(r"^      run: \|\n((?:        .*\n)+)", action, re.M)
    check(len(blocks) == 2, "two steps", blocks)
    install, gate = ("\n".join(line.strip() for line in block.splitlines()) for block in blocks)
    paths = folder / "github-path"
    variables = {
        "RUNNER_TEMP": str(folder / "runner"),
        "GITHUB_PATH": str(paths),
        "TOPDOWN_VERSION": version,
        "TOPDOWN_URL": f"file://{folder}/releases",
    }

    def step(script, **more):
        return subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", script],
            cwd=repo,
            env=environment(**variables, **more),
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=PATIENCE,
            check=False,
        )

    result = step(install)
    check(result.returncode == 0 and ": OK" in result.stdout, "the action installs", result)
    path = f"{paths.read_text(encoding='utf-8').strip()}:{os.environ['PATH']}"
    summary = folder / "action.md"
    result = step(
        gate,
        PATH=path,
        GATE_OPTIONS="",
        GATE_PROGRAM="./prog 3",
        GITHUB_STEP_SUMMARY=str(summary),
        GITHUB_WORKSPACE=str(repo),
    )
    check(
        result.returncode == 3 and "::error file=prog.c" in result.stderr, "the action is red", result.stderr
    )
    check("| FAILED |" in summary.read_text(encoding="utf-8"), "the action's summary says so")
    (place / "SHA256SUMS").write_text("0" * 64 + f"  {next(place.glob('*.gz')).name}\n", encoding="utf-8")
    check(step(install).returncode != 0, "another file than the release's is refused")


def main():
    need_simulator()
    for name in ("github", "gitlab", "jenkins", "baseline", "unstable", "comment", "counted", "history"):
        check(script_of(name), f"{name} has commands")
    json.loads(re.search(r"^```json\n(.*?)^```", PAGE, re.M | re.S)[1])
    with temporary() as name:
        folder = pathlib.Path(name)
        repo = prepare(folder)
        result = run(folder, "gitlab")
        check(
            result.returncode == 0 and ET.parse(repo / "gate.xml").getroot()[0].get("failures") == "0",
            "GitLab is green",
            result.stderr,
        )
        (repo / "prog.c").write_text(PROGRAM.replace("20000 * times", "22000 * times"), encoding="utf-8")
        git(repo, "commit", "-qam", "two")
        check_red(folder, repo)
        if shutil.which("curl"):
            check_action(folder, repo)
    finish()


main()
