/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tool.c - the Valgrind tool `topdown`: runs a program and accounts for each issue slot of a modelled core. Its options are for
 * topdown, which starts it:
 *   --core=FILE     the core's parameters (parameters.h)
 *   --out=DIR       each process writes its counts there (output.h)
 *   --lines=yes     they tell each source line's part as well (places.h)
 *   --threads=yes   they tell each thread's part as well (shares.h)
 *   --sample=N      a window in N instructions is modelled in detail (sample.h); 0: everything
 */
#include "sim/arch.h"
#include "sim/instrument.h"
#include "sim/memory.h"
#include "sim/output.h"
#include "sim/places.h"
#include "sim/shares.h"
#include "sim/threads.h"
#include "sim/valgrind.h"

#define MOST_TEXT 65536 /* bytes of the parameters */

/* All that the tool knows; Valgrind's callbacks have no argument of ours. */
static struct tool {
	const HChar *core_file, *directory;
	Long period;
	struct parameters parameters;
	struct instrumentation instrumentation;
	struct threads threads;
	struct places places;
	struct shares shares;
	Bool has_lines, has_threads;
	ULong failed_execs, refused_execs, forks; /* since the last file */
	ULong lineage, children; /* which child of which it is, and how many it had; 0: the program itself */
	struct block *blocks;
} tool;

void *sim_allocate(size_t count, size_t size)
{
	return VG_(calloc)("topdown", count, size);
}

static UInt place_of(Addr address)
{
	return places_of(&tool.places, address);
}

static void on_full(void)
{
	threads_drain(&tool.threads);
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
	if (VG_BOOL_CLO(option, "--threads", tool.has_threads))
		return True;
	if (VG_BINT_CLO(option, "--sample", tool.period, 0, 1000000000000LL))
		return True;
	return False;
}

static void print_usage(void)
{
	VG_(printf)
	("    --core=FILE  --out=DIR  --lines=yes  --threads=yes  --sample=N   (for topdown, which starts this "
	 "tool)\n");
}

static void print_debug_usage(void)
{
}

/* Valgrind's own word for a bad option would let the program run all the same. */
static void fail(const HChar *what, const HChar *why)
{
	VG_(umsg)("%s: %s\n", what, why);
	VG_(exit)(1);
}

static const HChar *read_text(const HChar *path)
{
	SysRes opened = VG_(open)(path, VKI_O_RDONLY, 0);
	HChar *text = sim_allocate(MOST_TEXT + 1, 1);
	Int length;

	if (sr_isError(opened))
		fail(path, "it can't be read");
	length = VG_(read)((Int)sr_Res(opened), text, MOST_TEXT);
	VG_(close)((Int)sr_Res(opened));
	text[length > 0 ? length : 0] = '\0';
	return text;
}

/* The start of the text up to one of the characters that end it; Valgrind's printf knows no precision. */
static const HChar *part_of(const HChar *text, const HChar *ends)
{
	HChar *part = sim_allocate(VG_(strlen)(text) + 1, 1);

	for (SizeT i = 0; text[i] && !VG_(strchr)(ends, text[i]); i++)
		part[i] = text[i];
	return part;
}

/* Tells topdown, in the log. */
static void refuse_parameters(const HChar *wrong)
{
	const HChar *name = part_of(wrong, " \n"), *line = part_of(wrong, "\n");
	uint32_t least, most;

	if (!parameters_limits(name, VG_(strlen)(name), &least, &most))
		VG_(umsg)("wrong parameter: '%s' is no parameter of a core\n", name);
	else if (!wrong[VG_(strlen)(name)])
		VG_(umsg)("wrong parameter: '%s' is missing, a number from %u to %u\n", name, least, most);
	else
		VG_(umsg)("wrong parameter: '%s': it is a number from %u to %u\n", line, least, most);
	VG_(exit)(1);
}

/* By a number of its own, the same each time, so that sampled processes that do the same are not all seen at the same moment. */
static ULong descend(ULong lineage, ULong child)
{
	return (lineage + child) * 0x9e3779b97f4a7c15ull;
}

