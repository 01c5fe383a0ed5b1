# SPDX-License-Identifier: GPL-2.0-or-later
"""The checks of topdown verify: all kernels have the counts that the test chose, so what it finds is the same
for each, and wrong for most."""

NEAR = 1.5  # percent of the slots, as groups are counted in different runs


def check(guest):
    guest.status("verify", 3)
    report = guest.json("verify.json")
    rows = {row["kernel"]: row for row in report.get("kernels", [])}
    guest.check(
        report.get("status") == 3 and report.get("simulated") is None,
        f"verify: counted, and not as expected: {report.get('conclusion')}",
    )
    guest.check(
        set(rows) == set(guest.machine.verified), f"verify: the kernels that were asked for: {sorted(rows)}"
    )
    found = {str(row["found_path"]).split(".", maxsplit=1)[0] for row in rows.values()}
    guest.check(found == {"Backend_Bound"}, f"verify: the same counts have the same worst node: {found}")
    for kernel, node in guest.machine.verified.items():
        row = rows.get(kernel, {})
        guest.near(
            row.get("expected_value"),
            (guest.machine.level1 | guest.machine.deeper)[node],
            NEAR,
            f"verify: {kernel} has the value of {node}",
        )
        below = str(row.get("found_path")).startswith(str(row.get("expected_path")))
        guest.check(
            row.get("verdict") == ("yes" if below else "no"),
            f"verify: {kernel}: {row.get('verdict')}, found {row.get('found_path')}",
        )
    guest.check(any(row["verdict"] == "no" for row in rows.values()), "verify: what is not found is said")
    text = guest.text("verify.json")
    guest.check("/payload" not in text, "verify: no path of the machine")
