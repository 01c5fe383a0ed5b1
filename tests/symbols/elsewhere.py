#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""elsewhere.py - names that no file of a program has: the kernel's, the vdso's, of code that a process made;
names as people write them, beside c++filt; files that were damaged."""
import os
import pathlib
import random
import re
import struct
import sys
import tempfile

sys.path.append(f"{sys.path[0]}/..")
import reader
from lib import check, finish, output_of
from reader import JIT, KERNEL, UNKNOWN, VDSO, build_id, names

KALLSYMS = """\
ffffffff81000000 T _stext
ffffffff81000000 T _text
ffffffff81000100 t local_one
ffffffff81000100 T __global_one
ffffffff81000100 W weak_one
ffffffff81000180 D some_data
ffffffff81000200 t last
ffffffffc0201000 t drive\t[driver]
ffffffffc0201040 t steer\t[driver]
ffffffffc0205000 r constant\t[driver]
"""
KERNEL_ROWS = {
    0xFFFFFFFF81000000: "_text",
    0xFFFFFFFF810000FF: "_text",
    0xFFFFFFFF81000150: "weak_one",
    0xFFFFFFFF810001FF: "weak_one",
    0xFFFFFFFF81000200: "last",
    0xFFFFFFFF8100FFFF: "last",
    0xFFFFFFFF81090000: "-",
    0xFFFFFFFFC020103F: "drive",
    0xFFFFFFFFC0201040: "steer",
    0xFFFFFFFF80FFFFFF: "-",
}
# As compilers write them. Rust's hashes and crates' ids are left out, as rustfilt does by default.
MANGLED = """\
_ZN5boost6spirit2qi6detail4failEv
_ZNKSt6vectorIiSaIiEE12_M_check_lenEmPKc
_ZN12_GLOBAL__N_13fooEPKcb
_ZNSt8functionIFvvEEC2IZ4mainEUlvE_EEOT_
_ZTv0_n24_N1a1bEv
_ZGVZ3foovE1x
_ZL6staticv
_Z3fooi.constprop.0
_Z3fooi.part.1.cold
_ZplRK1aS1_
_ZNK1acvbEv
_Z1fDpT_
_Z
_ZN
_Zzz
_R
_ZN<script>alert(1)</script>
__cxa_finalize
main
_start
"""
RUST = {
    "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE": "core::fmt::Write::write_fmt",
    "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE": (
        "<Test + 'static as foo::Bar<Test>>::bar"
    ),
    "_RNvCsbmNqQUJIY6D_4core3fmt": "core::fmt",
    "_RNvNtCs1234_7mycrate3foo3bar": "mycrate::foo::bar",
    "_RINvNtC3std3mem8align_ofdE": "std::mem::align_of::<f64>",
    "_RNvMs_NtCs4fqI2P2rA04_10rand_distr6normalNtB4_6Normal3new": "<rand_distr::normal::Normal>::new",
}
D = ["_D3std5stdio7writelnFAyaZv", "_Dmain", "_D5hello3fooFiZi", "_Do_something"]


def make_sysroot(folder, kallsyms, identity):
    for name in ("proc", "sys/kernel"):
        (folder / name).mkdir(parents=True)
    (folder / "proc/kallsyms").write_text(kallsyms, encoding="ascii")
    (folder / "sys/kernel/notes").write_bytes(
        struct.pack("<III4s", 4, 20, 3, b"GNU\0") + bytes.fromhex(identity)
    )


def check_kernel(folder):
    identity, other = "12" * 20, "34" * 20
    make_sysroot(folder / "kernel", KALLSYMS, identity)
    for build in ("-", identity):
        ours, said = names(
            "[kernel.kallsyms]", KERNEL_ROWS, kind=KERNEL, build_id=build, sysroot=folder / "kernel"
        )
        check(
            {at: frames[0][0] for at, frames in ours.items()} == KERNEL_ROWS and said == "-",
            f"the kernel's functions, {build}",
            (ours, said),
        )
    ours, said = names("[kernel.kallsyms]", [0xFFFFFFFF81000150], kind=KERNEL, sysroot=folder / "kernel")
    check(
        ours[0xFFFFFFFF81000150][0][3:] == (0xFFFFFFFF81000100, 0x100),
        "a function of the kernel begins and ends",
        ours,
    )
    for what, text, build, clause in (
        ("another kernel", KALLSYMS, other, "another kernel"),
        ("hidden addresses", re.sub("^[0-9a-f]{16}", "0" * 16, KALLSYMS, flags=re.M), "-", "kptr_restrict"),
        ("no kallsyms", "", "-", "kptr_restrict"),
    ):
        make_sysroot(folder / what, text, identity)
        ours, said = names(
            "[kernel.kallsyms]", [0xFFFFFFFF81000150], kind=KERNEL, build_id=build, sysroot=folder / what
        )
        check(ours[0xFFFFFFFF81000150][0][0] == "-" and clause in said, what, (ours, said))


def check_vdso(folder):
    """As the C library finds it: the image of this process, read through /proc/self/mem."""
    maps = pathlib.Path("/proc/self/maps").read_text(encoding="ascii")
    found = re.search(r"^([0-9a-f]+)-([0-9a-f]+) .*\[vdso\]$", maps, re.M)
    if not found:
        return
    begin, end = (int(number, 16) for number in found.groups())
    with open("/proc/self/mem", "rb") as memory:
        memory.seek(begin)
        (folder / "vdso.so").write_bytes(memory.read(end - begin))
    text = output_of("nm", "-D", "-S", folder / "vdso.so")
    function = {
        int(line.split()[0], 16): line.split()[3].split("@")[0]
        for line in text.splitlines()
        if "clock_gettime" in line and len(line.split()) == 4
    }
    ours, said = names("[vdso]", function, kind=VDSO, build_id=build_id(folder / "vdso.so"))
    check(
        function and all("clock_gettime" in ours[at][0][0] for at in function) and said == "-",
        "the vdso",
        (ours, said),
    )
    ours, said = names("[vdso]", function, kind=VDSO, build_id="77" * 20)
    check("another kernel" in said, "another vdso", said)


# ---- code that a process made ----

MAP = """\
7f0000001000 40 early
0x7f0000002000 0x10 LazyCompile:*run <script>/app.js:1:2
nonsense
7f0000003000 zz broken
7f0000004000 0 empty
7f0000001020 10 late
7f0000005000 8 \xff\xfe
ffffffffffffff00 ffffffffffffffff top
7f0000006000 10 _ZN2ns3boxIdE3getEd
"""
MAP_ROWS = {
    0x7F0000001000: "early",
    0x7F000000102F: "late",
    0x7F0000001030: "early",
    0x7F0000001040: "-",
    0x7F0000002008: "LazyCompile:*run <script>/app.js:1:2",
    0x7F0000003000: "-",
    0x7F0000004000: "-",
    0x7F0000005001: "\\xff\\xfe",
    0x7F0000006001: "ns::box<double>::get(double)",
}


def record(number, content):
    return struct.pack("<IIQ", number, 16 + len(content), 0) + content


def load(index, address, size, name):
    return record(
        0, struct.pack("<IIQQQQ", 1, 1, address, address, size, index) + name.encode() + b"\0" + bytes(size)
    )


def move(index, before, after, size):
    return record(1, struct.pack("<IIQQQQQ", 1, 1, after, before, after, size, index))


def debug(address, entries):
    content = b"".join(struct.pack("<QII", at, line, 0) + file + b"\0" for at, line, file in entries)
    return record(2, struct.pack("<QQ", address, len(entries)) + content)


def check_jit(folder):
    process = os.getpid()
    path = pathlib.Path(f"/tmp/perf-{process}.map")
    dump = pathlib.Path(f"/tmp/jit-{process}.dump")
    try:
        ours, said = names("//anon", MAP_ROWS, kind=JIT, pid=process)
        check(
            all(frames[0][0] == "-" for frames in ours.values()) and "perf-PID.map" in said,
            "no map",
            (ours, said),
        )
        path.write_bytes(MAP.encode("latin-1"))
        for kind in (JIT, UNKNOWN):
            ours, said = names("//anon", MAP_ROWS, kind=kind, pid=process)
            check(
                {at: frames[0][0] for at, frames in ours.items()} == MAP_ROWS and said == "-",
                f"a map, {kind}",
                (ours, said),
            )
        if os.geteuid() == 0:
            os.chown(path, 65534, 65534)
            ours, said = names("//anon", MAP_ROWS, kind=JIT, pid=process)
            check(ours[0x7F0000001000][0][0] == "-" and "owns" in said, "somebody else's map", (ours, said))
        path.unlink()
        path.symlink_to(folder / "elsewhere")
        (folder / "elsewhere").write_text(MAP, encoding="latin-1")
        check("owns" in names("//anon", MAP_ROWS, kind=JIT, pid=process)[1], "a link to a map")

        header = struct.pack("<IIIIIIQQ", 0x4A695444, 1, 40, 62, 0, process, 0, 0)
        records = [
            debug(0x1000, [(0x1000, 3, b"a.js"), (0x1010, 9, b"\xff"), (0x1018, 2, b"b.js")]),
            load(0, 0x1000, 0x20, "first"),
            load(1, 0x2000, 0x20, "second"),
            move(0, 0x1000, 0x5000, 0x20),
            load(2, 0x2010, 0x10, "third"),
            record(9, b"unknown"),
        ]
        dump.write_bytes(header + b"".join(records) + load(3, 0x9000, 0x10, "cut")[:-20])
        expected = {
            0x1000: ("first", "a.js", 3),
            0x1011: ("first", "a.js", 9),
            0x2000: ("second", "-", 0),
            0x2010: ("third", "-", 0),
            0x500F: ("first", "a.js", 3),
            0x501F: ("first", "b.js", 2),
            0x5020: ("-", "-", 0),
            0x9000: ("-", "-", 0),
        }
        ours, said = names("//anon", expected, kind=JIT, pid=process)
        check(
            {at: frames[0][:3] for at, frames in ours.items()} == expected and said == "-",
            "a jitdump",
            (ours, said),
        )
    finally:
        path.unlink(missing_ok=True)
        dump.unlink(missing_ok=True)


# ---- names ----


def demangled(text):
    return output_of(reader.NAMES, "demangle", text=text).splitlines()


def check_demangling():
    check(demangled(MANGLED) == output_of("c++filt", text=MANGLED).splitlines(), "C++", demangled(MANGLED))
    returning = demangled("_Z5twiceIlET_S0_\n_ZN2ns1DIlE2goIiEElT_\n_ZN1AcviEv\n_Z4keptIPFivEET_S2_")
    check(
        returning
        == [
            "twice<long>(long)",
            "ns::D<long>::go<int>(int)",
            "A::operator int()",
            "kept<int (*)()>(int (*)())",
        ],
        "templates without their return type",
        returning,
    )
    check(demangled("\n".join(RUST)) == list(RUST.values()), "Rust", demangled("\n".join(RUST)))
    for name in RUST:  # c++filt shows the same with hashes and ids
        theirs = re.sub(
            r"\[[0-9a-f]+\]|::h[0-9a-f]{16}$", "", output_of("c++filt", "-s", "rust", text=name).strip()
        )
        check(demangled(name) == [theirs], f"c++filt's Rust: {name}", theirs)
    check(
        demangled("\n".join(D)) == [output_of("c++filt", "-s", "dlang", text=name).strip() for name in D],
        "D",
        demangled("\n".join(D)),
    )
    # Some hundred bytes that stand for more than all memory, and names that are deeper than any stack.
    numbers = [f"S{'' if i == 0 else '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'[i - 1]}_" for i in range(36)]
    bomb = "_Z1f1aIiiE" + "".join(f"{numbers[0]}I{numbers[i]}{numbers[i]}E" for i in range(1, 35))
    for hostile in (
        bomb,
        "_Z1f" + "P" * 16000 + "i",
        "_Z1fI" + "N1aI" * 3000,
        "_Z1f" + "F" * 8000,
        "_R" + "NvC1a1b" * 2000,
        "_D" + "3aaa" * 4000,
        "_Z" + "9" * 300,
        "_Z1f" + "P" * 100000,
    ):
        check(
            len(demangled(hostile)[0]) <= max(len(hostile), 65536), f"{hostile[:20]}...: {len(hostile)} bytes"
        )


# ---- damage ----


def check_damage(folder):
    """Whatever libdw does with a damaged file, topdown ends, and all places that it names were asked for."""
    (folder / "small.c").write_text(
        (
            "static inline __attribute__((always_inline)) int one(int x) { return x * 3; }\n"
            "int f(int x) { return one(x) + 1; }\nint main(void) { return f(7); }\n"
        ),
        encoding="ascii",
    )
    output_of("gcc", "-O1", "-g", "-o", "small", "small.c", where=folder)
    whole = (folder / "small").read_bytes()
    addresses = reader.instruction_addresses(folder / "small")
    draw = random.Random(15)
    for cut in (0, 1, 63, 64, 200, len(whole) // 2, len(whole) - 100):
        (folder / "damaged").write_bytes(whole[:cut])
        names(folder / "damaged", addresses)
    for _ in range(60):
        damaged = bytearray(whole)
        for _ in range(draw.choice((1, 10, 300))):
            damaged[draw.randrange(64, len(damaged))] = draw.randrange(256)
        (folder / "damaged").write_bytes(damaged)
        ours, _ = names(folder / "damaged", addresses)
        check(set(ours) == set(addresses), "a damaged file")


def main():
    reader.need("gcc", "c++filt", "nm", "objdump", "readelf")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        check_kernel(folder)
        check_vdso(folder)
        check_jit(folder)
        check_demangling()
        check_damage(folder)
    finish()


main()
