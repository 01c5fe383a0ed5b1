# SPDX-License-Identifier: GPL-2.0-or-later
"""The checks of --drilldown: what is below the bottlenecks of the rates was measured, what is elsewhere was
not."""


def check(guest):
    guest.status("drill", 0)
    nodes = {node["name"]: node["value"] for node in guest.json("drill.json").get("nodes", [])}
    for name, percent in guest.machine.level1.items():
        guest.near(nodes.get(name), percent, 0.5, f"drill: {name}")
    for name in guest.machine.drilled:
        guest.near(nodes.get(name), guest.machine.deeper[name], 0.5, f"drill: {name}, below a bottleneck")
    for name in guest.machine.not_drilled:
        guest.check(nodes.get(name) is None, f"drill: {name}, below no bottleneck, is {nodes.get(name)}")
    steps = [line for line in guest.text("drill.stderr").splitlines() if line.startswith("topdown: step ")]
    guest.check(len(steps) == guest.machine.drill_level - 1, f"drill: the steps that are printed: {steps}")
    guest.check("drill-down ends" in guest.text("drill.stderr"), "drill: the end is printed")
    printed = guest.text("drill.stdout")
    guest.check(
        printed.count("cpu_ns=") == 1, f"drill: the program's own output is that of one run: {printed!r}"
    )
