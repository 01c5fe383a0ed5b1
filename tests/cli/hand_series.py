# SPDX-License-Identifier: GPL-2.0-or-later
"""The intervals of a session, made by hand: docs/FORMATS.md, "The data of a series"."""
import base64
import struct

STATES = {"ok": 0, "never-ran": 1, "refused": 2, "withheld": 3}
RUN, CPU_TIME, SOFTWARE = 1, 2, 8
REASON, NO_TIMES, OWN_VALUE = 0x20, 0x80, 0x08


def number(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def signed(value):
    return number(2 * value if value >= 0 else -2 * value - 1)


def count_bytes(count, share, reasons):
    """A part of a count of all of the time, with its flags and nothing left out that could be."""
    raw, enabled, running = (round(int(count[key]) * share) for key in ("raw", "enabled_ns", "running_ns"))
    flags = (
        STATES[count["state"]]
        | (OWN_VALUE if count["state"] == "ok" else 0)
        | (0 if enabled or running else NO_TIMES)
    )
    out = number(raw)
    if not flags & NO_TIMES:
        out += number(enabled) + signed(enabled - running)
    if flags & OWN_VALUE:
        out += struct.pack("<d", count["value"] * share)
    if count.get("reason"):
        flags |= REASON
        if count["reason"] not in reasons:
            reasons.append(count["reason"])
        out += number(reasons.index(count["reason"]))
    return bytes([flags]) + out


def made(parts, intervals):
    """The member "series" of a session with these parts; of each interval from, to, and its share of all
    counts."""
    reasons, data, before = ["perf"], b"", 0
    for begin, end, share in intervals:
        data += signed(round((begin - before) * 1e9)) + number(round((end - begin) * 1e9))
        before = end
        for part in parts:
            data += bytes([RUN | CPU_TIME | SOFTWARE]) + 2 * number(round((end - begin) * 1e9))
            data += number(1) + number(round(1000 * share))  # of the first reason, perf: a whole number
            data += number(len(part["counts"])) + b"".join(
                count_bytes(count, share, reasons) for count in part["counts"]
            )
    return {
        "intervals": len(intervals),
        "each": 1,
        "kept": len(intervals),
        "software": ["context_switches"],
        "reasons": reasons,
        "parts": [
            {
                "events": [count["event"] for count in part["counts"]],
                "groups": [count["group"] for count in part["counts"]],
            }
            for part in parts
        ],
        "data": base64.b64encode(data).decode(),
    }
