/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tool.c - the Valgrind tool `topdown`: runs a program and accounts for each issue slot of a modelled core. Its options
 * are for topdown, which starts it:
 *   --core=FILE     the core's parameters (wire.h)
 *   --out=DIR       each process writes its counts there (wire.h)
 *   --lines=yes     with each source line's part (source_rows.h)
 *   --stacks=yes    ... in each call stack (calling_contexts.h)
 *   --instructions=NAME ... by instruction in functions that may be called so (wire_may_mean)
 *   --loops=yes     ... and of each loop apart (folded_rows.c)
 *   --threads=yes   with each thread's part (core_totals.h)
 *   --traffic=yes   lines between the levels of caches are counted, and with --lines=yes what each line of the source
 *                   computes and moves (moves.c)
 *   --pinned=yes    the program learns the same of its machine and of the moment as on any other (pinned.c)
 *   --layout=N      code moved by N steps of 16 bytes, other pages (parameters.h)
 *   --sample=N      a window in N instructions is modelled in detail (windows.h); 0: everything
 *   --toggle=NAME   only calls of this function are counted (gate.h)
 *   --limit=N       it ends after N instructions; 0: with the program
 *   --delay=N       nothing of the first N instructions is
 *   --head=N        ... behind the first N instructions, which are modelled in full
 *   --follow=N,S,B  behind the first N instructions only bursts are followed, B of which stand for S instructions each
 *                   (fast.h); 0: all is
 */
#include "simulator/guest/arch.h"
#include "simulator/guest/core_totals.h"
#include "simulator/guest/effects.h"
#include "simulator/guest/fast.h"
#include "simulator/guest/gate.h"
#include "simulator/guest/guest_internal.h"
#include "simulator/guest/guest_threads.h"
#include "simulator/guest/plain.h"
#include "simulator/guest/source_rows.h"
#include "simulator/guest/successor.h"
#include "simulator/guest/system_calls.h"
#include "simulator/guest/valgrind.h"
#include "simulator/model/host.h"
#include "simulator/wire.h"

#define MOST_TEXT 65536 /* bytes of the parameters */

/* All that the tool knows; Valgrind's callbacks have no argument of ours. */
static struct tool {
	const HChar *core_file, *directory;
	const HChar *toggle; /* NULL: all functions */
	Long period, head_option, delay, layout, limit;
	const HChar *skipping;
	struct parameters parameters;
	struct instrumentation instrumentation;
	struct guest_threads threads;
	struct source_rows source_rows;
	struct contexts contexts;
	struct thread_shares shares;
	Bool has_lines, has_stacks, has_threads;
	Bool has_traffic;
	Bool is_pinned, has_begun; /* has_begun: a thread of this program ran */
	Bool has_children;	   /* --trace-children */
	struct advance advance;
	ULong failed_execs, forks; /* since the last file */
	ULong children;		   /* the number that it had */
	ULong lineage;		   /* which child of which it is; 0: the program itself */
	struct block *blocks;
	struct effects effects;
	struct system_calls calls; /* since the last file */
} tool;

void *sim_allocate(size_t count, size_t size)
{
	return VG_(calloc)("topdown", count, size);
}

void *sim_grow(void *memory, size_t before, size_t after)
{
	UChar *grown = VG_(realloc)("topdown", memory, after);

	VG_(memset)(grown + before, 0, after - before);
	return grown;
}

void sim_release(void *memory)
{
	VG_(free)(memory);
}

static UInt tool_row_of(Addr address)
{
	return source_rows_find(&tool.source_rows, address);
}

static void on_jump_back(UInt row, Addr to, Addr end)
{
	source_rows_add_loop(&tool.source_rows, row, to, end);
}

/* The function that is wanted, where it begins. */
static Bool is_marked(Addr address)
{
	return gate_is_at(address, tool.toggle);
}

static void on_stratum(UInt stratum);

