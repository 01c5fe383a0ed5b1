/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/pairs.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/count/input.h"
#include "collect/simulate/anchor.h"
#include "common/base/text.h"
#include "common/request/exclusions.h"
#include "cpu/identify/machine.h"
#include "engine/limits.h"
#include "engine/steps.h"
#include "store/session/session.h"

/* What all measurements of a series share. */
struct series {
	const struct pair_request *request;
	const struct sink *sink;
	struct pairs *pairs;
	struct arena *arena;
	struct input input;
	struct program programs[2];
	struct counts *described;      /* PAIRS_TIMED: what is known beforehand of both commands' runs */
	cpu_set_t inherited, *allowed; /* NULL: all that topdown inherited */
	size_t runs, made;
	size_t warmed; /* runs before them, which are not measured */
};

/* A measurement of one command. */
struct turn {
	struct series *series;
	size_t side, pair;
	struct measurement *result;
	struct arena *kept;	/* where the result lives */
	struct error unwritten; /* "": nothing went wrong with the result */
};

static bool is_first(const struct turn *turn)
{
	return turn->pair == 0;
}

/* ---- with the engine ---- */

static void say(const struct series *series, enum severity severity, const char *sentence)
{
	if (series->sink->notice)
		series->sink->notice(series->sink->context, severity, sentence);
}

/* What the engine has allocated is freed after each measurement. */
static int pairs_on_measured(void *context, struct measurement *measured, struct error *err)
{
	struct turn *turn = context;

	return session_copy(turn->result, measured, turn->kept, err);
}

/* What is said of the first measurement of a command holds for all. */
static void pairs_on_notice(void *context, enum severity severity, const char *sentence)
{
	struct turn *turn = context;

	if (is_first(turn) && severity != NOTICE_ACTION)
		say(turn->series, severity, sentence);
}

static void pairs_on_simulated(void *context, const struct simulated_so_far *so_far)
{
	const struct sink *sink = ((struct turn *)context)->series->sink;

	if (sink->simulated)
		sink->simulated(sink->context, so_far);
}

static struct setup setup_of(const struct turn *turn)
{
	const struct pair_request *request = turn->series->request;
	const struct shell_words *command = &request->commands[turn->side].words;
	struct setup setup = *request->setup;

	setup.packing.repeats = 0;
	setup.program.words = command->words;
	setup.program.nwords = command->count;
	setup.simulation.keeps_lines = true;
	setup.program.hides_output = !is_first(turn) && !setup.program.wants_all_output;
	return setup;
}

static int measure_by_engine(struct turn *turn, const struct setup *setup, const struct question *question,
			     struct error *err)
{
	const struct sink sink = {
		.context = turn,
		.measured = pairs_on_measured,
		.notice = pairs_on_notice,
		.simulated = pairs_on_simulated,
		.has_line = turn->series->sink->has_line,
	};
	struct arena arena;
	int result;

	arena_init(&arena);
	result = engine_measure(&(struct request){ question, setup, &sink, &arena }, err);
	arena_release(&arena);
	return result;
}

/* From 0, those that are not measured too. */
static size_t number_of_run(const struct series *series)
{
	return series->warmed + series->made;
}

/* The program inherits topdown's stdin: each gets the same. */
static int measure_with_input(struct turn *turn, const struct setup *setup, const struct question *question,
			      struct error *err)
{
	struct series *series = turn->series;
	int own = dup(STDIN_FILENO), input = input_open(&series->input, number_of_run(series), err), result = -1;

	if (input != -1) {
		if (input != INPUT_INHERITED) {
			dup2(input, STDIN_FILENO);
			close(input);
		}
		result = measure_by_engine(turn, setup, question, err);
		input_end_run(&series->input);
	}
	if (own >= 0) {
		dup2(own, STDIN_FILENO);
		close(own);
	}
	return result;
}

/* ---- with a clock ---- */

