/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/simulate/native.h"

#include <math.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include "collect/perf/abilities.h"
#include "common/base/text.h"
#include "common/system/loop.h"
#include "common/system/signal_table.h"

/* ---- may it run again? ---- */

/* What a call did, with its path or descriptor; by the names of simulator/wire.h. */
static const struct effect_words {
	const char *call, *words;
} effect_words[] = {
	{ "open", "it opened %s for writing" },
	{ "device", "it opened %s, a device or a pipe" },
	{ "write", "it wrote to a terminal or a file that it was given (descriptor %s)" },
	{ "read", "it read from a terminal or another input that is there only once (descriptor %s)" },
	{ "seek", "it moved the position in a file that it was given (descriptor %s)" },
	{ "lock", "it locked a file that it was given (descriptor %s)" },
	{ "fcntl", "it changed the flags or the locks of a file that it was given (descriptor %s)" },
	{ "socket", "it opened a socket to the kernel or to a device%s" },
	{ "setsockopt", "it changed a socket's options%s" },
	{ "unlink", "it removed %s" },
	{ "rename", "it renamed %s" },
	{ "mkdir", "it made the directory %s" },
	{ "mknod", "it made %s" },
	{ "link", "it made the link %s" },
	{ "chmod", "it changed the rights of %s" },
	{ "chown", "it changed the owner of %s" },
	{ "utime", "it changed the times of %s" },
	{ "connect", "it opened a connection%s" },
	{ "bind", "it took an address for a socket%s" },
	{ "send", "it sent data through a socket%s" },
	{ "kill", "it sent a signal to another process%s" },
	{ "setsid", "it left its session%s" },
	{ "setpgid", "it left its process group%s" },
	{ "given", "it used a file that it was given (descriptor %s)" },
	{ "exec", "it starts %s, which has other rights than topdown" },
	{ "listen", "it listened on a socket%s" },
	{ "unknown", "it made system call %s, which the simulator does not know" },
	{ "", "it made system call %s, which may change something" },
};

static const char *effect_text(const struct simulated_effects *effects, struct arena *arena)
{
	const char *what = effects->what ? effects->what : "", *place;

	for (size_t i = 0; i < COUNT_OF(effect_words); i++) {
		const char *words = effect_words[i].words;

		if (strcmp(effects->call, effect_words[i].call) != 0)
			continue;
		place = strstr(words, "%s");
		if (!*what && place[-1] == ' ')
			what = "a file";
		return arena_printf(arena, "%.*s%s%s", (int)(place - words), words, what, place + 2);
	}
	return arena_printf(arena, "it made the system call %s%s%s", effects->call, *what ? " on " : "", what);
}

const char *native_effect(const struct simulated_effects *effects, struct arena *arena)
{
	return effects->call ? effect_text(effects, arena) : NULL;
}

/* Whatever the choice is. */
static const char *never_text(const struct simulated_end_of_run *simulated, struct arena *arena)
{
	const struct simulated_effects *effects = simulated->effects;

	if (simulated->more)
		return simulated->more;
	if (effects->has_listened)
		return "it is a server (it listened on a socket)";
	if (effects->stop_signal)
		return arena_printf(arena, "it was asked to end (%s)", signal_name(effects->stop_signal));
	if (simulated->status > 128)
		return arena_printf(arena, "it ended with status %d", simulated->status);
	return NULL;
}

#define LEAST_S 0.005 /* of modelled time; natively it would hardly take the 10 ms that can be compared */

const char *native_obstacle(const struct simulated_end_of_run *simulated, enum anchor_choice choice,
			    struct arena *arena)
{
	const char *never = never_text(simulated, arena);

	if (never || choice == ANCHOR_ALWAYS)
		return never;
	if (simulated->status)
		return arena_worded(arena, "it ended with status %d; {anchor} always runs it once more",
				    simulated->status);
	if (simulated->effects->call)
		return arena_worded(arena, "%s; {anchor} always runs it once more",
				    effect_text(simulated->effects, arena));
	return NULL;
}

/* ---- the run ---- */

/*
 * A native run is ended after ten times what was modelled and a second, for what it waits for; but not before it took
 * as long as the simulation, which the same load of the machine made as slow, and much slower by itself.
 */
#define LIMIT_FACTOR 10
#define LIMIT_MORE_S 1.0
#define GRACE_S	     0.5 /* between SIGTERM and SIGKILL */

/* It, and all that it has started, wherever that went. */
static void end_all(struct child *child, struct signals *signals)
{
	descendants_end(&signals->descendants, REACH_ALL, GRACE_S);
	while (!child_has_ended(child)) {
		kill(child->pid, SIGKILL); /* without /proc */
		poll(NULL, 0, 10);
	}
}

