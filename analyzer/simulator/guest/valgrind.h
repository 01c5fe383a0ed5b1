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
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"
/* clang-format on */

/*
 * Of Valgrind's core, which every tool is linked with; its headers for tools leave these out (pub_core_options.h,
 * pub_core_clientstate.h, pub_core_libcfile.h, pub_core_syscall.h).
 */
extern Bool VG_(clo_trace_children);	   /* --trace-children, which is asked at each exec */
extern Bool VG_(clo_demangle);		   /* --demangle, of names in C++ */
extern const HChar *VG_(name_of_launcher); /* that is executed in place of a program that is to be simulated */
extern Int VG_(access)(const HChar *path, Bool reads, Bool writes, Bool executes); /* 0: it may */
extern SysRes VG_(do_syscall)(UWord number, UWord, UWord, UWord, UWord, UWord, UWord, UWord, UWord);

#endif
