#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""live_names.py - sample --live names a function in the first interval that it runs in."""
import re
import subprocess
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import TOPDOWN, check, finish, skip, temporary, topdown
from lib.terminal import Bare

TURNS_C = """#include <time.h>
volatile unsigned sum;
__attribute__((noinline)) void first(void)
{
	while (clock() < 1.2 * CLOCKS_PER_SEC)
		for (int i = 0; i < 100000; i++)
			sum += i;
}
__attribute__((noinline)) void second(void)
{
	while (clock() < 2.4 * CLOCKS_PER_SEC)
		for (int i = 0; i < 100000; i++)
			sum ^= i * 3;
}
int main(void)
{
	first();
	second();
	return 0;
}
"""


def main():
    """Code that runs for the first time has its name in the frame of that interval. A busy machine may be
    late, but not five times."""
    if topdown("sample", "--", "true").returncode:
        skip("nothing can be sampled here")
    with temporary() as folder:
        (folder / "turns.c").write_text(TURNS_C, encoding="utf-8")
        program = folder / "turns"
        subprocess.run(["gcc", "-g", "-O1", "-o", program, folder / "turns.c"], check=True)
        seen = []
        while len(seen) < 5 and not any(without < 20 and has_second for without, has_second in seen):
            terminal = Bare([TOPDOWN, "sample", "--live", "-I", "500", str(program)])
            terminal.end()
            text = terminal.written.decode("utf-8", "replace")
            terminal.close()
            without = [float(share) for share in re.findall(r"(\d+\.\d)[^\n]*\(no name\)", text)]
            seen.append((max(without, default=0), "second" in text))
        check(seen[-1][0] < 20 and seen[-1][1], "a function is named in its first interval", seen)
    finish()


main()
