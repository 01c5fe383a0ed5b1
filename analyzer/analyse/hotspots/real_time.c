/* SPDX-License-Identifier: GPL-2.0-or-later */
/* real_time.c - functions that run by the clock on the wall: a simulation, which takes longer, has more of them. */
#include <string.h>

#include "analyse/hotspots/functions.h"
#include "common/base/text.h"

#define GO "runtime." /* its package, of whose functions those below are */

/*
 * Go's monitor looks around every 20 us to 10 ms, and sends a signal to a thread whose goroutine ran for 10 ms
 * (runtime/proc.go, sysmon and retake; runtime/preempt.go). In a simulation that took 3.8 times as long, each of them
 * had 1.8 to 2.3 times as many instructions.
 */
static const char *const functions_of_go[] = {
	"sysmon",	"retake",	    "preemptone",	"preemptM",   "signalM",
	"asyncPreempt", "asyncPreempt2",    "sigtramp",		"sigtrampgo", "sighandler",
	"doSigPreempt", "wantAsyncPreempt", "isAsyncSafePoint", "sigfwdgo",   "gopreempt_m",
};

bool function_runs_by_time(const char *function)
{
	const char *name = function && has_name_prefix(function, GO) ? function + strlen(GO) : NULL;
	size_t length = name ? strcspn(name, ".") : 0; /* .abi0 */

	for (size_t i = 0; name && i < COUNT_OF(functions_of_go); i++)
		if (strlen(functions_of_go[i]) == length && !strncmp(name, functions_of_go[i], length))
			return true;
	return false;
}
