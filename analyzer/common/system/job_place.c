/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common/system/job_place.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "common/base/text.h"

/* The variables that a launcher sets; NULL: it has none. */
struct launcher {
	const char *name, *rank, *size, *local, *id;
	const char *mark; /* has to be there as well: what is inherited from an allocation is no rank */
};

/*
 * What is inside comes first: mpirun within an allocation of Slurm has the variables of both. PMIx is what several
 * launchers give, and says least. Slurm sets SLURM_PROCID for a batch script too, where one process runs.
 */
static const struct launcher launchers[] = {
	{ "Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", NULL, NULL },
	{ "MVAPICH", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_LOCAL_RANK", NULL, NULL },
	{ "Flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", "FLUX_TASK_LOCAL_ID", "FLUX_JOB_ID", NULL },
	{ "PALS", "PALS_RANKID", "PALS_SIZE", "PALS_LOCAL_RANKID", "PALS_APID", NULL },
	{ "PMI", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", NULL, NULL },
	{ "Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "SLURM_JOB_ID", "SLURM_STEP_NUM_TASKS" },
	{ "PMIx", "PMIX_RANK", NULL, NULL, "PMIX_NAMESPACE", NULL },
};

/* Of whoever has started the launcher. */
static const char *const batch_ids[] = { "SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "PMIX_NAMESPACE" };

/* False: the variable is not there, or is no number. */
static bool read_number(uint64_t *number, const char *variable)
{
	const char *text = variable ? getenv(variable) : NULL;
	char *end;

	if (!text || !isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return !*end && !errno;
}

static const char *read_id(const struct launcher *launcher)
{
	const char *id = launcher->id ? getenv(launcher->id) : NULL;

	for (size_t i = 0; i < COUNT_OF(batch_ids) && !(id && *id); i++)
		id = getenv(batch_ids[i]);
	return id && *id ? id : NULL;
}

struct job_place job_place_find(void)
{
	struct job_place place = { .launcher = NULL };

	for (size_t i = 0; i < COUNT_OF(launchers); i++) {
		const struct launcher *launcher = &launchers[i];

		if ((launcher->mark && !getenv(launcher->mark)) || !read_number(&place.rank, launcher->rank))
			continue;
		place.launcher = launcher->name;
		place.id = read_id(launcher);
		if (!read_number(&place.size, launcher->size))
			place.size = 0;
		if (!read_number(&place.local, launcher->local))
			place.local = 0;
		return place;
	}
	return place;
}

bool job_place_is_shared(const struct job_place *place)
{
	return place->launcher && place->size != 1;
}

/* A file's name has no slash, and a shell should need no quotes. */
static void add_name(struct string *text, const char *name)
{
	for (; *name; name++)
		string_printf(text, "%c", isalnum((unsigned char)*name) || strchr("._-", *name) ? *name : '_');
}

static int add_letter(struct string *text, char letter, const struct job_place *place, struct error *err)
{
	struct utsname system;

	if (letter == 'h') {
		if (uname(&system) < 0)
			return error_set(err, "%%h: this machine's name is unknown: %s", strerror(errno));
		add_name(text, system.nodename);
		return 0;
	}
	if (!place->launcher)
		return error_set(err, "%%%c is that of a parallel job's process, and no launcher has started this one",
				 letter);
	if (letter == 'j' && !place->id)
		return error_set(err, "%%j: %s has given this job no number", place->launcher);
	if (letter == 'j')
		add_name(text, place->id);
	else
		string_printf(text, "%llu", (unsigned long long)(letter == 'r' ? place->rank : place->local));
	return 0;
}

const char *job_place_path(const struct job_place *place, const char *path, struct arena *arena, struct error *err)
{
	struct string text = STRING_INIT(arena);

	for (const char *at = path; *at; at++) {
		if (*at != '%' || !at[1] || !strchr("rhlj%", at[1])) {
			string_addn(&text, at, 1);
			continue;
		}
		at++;
		if (*at == '%')
			string_addn(&text, at, 1);
		else if (add_letter(&text, *at, place, err) < 0)
			return NULL;
	}
	return text.length ? text.text : path;
}
