/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/perftool/perftool_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "collect/sample/elf_layout.h"

#define KERNEL_NAME "[kernel.kallsyms]"
#define SYMBOLS	    "/proc/kallsyms"

/* Where the running kernel's text is; 0: not there, or only root may see it. It is among the first symbols. */
static uint64_t running_text(void)
{
	FILE *list = fopen(SYMBOLS, "re");
	unsigned long long address, found = 0;
	char line[512], name[64], kind;

	while (list && !found && fgets(line, sizeof(line), list))
		if (sscanf(line, "%llx %c %63s", &address, &kind, name) == 3 && !strcmp(name, "_text"))
			found = address;
	if (list)
		fclose(list);
	return found;
}

static bool is_running(const struct perf_facts *facts)
{
	struct utsname here;

	return facts->release && facts->host && uname(&here) == 0 && !strcmp(here.release, facts->release) &&
	       !strcmp(here.nodename, facts->host);
}

static void make_nameless(struct profile_module *module, const char *remark)
{
	module->kind = MODULE_UNKNOWN;
	module->remark = remark;
}

static void move_places(struct profile *profile, uint32_t module, uint64_t by)
{
	for (uint32_t i = 0; by && i < profile->nplaces; i++)
		if (profile->places[i].module == module)
			profile->places[i].address += by;
}

void perf_kernel_move(struct profile *profile, const struct perf_facts *facts, uint64_t text)
{
	const struct recorded_build_id *build_id = perf_facts_build_id(facts, KERNEL_NAME);
	bool is_same = is_running(facts);
	uint64_t now = is_same && text ? running_text() : 0;

	for (uint32_t i = 0; i < profile->nmodules; i++) {
		struct profile_module *module = &profile->modules[i];

		if (module->kind != MODULE_KERNEL && module->kind != MODULE_DRIVER)
			continue;
		if (module->kind == MODULE_KERNEL && build_id)
			module->build_id = build_id_text(build_id->bytes, build_id->count, profile->arena);
		if (!is_same)
			make_nameless(module, "another kernel runs here than the one that was recorded");
		else if (!now)
			make_nameless(module, "only root may see where the running kernel is");
		else if (module->kind == MODULE_KERNEL)
			move_places(profile, i, now - text);
		else if (now != text)
			make_nameless(module, "the machine was started again since it was recorded");
	}
}