/* With what was counted so far, in the middle of the program. */
static void stop(void);

static void on_full(void)
{
	if (UNLIKELY(tool.threads.fast.state == FAST_SKIPS))
		fast_resume(&tool.threads);
	guest_threads_drain(&tool.threads);
	if (UNLIKELY(fast_is_due(&tool.threads.fast)) && plain_has_begun())
		fast_step(&tool.threads, on_stratum);
	if (UNLIKELY(advance_count(&tool.advance, &tool.threads.passed)))
		stop();
}

static void on_new(struct block *block)
{
	block->next = tool.blocks;
	tool.blocks = block;
}

static Bool take_option(const HChar *option)
{
	if (VG_STR_CLO(option, "--core", tool.core_file))
		return True;
	if (VG_STR_CLO(option, "--out", tool.directory))
		return True;
	if (VG_BOOL_CLO(option, "--lines", tool.has_lines))
		return True;
	if (VG_BOOL_CLO(option, "--stacks", tool.has_stacks))
		return True;
	if (VG_STR_CLO(option, "--instructions", tool.source_rows.meant))
		return True;
	if (VG_BOOL_CLO(option, "--loops", tool.source_rows.has_loops))
		return True;
	if (VG_BOOL_CLO(option, "--threads", tool.has_threads))
		return True;
	if (VG_BOOL_CLO(option, "--traffic", tool.has_traffic))
		return True;
	if (VG_BOOL_CLO(option, "--pinned", tool.is_pinned))
		return True;
	if (VG_BINT_CLO(option, "--layout", tool.layout, 0, WIRE_MOST_LAYOUTS))
		return True;
	if (VG_BINT_CLO(option, "--sample", tool.period, 0, 1000000000000LL))
		return True;
	if (VG_BINT_CLO(option, "--limit", tool.limit, 0, 1000000000000000LL))
		return True;
	if (VG_STR_CLO(option, "--toggle", tool.toggle))
		return True;
	if (VG_BINT_CLO(option, "--delay", tool.delay, 0, 1000000000000000LL))
		return True;
	if (VG_BINT_CLO(option, "--head", tool.head_option, 0, 1000000000000000LL))
		return True;
	if (VG_STR_CLO(option, "--follow", tool.skipping))
		return True;
	return False;
}

static void print_usage(void)
{
	VG_(printf)
	("    --core=FILE  --out=DIR  --lines=yes  --stacks=yes  --instructions=NAME  --loops=yes  "
	 "--threads=yes  --pinned=yes  --layout=N  --limit=N  --sample=N  --head=N  --follow=N,S,B   "
	 "(for topdown, which starts this tool)\n");
}

static void print_debug_usage(void)
{
}

/* Valgrind's own word for a bad option would let the program run all the same. */
static void tool_fail(const HChar *what, const HChar *why)
{
	VG_(umsg)("%s: %s\n", what, why);
	VG_(exit)(1);
}

static const HChar *tool_read_text(const HChar *path)
{
	SysRes opened = VG_(open)(path, VKI_O_RDONLY, 0);
	HChar *text = sim_allocate(MOST_TEXT + 1, 1);
	Int length;

	if (sr_isError(opened))
		tool_fail(path, "it can't be read");
	length = VG_(read)((Int)sr_Res(opened), text, MOST_TEXT);
	VG_(close)((Int)sr_Res(opened));
	text[length > 0 ? length : 0] = '\0';
	return text;
}

/* The start of the text up to one of the characters that end it; Valgrind's printf knows no precision. */
static const HChar *tool_part_of(const HChar *text, const HChar *ends)
{
	HChar *part = sim_allocate(VG_(strlen)(text) + 1, 1);

	for (SizeT i = 0; text[i] && !VG_(strchr)(ends, text[i]); i++)
		part[i] = text[i];
	return part;
}

