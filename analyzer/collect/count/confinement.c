/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/count/launch.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/macros.h"

/* ---- the kernel's interface: include/uapi/linux/landlock.h, of which many systems have an older one ---- */

enum { CALL_CREATE = 444, CALL_ADD = 445, CALL_RESTRICT = 446 }; /* the same on all architectures */
enum { ASK_VERSION = 1, RULE_PATH = 1 };

struct ruleset {
	uint64_t files, network, scoped;
};

struct path_rule {
	uint64_t allowed;
	int32_t parent;
} __attribute__((packed));

#define WRITE_FILE UINT64_C(1 << 1)
#define TRUNCATE   UINT64_C(1 << 14)

/* What each version has brought, of what is taken away. */
static const struct ruleset versions[] = {
	/* REMOVE_DIR, REMOVE_FILE, MAKE_CHAR, _DIR, _REG, _SOCK, _FIFO, _BLOCK, _SYM: bits 4 to 12 */
	{ .files = WRITE_FILE | UINT64_C(0x1ff0) },
	{ .files = UINT64_C(1 << 13) }, /* REFER: links and renames to other directories */
	{ .files = TRUNCATE },
	{ .network = 3 }, /* BIND_TCP, CONNECT_TCP */
	{ .network = 0 },
	{ .scoped = 3 }, /* ABSTRACT_UNIX_SOCKET, SIGNAL */
};

/* Endless, and without a memory. */
static const char *const devices[] = { "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom" };

static void allow_devices(int rules, uint64_t allowed)
{
	for (size_t i = 0; i < COUNT_OF(devices); i++) {
		const struct path_rule rule = { .allowed = allowed, .parent = open(devices[i], O_PATH | O_CLOEXEC) };

		if (rule.parent < 0)
			continue;
		syscall(CALL_ADD, rules, RULE_PATH, &rule, 0);
		close(rule.parent);
	}
}

void confine(void)
{
	long version = syscall(CALL_CREATE, NULL, 0, ASK_VERSION);
	struct ruleset taken = { .files = 0 };
	int rules;

	for (long i = 0; i < version && i < (long)COUNT_OF(versions); i++) {
		taken.files |= versions[i].files;
		taken.network |= versions[i].network;
		taken.scoped |= versions[i].scoped;
	}
	/* An older kernel takes a longer struct whose end is zeros. */
	rules = version > 0 ? (int)syscall(CALL_CREATE, &taken, sizeof(taken), 0) : -1;
	if (rules < 0)
		return;
	allow_devices(rules, taken.files & (WRITE_FILE | TRUNCATE));
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
		syscall(CALL_RESTRICT, rules, 0);
	close(rules);
}