static int measure_time(struct turn *turn, struct error *err)
{
	struct series *series = turn->series;
	struct program program = series->programs[turn->side];
	struct counts *counts = arena_alloc(turn->kept, sizeof(*counts));
	struct repeat *repeat = arena_alloc(turn->kept, sizeof(*repeat));
	struct signals signals;
	struct plain_run run = { .program = &program, .signals = &signals, .input = &series->input };
	struct child child;
	int result;

	run.number = number_of_run(series);
	program.is_output_shown = is_first(turn) || program.is_output_shown;
	repeat->runs = arena_alloc(turn->kept, sizeof(*repeat->runs));
	if (signals_hold(&signals, err) < 0)
		return -1;
	result = plain_run(&child, repeat->runs, &run, err);
	repeat->nruns = 1;
	*counts = series->described[turn->side];
	counts->repeats = repeat;
	*turn->result = (struct measurement){ .parts = counts,
					      .count = 1,
					      .from_s = NOT_COUNTED,
					      .to_s = NOT_COUNTED,
					      .interrupted_by = signals.number };
	signals_release(&signals);
	return result;
}

#define SAMPLES	      2000 /* of a run: shares to a percent or two */
#define LEAST_SAMPLES 997  /* a second */
#define MOST_SAMPLES  9973

/* Short programs are sampled more often. */
static unsigned often_enough(const struct measurement *side)
{
	const struct repeat *first = &side->parts[0].repeats[0];
	double seconds = first->nruns ? first->runs[0].cpu_s : 1;

	return (unsigned)fmax(LEAST_SAMPLES, fmin(MOST_SAMPLES, SAMPLES / seconds));
}

/* Where the time goes: one run more of each command, sampled by time. What can't be sampled costs nothing else. */
static void sample(struct series *series, size_t side)
{
	struct measurement sampled = { .count = 0 };
	struct turn turn = {
		.series = series, .side = side, .pair = SIZE_MAX, .result = &sampled, .kept = series->arena
	};
	const struct question question = { .wants_functions = true, .wants_lines = true };
	struct setup setup = setup_of(&turn);
	struct error unknown = { .text = "" };

	setup.sampling.is_only = true;
	setup.sampling.frequency = often_enough(&series->pairs->sides[side]);
	setup.machine.pmu = PMU_AUTO;
	if (measure_with_input(&turn, &setup, &question, &unknown) == 0)
		series->pairs->sides[side].profile = sampled.profile;
	else
		say(series, NOTICE_WARNING,
		    arena_printf(series->arena, "no functions of %s: %s", series->request->commands[side].text,
				 unknown.text));
}

/* ---- what is not measured ---- */

static int prepare(struct series *series, struct error *err)
{
	return pair_prepare(series->request->prepare, &series->pairs->cut_by, series->arena, err);
}

static int warm_up(struct series *series, struct error *err)
{
	for (unsigned i = 0; i < 2 * series->request->warmups && !series->pairs->cut_by; i++) {
		if (prepare(series, err) < 0 ||
		    pair_run_silently(&series->programs[i % 2], &series->input, number_of_run(series),
				      &series->pairs->cut_by, err) < 0)
			return error_in(err, "%s", series->request->commands[i % 2].text);
		series->warmed++;
	}
	return 0;
}

/* ---- a turn ---- */

static int pairs_measure_one(struct turn *turn, struct error *err)
{
	const struct setup setup = setup_of(turn);

	if (turn->series->pairs->way == PAIRS_TIMED)
		return measure_time(turn, err);
	return measure_with_input(turn, &setup, turn->series->request->question, err);
}

/* topdown itself too, so that the program inherits it. */
static void take_cpus(const cpu_set_t *cpus)
{
	if (cpus)
		sched_setaffinity(0, sizeof(*cpus), cpus);
}

