/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/shares.h"

#include "sim/memory.h"

/* The kernel's name of a thread of this process. */
static void read_name(HChar name[SHARE_NAME], Int tid)
{
	HChar path[64];
	SysRes opened;
	Int length;

	VG_(sprintf)(path, "/proc/self/task/%d/comm", tid);
	opened = VG_(open)(path, VKI_O_RDONLY, 0);
	if (sr_isError(opened))
		return;
	length = VG_(read)((Int)sr_Res(opened), name, SHARE_NAME - 1);
	VG_(close)((Int)sr_Res(opened));
	name[length > 0 ? length : 0] = '\0';
	for (HChar *c = name; *c; c++)
		if (*c < ' ')
			*c = c[1] ? ' ' : '\0'; /* a newline ends it */
}

/* Natively a thread that has not got one has the program's, where here it has the tool's. */
static void take_program_name(HChar name[SHARE_NAME])
{
	const HChar *path = VG_(args_the_exename), *slash = path ? VG_(strrchr)(path, '/') : NULL;

	if (!path)
		return;
	VG_(strncpy)(name, slash ? slash + 1 : path, SHARE_NAME - 1);
	name[SHARE_NAME - 1] = '\0';
}

void shares_init(struct shares *shares, struct block *const *blocks)
{
	shares->blocks = blocks;
	read_name(shares->own_name, VG_(gettid)());
}

struct share *shares_add(struct shares *shares)
{
	struct share *share = sim_allocate(1, sizeof(*share));

	share->number = ++shares->count;
	share->tid = VG_(gettid)();
	if (shares->last)
		shares->last->next = share;
	else
		shares->first = share;
	shares->last = share;
	return share;
}

void shares_take(struct shares *shares, struct share *share)
{
	totals_add_blocks(&share->totals, *shares->blocks);
	for (struct block *block = *shares->blocks; block; block = block->next)
		block->detailed = block->total = 0;
}

void shares_close(struct shares *shares, struct share *share, const struct thread *thread)
{
	shares_take(shares, share);
	totals_add_thread(&share->totals, thread);
	read_name(share->name, share->tid);
	if (!VG_(strcmp)(share->name, shares->own_name))
		take_program_name(share->name);
}

void shares_forget(struct shares *shares)
{
	struct share *next;

	for (struct share *share = shares->first; share; share = next) {
		next = share->next;
		VG_(free)(share);
	}
	shares->first = shares->last = NULL;
	shares->count = 0;
}
