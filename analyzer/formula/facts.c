/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "formula/facts.h"

#include <math.h>

struct facts facts_assumed(void)
{
	return (struct facts){
		.smt_on = 1,
		.core_wide = 0,
		.num_cpus = NAN,
		.num_cpus_online = NAN,
		.num_cores = NAN,
		.num_dies = 1,
		.num_packages = 1,
		.slots = NAN,
		.system_tsc_freq = NAN,
		.has_pmem = 0,
	};
}
