# SPDX-License-Identifier: GPL-2.0-or-later
"""reader.py - a history read without topdown, by what docs/HISTORY.md says of the file: sqlite3 and
struct."""
import math
import sqlite3
import struct


def column(packed, count):
    """[(value, low, high, n)] of a column of so many runs."""
    flags, _, n = struct.unpack_from("<BBH", packed)
    values = struct.unpack_from(f"<{count}d", packed, 4)
    at = 4 + 8 * count
    below = above = [math.nan] * count
    if flags & 1:
        below, above = struct.unpack_from(f"<{count}f", packed, at), struct.unpack_from(
            f"<{count}f", packed, at + 4 * count
        )
        at += 8 * count
    numbers = struct.unpack_from(f"<{count}H", packed, at) if flags & 2 else [n] * count
    return [(value, value - down, value + up, n) for value, down, up, n in zip(values, below, above, numbers)]


def row(packed):
    """{metric's number: (value, low, high, n)} of a row."""
    found = {}
    for at in range(0, len(packed), 22):
        metric, value, below, above, n = struct.unpack_from("<IdffH", packed, at)
        found[metric] = (value, value - below, value + above, n)
    return found


def values(path):
    """{run: {metric's name: (value, low, high, n)}} of all runs that are left."""
    database = sqlite3.connect(path)
    names = dict(database.execute("SELECT id, name FROM metric"))
    runs = {run: {} for run, in database.execute("SELECT id FROM run")}
    blocks = {
        block: struct.unpack(f"<{len(packed) // 8}q", packed)
        for block, packed in database.execute("SELECT id, runs FROM block")
    }
    for number, packed in database.execute("SELECT id, packed FROM columns"):
        block, metric = divmod(number, 65536)
        for run, value in zip(blocks[block], column(packed, len(blocks[block]))):
            if run in runs and not math.isnan(value[0]):
                runs[run][names[metric]] = value
    for run, packed in database.execute("SELECT run, packed FROM row"):
        runs[run].update({names[metric]: value for metric, value in row(packed).items()})
    database.close()
    return runs
