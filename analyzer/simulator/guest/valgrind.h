/* SPDX-License-Identifier: GPL-2.0-or-later */
/* valgrind.h - what the distribution's valgrind package offers to a tool, in one place. */
#ifndef TOPDOWN_SIMULATOR_GUEST_VALGRIND_H
#define TOPDOWN_SIMULATOR_GUEST_VALGRIND_H

/* clang-format off: the first one defines what the others need */
#include "pub_tool_aspacemgr.h"
#include "pub_tool_basics.h"
#include "pub_tool_clientstate.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_libcsignal.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_stacktrace.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"
/* clang-format on */

/*
 * Of Valgrind's core, which every tool is linked with; its headers for tools leave these out (pub_core_options.h,
 * pub_core_clientstate.h, pub_core_libcfile.h, pub_core_libcprint.h, pub_core_libcsignal.h, pub_core_machine.h,
 * pub_core_signals.h, pub_core_syscall.h).
 */
extern Bool VG_(clo_trace_children);	   /* --trace-children, which is asked at each exec */
extern Bool VG_(clo_demangle);		   /* --demangle, of names in C++ */
extern const HChar *VG_(name_of_launcher); /* that is executed in place of a program that is to be simulated */
extern Int VG_(access)(const HChar *path, Bool reads, Bool writes, Bool executes); /* 0: it may */
extern SysRes VG_(do_syscall)(UWord number, UWord, UWord, UWord, UWord, UWord, UWord, UWord, UWord);
extern const HChar *VG_(clo_log_fname_unexpanded); /* --log-file, as it was given; a core file's name begins with it */
extern Int VG_(cl_exec_fd);			   /* the program's file; -1: there is none */

extern struct {
	Int fd;
} VG_(log_output_sink); /* where the log goes; what follows differs from version to version */

extern void VG_(set_IP)(ThreadId id, Addr address); /* where the thread goes on */
extern void VG_(discard_translations)(Addr start, ULong bytes, const HChar *who);

/* What the kernel does at a signal, and what the program has asked for. */
extern Int VG_(sigaddset)(vki_sigset_t *set, Int number);
extern Int VG_(sigaction)(Int number, const vki_sigaction_toK_t *action, vki_sigaction_fromK_t *before);
extern SysRes VG_(do_sys_sigaction)(Int number, const vki_sigaction_toK_t *action, vki_sigaction_fromK_t *before);
extern SysRes VG_(do_sys_sigprocmask)(ThreadId id, Int how, vki_sigset_t *set, vki_sigset_t *before);

#endif
