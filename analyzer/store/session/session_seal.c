/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session_seal.c - which files a session names, sealed by who measured: a report reads sources and code only by names
 * that its own user has seen on this machine, whatever else the session of a stranger names. The seal is a keyed
 * checksum, SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012), each name after the sum of
 * those before it.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/system/state_file.h"
#include "store/session/session_internal.h"

#define KEY "key"

/* ---- SipHash, section 2 of the paper ---- */

static uint64_t rotated(uint64_t word, unsigned bits)
{
	return word << bits | word >> (64 - bits);
}

static void seal_rounds(uint64_t v[4], unsigned count)
{
	while (count--) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotated(v[1], 13) ^ v[0];
		v[3] = rotated(v[3], 16) ^ v[2];
		v[0] = rotated(v[0], 32) + v[3];
		v[2] += v[1];
		v[3] = rotated(v[3], 21) ^ v[0];
		v[1] = rotated(v[1], 17) ^ v[2];
		v[2] = rotated(v[2], 32);
	}
}

static void seal_word(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	seal_rounds(v, 2);
	v[0] ^= word;
}

uint64_t seal_hash(const uint64_t key[2], uint64_t first, const void *bytes, size_t length)
{
	uint64_t v[4] = { key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261,
			  key[1] ^ 0x7465646279746573 };
	const unsigned char *at = bytes;
	uint64_t last = (uint64_t)(length + sizeof(first)) << 56, word;

	seal_word(v, first);
	for (; length >= sizeof(word); length -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		seal_word(v, word);
	}
	for (size_t i = 0; i < length; i++)
		last |= (uint64_t)at[i] << 8 * i;
	seal_word(v, last);
	v[2] ^= 0xff;
	seal_rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* ---- the key ---- */

/* Of this user alone: what another one wrote there seals nothing. */
static bool read_key(uint64_t key[2], const char *path)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat status;
	bool is_read;

	if (descriptor < 0)
		return false;
	is_read = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
		  !(status.st_mode & (S_IRWXG | S_IRWXO)) && read(descriptor, key, 16) == 16;
	close(descriptor);
	return is_read;
}

static int write_key(FILE *stream, const void *what, struct error *err)
{
	return fwrite(what, 16, 1, stream) == 1 ? 0 : error_set(err, "it can't be written");
}

/* Where nothing can be kept: what no other machine knows, and this one only until it is started again. */
static bool boot_key(uint64_t key[2])
{
	int descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	char id[64] = "";
	bool is_read;

	if (descriptor < 0)
		return false;
	is_read = read(descriptor, id, sizeof(id) - 1) > 0;
	close(descriptor);
	key[0] = key[1] = geteuid();
	key[0] = seal_hash(key, 0, id, strlen(id));
	key[1] = seal_hash(key, 1, id, strlen(id));
	return is_read;
}

bool seal_begin(struct seal *seal, bool makes_key)
{
	struct error unsaid = { .text = "" };
	const char *path;
	struct arena arena;
	bool has_key;

	arena_init(&arena);
	*seal = (struct seal){ .sum = 0 };
	path = state_path(KEY, &arena);
	has_key = path && read_key(seal->key, path);
	if (!has_key && path && makes_key && getrandom(seal->key, sizeof(seal->key), 0) == sizeof(seal->key))
		has_key = state_create(KEY, write_key, seal->key, &unsaid) == 0 && read_key(seal->key, path);
	arena_release(&arena);
	return has_key || boot_key(seal->key);
}

void seal_add(struct seal *seal, const char *text)
{
	seal->sum = seal_hash(seal->key, seal->sum, text, strlen(text));
}

/* ---- of a session ---- */

struct sealing {
	struct seal seal;
	const char *last; /* what repeats itself counts once */
	bool has_names;
};

static void seal_name(struct sealing *sealing, const char *name)
{
	if (!name || (sealing->last && !strcmp(name, sealing->last)))
		return;
	seal_add(&sealing->seal, name);
	sealing->last = name;
	sealing->has_names = true;
}

static void seal_profile(struct sealing *sealing, const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->nmodules; i++)
		seal_name(sealing, profile->modules[i].path);
	for (uint32_t i = 0; i < profile->nplaces; i++)
		for (uint32_t k = 0; k < profile->places[i].nframes; k++)
			seal_name(sealing, profile->places[i].frames[k].file);
	for (uint32_t i = 0; i < profile->nloops; i++)
		seal_name(sealing, profile->loops[i].file);
}

static void seal_lines(struct sealing *sealing, const struct counts *counts)
{
	for (size_t i = 0; i < counts->nlines; i++) {
		seal_name(sealing, counts->lines[i].object);
		seal_name(sealing, counts->lines[i].file);
	}
}

const char *session_seal(const struct measurement *measured, bool makes_key, struct arena *arena)
{
	struct sealing sealing = { .last = NULL };

	if (!measured->profile && !measured->parts[0].nlines)
		return "";
	if (!seal_begin(&sealing.seal, makes_key))
		return NULL;
	if (measured->profile)
		seal_profile(&sealing, measured->profile);
	for (size_t i = 0; i < measured->count; i++)
		seal_lines(&sealing, &measured->parts[i]);
	return !sealing.has_names ? "" : arena_printf(arena, "%016llx", (unsigned long long)sealing.seal.sum);
}
