#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""instructions.py [--core NAME] [--table] [ROW]... - how long single instructions take, modelled and on this
machine.

A row is a loop of eight instructions: each waits for the one before (a latency), or for none of them (a
throughput). Cycles of each are those of the fastest of many short windows, by a chain of additions, so that
neighbours and other work don't count as long as a window of some microseconds is left alone at times. The
loop's own two instructions are in both. With --table the rows are those of events/sim/instructions.csv.
x86-64 only. TOPDOWN names the program.
"""
import argparse
import csv
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
TOPDOWN = os.environ.get("TOPDOWN", str(SOURCE / "build/topdown"))
CYCLES = (0.8, 1.25)
ROUNDS, WINDOWS, CALLS = 200, 3000, 300

GENERAL = ("a", "b", "d", "si", "8", "9", "10", "11")  # and c counts, di points to memory
VECTORS = range(8)


def sized(register, bits):
    if register.isdigit():
        return f"%r{register}" + {64: "", 32: "d", 16: "w", 8: "b"}[bits]
    if bits == 8:
        return f"%{register}l"
    return {64: "%r", 32: "%e", 16: "%"}[bits] + register + ("" if register == "si" else "x")


def chain(text):
    """Eight times the same."""
    return [text] * 8


def apart(text):
    """{q}, {d}, {w}, {b} and {v}: another register each time."""
    rows = []
    for name, number in zip(GENERAL, VECTORS):
        names = {letter: sized(name, bits) for letter, bits in zip("qdwb", (64, 32, 16, 8))}
        rows.append(text.format(v=f"%xmm{number}", y=f"%ymm{number}", **names))
    return rows


# Name: the loop. "; " divides the instructions of one row that belong together, and are counted as one.
LATENCIES = {
    "add": "add $1, %rax",
    "inc": "inc %rax",
    "neg": "neg %rax",
    "adc": "adc %rbx, %rax",
    "sbb r, r": "sbb %rax, %rax",
    "lea, base and constant": "lea 4(%rax), %rax",
    "lea, scaled": "lea (%rax,%rax,4), %rax",
    "lea, three parts": "lea 4(%rax,%rbx,2), %rax",
    "shl": "shl $3, %rax",
    "shl cl": "shl %cl, %rax",
    "rol": "rol $3, %rax",
    "rcl by 1": "rcl $1, %rax",
    "shld": "shld $3, %rbx, %rax",
    "bswap": "bswap %rax",
    "movzx, byte": "movzbl %al, %ebx; movzbl %bl, %eax",
    "movzx, word": "movzwl %ax, %ebx; movzwl %bx, %eax",
    "movsx, byte": "movsbl %al, %ebx; movsbl %bl, %eax",
    "movsxd": "movslq %eax, %rbx; movslq %ebx, %rax",
    "mov, 32 bits": "mov %eax, %ebx; mov %ebx, %eax",
    "xchg": "xchg %rbx, %rax",
    "cmov": "cmovl %rbx, %rax",
    "cmp, cmov": "cmp %rbx, %rax; cmovl %rbx, %rax",
    "cmp, set": "cmp %rbx, %rax; setl %al",
    "test, set": "test %rax, %rax; sete %al",
    "test, cmov": "test %rbx, %rbx; cmovs %rax, %rbx",
    "sub, cmov": "sub %rbx, %rax; cmovl %rdx, %rax",
    "cdq, add": "cltd; add %edx, %eax",
    "imul": "imul $7, %rax, %rax",
    "mul, lower half": "mul %rbx",
    "mul, upper half": "mul %rdx; mov %rdx, %rax",
    "div, 64 bits": "xor %edx, %edx; divq 8(%rdi); or $1000, %rax",
    "div, 32 bits": "xor %edx, %edx; divl 8(%rdi); or $1000, %eax",
    "popcnt": "popcnt %rax, %rax",
    "tzcnt": "tzcnt %rax, %rax",
    "lzcnt": "lzcnt %rax, %rax",
    "pext": "pext %rbx, %rax, %rax",
    "andn": "andn %rbx, %rax, %rax",
    "bextr": "bextr %rbx, %rax, %rax",
    "bt, adc": "bt $3, %rax; adc $0, %rax",
    "crc32": "crc32q %rbx, %rax",
    "load, add": "add (%rdi), %rax",
    "push, pop": "push %rax; pop %rax",
    "add to memory": "addq $1, 8(%rdi)",
    "pushf, popf": "pushfq; popfq",
    "addsd": "addsd %xmm1, %xmm0",
    "mulsd": "mulsd %xmm1, %xmm0",
    "divsd": "divsd %xmm1, %xmm0",
    "sqrtsd": "sqrtsd %xmm0, %xmm0",
    "minsd": "minsd %xmm1, %xmm0",
    "vfmadd": "vfmadd231sd %xmm1, %xmm2, %xmm0",
    "cvtdq2ps": "cvtdq2ps %xmm0, %xmm0",
    "paddd": "paddd %xmm1, %xmm0",
    "pxor": "pxor %xmm1, %xmm0",
    "andps": "andps %xmm1, %xmm0",
    "pcmpeqb": "pcmpeqb %xmm1, %xmm0",
    "pslld": "pslld $3, %xmm0",
    "pshufd": "pshufd $3, %xmm0, %xmm0",
    "pshufb": "pshufb %xmm1, %xmm0",
    "punpcklbw": "punpcklbw %xmm1, %xmm0",
    "vperm2i128": "vperm2i128 $1, %ymm0, %ymm0, %ymm0",
    "pmulld": "pmulld %xmm1, %xmm0",
    "pmuludq": "pmuludq %xmm1, %xmm0",
    "pmaddwd": "pmaddwd %xmm1, %xmm0",
    "aesenc": "aesenc %xmm1, %xmm0",
}
THROUGHPUTS = {
    "add": "add $3, {q}",
    "lea": "lea 4({q}), {q}",
    "shl": "shl $3, {q}",
    "shl cl": "shl %cl, {q}",
    "shlx": "shlx %rax, %rbx, {q}",
    "rol": "rol $3, {q}",
    "shld": "shld $3, %r12, {q}",
    "bt": "bt %r12, {q}",
    "bts": "bts %r12, {q}",
    "bsf": "bsf %r12, {q}",
    "popcnt": "popcnt %r12, {q}",
    "imul": "imul $7, %r12, {q}",
    "mov, constant": "mov $0x11223344, {d}",
    "movabs": "movabs $0x1122334455667788, {q}",
    "mov": "mov %r12, {q}",
    "xor, zero": "xor {d}, {d}",
    "movzx, byte": "movzbl %r12b, {d}",
    "cmov": "cmovl %r12, {q}",
    "set": "setl {b}",
    "cmp, cmov": "cmp %r12, %r13; cmovl %r12, {q}",
    "add and rol": "add $3, %r12; rol $3, {q}",
    "cmov and rol": "cmovl %r12, %r13; rol $3, {q}",
    "load": "mov (%rdi), {q}",
    "store, one line": "mov {q}, 8(%rdi)",
    "cvtsi2sd": "cvtsi2sd %rax, {v}",
    "cvttsd2si": "cvttsd2si %xmm0, {q}",
    "ucomisd": "ucomisd %xmm0, {v}",
    "movq from vector": "movq %xmm0, {q}",
    "movq to vector": "movq %rax, {v}",
    "pmovmskb": "pmovmskb %xmm0, {d}",
    "addsd": "vaddsd %xmm9, %xmm8, {v}",
    "mulsd": "vmulsd %xmm9, %xmm8, {v}",
    "vfmadd": "vfmadd231sd %xmm9, %xmm8, {v}",
    "paddd": "vpaddd %xmm9, %xmm8, {v}",
    "pslld": "vpslld $3, %xmm9, {v}",
    "pshufb": "vpshufb %xmm9, %xmm8, {v}",
    "punpcklbw": "vpunpcklbw %xmm9, %xmm8, {v}",
    "pmulld": "vpmulld %xmm9, %xmm8, {v}",
    "pmuludq": "vpmuludq %xmm9, %xmm8, {v}",
    "vpermq": "vpermq $3, %ymm9, {y}",
    "pxor": "vpxor %xmm9, %xmm8, {v}",
    "nop": "nop",
}
CALLS_AND_RETURNS = ["call 9f"] * 8 + ["jmp 8f\n.p2align 4\n9: ret\n8:"]


# What is written without being read, of instructions with two operands.
NOT_READ = re.compile(
    r"v|pshuf|pabs|cvt|round|sqrt|rcp|rsqrt|pmov|movmsk|popcnt|[lt]zcnt|bs[fr]|bls|rorx|imul.*\$|ext|aesimc"
    r"|aeskey|phmin"
)
IMPLIED = re.compile(r"i?mul [^,]*$|c[lwqd]t[qldo]")  # which register is written


def other_register(register, name, number):
    """The same width of another register."""
    if "mm" in register:
        return f"{register[:4]}{number}"
    bits = {"r": 64, "e": 32}.get(register[1], 8 if register.endswith("l") else 16)
    bits = {"b": 8, "w": 16, "d": 32}.get(register[-1], bits) if register[-2].isdigit() else bits
    return sized(name, bits)


def table_loops():
    """Of each row of the table one that waits for nothing, and one whose result the next one takes."""
    found = {"add: latency": chain(LATENCIES["add"])}  # what the others are measured by
    with open(SOURCE / "events/sim/instructions.csv", encoding="utf-8", newline="") as table:
        texts = [row["Instruction"] for row in csv.DictReader(table)]
    for text in texts:
        mnemonic, operands = text.split(" ", 1) if " " in text else (text, "")
        *sources, last = operands.split(", ")
        if not IMPLIED.match(text) and last.startswith("%"):
            others = [other_register(last, name, number) for name, number in zip(GENERAL, VECTORS)]
            found[f"{text}: throughput"] = [f"{mnemonic} {', '.join([*sources, other])}" for other in others]
        registers = [source for source in sources if source.startswith("%") and source != "%cl"]
        if re.match("cmp |test|set|bt |v?u?comis|v?ptest", text):
            continue  # nothing but flags is written, or read
        if registers and (len(registers) > 1 or NOT_READ.match(text)):
            sources[sources.index(registers[-1])] = last
        if all(other_register(register, "a", 0) == last for register in registers[-1:]):
            found[f"{text}: latency"] = chain(f"{mnemonic} {', '.join([*sources, last])}" if last else text)
    return found


def loops():
    """{name: instructions}"""
    found = {f"{name}: latency": chain(text) for name, text in LATENCIES.items()}
    found |= {f"{name}: throughput": apart(text) for name, text in THROUGHPUTS.items()}
    return found | {"call and return": CALLS_AND_RETURNS}


# Cycles of a row are divided by so many: chains of two equal instructions have both.
PAIRS = (
    "movzx, byte: latency",
    "movzx, word: latency",
    "movsx, byte: latency",
    "movsxd: latency",
    "mov, 32 bits: latency",
)

C = """#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <x86intrin.h>
static uint64_t memory[64] __attribute__((aligned(64)));
%s
static void (*const loops[])(void) = { %s };
int main(int count, char **words)
{
	memory[1] = 3;
	memory[2] = memory[3] = 0x3ff0000000000000; /* 1.0 */
	if (count > 1) {
		for (long i = atol(words[2]); i; i--)
			loops[atoi(words[1])]();
		return 0;
	}
	for (unsigned loop = 0; loop < sizeof(loops) / sizeof(*loops); loop++) {
		uint64_t least = UINT64_MAX;
		for (unsigned i = 0; i < %d; i++) {
			unsigned cpu;
			uint64_t start = __rdtsc(), took;
			loops[loop]();
			took = __rdtscp(&cpu) - start;
			least = took < least ? took : least;
		}
		printf("%%llu\\n", (unsigned long long)least);
	}
	return 0;
}
"""
ONES = [f"movaps 16(%rdi), %xmm{number}" for number in range(11)]
CLOBBERED = [f'"{name}"' for name in "rax rbx rcx rdx rsi r8 r9 r10 r11 r12 r13 cc memory".split()]
CLOBBERED += [f'"xmm{number}"' for number in range(11)]


def function(number, instructions):
    lines = [line for one in instructions for line in one.replace("; ", "\n").split("\n")]
    text = "".join(
        f'\t\t"{line}\\n"\n'
        for line in [*ONES, "mov $%d, %%ecx" % ROUNDS, "1:", *lines, "dec %ecx", "jnz 1b"]
    )
    return (
        f"static void loop_{number}(void)\n{{\n\t__asm__ volatile(\n{text}"
        f'\t\t:: "D"(memory) : {", ".join(CLOBBERED)});\n}}\n'.replace("%", "%%").replace("%%0", "%0")
    )


def build(folder, rows):
    source, program = folder / "loops.c", folder / "loops"
    bodies = "".join(function(number, row) for number, row in enumerate(rows))
    source.write_text(C % (bodies, ", ".join(f"loop_{number}" for number in range(len(rows))), WINDOWS))
    flags = ["-O1", "-march=haswell", "-maes", "-madx", "-mno-red-zone", "-no-pie"]
    subprocess.run(["cc", *flags, source, "-o", program], check=True)
    return program


def measured(program):
    """Cycles of each loop, three times, and the least of them."""
    tries = [
        subprocess.run([program], capture_output=True, text=True, check=True).stdout.split() for _ in range(3)
    ]
    least = [min(map(int, column)) for column in zip(*tries)]
    return [cycles / least[0] * ROUNDS * 8 for cycles in least]


def modelled(program, number, calls, core):
    command = [TOPDOWN, "--pmu", "sim", *core, "--no-last", "-l1", "--format", "json", "--", program]
    run = subprocess.run([*command, str(number), str(calls)], capture_output=True, text=True, check=True)
    return json.loads(run.stderr[run.stderr.index("{") :])["summary"]["cycles"]


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--core")
    words.add_argument("--table", action="store_true")
    words.add_argument("rows", nargs="*")
    chosen = words.parse_args()
    if platform.machine() != "x86_64":
        sys.exit("instructions.py: the loops are of x86-64")
    core, rows, near = ["--sim-core", chosen.core] if chosen.core else [], None, 0
    rows = table_loops() if chosen.table else loops()
    with tempfile.TemporaryDirectory() as folder:
        program = build(pathlib.Path(folder), rows.values())
        here = measured(program)
        base = modelled(program, 0, 0, core)
        wanted = [name for name in rows if not chosen.rows or any(word in name for word in chosen.rows)]
        print("| instruction | measured | modelled | ratio | |\n|---|---:|---:|---:|---|")
        for name in wanted:
            number, each = list(rows).index(name), 8 * (2 if name in PAIRS else 1)
            cycles = (modelled(program, number, CALLS, core) - base) / CALLS
            ratio = cycles / here[number]
            is_near = CYCLES[0] <= ratio <= CYCLES[1]
            near += is_near
            here_each, cycles_each = here[number] / ROUNDS / each, cycles / ROUNDS / each
            mark = "" if is_near else "no"
            print(f"| {name} | {here_each:.2f} | {cycles_each:.2f} | {ratio:.2f} | {mark} |", flush=True)
    print(f"\nwithin {CYCLES[0]} to {CYCLES[1]}: {near} of {len(wanted)}")


if __name__ == "__main__":
    main()
