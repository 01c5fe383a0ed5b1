/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/jobs/machine_ceilings.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyse/ceilings/ceilings.h"
#include "command/jobs/progress.h"
#include "common/system/file.h"
#include "common/system/loop.h"
#include "cpu/identify/identity.h"
#include "cpu/identify/surroundings.h"
#include "engine/target.h"

#define SHOW_EVERY_S 0.1

/* ---- interruption ---- */

static volatile sig_atomic_t interrupted_by;

static void note_signal(int number)
{
	interrupted_by = number;
}

static const int ending[] = { SIGINT, SIGTERM, SIGHUP };

/* What was ignored stays so. */
static void catch_signals(struct sigaction before[])
{
	const struct sigaction ours = { .sa_handler = note_signal };

	interrupted_by = 0;
	for (size_t i = 0; i < COUNT_OF(ending); i++)
		if (sigaction(ending[i], NULL, &before[i]) == 0 && before[i].sa_handler != SIG_IGN)
			sigaction(ending[i], &ours, NULL);
}

/* The signal does what it would have done. */
static void release_signals(const struct sigaction before[])
{
	for (size_t i = 0; i < COUNT_OF(ending); i++)
		sigaction(ending[i], &before[i], NULL);
	if (interrupted_by)
		kill(getpid(), interrupted_by);
}

/* ---- progress ---- */

struct watching {
	struct progress progress;
	double shown_s, begin_s, seconds;
};

static bool machine_ceilings_go_on(void *context, double part)
{
	struct watching *watching = context;
	double now_s = clock_now();

	if (interrupted_by || !progress_has_place() || now_s < watching->shown_s + SHOW_EVERY_S)
		return !interrupted_by;
	watching->shown_s = now_s;
	fprintf(stderr, "\r\033[Ktopdown: measuring this machine, %.0f %%, %.0f s left at most", 100 * part,
		fmax(watching->begin_s + watching->seconds - now_s, 0));
	watching->progress.is_shown = true;
	return true;
}

/* ---- the whole ---- */

struct here {
	struct resources resources;
	struct ceilings_machine shown;
	const char *name;
};

static int look(struct here *here, const struct request *request, struct error *err)
{
	const char *sysroot = request->setup->machine.sysroot;
	const struct machine *machine = identified_machine(request, err);
	struct arena *arena = request->arena;
	struct surroundings around;

	if (!machine)
		return -1;
	resources_identify(&here->resources, machine, sysroot, arena);
	surroundings_identify(&around, sysroot, arena);
	here->shown = (struct ceilings_machine){ machine, &here->resources, around.governors, sysroot };
	here->name = identity_of(sysroot, arena).machine;
	return 0;
}

static int machine_ceilings_measure(struct ceilings *ceilings, const struct here *here,
				    const struct roofline_choice *choice, struct arena *arena, struct error *err)
{
	double seconds = choice->seconds > 0 ? choice->seconds : CEILINGS_SECONDS;
	struct watching watching = { .begin_s = clock_now(), .seconds = seconds };
	const struct ceilings_effort effort = { seconds, machine_ceilings_go_on, &watching };
	struct sigaction before[COUNT_OF(ending)];
	int result;

	catch_signals(before);
	result = ceilings_measure(ceilings, &here->shown, &effort, arena, err);
	progress_wipe(&watching.progress);
	release_signals(before);
	return result < 0 ? error_in(err, "measuring this machine's ceilings") : 0;
}

static void machine_ceilings_keep(const struct machine_ceilings *known, const struct here *here)
{
	struct error err = { .text = "" };

	if (ceilings_keep(&known->ceilings, here->name, &err) < 0)
		notice_print(NULL, NOTICE_WARNING, err.text);
}

/* The kept ones, if they can be read. */
static bool take_kept(struct machine_ceilings *known, const struct here *here, struct arena *arena)
{
	const struct ceiling_conditions now = ceilings_conditions(&here->shown, arena);
	struct error err = { .text = "" };

	if (!known->path || !is_file(known->path))
		return false;
	if (ceilings_read(&known->ceilings, known->path, arena, &err) < 0) {
		notice_print(NULL, NOTICE_WARNING, err.text);
		return false;
	}
	known->stale = ceilings_stale(&known->ceilings.conditions, &now, arena);
	known->is_kept = true;
	return true;
}

/* Of another machine's files what was kept there is all that there is. */
static int of_sysroot(struct machine_ceilings *known, const struct here *here, const char *sysroot, struct arena *arena,
		      struct error *err)
{
	if (take_kept(known, here, arena))
		return 0;
	return error_set(err,
			 "--sysroot %s: the ceilings of another machine can only be measured there; none are saved",
			 sysroot);
}

int machine_ceilings_get(struct machine_ceilings *known, const struct roofline_choice *choice,
			 const struct request *request, struct error *err)
{
	const char *sysroot = request->setup->machine.sysroot;
	struct arena *arena = request->arena;
	struct here here;

	*known = (struct machine_ceilings){ .is_kept = false };
	if (look(&here, request, err) < 0)
		return -1;
	known->path = ceilings_path(here.name, arena);
	if (sysroot[strspn(sysroot, "/")])
		return of_sysroot(known, &here, sysroot, arena, err);
	if (!choice->is_fresh && take_kept(known, &here, arena) && !known->stale)
		return 0;
	if (known->stale)
		notice_print(
			NULL, NOTICE_PLAIN,
			arena_printf(arena, "the saved ceilings are stale, because %s: measuring again", known->stale));
	known->stale = NULL;
	known->is_kept = false;
	if (machine_ceilings_measure(&known->ceilings, &here, choice, arena, err) < 0)
		return -1;
	machine_ceilings_keep(known, &here);
	return 0;
}

/* ---- as a session keeps them ---- */

/* A ceiling as sessions keep it: those of one thread, and of all cores. */
static void take_roof(struct roofs *roofs, const struct ceiling *ceiling)
{
	const char *operation = ceiling_operation_names[ceiling->operation];
	bool is_compute = ceiling->kind == CEILING_COMPUTE;

	if ((ceiling->scope != CEILING_THREAD && ceiling->scope != CEILING_ALL) || !(ceiling->value > 0))
		return;
	roofs->items[roofs->count++] = (struct roof){
		.type = is_compute ? ceiling_type_names[ceiling->type] : NULL,
		.operation = is_compute && *operation ? operation : NULL,
		.level = is_compute ? NULL : ceiling_level_names[ceiling->level],
		.pattern = is_compute ? NULL : ceiling_pattern_names[ceiling->pattern],
		.bits = ceiling->bits,
		.threads = ceiling->threads,
		.value = ceiling->value,
		.clock_hz = ceiling->clock_hz,
	};
}

const struct roofs *machine_ceilings_roofs(const struct machine_ceilings *known, struct arena *arena)
{
	const struct ceilings *ceilings = &known->ceilings;
	struct roofs *roofs = arena_alloc(arena, sizeof(*roofs));

	*roofs = (struct roofs){ .cpu = ceilings->conditions.cpu, .measured = ceilings->conditions.measured };
	roofs->items = arena_array(arena, ceilings->count + 1, sizeof(*roofs->items));
	for (size_t i = 0; i < ceilings->count; i++)
		take_roof(roofs, &ceilings->rows[i]);
	return roofs->count ? roofs : NULL;
}