/* The first result of a side is its measurement; the others are further repeats of it. */
static void keep_result(struct series *series, const struct turn *turn)
{
	const struct measurement *result = turn->result;
	struct measurement *side = &series->pairs->sides[turn->side];
	struct repeat *repeats;

	if (!series->pairs->cut_by)
		series->pairs->cut_by = result->interrupted_by;
	if (turn->pair) {
		if (!series->pairs->cut_by && result->count)
			side->parts[0].repeats[turn->pair] = result->parts[0].repeats[0];
		return;
	}
	*side = *result;
	repeats = arena_array(series->arena, series->runs + result->parts[0].nrepeats,
			      sizeof(*repeats)); /* layouts too */
	memcpy(repeats, result->parts[0].repeats, result->parts[0].nrepeats * sizeof(*repeats));
	side->parts[0].repeats = repeats;
}

static struct turn turn_of(struct series *series, size_t side, size_t pair)
{
	return (struct turn){ .series = series,
			      .side = side,
			      .pair = pair,
			      .result = arena_alloc(series->arena, sizeof(struct measurement)),
			      .kept = series->arena };
}

static void show_progress(const struct series *series)
{
	if (series->sink->progress)
		series->sink->progress(series->sink->context, series->made + 1, series->runs);
}

static int take_turn(struct series *series, size_t side, size_t pair, struct error *err)
{
	struct turn turn = turn_of(series, side, pair);
	int status;

	show_progress(series);
	if (prepare(series, err) < 0)
		return -1;
	take_cpus(series->allowed);
	status = pairs_measure_one(&turn, err);
	take_cpus(&series->inherited);
	series->made++;
	if (status < 0)
		return error_in(err, "%s", series->request->commands[side].text);
	keep_result(series, &turn);
	return 0;
}

/* ---- both at once ---- */

static int measure_apart(void *context, struct measurement *result, struct error *err)
{
	struct turn *turn = context;

	turn->result = result;
	return pairs_measure_one(turn, err);
}

/* Of those that may be used, the number'th. */
static size_t nth_cpu(const cpu_set_t *cpus, size_t number)
{
	size_t cpu = 0;

	while (!CPU_ISSET(cpu, cpus) || number--)
		cpu++;
	return cpu;
}

/* The signal of a terminal reaches the programs and those that measure them, which answer all the same. */
static void be_patient(bool is_patient)
{
	signal(SIGINT, is_patient ? SIG_IGN : SIG_DFL);
}

static int take_both(struct series *series, size_t pair, struct error *err)
{
	const cpu_set_t *cpus = series->allowed ? series->allowed : &series->inherited;
	struct turn turns[2] = { turn_of(series, 0, pair), turn_of(series, 1, pair) };
	struct pair_process apart[2];
	size_t started = 0;
	int status = 0;

	show_progress(series);
	if (prepare(series, err) < 0)
		return -1;
	for (size_t side = 0; side < 2 && status == 0; side++) {
		const struct pair_process_work work = { measure_apart, &turns[side], nth_cpu(cpus, (side + pair) % 2) };

		status = pair_process_start(&apart[side], &work, err);
		started += status == 0;
	}
	be_patient(true);
	for (size_t side = 0; side < started; side++) {
		int end = pair_process_finish(turns[side].result, &apart[side], series->arena, err);

		status = status < 0 || end < 0 ? -1 : 0;
	}
	be_patient(false);
	series->made += 2;
	for (size_t side = 0; side < 2 && status == 0; side++)
		keep_result(series, &turns[side]);
	return status;
}

static int take_in_turns(struct series *series, size_t pair, size_t first, struct error *err)
{
	if (take_turn(series, first, pair, err) < 0)
		return -1;
	if (series->pairs->cut_by)
		return 0;
	return take_turn(series, !first, pair, err);
}

/* ---- all pairs ---- */

/* Of two pairs that follow each other one begins with the first command, and one with the second. */
static bool begins_with_second(size_t pair, unsigned chance)
{
	bool is_turned = chance >> (pair / 2 % 32) & 1;

	return is_turned != (pair & 1);
}

