/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/guest/effects.h"

#define EINPROGRESS 115 /* asm-generic/errno.h; Valgrind has no name for it */

#include "simulator/call_kinds.h"

/* ---- files ---- */

static struct file_identity identity_of(const struct vg_stat *file)
{
	return (struct file_identity){ .device = file->dev, .inode = file->ino };
}

static Bool effects_is_same(const struct file_identity *identity, const struct vg_stat *file)
{
	return identity->device == file->dev && identity->inode == file->ino;
}

static Bool is_of_kind(const struct vg_stat *file, UInt kind)
{
	return (file->mode & VKI_S_IFMT) == kind;
}

/* Linux' numbers (Documentation/admin-guide/devices.txt): memory devices are 1, /dev/tty and the console 5. */
static UInt major_of(const struct vg_stat *file)
{
	return (UInt)(file->rdev >> 8) & 0xfff;
}

/* null, zero, full, random, urandom: endless and without a memory. */
static Bool is_harmless_device(const struct vg_stat *file)
{
	UInt minor = (UInt)(file->rdev & 0xff);

	return is_of_kind(file, VKI_S_IFCHR) && major_of(file) == 1 &&
	       (minor == 3 || minor == 5 || (minor >= 7 && minor <= 9));
}

static void give(struct effects *effects, const struct vg_stat *file, enum given_as as)
{
	if (effects->ngiven < EFFECTS_FILES)
		effects->given[effects->ngiven] = (struct given_file){ identity_of(file), as };
	effects->ngiven++;
}

/* stdin is given to the native run too, for reading, unless it is a terminal, another device or a socket. */
static void give_descriptor(struct effects *effects, Int fd)
{
	struct vg_stat file;

	if (VG_(fstat)(fd, &file) != 0 || is_harmless_device(&file) || is_of_kind(&file, VKI_S_IFDIR))
		return;
	if (fd > 2 || is_of_kind(&file, VKI_S_IFSOCK))
		give(effects, &file, GIVEN);
	else if (is_of_kind(&file, VKI_S_IFCHR))
		give(effects, &file, GIVEN_INPUT);
	else if (is_of_kind(&file, VKI_S_IFREG))
		give(effects, &file, GIVEN_FILE);
}

#define MOST_DESCRIPTORS 1024 /* where those that a process is given are looked for */

void effects_init(struct effects *effects)
{
	struct vg_stat file;

	for (Int fd = 1; fd <= 2; fd++)
		if (VG_(fstat)(fd, &file) == 0)
			effects->outputs[fd - 1] = identity_of(&file);
	give_descriptor(effects, 0);
	for (Int fd = 3; fd < MOST_DESCRIPTORS; fd++)
		give_descriptor(effects, fd);
}

void effects_forget(struct effects *effects)
{
	effects->has_effect = effects->has_listened = False;
	effects->stop_signal = 0;
}

/* ---- the judgement ---- */

static void copy_text(HChar *to, SizeT size, const HChar *text)
{
	VG_(strncpy)(to, text, size - 1);
	to[size - 1] = '\0';
}

static void effects_add(struct effects *effects, const HChar *name, const HChar *what)
{
	if (effects->has_effect)
		return;
	effects->has_effect = True;
	copy_text(effects->name, sizeof(effects->name), name);
	copy_text(effects->what, sizeof(effects->what), what);
}

static void add_number(struct effects *effects, const HChar *name, ULong number)
{
	HChar text[24];

	VG_(sprintf)(text, "%llu", number);
	effects_add(effects, name, text);
}

/* Was the process given the file as one of these (bits 1 << enum given_as)? */
static Bool is_given(const struct effects *effects, const struct vg_stat *file, UInt as)
{
	if (effects->ngiven > EFFECTS_FILES)
		return True;
	for (UInt i = 0; i < effects->ngiven; i++)
		if (effects_is_same(&effects->given[i].identity, file) && as & 1U << effects->given[i].as)
			return True;
	return False;
}

static void read_from(struct effects *effects, UWord descriptor)
{
	struct vg_stat file;

	if (effects->ngiven && VG_(fstat)((Int)descriptor, &file) == 0 &&
	    is_given(effects, &file, 1U << GIVEN | 1U << GIVEN_INPUT))
		add_number(effects, "read", descriptor);
}

