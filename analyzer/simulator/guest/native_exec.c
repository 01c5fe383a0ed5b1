/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/guest/guest_internal.h"

#include "simulator/guest/arch.h"

#define MOST_NAME 32
#define RED_ZONE  128 /* bytes below the stack pointer that a function may use */

static struct {
	HChar *name; /* the process's, with other bytes; NULL: none is changed */
	HChar was[MOST_NAME];
	Bool is_nameless; /* it gave a descriptor, whose file has no name */
} changed;

/* Also where the process may not write: a name is a constant of it. */
static void put_bytes(HChar *to, const HChar *from, SizeT length)
{
	const NSegment *segment = VG_(am_find_nsegment)((Addr)to);
	Addr page = VG_PGROUNDDN((Addr)to), end = VG_PGROUNDUP((Addr)to + length);
	UWord rights;

	if (!segment)
		return;
	rights = (segment->hasR ? VKI_PROT_READ : 0) | (segment->hasX ? VKI_PROT_EXEC : 0);
	if (!segment->hasW &&
	    sr_isError(VG_(do_syscall)(__NR_mprotect, page, end - page, rights | VKI_PROT_WRITE, 0, 0, 0, 0, 0)))
		return;
	VG_(memcpy)(to, from, length);
	if (!segment->hasW)
		VG_(do_syscall)(__NR_mprotect, page, end - page, rights, 0, 0, 0, 0, 0);
}

/* "/proc/self/exe" has room for the descriptor that Valgrind has of the program. */
static void change_name(HChar *name)
{
	HChar own[MOST_NAME];
	SizeT room = VG_(strlen)(name) + 1;

	VG_(sprintf)(own, "/dev/fd/%d", VG_(cl_exec_fd));
	if (VG_(cl_exec_fd) < 0 || room > MOST_NAME || VG_(strlen)(own) >= room)
		return;
	VG_(memcpy)(changed.was, name, room);
	changed.name = name;
	put_bytes(name, own, VG_(strlen)(own) + 1);
}

void native_exec_prepare(UInt number, const UWord *arguments, enum wire_obstacle obstacle)
{
	changed.name = NULL;
	changed.is_nameless = obstacle == WIRE_NAMELESS && successor_is_descriptor(number, arguments);
	if (obstacle == WIRE_SELF)
		change_name((HChar *)arguments[number != __NR_execve]);
}

/* execve of the descriptor's name, where execveat was. */
static void ask_again(ThreadId id, const UWord *arguments)
{
	HChar *name = (HChar *)(VG_(get_SP)(id) - RED_ZONE - MOST_NAME);
	const UWord words[] = { (UWord)name, arguments[2], arguments[3] };

	if (!VG_(am_is_valid_for_client)((Addr)name, MOST_NAME, VKI_PROT_READ | VKI_PROT_WRITE))
		return;
	VG_(sprintf)(name, "/proc/self/fd/%d", (Int)arguments[0]);
	arch_call_again(id, __NR_execve, words);
}

void native_exec_failed(ThreadId id, const UWord *arguments)
{
	if (changed.name)
		put_bytes(changed.name, changed.was, VG_(strlen)(changed.was) + 1);
	changed.name = NULL;
	if (changed.is_nameless)
		ask_again(id, arguments);
	changed.is_nameless = False;
}
