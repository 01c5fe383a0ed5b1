#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""loops.py - the instructions of an object's functions, and of their innermost loops."""
import re
import subprocess


def functions(path, objdump):
    """{name: [(address, mnemonic, operands)]}"""
    text = subprocess.run(
        [objdump, "-d", "--no-show-raw-insn", path], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    found = {}
    for part in re.split(r"\n\n", text):
        head = re.search(r"^[0-9a-f]+ <(\w+)>:$", part, re.M)
        lines = re.findall(r"^ +([0-9a-f]+):\t(\S+)(?:[ \t]+(.*))?$", part, re.M)
        if head:
            found[head[1]] = [
                (int(address, 16), mnemonic, operands.partition("//")[0].strip())
                for address, mnemonic, operands in lines
            ]
    return found


def innermost(code, jump):
    """The instructions of the innermost loop: of the conditional jumps back the one that goes least far, but
    not of empty ones."""
    loops = []
    for address, mnemonic, operands in code:
        target = re.search(r"(?:^|, )([0-9a-f]+) <", operands)
        if re.fullmatch(jump, mnemonic) and target and int(target[1], 16) <= address:
            loops.append([line for line in code if int(target[1], 16) <= line[0] <= address])
    return min(
        (loop for loop in loops if len(loop) > 6 and "ret" not in {line[1] for line in loop}),
        key=len,
        default=[],
    )