/* What goes where stdout or stderr went is not shown a second time; stdin may be the same terminal. */
static void write_to(struct effects *effects, UWord descriptor)
{
	struct vg_stat file;
	Bool is_output;

	if (!effects->ngiven || VG_(fstat)((Int)descriptor, &file) != 0)
		return;
	is_output = effects_is_same(&effects->outputs[0], &file) || effects_is_same(&effects->outputs[1], &file);
	if (is_given(effects, &file, is_output ? 1U << GIVEN : ~0U))
		add_number(effects, "write", descriptor);
}

/* It is open now. */
static void judge_open(struct effects *effects, const HChar *path, UWord flags, Int fd)
{
	Bool is_written = (flags & VKI_O_ACCMODE) != VKI_O_RDONLY || (flags & (VKI_O_CREAT | VKI_O_TRUNC)) != 0;
	struct vg_stat file;

	if (VG_(fstat)(fd, &file) != 0 || is_harmless_device(&file))
		return;
	if (is_of_kind(&file, VKI_S_IFCHR) && major_of(&file) == 5)
		give(effects, &file, GIVEN); /* the terminal: a shell opens it, and closes it at once */
	else if (is_of_kind(&file, VKI_S_IFCHR) || is_of_kind(&file, VKI_S_IFIFO))
		effects_add(effects, "device", path);
	else if (is_written)
		effects_add(effects, "open", path);
}

