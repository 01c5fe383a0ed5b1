#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""ranks_launched.py - topdown below real launchers: Open MPI's mpirun, and srun of a Slurm that is started
here on loopback. Each rank has its file, and the one that does more is named."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

sys.path.append(f"{sys.path[0]}/..")
from lib import TOPDOWN, check, environment, finish, read_json, skip, temporary, topdown

# Rank 3 does three times the work of the others: it takes so many times the CPU time.
WORK_C = r"""
#include <stdlib.h>
static volatile unsigned long sum;
int main(void)
{
	const char *rank = getenv("OMPI_COMM_WORLD_RANK") ? getenv("OMPI_COMM_WORLD_RANK") : getenv("SLURM_PROCID");
	for (unsigned long i = 0, end = rank && atoi(rank) == 3 ? 60000000 : 20000000; i < end; i++)
		sum += i;
	return 0;
}
"""
MPI_RUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "4"]
SLURM = """
ClusterName=here
SlurmctldHost={host}(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
SlurmUser=root
SlurmctldPort=16817
SlurmdPort=16818
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmdSpoolDir={folder}/spool
StateSaveLocation={folder}/state
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=2
PartitionName=all Nodes={host} Default=YES OverSubscribe=FORCE:4 State=UP
"""


def build(folder):
    (folder / "work.c").write_text(WORK_C, encoding="utf-8")
    subprocess.run(["gcc", "-O1", "-o", folder / "work", folder / "work.c"], check=True)
    return folder / "work"


def check_job(name, folder, launcher, words, env=None):
    """Sessions by one launch; then the report of their sum."""
    job = folder / name
    job.mkdir()
    done = subprocess.run(
        [*words, TOPDOWN, "--pmu", "sim", "--save", f"{job}/r-%r.json", "--", folder / "work"],
        env={**environment(), **(env or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    files = sorted(path.name for path in job.iterdir())
    wanted = [f"r-{rank}.json" for rank in range(4)]
    check(files == wanted, f"{name}: a file each", done.stderr[-600:])
    if files != wanted:
        return
    places = [read_json(job / file)["job"] for file in files]
    check([place["rank"] for place in places] == [0, 1, 2, 3], f"{name}: ranks", places)
    check({place["size"] for place in places} == {4}, f"{name}: its size", places)
    check({place["launcher"] for place in places} == {launcher}, f"{name}: the launcher", places)
    check(len({place["id"] for place in places}) == 1 and places[0]["id"], f"{name}: its number", places)
    report = json.loads(topdown("report", "--format", "json", job).stdout)
    table = report["job"]["tables"][0]
    row = next(one for one in table["figures"] if one["name"] == "Instructions")
    check(row["largest_rank"] == 3 and 0.95 < row["imbalance"] < 1.05, f"{name}: imbalance", row)
    check(3 in [one["rank"] for one in table["apart"]], f"{name}: who stands apart", table["apart"])
    total = sum(one["values"][4]["value"] for one in table["ranks"])
    check(report["summary"]["instructions"] == total, f"{name}: the sum", (report["summary"], total))
    refused = subprocess.run(
        [*words, TOPDOWN, "--save", job / "one.json", "--", "true"],
        env={**environment(), **(env or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    is_said = "all of its ranks would write that file" in refused.stderr
    check(
        refused.returncode and is_said and not (job / "one.json").exists(),
        f"{name}: one file",
        refused.stderr,
    )


class Slurm:
    """munged, slurmctld and slurmd of this folder."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder) / "slurm"
        self.folder.mkdir()
        self.folder.chmod(0o755)
        self.running = []
        self.env = {"SLURM_CONF": str(self.folder / "slurm.conf")}
        host = os.uname().nodename
        (self.folder / "slurm.conf").write_text(SLURM.format(folder=self.folder, host=host), encoding="utf-8")
        (self.folder / "state").mkdir()
        (self.folder / "spool").mkdir()

    def start(self, *words):
        log = open(self.folder / f"{pathlib.Path(words[0]).name}.out", "wb")
        env = {**os.environ, **self.env}
        self.running.append(subprocess.Popen([str(word) for word in words], stdout=log, stderr=log, env=env))
        log.close()

    def __enter__(self):
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        own = self.folder
        files = {"key-file": key, "socket": own / "munge.socket"}
        files.update({f"{kind}-file": own / f"munge.{kind}" for kind in ("pid", "log", "seed")})
        options = [word for name, path in files.items() for word in (f"--{name}", path)]
        self.start("munged", "--foreground", "--force", *options)
        self.wait(lambda: (own / "munge.socket").exists())
        self.start("slurmctld", "-D", "-f", own / "slurm.conf")
        self.start("slurmd", "-D", "-f", own / "slurm.conf")
        self.wait(lambda: "idle" in self.ask("sinfo", "-h", "-o", "%t"))
        return self

    def ask(self, *words):
        env = {**os.environ, **self.env}
        return subprocess.run(words, env=env, capture_output=True, text=True, check=False).stdout

    def wait(self, is_there):
        for _ in range(600):
            if is_there() or any(one.poll() is not None for one in self.running):
                return
            time.sleep(0.1)

    def is_up(self):
        return "idle" in self.ask("sinfo", "-h", "-o", "%t")

    def __exit__(self, *_):
        for one in reversed(self.running):
            one.terminate()
        for one in self.running:
            try:
                one.wait(10)
            except subprocess.TimeoutExpired:
                one.kill()
                one.wait()


def main():
    if os.geteuid() != 0 or not shutil.which("mpirun") and not shutil.which("slurmctld"):
        skip("no launcher is installed, or this is not root")
    with temporary() as folder:
        build(folder)
        if shutil.which("mpirun"):
            check_job("mpirun", folder, "Open MPI", MPI_RUN)
        if shutil.which("slurmctld") and shutil.which("munged"):
            with Slurm(folder) as slurm:
                check(slurm.is_up(), "Slurm is up", slurm.ask("sinfo"))
                if slurm.is_up():
                    check_job("srun", folder, "Slurm", ["srun", "--overcommit", "-n", "4"], slurm.env)
    finish()


main()
