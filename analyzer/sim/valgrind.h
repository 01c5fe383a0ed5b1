/* SPDX-License-Identifier: GPL-2.0-or-later */
/* valgrind.h - what the distribution's valgrind package offers to a tool, in one place. */
#ifndef TOPDOWN_SIM_VALGRIND_H
#define TOPDOWN_SIM_VALGRIND_H

/* clang-format off: the first one defines what the others need */
#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"
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
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"
/* clang-format on */

#endif
