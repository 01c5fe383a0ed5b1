#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""one_file.py MACHINE OUT_DIR: compares what the guest of one-file.sh left with machines/MACHINE.py and with
the usual program."""
import sys

import machine as machines
from check_guest import Guest, check_level1, check_summary, cpu_ns


def main(name, out):
    guest = Guest(machines.load(name), out)
    files = guest.text("files")
    lacking = not any(word in files for word in (".so", "events", "models", "mapfile"))
    guest.check(
        lacking and "synthetic_pmu.ko" in files,
        f"the guest has neither libraries nor databases: {files.split()}",
    )
    places = {row["directory"] for row in guest.json("cpus.json").get("cpus", [])}
    guest.check(places == {"built in"}, f"where the databases come from: {sorted(places)}")
    guest.check(guest.text("plan.json") == guest.text("usual.json") != "", "plan -l6: the same as from files")
    guest.status("level1", 0)
    check_level1(guest)
    check_summary(guest, "level1")
    cpu_ns(guest, "level1")
    return guest.failures != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