static unsigned draw_order(void)
{
	unsigned chance = 0;

	if (getrandom(&chance, sizeof(chance), GRND_NONBLOCK) != sizeof(chance))
		chance = (unsigned)getpid() * 2654435761u;
	return chance;
}

static void count_pair(struct series *series, size_t pair)
{
	struct pairs *pairs = series->pairs;

	if (series->pairs->cut_by && pair)
		return;
	pairs->count = pair + 1;
	if (pairs->way == PAIRS_SIMULATED)
		return;
	for (size_t side = 0; side < 2; side++)
		pairs->sides[side].parts[0].nrepeats = pairs->sides[side].parts[0].planned_repeats = pair + 1;
}

/* Two that fail at once would be compared as if they had done their work. */
static int check_statuses(const struct series *series, size_t pair, struct error *err)
{
	for (size_t side = 0; side < 2 && !series->request->takes_failures; side++) {
		const struct repeat *repeat = &series->pairs->sides[side].parts[0].repeats[pair];

		if (repeat->nruns && repeat->runs[0].status && repeat->runs[0].status != STATUS_UNKNOWN)
			return error_set(err,
					 "compare: '%s' ended with exit status %d; {ignore-failure} compares it all "
					 "the same",
					 series->request->commands[side].text, repeat->runs[0].status);
	}
	return 0;
}

static int measure_pairs(struct series *series, struct error *err)
{
	unsigned chance = draw_order();
	size_t wanted = series->runs / 2;

	if (series->pairs->cut_by) {
		err->status = STATUS_OF_SIGNAL + series->pairs->cut_by;
		return error_set(err, "compare: it was cut before the first pair, so there is nothing to compare");
	}
	for (size_t pair = 0; pair < wanted && !series->pairs->cut_by; pair++) {
		int status = series->request->is_duet
				     ? take_both(series, pair, err)
				     : take_in_turns(series, pair, begins_with_second(pair, chance), err);

		if (status < 0)
			return -1;
		if (series->pairs->cut_by && !pair) {
			err->status = STATUS_OF_SIGNAL + series->pairs->cut_by;
			return error_set(err, "compare: the first pair was cut, so there is nothing to compare");
		}
		if (!series->pairs->cut_by && check_statuses(series, pair, err) < 0)
			return -1;
		count_pair(series, pair);
	}
	return 0;
}

/* ---- before them ---- */

static const struct sink silent = { .notice = NULL };

static int choose_way(struct series *series, struct error *err)
{
	const struct pair_request *request = series->request;
	struct target *identified = arena_alloc(series->arena, sizeof(*identified));
	struct request own = {
		.setup = request->setup, .question = request->question, .sink = &silent, .arena = series->arena
	};
	struct target bare;

	series->pairs->way = PAIRS_COUNTED;
	if (request->setup->machine.pmu == PMU_SIM)
		series->pairs->way = PAIRS_SIMULATED;
	if (request->setup->machine.pmu != PMU_AUTO)
		return 0;
	if (target_identify(identified, &own, err) < 0)
		return -1;
	if (limits_have_counters(identified, &own))
		return 0;
	series->pairs->way = PAIRS_TIMED;
	series->described = arena_array(series->arena, 2, sizeof(*series->described));
	target_bare(&bare, identified, &own);
	for (size_t side = 0; side < 2; side++) {
		const struct turn turn = { .series = series, .side = side };
		const struct setup setup = setup_of(&turn);

		own.setup = &setup;
		series->described[side] = *describe(&bare, 0, false, &own);
	}
	say(series, NOTICE_PLAIN,
	    arena_worded(series->arena, "no counter can be opened here, so times are compared; {pmu} sim compares "
					"simulated cycles, and `topdown doctor` says what counting needs"));
	return 0;
}

