/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/simulate/simulate_internal.h"

#include <math.h>
#include <string.h>

#include "common/base/text.h"

#if defined(__x86_64__)
#include <cpuid.h>

#define LEAF_FEATURES 7
#define EBX_AVX512F   (1u << 16)
#define EBX_SHA	      (1u << 29)

const char *hidden_features(void)
{
	unsigned a, b, c, d;

	if (!__get_cpuid_count(LEAF_FEATURES, 0, &a, &b, &c, &d))
		return NULL;
	if (b & EBX_AVX512F)
		return b & EBX_SHA ? "AVX-512 and SHA" : "AVX-512";
	return b & EBX_SHA ? "SHA" : NULL;
}
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>

const char *hidden_features(void)
{
	return getauxval(AT_HWCAP) & HWCAP_SVE ? "SVE" : NULL;
}
#else
const char *hidden_features(void)
{
	return NULL;
}
#endif

/* As OpenSSL, libgcrypt, nettle, coreutils and the kernel's own library call them. */
static bool is_hash(const char *function)
{
	return function && (strcasestr(function, "sha1") || strcasestr(function, "sha2") ||
			    strcasestr(function, "sha512") || strcasestr(function, "sha_"));
}

/* Of these libraries a distribution leaves few names: what has none is of hashes or ciphers. */
static bool is_of_ciphers(const char *path, const char *function)
{
	const char *slash = strrchr(path, '/'), *library = slash ? slash + 1 : path;

	return (strstr(library, "crypt") || strstr(library, "nettle")) && (!function || strstr(function, "+0x"));
}

static bool hashes(const struct profile *profile, const struct profile_place *place)
{
	const char *function = place->nframes ? place->frames[place->nframes - 1].function : NULL;
	const char *path = profile->modules[place->module].path;

	return is_hash(function) || (path && is_of_ciphers(path, function));
}

double hidden_hashes(const struct profile *profile, const struct repeat *repeat)
{
	double all = 0, hashed = 0;
	size_t item = 0;

	while (item < repeat->count && strcmp(repeat->items[item].event, "slots.retired") != 0)
		item++;
	for (uint32_t i = 0; profile && i < profile->nrows; i++) {
		const struct profile_row *row = &profile->rows[i];
		const struct profile_place *place = &profile->places[profile->stacks[row->stack].place];
		bool has_hash = hashes(profile, place);

		for (size_t k = 0; k < row->ncounts; k++) {
			if (row->counts[k].item != item)
				continue;
			all += row->counts[k].value;
			hashed += has_hash ? row->counts[k].value : 0;
		}
	}
	return all > 0 ? hashed / all : NOT_COUNTED;
}
