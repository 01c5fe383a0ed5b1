# SPDX-License-Identifier: GPL-2.0-or-later
"""perf_file.py - perf.data, written by its document (tools/perf/Documentation/perf.data-file-format.txt of
Linux).

Records are of one layout: IDENTIFIER, IP, TID, TIME, PERIOD, READ of a group, and CALLCHAIN where there are
chains; other records end in TID, TIME and IDENTIFIER (sample_id_all).
"""
import ctypes
import struct

MMAP, LOST, COMM, SAMPLE, MMAP2 = 1, 2, 3, 9, 10
ATTR, BUILD_ID, ROUND, UPDATE, FEATURE, PACKED, PACKED2 = 64, 67, 68, 78, 80, 81, 83
USER, KERNEL = 2, 1
IP, TID, TIME, READ, CALLCHAIN, PERIOD, IDENTIFIER = 1, 2, 4, 1 << 4, 1 << 5, 1 << 8, 1 << 16
IN_USER = (1 << 64) - 512  # PERF_CONTEXT_USER
FIRST_ID = 101


def record(kind, body, misc=0):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def padded(text, to=8):
    data = text.encode() + b"\0"
    return data + bytes(-len(data) % to)


def identity(pid, tid, time, event=0):
    return struct.pack("<IIQQ", pid, tid, time, FIRST_ID + event)


def mmap2(pid, start, length, offset, path, time=0, is_old=False, misc=USER):
    """is_old: of Linux 3.12 to 3.15, without protection and flags."""
    return record(
        MMAP2,
        struct.pack("<IIQQQIIQQ", pid, pid, start, length, offset, 8, 1, 77, 0)
        + (b"" if is_old else struct.pack("<II", 5, 2))
        + padded(path)
        + identity(pid, pid, time),
        misc,
    )


def comm(pid, tid, name, time=0, is_exec=False):
    return record(
        COMM, struct.pack("<II", pid, tid) + padded(name) + identity(pid, tid, time), (1 << 13) * is_exec
    )


def lost(count, time, event=0):
    return record(LOST, struct.pack("<QQ", FIRST_ID + event, count) + identity(1, 1, time))


def sample(ip, pid, tid, time, period=1000, event=0, chain=None, misc=USER, values=None):
    """values: what each event of the group has counted until then."""
    body = struct.pack("<QQIIQQ", FIRST_ID + event, ip, pid, tid, time, period)
    if values is not None:
        body += struct.pack("<Q", len(values))
        body += b"".join(struct.pack("<QQ", value, FIRST_ID + number) for number, value in enumerate(values))
    if chain is not None:
        body += struct.pack(f"<{len(chain) + 1}Q", len(chain), *chain)
    return record(SAMPLE, body, misc)


def string(text):
    data = padded(text, 64)
    return struct.pack("<I", len(data)) + data


class Events:
    """cpu-clock, and whatever names follow it, each with one id."""

    def __init__(self, names=("cpu-clock",), attr_bytes=136, has_chains=False, is_group=False):
        """is_group: the first leads the others, which are read at its samples ({a,b}:S)."""
        self.names, self.attr_bytes, self.has_chains = names, attr_bytes, has_chains
        self.is_group = is_group

    def attr(self, number):
        sample_type = (
            IP | TID | TIME | PERIOD | IDENTIFIER | CALLCHAIN * self.has_chains | READ * self.is_group
        )
        is_member = self.is_group and number > 0
        flags = (not is_member) << 10 | 1 << 18  # freq, sample_id_all
        pace = 0 if is_member else 997
        form = 4 | 8 * self.is_group  # PERF_FORMAT_ID, PERF_FORMAT_GROUP
        config = 0 if number == 0 else 1
        front = struct.pack("<IIQQQQQ", 1, self.attr_bytes, config, pace, sample_type, form, flags)
        return front + bytes(self.attr_bytes - len(front))

    def description(self):
        parts = [struct.pack("<II", len(self.names), self.attr_bytes)]
        for number, name in enumerate(self.names):
            parts += [
                self.attr(number),
                struct.pack("<I", 1),
                string(name),
                struct.pack("<Q", FIRST_ID + number),
            ]
        return b"".join(parts)