/* Questions about a terminal or a file, and flags of the descriptor. */
static Bool is_harmless_control(UWord request)
{
	static const UInt harmless[] = { VKI_TCGETS,  VKI_TIOCGPGRP, VKI_TIOCGWINSZ, VKI_FIONREAD,
					 VKI_FIONBIO, VKI_FIONCLEX,  VKI_FIOCLEX };

	for (UInt i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
		if ((UInt)request == harmless[i])
			return True;
	return False;
}

/* Others reach the kernel, as netlink does, or a device. */
static Bool is_usual_socket(UWord family, UWord type)
{
	enum {
		UNIX = 1,
		INTERNET = 2,
		INTERNET_6 = 10,
		STREAM = 1,
		DATAGRAM = 2,
		PACKETS = 5,
		KIND = 0xf
	}; /* linux/net.h */

	return (family == UNIX || family == INTERNET || family == INTERNET_6) &&
	       ((type & KIND) == STREAM || (type & KIND) == DATAGRAM || (type & KIND) == PACKETS);
}

/* Options of other levels may join a group, or be a firewall's. */
static Bool is_usual_level(UWord level)
{
	enum { SOCKETS = 1, TCP = 6 }; /* asm-generic/socket.h, linux/in.h */

	return level == SOCKETS || level == TCP;
}

static Bool is_own_process(UWord process)
{
	return (Int)process == 0 || (Int)process == VG_(getpid)();
}

/* Does it change nothing but the process itself? Of the calls that depend on their arguments and no file. */
static Bool is_harmless_here(const struct call *call, const UWord *arguments)
{
	switch (call->kind) {
	case CALL_OWN: return is_own_process(arguments[call->first]);
	case CALL_LIMITS: return is_own_process(arguments[call->first]) || !arguments[call->second];
	/* 0 is its whole process group. */
	case CALL_SIGNALS: return (Int)arguments[call->first] == VG_(getpid)() || !arguments[call->second];
	case CALL_CONTROL: return is_harmless_control(arguments[call->second]);
	case CALL_SOCKET: return is_usual_socket(arguments[call->first], arguments[call->second]);
	case CALL_SETS_SOCKET: return is_usual_level(arguments[call->second]);
	default: return False;
	}
}

/*
 * Descriptors share what they were opened with: the position, the flags and the locks of one that was given are the
 * caller's too. stdin, stdout and stderr are others in the native run.
 */
static void share(struct effects *effects, const struct call *call, UWord descriptor)
{
	struct vg_stat file;

	if (effects->ngiven && VG_(fstat)((Int)descriptor, &file) == 0 && is_given(effects, &file, 1U << GIVEN))
		add_number(effects, call->name, descriptor);
}

/* uapi/asm-generic/fcntl.h and uapi/linux/fcntl.h; locks and flags are the open file's. */
static void judge_fcntl(struct effects *effects, const struct call *call, const UWord *arguments)
{
	enum {
		GET_LOCK = 5,
		SET_LOCK,
		WAIT_LOCK,
		GET_OWNER = 9,
		GET_SIGNAL = 11,
		GET_OWNER_EX = 16,
		GET_OPEN_LOCK = 36
	};
	enum { SET_OPEN_LOCK = 37, WAIT_OPEN_LOCK, GET_LEASE = 1025, DUP_CLOSED = 1030, SET_PIPE, GET_PIPE, SEAL };
	enum { GET_SEALS = 1034, GET_HINT, SET_HINT };

	switch (arguments[call->second]) {
	case VKI_F_DUPFD:
	case VKI_F_GETFD:
	case VKI_F_SETFD:
	case VKI_F_GETFL:
	case GET_LOCK:
	case GET_OWNER:
	case GET_SIGNAL:
	case GET_OWNER_EX:
	case GET_OPEN_LOCK:
	case GET_LEASE:
	case DUP_CLOSED:
	case GET_PIPE:
	case GET_SEALS:
	case GET_HINT:
	case SET_HINT: return;
	case VKI_F_SETFL:
	case SET_LOCK:
	case WAIT_LOCK:
	case SET_OPEN_LOCK:
	case WAIT_OPEN_LOCK:
	case SET_PIPE:
	case SEAL: share(effects, call, arguments[call->first]); return;
	default: add_number(effects, call->name, arguments[call->first]);
	}
}

/* From where it is by nothing: a question. */
static Bool is_question(const UWord *arguments)
{
	return arguments[1] == 0 && arguments[2] == VKI_SEEK_CUR;
}

static void judge_descriptor(struct effects *effects, const struct call *call, const UWord *arguments)
{
	if (call->kind == CALL_FCNTL)
		judge_fcntl(effects, call, arguments);
	else if (call->kind == CALL_LOCKS || !is_question(arguments))
		share(effects, call, arguments[call->first]);
}

static void judge_other(struct effects *effects, UInt number, const struct call *call, const UWord *arguments)
{
	if (call->name)
		effects_add(effects, call->name,
			    call->kind == CALL_EFFECT && call->first ? (const HChar *)arguments[call->first - 1] : "");
	else
		add_number(effects, "", number);
}

static void effects_judge_one(struct effects *effects, UInt number, const UWord *arguments, SysRes result)
{
	static const struct call unknown = { CALL_EFFECT, 0, 0, NULL };
	const struct call *call = number < sizeof(calls) / sizeof(calls[0]) ? &calls[number] : &unknown;

	switch (call->kind) {
	case CALL_HARMLESS: return;
	case CALL_OPENS:
		judge_open(effects, (const HChar *)arguments[call->first], arguments[call->second],
			   (Int)sr_Res(result));
		return;
	case CALL_READS: read_from(effects, arguments[call->first]); return;
	case CALL_WRITES: write_to(effects, arguments[call->first]); return;
	case CALL_MOVES:
		read_from(effects, arguments[call->first]);
		write_to(effects, arguments[call->second]);
		return;
	case CALL_MAPS:
		if (arguments[call->second] & VKI_MAP_SHARED && !(arguments[call->second] & VKI_MAP_ANONYMOUS))
			write_to(effects, arguments[call->first]);
		return;
	case CALL_FCNTL:
	case CALL_SEEKS:
	case CALL_LOCKS: judge_descriptor(effects, call, arguments); return;
	default: break;
	}
	effects->has_listened = effects->has_listened || call->kind == CALL_SERVES;
	if (!is_harmless_here(call, arguments))
		judge_other(effects, number, call, arguments);
}

static Bool is_dispensable(UInt number)
{
	for (UInt i = 0; i < sizeof(dispensable_calls) / sizeof(dispensable_calls[0]); i++)
		if (number == dispensable_calls[i])
			return True;
	return number < sizeof(calls) / sizeof(calls[0]) && calls[number].kind == CALL_HARMLESS;
}

void effects_judge(struct effects *effects, UInt number, const UWord *arguments, SysRes result)
{
	/* A connection that is under way. */
	Bool is_begun = sr_isError(result) && number == __NR_connect && sr_Err(result) == EINPROGRESS;

	/* Valgrind's answer, not the kernel's: natively it would succeed. */
	if (sr_isError(result) && sr_Err(result) == VKI_ENOSYS && !is_dispensable(number))
		add_number(effects, "unknown", number);
	if ((!sr_isError(result) || is_begun) && (!effects->has_effect || number == __NR_listen))
		effects_judge_one(effects, number, arguments, result);
}

void effects_signal(struct effects *effects, Int signal)
{
	if (signal == VKI_SIGINT || signal == VKI_SIGTERM || signal == VKI_SIGHUP || signal == VKI_SIGQUIT)
		effects->stop_signal = (UInt)signal;
}
