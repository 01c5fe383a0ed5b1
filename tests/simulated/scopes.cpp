// SPDX-License-Identifier: GPL-2.0-or-later
// scopes.cpp - scopes N: N times work in region "short", and in it other in "long", which an exception leaves.
#include <cstdlib>

#include "topdown.h"

extern "C" void work(), other();

// 2002 and 6002 instructions.
__asm__(".text\n"
	".globl work\n.type work, @function\n"
	"work:\n\tmov $1000, %ecx\n1:\tdec %ecx\n\tjnz 1b\n\tret\n.size work, . - work\n"
	".globl other\n.type other, @function\n"
	"other:\n\tmov $3000, %ecx\n1:\tdec %ecx\n\tjnz 1b\n\tret\n.size other, . - other\n");

static void leave(bool is_thrown)
{
	topdown::region inner("long");
	other();
	if (is_thrown)
		throw 1;
}

int main(int, char **argv)
{
	for (volatile int i = std::atoi(argv[1]); i > 0; i--) {
		topdown::region outer("short");
		work();
		try {
			leave(i == 1);
		} catch (int) {
		}
		work();
	}
	return 0;
}