/* What is waited for while it runs. */
struct watched {
	struct child *child;
	struct signals *signals;
	struct loop loop;
	struct loop_descriptor signal_file;
	struct loop_alarm due;
	struct loop_descriptor held;
	bool is_first;	    /* it has the terminal, and may end by itself where that interrupts it */
	bool is_ended_here; /* its time was up, or topdown was interrupted */
};

static int signal_came(void *context, struct error *err UNUSED)
{
	struct watched *w = context;

	signals_take(w->signals, w->child->pid);
	w->is_ended_here = w->signals->is_interrupted && !w->is_first && !child_has_ended(w->child);
	if (w->is_first && w->signals->has_to_end && !w->due.is_set)
		loop_set(&w->loop, &w->due, clock_now() + ENDING_S);
	if (w->is_ended_here || child_has_ended(w->child))
		loop_stop(&w->loop);
	return 0;
}

static int time_is_up(void *context, struct error *err UNUSED)
{
	struct watched *w = context;

	w->is_ended_here = true;
	loop_stop(&w->loop);
	return 0;
}

/* Ended without a word: it shall do nothing more. */
static int is_held(void *context, struct error *err UNUSED)
{
	struct watched *w = context;

	while (descendants_signal(&w->signals->descendants, SIGKILL, REACH_ALL) > 0 && !child_has_ended(w->child))
		poll(NULL, 0, 1);
	while (!child_has_ended(w->child)) {
		kill(w->child->pid, SIGKILL);
		poll(NULL, 0, 1);
	}
	loop_stop(&w->loop);
	return 0;
}

/* Until the supervisor holds it, or it ends. */
static void wait_first(struct child *child, const struct plain_run *run, struct arena *arena)
{
	struct watched w = { .child = child, .signals = run->signals, .is_first = true };
	struct error ignored = { .text = "" };

	loop_init(&w.loop, arena);
	w.signal_file = (struct loop_descriptor){
		.fd = run->signals->fd, .events = POLLIN, .call = signal_came, .context = &w
	};
	w.held = (struct loop_descriptor){
		.fd = run->supervisor->news, .events = POLLIN, .call = is_held, .context = &w
	};
	w.due = (struct loop_alarm){ .call = time_is_up, .context = &w };
	loop_add(&w.loop, &w.held);
	loop_add(&w.loop, &w.signal_file);
	observers_attach(run->observers, &w.loop);
	if (!child_has_ended(child) && loop_run(&w.loop, &ignored) < 0)
		w.is_ended_here = true;
	if (w.is_ended_here)
		end_all(child, run->signals);
}

/* False: it did not end by itself, and was ended. */
static bool wait_until(double due_s, struct child *child, const struct plain_run *run, struct arena *arena)
{
	struct watched w = { .child = child, .signals = run->signals };
	struct error ignored = { .text = "" };

	loop_init(&w.loop, arena);
	w.signal_file = (struct loop_descriptor){
		.fd = run->signals->fd, .events = POLLIN, .call = signal_came, .context = &w
	};
	w.due = (struct loop_alarm){ .call = time_is_up, .context = &w };
	loop_add(&w.loop, &w.signal_file);
	loop_set(&w.loop, &w.due, due_s);
	observers_attach(run->observers, &w.loop);
	/* What has ended already has sent its signal before it was waited for. */
	if (!child_has_ended(child) && loop_run(&w.loop, &ignored) < 0)
		w.is_ended_here = true;
	if (w.is_ended_here)
		end_all(child, run->signals);
	return !w.is_ended_here;
}

static double tick_length(void)
{
	struct timespec tick;

	/* The coarse clocks advance with each tick. */
	return clock_getres(CLOCK_MONOTONIC_COARSE, &tick) < 0 ? 0 : (double)tick.tv_sec + (double)tick.tv_nsec * 1e-9;
}

/* What the kernel has counted of it. */
static const struct software *software_of(struct observer *const *observers, struct arena *arena)
{
	struct count_run run = { .software = NULL };
	struct repeat repeat = { .runs = &run, .nruns = 1 };

	observers_read(observers);
	observers_add(observers, &(struct observed){ .repeat = &repeat, .arena = arena });
	return run.software;
}

/* What is the same for all native runs. */
struct natively {
	const struct simulated_end_of_run *simulated;
	const struct anchor_wish *wish;
	double limit_s;
	struct arena *arena;
};

static void take_times(struct anchor *anchor, const struct child *child)
{
	anchor->user_s = child->user_s;
	anchor->cpu_s = child->cpu_s > 0 ? child->cpu_s : 0;
	anchor->faults = child->faults > 0 ? child->faults : 0;
	anchor->preemptions = child->preemptions > 0 ? child->preemptions : 0;
	anchor->waited_s = child->used.run_delay_s > 0 ? child->used.run_delay_s : 0;
}

