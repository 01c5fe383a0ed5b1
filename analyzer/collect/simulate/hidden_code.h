/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hidden_code.h - what Valgrind's CPU lacks of this machine's, so that libraries may run other code natively than
 * under the simulator: Valgrind 3.19 has AVX2 at most, and no SHA instructions of x86; on arm64 no SVE.
 */
#ifndef TOPDOWN_COLLECT_SIMULATE_HIDDEN_CODE_H
#define TOPDOWN_COLLECT_SIMULATE_HIDDEN_CODE_H

#include "common/measurement/profile.h"

/* "AVX-512 and SHA"; NULL: nothing that is known of. */
const char *hidden_features(void);

/* The share of the retired slots in functions whose names say that they hash; NAN: not known. items: as counts have. */
double hidden_hashes(const struct profile *profile, const struct repeat *repeat);

#endif
