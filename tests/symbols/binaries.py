#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""binaries.py - every address of code of programs compiled here: function, inlined frames and lines as
addr2line and nm say, however the program was linked and wherever its debug information is."""
import bisect
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.append(f"{sys.path[0]}/..")
import reader
from lib import check, finish, output_of
from reader import addr2line, build_id, functions, instruction_addresses, names

PROGRAM = """
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
namespace shapes {
template <class T> struct box {
	T value;
	[[gnu::noinline]] T times(T other) { return value * other; }
};
inline __attribute__((always_inline)) int square(int x)
{
	volatile int y = x;
	return y * y;
}
inline __attribute__((always_inline)) int both(int x)
{
	return square(x)
		+ square(x + 1);
}
}
__attribute__((noinline)) int work(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += shapes::both(i);
	return sum;
}
extern "C" __attribute__((noinline)) const char *script()
{
	return getenv("NOTHING");
}
int main(int argc, char **argv)
{
	std::vector<int> numbers(argc * 100);
	for (auto &number : numbers)
		number = rand();
	std::sort(numbers.begin(), numbers.end());
	shapes::box<double> box{2};
	printf("%d %d %f %s\\n", work(argc), numbers[0], box.times(3), script() ? "" : argv[0]);
}
"""
# Name, and the compiler's words. What is expected is addr2line's word on the same code with DWARF 4: that of
# binutils 2.40 confuses files of DWARF 5 where a function begins.
FORMS = {
    "pie": [],
    "no-pie": ["-no-pie"],
    "unused": ["-Wl,--gc-sections"],
    "compressed": ["-Wl,--compress-debug-sections=zlib"],
    "static": ["-static"],
}
WHOLE_FORMS = {"types": ["-O2", "-fdebug-types-section"], "lto": ["-O2", "-flto"]}  # that need compiling
STATIC_LAST = 0x4000  # bytes of a static program's code that are asked for, which has all of glibc behind


def compile_as(folder, name, words, source=PROGRAM, compiler="g++"):
    path = folder / name
    (folder / "program.cc").write_text(source, encoding="utf-8")
    output_of(compiler, *words, "program.cc", "-o", path, where=folder)
    return path


def lines_of(frames):
    return [(os.path.normpath(file) if file != "-" else "-", line) for _, file, line, *_ in frames]


def is_same(ours, theirs):
    """The lines, and the names of the inlined frames. Where a function begins, addr2line has its name for the
    innermost frame too."""
    if lines_of(ours) != [(file, line) for _, file, line in theirs]:
        return False
    inlined, expected = [frame[0] for frame in ours[:-1]], [frame[0] for frame in theirs[:-1]]
    return inlined == expected or (inlined[1:] == expected[1:] and expected[0] == theirs[-1][0])


def check_functions(name, path, ours):
    """The outermost frame against nm: the function that has the address, one of its names, its begin and
    size."""
    table = functions(path)
    begins = [begin for begin, _, _ in table]
    for address, frames in ours.items():
        at = bisect.bisect_right(begins, address) - 1
        function, _, _, begin, size = frames[-1]
        if at < 0 or address >= table[at][1]:
            continue
        is_right = function in table[at][2] and (begin, begin + size) == table[at][:2]
        if not is_right:
            check(False, f"{name}: {address:x}", (frames, table[at]))
            break


def check_all(name, path, expected, search=None, build="-", remark="-"):
    """What topdown says of all addresses is what addr2line said of a file with the same code."""
    ours, said = names(path, expected, search=search, build_id=build)
    wrong = [
        (hex(address), ours[address], theirs)
        for address, theirs in expected.items()
        if not is_same(ours[address], theirs)
    ]
    check(not wrong, f"{name}: {len(wrong)} of {len(expected)} addresses", wrong[:1])
    check(said == remark, f"{name}: the remark", said)
    return ours


def text_of(path, folder):
    output_of("objcopy", "-O", "binary", "--only-section=.text", path, folder / "text")
    return (folder / "text").read_bytes()


def link_as(folder, name, words, version="5"):
    path = folder / name
    output_of("g++", *words, f"program-{version}.o", "-o", path, where=folder)
    return path


def make(folder, name, version):
    if name in FORMS:
        return link_as(folder, f"{name}-{version}", FORMS[name], version)
    return compile_as(folder, f"{name}-{version}", [*WHOLE_FORMS[name], f"-gdwarf-{version}"])


def check_forms(folder):
    for version in ("4", "5"):
        compile_as(folder, f"program-{version}.o", ["-O2", "-c", "-ffunction-sections", f"-gdwarf-{version}"])
    for name in (*FORMS, *WHOLE_FORMS):
        older, newer = make(folder, name, "4"), make(folder, name, "5")
        addresses = instruction_addresses(older, STATIC_LAST if name == "static" else None)
        check(text_of(older, folder) == text_of(newer, folder), f"{name}: DWARF changes no code")
        expected = addr2line(older, addresses)
        check_all(f"{name}, DWARF 4", older, expected)
        check_functions(name, newer, check_all(f"{name}, DWARF 5", newer, expected))


def check_elsewhere(folder):
    """The same program with its debug information in another file."""
    pie = (folder / "pie-5").rename(folder / "pie")
    expected = addr2line(folder / "pie-4", instruction_addresses(pie))
    identity = build_id(pie)
    check_all("with its build-id", pie, expected, build=identity)

    output_of("objcopy", "--only-keep-debug", "pie", "apart.debug", where=folder)
    output_of("objcopy", "--strip-all", "--add-gnu-debuglink=apart.debug", "pie", "apart", where=folder)
    check_all("a debug link", folder / "apart", expected)
    (folder / ".debug").mkdir()
    (folder / "apart.debug").rename(folder / ".debug/apart.debug")
    check_all("a debug link to .debug", folder / "apart", expected)
    debug = (folder / ".debug/apart.debug").rename(folder / "kept.debug")

    by_id = folder / "search/.build-id" / identity[:2]
    by_id.mkdir(parents=True)
    shutil.copy(debug, by_id / (identity[2:] + ".debug"))
    output_of("strip", "-o", "bare", "pie", where=folder)
    check_all("a build-id folder", folder / "bare", expected, search=f"/nowhere:{folder / 'search'}")

    other = folder / "no-pie-5"
    output_of("objcopy", "--only-keep-debug", other, folder / "apart.debug")
    ours, _ = names(folder / "apart", expected)
    check(
        all(frame[1] == "-" for frames in ours.values() for frame in frames),
        "another file's debug information",
    )

    for version in ("4", "5"):
        split = compile_as(
            folder, f"split-{version}", ["-O2", "-ffunction-sections", f"-gdwarf-{version}", "-gsplit-dwarf"]
        )
        check(text_of(split, folder) == text_of(pie, folder), "split debug information changes no code")
        check_all(f"split DWARF {version}", split, expected)


def check_stripped(folder):
    """Exported functions, stubs, and where others begin are what is left."""
    remark = "it is stripped: only exported functions have names, others their address"
    output_of("strip", "-o", "naked", "pie", where=folder)
    stubs = stubs_of(folder / "pie")
    ours, said = names(folder / "naked", stubs)
    check(said == remark, "stripped", said)
    check({address: frames[0][0] for address, frames in ours.items()} == stubs, "stubs", ours)
    source = (
        'extern "C" int exported(int x) { return x + 1; } static int hidden(int x) { return x * 2; } int'
        " (*pointer)(int) = hidden;"
    )
    library = compile_as(folder, "library.so", ["-O1", "-shared", "-fPIC"], source)
    table = {begin: name for begin, _, many in functions(library) for name in many}
    output_of("strip", library)
    ours, said = names(library, table)
    check(said == remark, "a stripped library", said)
    for address, name in table.items():
        expected = {"exported": "exported", "hidden": f"library.so+{address:#x}"}.get(
            name, ours[address][0][0]
        )
        check(ours[address][0][0] == expected, f"a stripped library: {name}", ours[address])


def stubs_of(path, program="objdump"):
    """{address: "puts@plt"} as objdump has it, without what it adds for versions."""
    found = {}
    for line in output_of(program, "-d", path).splitlines():
        if line.endswith("@plt>:"):
            address, name = line.split(" <")
            found[int(address, 16)] = name.removesuffix(">:")
    return {
        address: (
            subprocess.run(
                ["c++filt", name.removesuffix("@plt")], capture_output=True, text=True, check=True
            ).stdout.strip()
            + "@plt"
            if name.startswith("_Z")
            else name
        )
        for address, name in found.items()
    }


def check_stubs(folder):
    for name, words in {
        "stubs": [],
        "stubs-now": ["-Wl,-z,now"],
        "stubs-cet": ["-Wl,-z,ibtplt"],
        "stubs-fixed": ["-no-pie"],
    }.items():
        path = link_as(folder, name, words)
        stubs = {address: stub for address, stub in stubs_of(path).items() if not stub.startswith("*ABS*")}
        ours, _ = names(path, stubs)
        wrong = {
            hex(at): (stub, ours[at])
            for at, stub in stubs.items()
            if stub.removesuffix("@plt") not in ours[at][0][0]
        }
        check(stubs and not wrong, name, wrong)


def check_names(folder):
    """Names that are long, strange, or many."""
    pair = "std::pair<int, long>"
    types = ", ".join(f"kind<{i}>" for i in range(930))
    source = (
        "#include <utility>\ntemplate <int N> struct kind {}; template <class... T>"
        f" __attribute__((noinline)) int many({pair}, T...) {{ return 1; }}\n"
    )
    source += f"int main() {{ return many({pair}(), {types.replace('>', '>()')}); }}\n"
    path = compile_as(folder, "long", ["-O1"], source)
    mangled = max(output_of("nm", path).split(), key=len)
    address = next(
        int(line.split()[0], 16) for line in output_of("nm", path).splitlines() if line.endswith(mangled)
    )
    ours, _ = names(path, [address])
    check(
        len(mangled) > 10000
        and ours[address][0][0].startswith("many<kind<0>, kind<1>, ")
        and "kind<929>" in ours[address][0][0],
        f"a name of {len(mangled)} bytes",
        ours[address][0][0][:200],
    )

    output_of("objcopy", "--redefine-sym", "script=<script>alert(1)</script>", "pie", "strange", where=folder)
    script = [
        begin for begin, _, many in functions(folder / "strange") if "<script>alert(1)</script>" in many
    ]
    ours, _ = names(folder / "strange", script)
    check(ours[script[0]][-1][0] == "<script>alert(1)</script>", "<script>", ours)

    count = 100000
    (folder / "many.s").write_text(
        ".text\n"
        + "".join(f".globl f{i}\n.type f{i},@function\nf{i}: nop\nret\n.size f{i},2\n" for i in range(count)),
        encoding="ascii",
    )
    output_of("gcc", "-shared", "-o", "many.so", "many.s", where=folder)
    table = {begin: next(iter(many)) for begin, _, many in functions(folder / "many.so") if len(many) == 1}
    ours, _ = names(folder / "many.so", table)
    check(
        len(table) >= count and all(ours[at][0][0] == name for at, name in table.items()),
        f"{len(table)} symbols",
    )


def check_mini_debug_info(folder):
    """Symbols within the program itself, compressed, as Fedora has them: local functions have names again."""
    if not shutil.which("xz"):
        print("without MiniDebugInfo: xz is not here")
        return
    source = (
        "static __attribute__((noinline)) int hidden(int x) { return x * 2; } int main(int argc, char **) {"
        " return hidden(argc); }"
    )
    whole = compile_as(folder, "whole", ["-O1"], source)
    output_of("objcopy", "--only-keep-debug", "whole", "mini", where=folder)
    output_of("xz", "mini", where=folder)
    output_of("strip", "-o", "small", "whole", where=folder)
    output_of("objcopy", "--add-section", ".gnu_debugdata=mini.xz", "small", where=folder)
    table = {begin: many for begin, _, many in functions(whole) if many & {"hidden(int)", "main"}}
    ours, said = names(folder / "small", table)
    check(
        len(table) == 2 and all(ours[at][0][0] in many for at, many in table.items()) and said == "-",
        "MiniDebugInfo",
        (ours, said),
    )


def check_no_line(folder):
    """Instructions with the line 0, as optimisers leave them: of an inlined call they are of the line that
    calls; elsewhere nobody knows it."""
    if not shutil.which("clang"):
        print("without the line 0: clang is not here, and gas knows none")
        return
    source = """
