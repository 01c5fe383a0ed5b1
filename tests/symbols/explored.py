#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""explored.py - the instructions and the source that a page of a sampled program has, beside what --annotate
says and what objdump and the file have."""
import json
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import check, finish, skip, temporary, topdown
from lib.explored import View, block

PROGRAM = """#include <stdio.h>
static volatile unsigned table[1024];
__attribute__((noinline)) unsigned spin(unsigned n)
{
	unsigned sum = 1;
	for (unsigned i = 0; i < n; i++)
		sum = sum * 7 + table[sum & 1023];
	return sum;
}
int main(void)
{
	printf("%u\\n", spin(300000000));
	return 0;
}
"""


def main():
    with temporary() as folder:
        source, program, saved = folder / "spin.c", folder / "spin", folder / "spin.json"
        source.write_text(PROGRAM, encoding="ascii")
        subprocess.run(["gcc", "-O1", "-g", "-o", str(program), str(source)], check=True)
        done = topdown("sample", "--save", saved, program)
        if done.returncode:
            skip(f"nothing can be sampled here: {done.stderr.splitlines()[0]}")
        page = topdown("report", "--format", "html", saved).stdout
        view = View(block(page, "topdown-view"))
        told = json.loads(topdown("report", "--annotate", "spin", "--format", "json", saved).stdout)[
            "annotation"
        ]
        data = view.data["instructions"]
        texts = view.data["texts"]
        values = view.unpack(data["values"])
        own = {
            address: (value[0], texts[text])
            for address, value, text, function in zip(data["address"], values, data["text"], data["function"])
            if view.functions[function].name == "spin"
        }
        whole = sum(value for value, _ in own.values())
        check(whole > 90, "spin has most of the time", whole)
        compared = 0
        for one in told["instructions"]:
            value, text = own.get(int(one["address"], 16), (0, None))
            compared += one["share"] > 0
            check(
                abs(100 * value / whole - one["share"]) < 0.01, f"{one['address']}: its share", (value, one)
            )
            if text:
                check(text.split() == one["text"].split(), f"{one['address']}: its text", (text, one))
        named = [text for value, text in own.values() if value > 0 and text]
        check(compared and len(named) == len([1 for value, _ in own.values() if value > 0]), "texts", named)
        listed = next((one for one in view.data["sources"] if one["file"].endswith("spin.c")), None)
        check(listed, "the source is there", view.data["sources"])
        lines = PROGRAM.splitlines()
        for number, line in enumerate(listed["lines"] if listed else [], listed["first"] if listed else 1):
            check(line.split() == lines[number - 1].split(), f"line {number}", line)
        hot = max(view.lines, key=lambda one: one.values[0])
        check("table[" in lines[hot.line - 1] or "for (" in lines[hot.line - 1], "the hot line", hot)
    finish()


main()