def features(events, host, version, command, build_ids):
    """By number: build-ids, host, version, command, descriptions of the events."""
    ids = b"".join(
        record(
            BUILD_ID,
            struct.pack("<i", -1)
            + bytes.fromhex(build_id).ljust(20, b"\0")
            + bytes([len(build_id) // 2, 0, 0, 0])
            + padded(path),
            USER | 1 << 15,
        )
        for path, build_id in build_ids.items()
    )
    return {
        2: ids,
        3: string(host),
        5: string(version),
        11: struct.pack("<I", len(command)) + b"".join(map(string, command)),
        12: events.description(),
    }


def write_file(events, records, **facts):
    """As perf record -o FILE."""
    ids = b"".join(struct.pack("<Q", FIRST_ID + number) for number in range(len(events.names)))
    attrs = b"".join(
        events.attr(number) + struct.pack("<QQ", 104 + 8 * number, 8) for number in range(len(events.names))
    )
    data_at = 104 + len(ids) + len(attrs)
    sections = features(events, **facts)
    bits = sum(1 << number for number in sections)
    header = (
        b"PERFILE2"
        + struct.pack(
            "<QQQQQQQQ", 104, events.attr_bytes + 16, 104 + len(ids), len(attrs), data_at, len(records), 0, 0
        )
        + bits.to_bytes(32, "little")
    )
    at, table = data_at + len(records) + 16 * len(sections), b""
    for number in sorted(sections):
        table += struct.pack("<QQ", at, len(sections[number]))
        at += len(sections[number])
    return header + ids + attrs + records + table + b"".join(sections[number] for number in sorted(sections))


def write_pipe(events, records, **facts):
    """As perf record -o -: what a file has in its header stands among the records."""
    front = b"PERFILE2" + struct.pack("<Q", 16)
    for number in range(len(events.names)):
        front += record(ATTR, events.attr(number) + struct.pack("<Q", FIRST_ID + number))
    for number, name in enumerate(events.names):
        front += record(UPDATE, struct.pack("<QQ", 2, FIRST_ID + number) + padded(name))
    for number, content in features(events, **facts).items():
        if number not in (2, 12):
            front += record(FEATURE, struct.pack("<Q", number) + content + bytes(-len(content) % 8))
    return front + records


class Packer:
    """One stream of zstd, of which each record has the next piece, as perf record -z writes it; None without
    libzstd."""

    class Buffer(ctypes.Structure):
        _fields_ = [("bytes", ctypes.c_void_p), ("size", ctypes.c_size_t), ("at", ctypes.c_size_t)]

    def __init__(self):
        self.library = ctypes.CDLL("libzstd.so.1")
        self.library.ZSTD_createCStream.restype = ctypes.c_void_p
        self.library.ZSTD_initCStream.argtypes = [ctypes.c_void_p, ctypes.c_int]
        self.stream = self.library.ZSTD_createCStream()
        self.library.ZSTD_initCStream(self.stream, 1)

    def pack(self, data):
        room = ctypes.create_string_buffer(len(data) + 1024)
        given = ctypes.create_string_buffer(data, len(data))
        out = self.Buffer(ctypes.addressof(room), len(room), 0)
        into = self.Buffer(ctypes.addressof(given), len(data), 0)
        self.library.ZSTD_compressStream.argtypes = [ctypes.c_void_p] * 3
        self.library.ZSTD_flushStream.argtypes = [ctypes.c_void_p] * 2
        self.library.ZSTD_compressStream(self.stream, ctypes.byref(out), ctypes.byref(into))
        self.library.ZSTD_flushStream(self.stream, ctypes.byref(out))
        return room.raw[: out.at]


def packed(records, piece, is_new=False):
    """The records in pieces of so many bytes, wherever that cuts them; is_new: padded, as perf of Linux 6.16
    writes them."""
    packer, result = Packer(), b""
    for at in range(0, len(records), piece):
        content = packer.pack(records[at : at + piece])
        if is_new:
            result += record(PACKED2, struct.pack("<Q", len(content)) + content + bytes(-len(content) % 8))
        else:
            result += record(PACKED, content)
    return result