/* For topdown, in the log. */
static void refuse_parameters(const HChar *wrong)
{
	const HChar *name = tool_part_of(wrong, " \n"), *line = tool_part_of(wrong, "\n");
	uint32_t least, most;

	if (!VG_(strcmp)(name, PARAMETERS_INSTRUCTION))
		VG_(umsg)(WIRE_LOG_PARAMETER "'%s': figures of x86 code that can't be, or twice of the same\n", line);
	else if (!parameters_limits(name, VG_(strlen)(name), &least, &most))
		VG_(umsg)(WIRE_LOG_PARAMETER "'%s' is no parameter of a core\n", name);
	else if (!wrong[VG_(strlen)(name)])
		VG_(umsg)(WIRE_LOG_PARAMETER "'%s' is missing, a number from %u to %u\n", name, least, most);
	else
		VG_(umsg)(WIRE_LOG_PARAMETER "'%s': it is a number from %u to %u\n", line, least, most);
	VG_(exit)(1);
}

/* The parameters behind the first line, which says how they are written. */
static const HChar *skip_version(const HChar *text)
{
	SizeT length = VG_(strlen)(WIRE_VERSION_LINE);

	if (!VG_(strncmp)(text, WIRE_VERSION_LINE "\n", length + 1))
		return text + length + 1;
	VG_(umsg)(WIRE_LOG_VERSION "%s\n", tool_part_of(text, "\n"));
	VG_(exit)(1);
}

/*
 * By a number of its own, the same each time, so that sampled processes that do the same are not
 * all seen at the same moment.
 */
static ULong descend(ULong lineage, ULong child)
{
	return (lineage + child) * 0x9e3779b97f4a7c15ull;
}

static void pin(void)
{
	const HChar *lack = pinned_begin(&tool.parameters);

	if (!lack)
		return;
	VG_(umsg)(WIRE_LOG_UNPINNED "%s\n", lack);
	VG_(exit)(1);
}

/*
 * What is left of the head is divided among both, so that all processes together have no more than one and its least.
 * That takes no longer than the start of a process.
 */
#define LEAST_HEAD	   10000000
#define LEAST_HEAD_PART(n) ((n) / 10) /* of a shorter head: 200 000 of 2 M, which has the loader's work */

static void on_head_end(void);

/* A program or process begins with it. */
static void begin_head(ULong head)
{
	ULong least = LEAST_HEAD_PART((ULong)tool.head_option);

	least = least < LEAST_HEAD ? least : LEAST_HEAD;
	head = head < least ? least : head;
	tool.threads.head = head;
	tool.threads.on_head_end = head && tool.period ? on_head_end : NULL;
	tool.threads.sampling.period = head ? 0 : (ULong)tool.period;
}

