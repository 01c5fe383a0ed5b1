/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_seal_test.c - the example of SipHash's authors, and keys: one for all who make it, none of another's. */
#include "rows.h"
#include "scratch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/macros.h"
#include "store/session/session_internal.h"

/* Appendix A of the paper: the key 00 01 ... 0f, the message 00 01 ... 0e. */
static void test_hash(void **state UNUSED)
{
	static const uint64_t key[2] = { 0x0706050403020100, 0x0f0e0d0c0b0a0908 };
	static const unsigned char rest[] = { 8, 9, 10, 11, 12, 13, 14 };

	assert_true(seal_hash(key, 0x0706050403020100, rest, sizeof(rest)) == 0xa129ca6149be45e5);
}

static uint64_t sealed(const char *first, const char *second)
{
	struct seal seal;

	assert_true(seal_begin(&seal, false));
	seal_add(&seal, first);
	seal_add(&seal, second);
	return seal.sum;
}

static void test_key(void **state UNUSED)
{
	struct scratch scratch;
	struct seal seal, again, of_boot;
	char path[512];

	scratch_init(&scratch);
	setenv("XDG_STATE_HOME", scratch.path, 1);
	assert_true(seal_begin(&of_boot, false)); /* another one than any that is kept */
	assert_true(seal_begin(&seal, true));
	assert_true(seal_begin(&again, true));
	assert_memory_equal(seal.key, again.key, sizeof(seal.key));
	assert_memory_not_equal(seal.key, of_boot.key, sizeof(seal.key));
	assert_true(sealed("/a", "/b") == sealed("/a", "/b"));
	assert_true(sealed("/a", "/b") != sealed("/b", "/a"));
	assert_true(sealed("/a", "/b") != sealed("/a/", "b"));
	snprintf(path, sizeof(path), "%s/topdown/key", scratch.path);
	assert_int_equal(chmod(path, 0644), 0); /* others know it */
	assert_true(seal_begin(&again, true));
	assert_memory_equal(of_boot.key, again.key, sizeof(of_boot.key));
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(truncate(path, 8), 0); /* damaged */
	assert_true(seal_begin(&again, false));
	assert_memory_equal(of_boot.key, again.key, sizeof(of_boot.key));
	unsetenv("XDG_STATE_HOME");
	scratch_release(&scratch);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_hash), cmocka_unit_test(test_key) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
