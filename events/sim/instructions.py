#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""instructions.py FILE... < TABLE - writes instructions.csv: what the commonest x86 instructions take on each
simulated core.

Counts the instructions of programs and libraries (FILE), and asks llvm-mca for the commonest of them. A row
is the bytes of an example, for each core latency, cycles between two of them (throughput) and issue slots,
and the example in AT&T syntax. A core without figures takes those of the instruction's kind. TABLE is what
tests/bench/instructions.py --table has measured on a Zen 4: that corrects the figures of AMD's cores, where
LLVM has the same for all of them. ZEN3 in the environment names such a table of a Zen 3. Needs objdump, and
the llvm-mc and llvm-mca whose version LLVM names (default: 22).

Only what computes is there: no moves, loads, stores, branches, and no divisions of integers, whose time
depends on their operands. An instruction that loads its operand takes the load's time beside that of its row.
"""
import collections
import os
import pathlib
import re
import subprocess
import sys

ROWS = 400
LLVM = os.environ.get("LLVM", "22")
CORES = {  # and the scheduling model that stands for each
    "skylake-client": "skylake",
    "skylake": "skylake-avx512",
    "icelake": "icelake-server",
    "golden-cove": "sapphirerapids",
    "redwood-cove": "graniterapids",
    "zen3": "znver3",
    "zen4": "znver4",
    "zen5": "znver5",
}
COVES = ("golden-cove", "redwood-cove")
STEPS = (0.17, 0.2, 0.25, 0.33, 0.5, 0.67, 0.75, 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20)  # cycles
LEFT_OUT = re.compile(  # what moves, loads, stores, branches, or depends on its operands
    r"v?mov(?!msk)|v?lddqu|push|pop|call|j|[il]?ret|nop|lea|rep|lock|endbr|leave|f|cmpxchg|bnd|data16"
    r"|x(chg|add|abort|begin|end|get|test|lat|save|rstor)|i?div|[cdegs]s|hlt|in|out|ud|sys|cpuid"
    r"|rd|wr|cl[dfitw]|st[dcimio]|cmc|v?maskmov|v?stmxcsr|v?ldmxcsr|prefetch|[lms]fence|pause|[ls]ahf|loop"
    r"|enter|lods|stos|scas|cmps[bwlq]?$|addr32|notrack|sha(1|256)|vprot|vpcom|vfn?m(add|sub)[sp][sd]$|emms"
    r"|v?zero|v?p?gather|bound|[sl][gil]dt|ts|verr|verw|mwait|monitor|k|v?pcmp.str|\("
)
SIZES = {8: "al r12b r13b bl", 16: "ax r12w r13w bx", 32: "eax r12d r13d ebx", 64: "rax r12 r13 rbx"}
REGISTERS = {f"r{bits}": [f"%{name}" for name in names.split()] for bits, names in SIZES.items()}
REGISTERS |= {kind: [f"%{kind}mm{number}" for number in (0, 8, 9, 10)] for kind in "xy"}
GENERAL = re.compile(
    r"%(?:(?P<r64>r(?:[abcd]x|[sd]i|[sb]p|8|9|1[0-5]))|(?P<r32>e(?:[abcd]x|[sd]i|[sb]p)|r(?:8|9|1[0-5])d)"
    r"|(?P<r16>[abcd]x|[sd]i|[sb]p|r(?:8|9|1[0-5])w)|(?P<r8>[abcd][lh]|[sd]il|[sb]pl|r(?:8|9|1[0-5])b)"
    r"|(?P<x>xmm\d+)|(?P<y>ymm\d+))$"
)
SHIFTS = ("shl", "shr", "sar", "rol", "ror", "shld", "shrd", "rcl", "rcr")


def kind_of(operand, mnemonic, is_first):
    if operand.startswith("$"):
        return "i"
    if is_first and operand == "%cl" and mnemonic.rstrip("bwlq").startswith(SHIFTS):
        return "cl"
    found = GENERAL.match(operand)
    return found.lastgroup if found else None


def form_of(mnemonic, operands):
    """("add", ("r64", "r64")), or None: its operands are in memory, or of another kind."""
    kinds = tuple(kind_of(operand, mnemonic, not number) for number, operand in enumerate(operands))
    return None if None in kinds else (mnemonic, kinds)


def forms_of(path):
    """Each instruction's form, in the code of a file."""
    command = ["objdump", "-d", "--no-show-raw-insn", "--no-addresses", path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as listing:
        for line in listing.stdout:
            words = line.split("#")[0].split(None, 1)
            if len(words) != 2 or not line.startswith("\t") or LEFT_OUT.match(words[0]) or "(" in words[1]:
                continue
            yield words[0], words[1].strip()


def commonest(paths):
    texts, forms = collections.Counter(), collections.Counter()
    for path in paths:
        texts.update(forms_of(path))
    for (mnemonic, operands), count in texts.items():
        form = form_of(mnemonic, operands.split(","))
        if form:
            forms[form] += count
    return [form for form, _ in forms.most_common()]


def text_of(form):
    """The example: what is written comes last, and is another register than what is read."""
    mnemonic, kinds = form
    words, used = [], collections.Counter()
    for kind in reversed(kinds):
        if kind in REGISTERS:
            words.append(REGISTERS[kind][used[kind]])
            used[kind] += 1
        else:
            words.append("$3" if kind == "i" else "%cl")
    return f"{mnemonic} {', '.join(reversed(words))}"


def encoded(text):
    """The bytes of one instruction; None where it can't be assembled."""
    command = [
        f"llvm-mc-{LLVM}",
        "--triple=x86_64",
        "--show-encoding",
        "--mattr=+avx2,+fma,+bmi,+bmi2,+lzcnt",
    ]
    command[-1] += ",+popcnt,+aes,+pclmul,+sse4.2,+adx,+f16c,+movbe"
    run = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    found = re.search(r"encoding: \[([^\]]*)\]", run.stdout)
    if run.returncode or not found or re.search("[A-Z']", found[1]):
        return None
    code = bytes(int(byte, 16) for byte in found[1].split(","))
    return None if code[0] == 0x62 else code  # of AVX-512, which nothing simulated has


def key_of(code):
    """What the simulator knows an instruction by (model/instruction_forms.c)."""
    at = prefix = wide = long = 0
    group = 0
    while code[at] in (0x66, 0xF2, 0xF3):
        prefix, at = code[at], at + 1
    if code[at] & 0xF0 == 0x40:
        wide, at = code[at] >> 3 & 1, at + 1
    page = 0
    if code[at] in (0xC4, 0xC5):
        short = code[at] == 0xC5
        page = 1 if short else code[at + 1] & 0x1F
        last = code[at + (1 if short else 2)]
        wide, long, prefix = (0 if short else last >> 7), last >> 2 & 1, (0, 0x66, 0xF3, 0xF2)[last & 3]
        at += 2 if short else 3
    elif code[at] == 0x0F:
        page = {0x38: 2, 0x3A: 3}.get(code[at + 1], 1)
        at += 1 if page == 1 else 2
    opcode = code[at]
    modrm = code[at + 1] if at + 1 < len(code) else 0
    group = modrm >> 3 & 7
    if page == 0 and opcode in (0x80, 0x81, 0x83):
        opcode, group = group << 3 | opcode & 1, 0
    elif page == 0 and opcode < 0x40:
        opcode, group = opcode & 0xF9 if opcode & 7 < 4 else opcode & 0xF9, 0
    elif page == 1 and opcode & 0xF0 in (0x40, 0x90):
        opcode, group = opcode & 0xF6 if opcode & 0x0E == 6 else opcode & 0xF0, 0
    elif page == 1 and opcode >= 0xC8 and opcode <= 0xCF:
        opcode, group = 0xC8, 0
    elif not (
        (page == 0 and opcode in (0xC0, 0xC1, 0xD0, 0xD1, 0xD2, 0xD3, 0xF6, 0xF7, 0xFE, 0xFF))
        or (page == 1 and opcode in (0x71, 0x72, 0x73, 0xBA, 0xC7))
        or (page == 2 and opcode == 0xF3)
    ):
        group = 0
    return page, opcode, prefix, wide, long, group


def model_figures(texts, model):
    """(latency, throughput, slots) of each."""
    command = [f"llvm-mca-{LLVM}", "--mtriple=x86_64", f"-mcpu={model}", "--instruction-tables"]
    run = subprocess.run(command, input="\n".join(texts), capture_output=True, text=True, check=True)
    rows = re.findall(r"^ +(\d+) +(\d+) +([\d.]+) [ *U]+\t?[a-z]", run.stdout, re.M)
    if len(rows) != len(texts):
        sys.exit(f"instructions.py: {model}: {len(rows)} rows of {len(texts)}")
    return [(int(latency), float(cycles), int(slots)) for slots, latency, cycles in rows]


def measured(table):
    """{text: (latency, throughput)}, None for what has no loop."""
    found = {}
    for text, what, cycles in re.findall(r"^\| (.*): (latency|throughput) \| ([\d.]+) \|", table, re.M):
        latency, apart = found.get(text, (None, None))
        found[text] = (float(cycles), apart) if what == "latency" else (latency, float(cycles))
    return found


def of_this_machine(figures, here):
    """With what was measured in the place of what differs by more than a fourth."""
    latency, cycles, slots = figures
    if here[0] and round(here[0]) != latency:
        latency = round(here[0])
    if here[1] and not 0.8 <= here[1] / max(cycles, 0.01) <= 1.25:
        # The loop's own instructions are in it: the next one below that units can have.
        cycles = max(step for step in STEPS if step <= 1.04 * here[1])
    return latency, cycles, slots


def has_no_latency(text):
    """From general to vector registers, or back: no loop measures it, and LLVM has 1 to 7. Or two results."""
    return ("mm" in text and re.search(r"%(r|e|[abcd][lx])", text)) or re.match("i?mul [^,]*$|mulx", text)


def corrected(row, text, here, zen3):
    """Of each core; where LLVM's figures are no good, those of another core, or of the kind (None)."""
    of = dict(row)
    for core in COVES if "mm" not in text or re.match("v?(div|sqrt)", text) else ():
        of[core] = row[
            "icelake"
        ]  # theirs are the longest of any two operands, flags too, or lack the divider
    if re.match("v?(add|sub)[sp][sd] |v?cvt", text):
        of |= dict.fromkeys(COVES, (0, 0, 0))  # measured: 2, and 6
    of["zen4"] = here = of_this_machine(row["zen4"], here)
    if row["zen3"] == row["zen4"]:
        of["zen3"] = here
    # There the loop's own instructions are most of what takes less.
    of["zen3"] = of_this_machine(of["zen3"], zen3 if (zen3[1] or 0) > 0.42 else (zen3[0], None))
    if row["zen5"][2] == 1:
        of["zen5"] = (0, 0, 0)  # LLVM's model is Zen 4's, the core's units and latencies are measured
    for core, (latency, cycles, slots) in of.items():
        of[core] = (0 if has_no_latency(text) else latency, cycles, slots) if cycles and slots else None
    return of


def main():
    rows = {}
    for form in commonest(sys.argv[1:]):
        text = text_of(form)
        code = encoded(text) if len(rows) < ROWS else None
        if code:
            rows.setdefault(key_of(code), (text, code))
    texts, here = [text for text, _ in rows.values()], measured(sys.stdin.read())
    zen3 = measured(pathlib.Path(os.environ["ZEN3"]).read_text("utf-8") if "ZEN3" in os.environ else "")
    columns = {core: model_figures(texts, model) for core, model in CORES.items()}
    lines = [",".join(["Bytes", *CORES, "Instruction"])]
    for number, (text, code) in enumerate(rows.values()):
        row = {core: column[number] for core, column in columns.items()}
        nothing = (None, None)
        cells = corrected(row, text, here.get(text, nothing), zen3.get(text, nothing)).values()
        words = [f"{cell[0]} {cell[1]:g} {cell[2]}" if cell else "" for cell in cells]
        lines.append(",".join([code.hex(), *words, f'"{text}"']))
    out = pathlib.Path(__file__).with_suffix(".csv")
    out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{out.name}: {len(texts)} instructions")


if __name__ == "__main__":
    main()
