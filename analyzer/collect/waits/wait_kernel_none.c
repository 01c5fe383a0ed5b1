/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wait_kernel_none.c - topdown was built without libbpf or clang. */
#include "collect/waits/wait_parts.h"

struct wait_kernel *wait_kernel_open(enum kernel_scope scope UNUSED, int cgroup UNUSED, struct lock_names *locks UNUSED,
				     struct arena *arena UNUSED, struct error *err)
{
	error_set(err, "this topdown was built without libbpf");
	return NULL;
}

void wait_kernel_add(struct wait_kernel *kernel UNUSED, uint32_t pid UNUSED, uint32_t tid UNUSED)
{
}

void wait_kernel_attach(struct wait_kernel *kernel UNUSED, struct loop *loop UNUSED)
{
}

void wait_kernel_switch(struct wait_kernel *kernel UNUSED, bool is_on UNUSED)
{
}

struct waits *wait_kernel_finish(struct wait_kernel *kernel UNUSED, const char *wanted UNUSED)
{
	return NULL;
}