/* Fills the times of one run. Returns why there are none; NULL: the run is as good as the simulated one. */
static const char *run_natively(struct anchor *anchor, const struct natively *natively, const struct plain_run *run)
{
	struct error err = { .text = "" };
	double begun = clock_now();
	struct child child;
	bool has_ended;

	descendants_keep(&run->signals->descendants); /* what the simulated run has left is not this one's */
	if (plain_run_start(&child, run, &err) < 0) {
		observers_close(run->observers);
		return arena_strdup(natively->arena, err.text);
	}
	has_ended = wait_until(begun + natively->limit_s, &child, run, natively->arena);
	input_end_run(run->input);
	anchor->wall_s = clock_now() - begun;
	anchor->software = software_of(run->observers, natively->arena);
	observers_close(run->observers);
	if (run->signals->is_interrupted)
		return "topdown was interrupted while the program ran natively";
	if (!has_ended)
		return arena_printf(natively->arena,
				    "the native run was ended after %.0f s: at least %d times the modelled time, and "
				    "no less than the simulation took",
				    natively->limit_s, LIMIT_FACTOR);
	if (child.status != natively->simulated->status)
		return arena_printf(natively->arena, "the native run ended with status %d, the simulated one with %d",
				    child.status, natively->simulated->status);
	take_times(anchor, &child);
	return NULL;
}

#define MOST_RUNS 5
#define ENOUGH_S  1.0 /* of native runs: longer programs need fewer of them */

/* Does nobody else use the core? Where that is not known, nothing speaks against it. */
static bool is_calm(const struct anchor *anchor)
{
	return !(anchor->additions > ADDITIONS_SHARED * anchor->additions_alone);
}

static bool native_is_better(const struct anchor *run, const struct anchor *best)
{
	return is_calm(run) != is_calm(best) ? is_calm(run) : run->cpu_s < best->cpu_s;
}

/* Beside the run, before or after it, whichever took longer. */
static void probe(struct anchor *anchor, const struct natively *natively, double *before)
{
	double after = natively->wish->additions > 0 ? additions_measure(anchor->hz) : 0;

	anchor->additions = fmax(*before, after) > 0 ? fmax(*before, after) : 0;
	anchor->additions_alone = anchor->additions > 0 ? natively->wish->additions : 0;
	*before = after;
}

/* The first of several runs, and what the core was like before it. */
struct several {
	struct anchor first;
	double additions;
};

static struct several several_begin(const struct anchor_wish *wish)
{
	struct several several = { .first = { .user_s = NOT_COUNTED, .hz = clock_rate_measure() } };

	several.additions = wish->additions > 0 ? additions_measure(several.first.hz) : 0;
	return several;
}

/*
 * The run with the least CPU time, which is exact, of those that had the core for themselves. Which part of it is user
 * time, the ticks of all runs say together.
 */
static void run_again(struct anchor *anchor, const struct natively *natively, unsigned most_runs, struct plain_run *run,
		      struct several several)
{
	struct observer *const others[] = { natively->wish->software, NULL };
	struct anchor one = several.first;
	double wall_s = 0, user_s = 0, cpu_s = 0, slowest = INFINITY, after;
	const char *reason = NULL;
	unsigned runs = 0;

	run->observers = others;
	run->scope = SCOPE_USER;
	while (!reason) {
		after = clock_rate_measure();
		slowest = fmin(slowest, fmin(one.hz, after));
		one.hz = fmax(one.hz, after);
		probe(&one, natively, &several.additions);
		if (!runs || native_is_better(&one, anchor))
			*anchor = one;
		wall_s += one.wall_s;
		user_s += one.user_s;
		cpu_s += one.cpu_s;
		if (++runs >= most_runs || wall_s + one.wall_s > ENOUGH_S)
			break;
		run->number++;
		reason = run_natively(&one, natively, run);
	}
	run->observers = NULL;
	anchor->runs = runs;
	anchor->hz_low = isfinite(slowest) ? slowest : 0;
	anchor->tick_s = tick_length();
	if (runs > 1 && cpu_s > 0)
		anchor->user_s = anchor->cpu_s * user_s / cpu_s;
}

#define MOST_BESIDE 4

static void observers_of_first(struct observer *observers[MOST_BESIDE], const struct anchor_wish *wish)
{
	struct observer *const all[] = { wish->software, wish->beside, wish->waits };
	size_t count = 0;

	for (size_t i = 0; i < COUNT_OF(all); i++)
		if (all[i])
			observers[count++] = all[i];
	observers[count] = NULL;
}

static const char *run_several(struct anchor *anchor, const struct natively *natively, unsigned most_runs,
			       struct plain_run run)
{
	struct observer *first[MOST_BESIDE];
	struct several several = several_begin(natively->wish);
	const char *reason;

	observers_of_first(first, natively->wish);
	run.observers = first;
	run.scope = SCOPE_USER;
	reason = run_natively(&several.first, natively, &run);
	anchor->wall_s = several.first.wall_s;
	if (!reason)
		run_again(anchor, natively, most_runs, &run, several);
	return reason;
}