static void tool_start(void)
{
	struct sampling sampling = { .period = 0 };
	struct heritage heritage = { .head = (ULong)tool.head_option };
	const HChar *wrong;

	if (tool.toggle && !*tool.toggle)
		tool.toggle = NULL;
	if (!tool.core_file || !tool.directory)
		tool_fail("--core, --out", "both are needed: start this tool through topdown --pmu sim");
	wrong = parameters_read(&tool.parameters, skip_version(tool_read_text(tool.core_file)));
	if (wrong)
		refuse_parameters(wrong);
	tool.parameters.layout = (uint32_t)tool.layout;
	if (tool.is_pinned)
		pin();
	tool.instrumentation.is_pinned = tool.is_pinned;
	counts_file_inherit(&heritage, tool.directory);
	tool.lineage = sampling.seed = descend(heritage.lineage, 0);
	tool.has_children = VG_(clo_trace_children);
	tool.advance.directory = tool.directory;
	tool.advance.limit = (ULong)tool.limit;
	guest_threads_init(&tool.threads, &instrument_trace, &tool.parameters, &sampling);
	begin_head(heritage.head);
	/* Calls of one function, threads that are counted apart, and dirty lines are followed all the time. */
	if (tool.skipping && tool.period && !tool.toggle && !tool.has_threads && !tool.has_traffic)
		fast_init(&tool.threads, tool.skipping, tool.lineage, (ULong)tool.head_option);
	tool.threads.fast.row_of = tool.has_lines && tool.has_stacks ? tool_row_of : NULL;
	tool.threads.delay = (ULong)tool.delay;
	tool.threads.has_toggle = tool.toggle != NULL;
	tool.instrumentation.translator.is_marked = tool.toggle ? is_marked : NULL;
	tool.instrumentation.translator.parameters = &tool.parameters;
	if (tool.has_lines) {
		contexts_init(&tool.contexts);
		source_rows_init(&tool.source_rows, &tool.contexts);
		tool.threads.contexts = &tool.contexts;
		tool.instrumentation.translator.row_of = tool_row_of;
		tool.instrumentation.translator.on_jump_back = tool.source_rows.has_loops ? on_jump_back : NULL;
		tool.instrumentation.translator.has_stacks = tool.has_stacks;
	}
	if (tool.has_traffic)
		guest_threads_follow_lines(&tool.threads);
	if (tool.has_threads) {
		thread_shares_init(&tool.shares, &tool.blocks);
		tool.threads.shares = &tool.shares;
	}
	effects_init(&tool.effects);
	tool.instrumentation.on_full = on_full;
	tool.instrumentation.on_new = on_new;
	/* One branch in a block, its last instruction: VEX must neither go on behind it nor unroll loops. */
	VG_(clo_vex_control).guest_chase = False;
	VG_(clo_vex_control).iropt_unroll_thresh = 0;
	/* Nor may it leave out what computes the same as an earlier instruction. */
	VG_(clo_vex_control).iropt_level = 1;
	/*
	 * What an instruction writes is written, even if the next one in the block writes it again: else VEX removes
	 * loads whose values nobody uses, and registers are out of date where an address is made of them.
	 */
	VG_(clo_vex_control).iropt_register_updates_default = VexRegUpdAllregsAtEachInsn;
	VG_(clo_px_file_backed) = VexRegUpdAllregsAtEachInsn;
}

/* The signature is Valgrind's. */
/* NOLINTNEXTLINE(readability-function-size) */
static IRSB *instrument_block(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
			      const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
			      IRType host_word)
{
	(void)extents, (void)host;
	if (plain_is_wanted(closure))
		return plain_instrument(in, layout, closure->readdr);
	tool.instrumentation.translator.layout = layout;
	if (guest_word != host_word)
		VG_(tool_panic)("guest and host words differ");
	return instrument(&tool.instrumentation, in, guest_word);
}

/* successor: what the process becomes next; NULL: it ends. */
static struct counts_request make_request(void)
{
	return (struct counts_request){ .directory = tool.directory,
					.blocks = tool.blocks,
					.threads = &tool.threads,
					.failed_execs = tool.failed_execs,
					.heritage = { tool.lineage, tool.threads.head },
					.is_whole = !tool.threads.sampling.period,
					.unfollowed = fast_unfollowed(&tool.threads.fast),
					.stratum = tool.threads.fast.stratum,
					.forks = tool.forks,
					.effects = &tool.effects,
					.calls = &tool.calls,
					.source_rows = tool.has_lines ? &tool.source_rows : NULL,
					.shares = tool.threads.shares };
}

static Bool write_request(const struct counts_request *request)
{
	if (counts_file_write(request))
		return True;
	VG_(umsg)(WIRE_LOG_UNWRITTEN " to %s\n", tool.directory);
	return False;
}

static Bool write_counts(const struct successor *successor)
{
	struct counts_request request;

	fast_finish(&tool.threads);
	guest_threads_finish(&tool.threads);
	request = make_request();
	request.execs = successor != NULL;
	request.successor = successor;
	return write_request(&request);
}

static void tool_finish(Int status)
{
	(void)status;
	write_counts(NULL);
}

