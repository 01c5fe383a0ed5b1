/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/formula/facts.h"

#include <stddef.h>
#include <string.h>

#include "common/base/macros.h"
#include "common/base/text.h"

struct facts facts_assumed(void)
{
	return (struct facts){
		.smt_on = 1,
		.core_wide = 0,
		.num_cpus = NOT_COUNTED,
		.num_cpus_online = NOT_COUNTED,
		.num_cores = NOT_COUNTED,
		.num_dies = 1,
		.num_packages = 1,
		.slots = NOT_COUNTED,
		.system_tsc_freq = NOT_COUNTED,
		.has_pmem = 0,
		.chas_per_socket = NOT_COUNTED,
	};
}

static const struct literal_row {
	const char *name;
	size_t offset; /* of the fact */
} literals[] = {
	/* clang-format off */
	{ "#smt_on",          offsetof(struct facts, smt_on) },
	{ "#core_wide",       offsetof(struct facts, core_wide) },
	{ "#num_cpus",        offsetof(struct facts, num_cpus) },
	{ "#num_cpus_online", offsetof(struct facts, num_cpus_online) },
	{ "#num_cores",       offsetof(struct facts, num_cores) },
	{ "#num_dies",        offsetof(struct facts, num_dies) },
	{ "#num_packages",    offsetof(struct facts, num_packages) },
	{ "#slots",           offsetof(struct facts, slots) },
	{ "#system_tsc_freq", offsetof(struct facts, system_tsc_freq) },
	{ "#has_pmem",        offsetof(struct facts, has_pmem) },
	{ "#chas_per_socket", offsetof(struct facts, chas_per_socket) },
	/* clang-format on */
};

static const struct literal_row *find_literal(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(literals); i++)
		if (is_same_name(literals[i].name, name))
			return &literals[i];
	return NULL;
}

bool literal_value(const char *name, const struct facts *facts, double *value)
{
	const struct literal_row *row = find_literal(name);

	if (row)
		memcpy(value, (const char *)facts + row->offset, sizeof(*value));
	return row;
}

bool literal_set(const char *name, struct facts *facts, double value)
{
	const struct literal_row *row = find_literal(name);

	if (row)
		memcpy((char *)facts + row->offset, &value, sizeof(value));
	return row;
}

#define MIDR_REVISION 0xfu	/* bits 3:0 */
#define MIDR_VARIANT  0xf00000u /* bits 23:20 */

double is_cpuid_match(const char *wanted, const char *cpuid)
{
	uint64_t want, have;

	if (!cpuid)
		return 0;
	if (!text_u64(wanted, &want) || !text_u64(cpuid, &have))
		return !strcmp(wanted, cpuid);
	if ((want & ~(uint64_t)(MIDR_REVISION | MIDR_VARIANT)) != (have & ~(uint64_t)(MIDR_REVISION | MIDR_VARIANT)))
		return 0;
	if ((have & MIDR_VARIANT) != (want & MIDR_VARIANT))
		return (have & MIDR_VARIANT) > (want & MIDR_VARIANT);
	return (have & MIDR_REVISION) >= (want & MIDR_REVISION);
}
