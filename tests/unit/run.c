/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.c - the tests of many modules in one program: MODULE_test.c's main is compiled as MODULE_tests. */
#include <stdio.h>
#include <string.h>

#define MODULE(name) int name##_tests(void);
#include "modules.inc"
#undef MODULE

static const struct {
	const char *name;
	int (*run)(void);
} modules[] = {
#define MODULE(name) { #name, name##_tests },
#include "modules.inc"
#undef MODULE
};

/* The tests of the module NAME, or of all: the number that failed. */
int main(int argc, char **argv)
{
	int failed = 0, run = 0;

	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++)
		if (argc < 2 || !strcmp(argv[1], modules[i].name)) {
			failed += modules[i].run();
			run++;
		}
	if (!run)
		fprintf(stderr, "%s: there is no module '%s'\n", argv[0], argv[1]);
	return failed || !run;
}