static void stop(void)
{
	write_counts(NULL);
	VG_(exit)(0);
}

static void on_run(ThreadId id, ULong blocks)
{
	(void)blocks;
	if (tool.is_pinned && !tool.has_begun)
		pinned_stack(id);
	if (!tool.has_begun) {
		kernel_signals_begin();
		log_file_hide();
	}
	tool.has_begun = True;
	kernel_signals_run(id);
	if (UNLIKELY(fast_is_due(&tool.threads.fast)) && !plain_has_begun())
		plain_begin();
	guest_threads_switch(&tool.threads, id);
}

static void on_thread_end(ThreadId id)
{
	guest_threads_end(&tool.threads, id);
}

static void on_forked(ThreadId id)
{
	(void)id;
	tool.threads.head -= tool.threads.head / 2;
	tool.forks++;
	tool.children++;
}

/* What the blocks and the process have counted. */
static void forget_blocks(void)
{
	for (struct block *block = tool.blocks; block; block = block->next)
		block->detailed = block->total = block->rounds = 0;
	if (tool.has_lines)
		contexts_forget(&tool.contexts);
	if (tool.threads.sharing)
		sharing_forget_pairs(tool.threads.sharing);
	tool.failed_execs = tool.forks = 0;
	tool.calls = (struct system_calls){ .all = 0 };
}

/* What follows is counted from 0. */
static void forget(void)
{
	if (!tool.threads.on_head_end && tool.threads.sampling.has_bursts)
		tool.threads.sampling.period = (ULong)tool.period;
	tool.threads.sampling.has_bursts = False;
	fast_forget(&tool.threads);
	guest_threads_forget(&tool.threads);
	forget_blocks();
	effects_forget(&tool.effects);
}

/* What was counted so far has a file of its own. From here on there are other windows. */
static void go_on(ULong period, Bool has_bursts)
{
	struct counts_request request = make_request();

	guest_threads_collect(&tool.threads);
	request.is_continued = True;
	write_request(&request);
	forget_blocks();
	tool.threads.sampling.period = period;
	tool.threads.sampling.has_bursts = has_bursts;
	guest_threads_renew(&tool.threads);
}

/* It was modelled in full. */
static void on_head_end(void)
{
	go_on((ULong)tool.period, False);
}

static void on_stratum(UInt stratum)
{
	go_on(stratum ? tool.threads.fast.period : (ULong)tool.period, stratum != 0);
}

static void on_fork(ThreadId id)
{
	(void)id;
	begin_head(tool.threads.head / 2);
	tool.lineage = descend(tool.lineage, tool.children + 1);
	tool.children = 0;
	forget();
	guest_threads_restart(&tool.threads, tool.lineage);
}

/* Valgrind looks at its option after this: what can't be simulated runs natively, instead of failing. */
static void prepare_exec(UInt number, const UWord *arguments)
{
	struct successor *successor = sim_allocate(1, sizeof(*successor)); /* large for Valgrind's stack */
	Bool is_written, is_possible;

	successor_find(successor, number, arguments);
	native_exec_prepare(number, arguments, successor->obstacle);
	if (!tool.has_children && successor->obstacle != WIRE_SELF)
		successor->obstacle = WIRE_NO_OBSTACLE;
	is_written = write_counts(successor);
	is_possible = !successor->obstacle && is_written && successor_can_start(tool.core_file, tool.directory);
	VG_(clo_trace_children) = tool.has_children && is_possible;
	VG_(free)(successor);
}

static void on_call(ThreadId id, UInt number, UWord *arguments, UInt count)
{
	system_calls_count(&tool.calls, &tool.threads, number);
	if (tool.is_pinned)
		pinned_call(id, number, arguments);
	if (kernel_signals_ends(number, arguments)) {
		write_counts(NULL);
		kernel_signals_end();
	}
	if (arch_is_exec(number))
		prepare_exec(number, arguments);
	else if (count)
		advance_call(&tool.advance, number, arguments);
}