static inline __attribute__((always_inline)) void adapter(void)
{
	__asm__ volatile(".loc 1 0\\nadapted:\\n\\tnop\\n\\tnop");
}
__attribute__((noinline)) void whole(void)
{
	adapter();
}
__attribute__((noinline)) void alone(void)
{
	__asm__ volatile(".loc 1 0\\nlonely:\\n\\tnop\\n\\tnop");
}
int main(void)
{
	whole();
	alone();
}
"""
    (folder / "zero.c").write_text(source, encoding="utf-8")
    output_of("clang", "-gdwarf-4", "-O1", "-fno-inline-functions", "zero.c", "-o", "zero", where=folder)
    labels = {
        words[-1]: int(words[0], 16)
        for words in map(str.split, output_of("nm", folder / "zero").splitlines())
        if words[-1] in ("adapted", "lonely")
    }
    numbers = {line.strip(): number for number, line in enumerate(source.splitlines(), 1)}
    ours, _ = names(folder / "zero", labels.values())
    lines = [(frame[0], frame[2]) for frame in ours[labels["adapted"]]]
    call = numbers["adapter();"]
    check([line for _, line in lines] == [call, call] and lines[0][0] == "adapter", "an inlined call", lines)
    check(ours[labels["lonely"]][0][2] == 0, "no call", ours[labels["lonely"]])


def check_other_machine(folder):
    """A file of another architecture, as a profile from another machine has: its stubs, too."""
    compiler, tools = "aarch64-linux-gnu-gcc", "aarch64-linux-gnu-"
    if not shutil.which(compiler):
        print("without AArch64: its compiler is not here")
        return
    source = """
