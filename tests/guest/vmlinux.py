#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""vmlinux.py BZIMAGE VMLINUX: the kernel that a bzImage holds, so that no guest has to unpack it.

Debian's is compressed by lz4, in its legacy format: a magic number, then blocks with their sizes before them.
A kernel that is compressed otherwise is copied as it is, and its guests take a little longer to boot.
"""
import pathlib
import struct
import sys

MAGIC = 0x184C2102
SETUP_SECTS, PAYLOAD_OFFSET, PAYLOAD_LENGTH = 0x1F1, 0x248, 0x24C  # of the boot protocol's header
SECTOR = 512


def payload(image):
    offset, length = struct.unpack_from("<II", image, PAYLOAD_OFFSET)
    begin = (image[SETUP_SECTS] + 1) * SECTOR + offset
    return image[begin : begin + length]


def length_of(block, at, nibble):
    """A length that goes on in further bytes where its four bits are all set, and where it ends."""
    if nibble != 15:
        return nibble, at
    while True:
        nibble += block[at]
        at += 1
        if block[at - 1] != 255:
            return nibble, at


def unpack_block(block):
    out, at, end = bytearray(), 0, len(block)
    while at < end:
        token = block[at]
        literals, at = length_of(block, at + 1, token >> 4)
        out += block[at : at + literals]
        at += literals
        if at >= end:
            break
        distance = block[at] | block[at + 1] << 8
        match, at = length_of(block, at + 2, token & 15)
        match += 4
        source = len(out) - distance
        if match <= distance:
            out += out[source : source + match]
        else:
            out += (out[source:] * (match // distance + 1))[:match]
    return out


def unpack(data):
    at, parts = 4, []
    while at + 4 < len(data):  # the unpacked size is behind the last block
        (size,) = struct.unpack_from("<I", data, at)
        parts.append(unpack_block(data[at + 4 : at + 4 + size]))
        at += 4 + size
    return b"".join(parts)


def main(source, target):
    image = pathlib.Path(source).read_bytes()
    data = payload(image)
    is_lz4 = len(data) > 4 and struct.unpack_from("<I", data)[0] == MAGIC
    pathlib.Path(target).write_bytes(unpack(data) if is_lz4 else image)


if __name__ == "__main__":
    main(*sys.argv[1:])