/* NULL: it may. */
static const char *find_obstacle(const struct simulated_end_of_run *simulated, enum anchor_choice choice,
				 const struct plain_run *run, struct arena *arena)
{
	signals_take(run->signals, 0);
	return run->signals->is_interrupted ? "topdown was interrupted" : native_obstacle(simulated, choice, arena);
}

void anchor_measure(struct anchor *anchor, const struct simulated_end_of_run *simulated, const struct anchor_wish *wish,
		    const struct plain_run *run, struct arena *arena)
{
	double modelled_s, limit_s;
	struct natively natively;
	unsigned most_runs;

	*anchor = (struct anchor){ .user_s = NOT_COUNTED, .hz = NOT_COUNTED };
	anchor->reason = find_obstacle(simulated, wish->choice, run, arena);
	if (anchor->reason)
		return;
	modelled_s = simulated->cycles / clock_rate_measure();
	if (!(modelled_s >= 0))
		modelled_s = 0; /* no clock rate: there is none to compare with either, but the user may insist */
	if (modelled_s < LEAST_S && wish->choice == ANCHOR_AUTO) {
		anchor->reason = "a native run takes under 10 ms, too short to compare";
		return;
	}
	limit_s = ceil(fmax(LIMIT_FACTOR * modelled_s + LIMIT_MORE_S, simulated->wall_s));
	natively = (struct natively){ .simulated = simulated, .wish = wish, .limit_s = limit_s, .arena = arena };
	/* What repeats something was asked for once. */
	most_runs = native_obstacle(simulated, ANCHOR_AUTO, arena) ? 1 : MOST_RUNS;
	if (wish->announce)
		wish->announce(wish->context, most_runs, limit_s);
	anchor->reason = run_several(anchor, &natively, most_runs, *run);
}

/* ---- the run that comes first ---- */

static void take_effects(struct native_first *first, const struct supervisor *supervisor, struct arena *arena)
{
	first->is_held = supervisor->is_held;
	first->effect_cpu_s = supervisor->cpu_s;
	first->has_left_scratch = supervisor->has_left_scratch;
	first->effects.has_listened = supervisor->is_server;
	if (!supervisor->has_effect)
		return;
	first->effects.call = arena_strdup(arena, supervisor->call);
	first->effects.what = arena_strdup(arena, supervisor->what);
}

static void take_run(struct native_first *first, const struct child *child)
{
	const struct anchor *anchor = &first->anchor;

	first->run = (struct count_run){ .wall_s = anchor->wall_s,
					 .cpu_s = child->cpu_s,
					 .software = anchor->software,
					 .preemptions = anchor->preemptions,
					 .waited_s = anchor->waited_s,
					 .status = child->status };
}

int native_run_first(struct native_first *first, const struct anchor_wish *wish, struct plain_run *run,
		     struct arena *arena, struct error *err)
{
	struct observer *observers[MOST_BESIDE];
	struct several several = several_begin(wish);
	struct supervisor supervisor = { .mode = SUPERVISE_FIRST };
	struct child child;
	double begun;

	*first = (struct native_first){ .anchor = several.first };
	first->anchor.additions = several.additions;
	observers_of_first(observers, wish);
	run->observers = observers;
	run->scope = is_scope_user_only() ? SCOPE_USER : SCOPE_ALL;
	run->supervisor = &supervisor;
	begun = clock_now();
	if (plain_run_start(&child, run, err) < 0) {
		supervisor_close(&supervisor);
		observers_close(run->observers);
		return -1;
	}
	wait_first(&child, run, arena);
	first->anchor.wall_s = clock_now() - begun;
	supervisor_close(&supervisor);
	signals_take_end(run->signals, child.status);
	input_end_run(run->input);
	run->supervisor = NULL;
	signals_take(run->signals, 0); /* what came together with the end */
	first->is_interrupted = run->signals->is_interrupted;
	take_effects(first, &supervisor, arena);
	first->anchor.software = software_of(run->observers, arena);
	observers_close(run->observers);
	take_times(&first->anchor, &child);
	take_run(first, &child);
	return 0;
}

void native_repeat_first(struct native_first *first, const struct anchor_wish *wish, struct plain_run *run,
			 struct arena *arena)
{
	const struct simulated_end_of_run same = { .status = first->run.status, .effects = &first->effects };
	const struct several several = { first->anchor, first->anchor.additions };
	const struct natively natively = {
		.simulated = &same, .wish = wish, .limit_s = ENOUGH_S + LIMIT_MORE_S, .arena = arena
	};

	run->is_confined = true;
	run_again(&first->anchor, &natively, first->effects.call ? 1 : MOST_RUNS, run, several);
	run->is_confined = false;
}