/* "0-3,8" */
static int parse_cpus(cpu_set_t *cpus, const char *list, struct error *err)
{
	const char *cursor = list, *part;
	uint64_t low, high;
	size_t length;

	CPU_ZERO(cpus);
	while ((length = text_next(&cursor, ",", &part)) > 0) {
		if (!text_range(part, length, &low, &high) || high >= CPU_SETSIZE)
			return error_set(err, "{pin} %s: CPUs are numbers and ranges, such as 0-3,8", list);
		for (uint64_t cpu = low; cpu <= high; cpu++)
			CPU_SET(cpu, cpus);
	}
	return CPU_COUNT(cpus) ? 0 : error_set(err, "{pin} '': which CPUs? Numbers and ranges, such as 0-3,8");
}

static int check_duet(const struct series *series, const cpu_set_t *cpus, struct error *err)
{
	struct stat input;

	if (!series->request->is_duet)
		return 0;
	if (CPU_COUNT(cpus) < 2)
		return error_set(err, "{duet}: both commands run at once, which takes two CPUs, and %d may be used",
				 CPU_COUNT(cpus));
	if (fstat(STDIN_FILENO, &input) == 0 && (S_ISFIFO(input.st_mode) || S_ISSOCK(input.st_mode)))
		return error_set(err, "{duet}: both commands would read from the same pipe; give them a file, or "
				      "</dev/null");
	return 0;
}

static int choose_cpus(struct series *series, struct error *err)
{
	const char *list = series->request->cpus;

	CPU_ZERO(&series->inherited);
	sched_getaffinity(0, sizeof(series->inherited), &series->inherited);
	if (!list)
		return check_duet(series, &series->inherited, err);
	series->allowed = arena_alloc(series->arena, sizeof(*series->allowed));
	if (parse_cpus(series->allowed, list, err) < 0)
		return -1;
	if (sched_setaffinity(0, sizeof(*series->allowed), series->allowed) < 0)
		return error_set(err, "{pin} %s: %s", list, strerror(errno));
	sched_getaffinity(0, sizeof(*series->allowed), series->allowed); /* of those, the ones that there are */
	take_cpus(&series->inherited);
	return check_duet(series, series->allowed, err);
}

static int find_programs(struct series *series, struct error *err)
{
	for (size_t side = 0; side < 2; side++) {
		const struct shell_words *command = &series->request->commands[side].words;

		series->programs[side] =
			(struct program){ .argv = command->words,
					  .is_output_shown = series->request->setup->program.wants_all_output };
		if (program_find(&series->programs[side].path, command->words[0], series->arena, err) < 0)
			return -1;
	}
	return 0;
}

int pairs_measure(struct pairs *pairs, const struct pair_request *request, const struct sink *sink, struct arena *arena,
		  struct error *err)
{
	struct series series = { .request = request, .sink = sink, .pairs = pairs, .arena = arena };
	const struct request asked = { request->question, request->setup, sink, arena };
	unsigned wanted = request->setup->packing.repeats;
	int result;

	*pairs = (struct pairs){ .way = PAIRS_COUNTED };
	if (exclusions_check(&asked, request->setup->machine.pmu, err) < 0)
		return -1;
	if (find_programs(&series, err) < 0 || choose_cpus(&series, err) < 0 || choose_way(&series, err) < 0)
		return -1;
	series.runs = 2 * (pairs->way == PAIRS_SIMULATED ? 1 : wanted ? wanted : USUAL_PAIRS);
	input_init(&series.input, series.runs + 2 * request->warmups + 2);
	result = warm_up(&series, err);
	if (result == 0)
		result = measure_pairs(&series, err);
	if (result == 0 && pairs->cut_by)
		pairs->remark = arena_printf(arena, "Interrupted: %zu of %zu pairs were measured.", pairs->count,
					     series.runs / 2);
	for (size_t side = 0; side < 2 && result == 0 && pairs->way != PAIRS_SIMULATED && !pairs->cut_by; side++)
		sample(&series, side);
	input_release(&series.input);
	return result;
}