static void on_returned(ThreadId id, UInt number, UWord *arguments, UInt count, SysRes result)
{
	(void)count;
	if (tool.is_pinned)
		pinned_returned(id, number, arguments, result);
	if (sr_isError(result) && sr_Err(result) == WIRE_STOPS)
		stop();
	effects_judge(&tool.effects, number, arguments, result);
	kernel_signals_returned(id, number, arguments);
	/* The exec failed: what follows is counted from 0, into another file. */
	if (!arch_is_exec(number))
		return;
	forget();
	VG_(clo_trace_children) = tool.has_children;
	tool.failed_execs = 1;
	native_exec_failed(id, arguments);
}

static void on_signal(ThreadId id, Int signal, Bool is_on_other_stack)
{
	(void)is_on_other_stack;
	effects_signal(&tool.effects, signal);
	plain_hide_alias(id);
	if (tool.has_stacks)
		guest_threads_signal(&tool.threads, id);
}

static void on_signal_end(ThreadId id, Int signal)
{
	(void)signal;
	if (tool.has_stacks)
		guest_threads_signal_end(&tool.threads, id);
}

/* The first request: what was counted so far is in no region. */
static void begin_regions(void)
{
	thread_shares_init(&tool.shares, &tool.blocks);
	tool.shares.are_regions = True;
	tool.threads.shares = &tool.shares;
	thread_shares_find(&tool.shares, "")->totals.system_calls = tool.calls.all;
	for (UInt id = 0; id < VG_N_THREADS; id++)
		if (tool.threads.all[id])
			tool.threads.all[id]->share = tool.shares.first;
}

#define REQUEST_BEGIN 0x54440000u /* as in include/topdown.h */
#define REQUEST_END   (REQUEST_BEGIN + 1)
#define REQUEST_THERE (REQUEST_BEGIN + 2)

/* A program marks its regions. Where threads are counted apart, these are the parts. */
static Bool on_request(ThreadId id, UWord *words, UWord *answer)
{
	struct thread_share *region = NULL;
	Bool has_name;

	if (words[0] == REQUEST_THERE) {
		*answer = 1;
		return True;
	}
	if ((words[0] != REQUEST_BEGIN && words[0] != REQUEST_END) || tool.has_threads || !tool.threads.current ||
	    tool.threads.current != tool.threads.all[id])
		return False;
	fast_end(&tool.threads, on_stratum);
	if (!tool.threads.shares)
		begin_regions();
	if (words[0] == REQUEST_BEGIN) {
		has_name = VG_(am_is_valid_for_client)(words[1], 1, VKI_PROT_READ);
		region = thread_shares_find(&tool.shares, has_name ? (const HChar *)words[1] : "?");
		region = region ? region : tool.shares.first;
	}
	guest_threads_region(&tool.threads, region);
	*answer = 1;
	return True;
}

static void tool_describe(void)
{
	VG_(details_name)("topdown");
	VG_(details_version)(NULL);
	VG_(details_description)("issue slots of a modelled core");
	VG_(details_copyright_author)("GPL-2.0-or-later.");
	VG_(details_bug_reports_to)("topdown");
	VG_(details_avg_translation_sizeB)(500);
	VG_(basic_tool_funcs)(tool_start, instrument_block, tool_finish);
	VG_(needs_command_line_options)(take_option, print_usage, print_debug_usage);
	VG_(needs_client_requests)(on_request);
	VG_(needs_syscall_wrapper)(on_call, on_returned);
	VG_(track_start_client_code)(on_run);
	VG_(track_pre_thread_ll_exit)(on_thread_end);
	VG_(track_pre_deliver_signal)(on_signal);
	VG_(track_post_deliver_signal)(on_signal_end);
	VG_(atfork)(NULL, on_forked, on_fork);
}

VG_DETERMINE_INTERFACE_VERSION(tool_describe)