static void start(void)
{
	struct sampling sampling = { .period = (ULong)tool.period };
	const HChar *wrong;

	if (!tool.core_file || !tool.directory)
		fail("--core, --out", "both are needed: start this tool through topdown --pmu sim");
	wrong = parameters_read(&tool.parameters, read_text(tool.core_file));
	if (wrong)
		refuse_parameters(wrong);
	tool.lineage = sampling.seed = descend(output_lineage(tool.directory), 0);
	threads_init(&tool.threads, &instrument_trace, &tool.parameters, &sampling);
	tool.instrumentation.translator.parameters = &tool.parameters;
	if (tool.has_lines) {
		places_init(&tool.places, &tool.threads.attribution);
		tool.instrumentation.translator.place = place_of;
	}
	if (tool.has_threads) {
		shares_init(&tool.shares, &tool.blocks);
		tool.threads.shares = &tool.shares;
	}
	tool.instrumentation.on_full = on_full;
	tool.instrumentation.on_new = on_new;
	/* One branch in a block, its last instruction: VEX must neither go on behind it nor unroll loops. */
	VG_(clo_vex_control).guest_chase = False;
	VG_(clo_vex_control).iropt_unroll_thresh = 0;
}

/* The signature is Valgrind's. */
/* NOLINTNEXTLINE(readability-function-size) */
static IRSB *instrument_block(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
			      const VexGuestExtents *extents, const VexArchInfo *host, IRType guest_word,
			      IRType host_word)
{
	(void)closure, (void)extents, (void)host;
	tool.instrumentation.translator.layout = layout;
	if (guest_word != host_word)
		VG_(tool_panic)("guest and host words differ");
	return instrument(&tool.instrumentation, in, guest_word);
}

/* execs: 1 when that is what the process does next. */
static void write_counts(ULong execs)
{
	struct output_request request = { .directory = tool.directory,
					  .blocks = tool.blocks,
					  .threads = &tool.threads,
					  .execs = execs,
					  .failed_execs = tool.failed_execs,
					  .lineage = tool.lineage,
					  .refused_execs = tool.refused_execs,
					  .forks = tool.forks,
					  .places = tool.has_lines ? &tool.places : NULL,
					  .shares = tool.threads.shares };

	threads_finish(&tool.threads);
	if (!output_write(&request))
		VG_(umsg)("the counts can't be written to %s\n", tool.directory);
}

static void finish(Int status)
{
	(void)status;
	write_counts(0);
}

static void on_run(ThreadId id, ULong blocks)
{
	(void)blocks;
	threads_switch(&tool.threads, id);
}

static void on_thread_end(ThreadId id)
{
	threads_end(&tool.threads, id);
}

static void on_forked(ThreadId id)
{
	(void)id;
	tool.forks++;
	tool.children++;
}

/* What follows is counted from 0. */
static void forget(void)
{
	threads_forget(&tool.threads);
	for (struct block *block = tool.blocks; block; block = block->next)
		block->detailed = block->total = 0;
	places_forget(&tool.places);
	tool.failed_execs = tool.refused_execs = tool.forks = 0;
}

static void on_fork(ThreadId id)
{
	(void)id;
	tool.lineage = descend(tool.lineage, tool.children + 1);
	tool.children = 0;
	forget();
	threads_restart(&tool.threads, tool.lineage);
}

static void on_call(ThreadId id, UInt number, UWord *arguments, UInt count)
{
	(void)id, (void)arguments, (void)count;
	if (arch_is_exec(number))
		write_counts(1);
}

/* With --trace-children Valgrind lets no program start that has other rights than the user. */
static Bool is_refused(const HChar *path, SysRes result)
{
	struct vg_stat file;

	return sr_isError(result) && sr_Err(result) == VKI_EACCES && !sr_isError(VG_(stat)(path, &file)) &&
	       (file.mode & (VKI_S_ISUID | VKI_S_ISGID)) != 0 && (file.mode & 0111) != 0;
}

static void on_returned(ThreadId id, UInt number, UWord *arguments, UInt count, SysRes result)
{
	(void)id, (void)count;
	/* The exec failed: what follows is counted from 0 again, into another file. */
	if (!arch_is_exec(number))
		return;
	forget();
	tool.failed_execs = 1;
	tool.refused_execs = is_refused((const HChar *)arguments[0], result);
}

static void describe(void)
{
	VG_(details_name)("topdown");
	VG_(details_version)(NULL);
	VG_(details_description)("issue slots of a modelled core");
	VG_(details_copyright_author)("GPL-2.0-or-later.");
	VG_(details_bug_reports_to)("topdown");
	VG_(details_avg_translation_sizeB)(500);
	VG_(basic_tool_funcs)(start, instrument_block, finish);
	VG_(needs_command_line_options)(take_option, print_usage, print_debug_usage);
	VG_(needs_syscall_wrapper)(on_call, on_returned);
	VG_(track_start_client_code)(on_run);
	VG_(track_pre_thread_ll_exit)(on_thread_end);
	VG_(atfork)(NULL, on_forked, on_fork);
}

VG_DETERMINE_INTERFACE_VERSION(describe)