int printf(const char *, ...);
int rand(void);
static inline __attribute__((always_inline)) int square(int x)
{
	return x * x + rand();
}
int first(int argc, char **argv)
{
	return printf("%s %d", argv[0], square(argc));
}
"""
    for name, words in {
        "arm": [],
        "arm-bti": ["-mbranch-protection=standard", "-Wl,-z,force-bti"],
        "arm-now": ["-Wl,-z,now"],
    }.items():
        path = compile_as(
            folder,
            name,
            ["-O2", "-gdwarf-4", "-x", "c", "-shared", "-fPIC", "-nostdlib", *words],
            source,
            compiler,
        )
        addresses = instruction_addresses(path, program=tools + "objdump")
        ours, _ = names(path, addresses)
        expected = addr2line(path, addresses, program=tools + "addr2line")
        stubs = stubs_of(path, program=tools + "objdump")
        wrong = [
            (hex(at), ours[at], expected[at])
            for at in addresses
            if at not in stubs and not is_same(ours[at], expected[at])
        ]
        check(
            any(len(frames) == 2 for frames in ours.values()) and not wrong,
            f"{name}: {len(wrong)} of {len(addresses)}",
            wrong[:1],
        )
        check(
            {ours[at][0][0] for at in stubs} == set(stubs.values()) and "printf@plt" in stubs.values(),
            f"{name}: stubs",
            [ours[at] for at in stubs],
        )


def check_wrong_files(folder):
    """Files that are none, or other ones than those that were mapped: no names, and why."""
    pie = folder / "pie"
    address = next(begin for begin, _, many in functions(pie) if "main" in many)
    (folder / "text.txt").write_text("no ELF file\n" * 100, encoding="ascii")
    os.mkfifo(folder / "fifo")
    for what, path, build, clause in (
        ("replaced", pie, "00" * 20, "replaced"),
        ("gone", folder / "gone", "-", "gone"),
        ("no ELF file", folder / "text.txt", "-", "not an ELF"),
        ("a folder", folder, "-", "can't be read"),
        ("a pipe", folder / "fifo", "-", "can't be read"),
        ("no file", "[heap]", "-", "no file"),
        ("deleted", f"{folder / 'gone'} (deleted)", "-", "deleted"),
        ("deleted, another came", f"{pie} (deleted)", "-", "deleted"),
    ):
        ours, said = names(path, [address], build_id=build)
        check(ours[address][0][0] == "-" and clause in said, what, (ours, said))


def check_running(folder):
    """A program that still runs is found when its file was deleted or replaced, and below another root."""
    source = "#include <unistd.h>\nint main() { for (;;) pause(); }\n"
    path = compile_as(folder, "running", ["-O1", "-g", "-Wl,--build-id"], source)
    identity = build_id(path)
    address = next(begin for begin, _, many in functions(path) if "main" in many)
    with subprocess.Popen([path]) as process:
        try:
            os.remove(path)
            ours, said = names(f"{path} (deleted)", [address], build_id=identity, pid=process.pid)
            check(
                ours[address][0][:3] == ("main", str(folder / "program.cc"), 2) and said == "-",
                "deleted, but it runs",
                (ours, said),
            )
            shutil.copy(folder / "pie", path)
            ours, said = names(path, [address], build_id=identity, pid=process.pid)
            check(ours[address][0][0] == "main" and said == "-", "replaced, but it runs", (ours, said))
        finally:
            process.kill()
    ours, said = names(path, [address], build_id=identity, pid=process.pid)
    check(ours[address][0][0] == "-" and "replaced" in said, "replaced, and it is over", (ours, said))


def main():
    reader.need("g++", "addr2line", "nm", "objdump", "objcopy", "readelf", "strip", "c++filt")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        check_forms(folder)
        check_elsewhere(folder)
        check_stripped(folder)
        check_stubs(folder)
        check_names(folder)
        check_mini_debug_info(folder)
        check_no_line(folder)
        check_other_machine(folder)
        check_wrong_files(folder)
        check_running(folder)
    finish()


main()
