/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/model/sharing.h"

#include "simulator/model/host.h"

#define LINE_BITS 14
#define SHARERS	  4    /* of a line: those that came last */
#define CORES	  256  /* whose turns are kept apart */
#define ROUNDS	  2    /* what was done longer ago, in turns of all threads, is over */
#define WHOLE	  256  /* of an access of another core that may have come between two of this one */
#define TOUCHERS  4    /* rows of a sharer that are kept: those that touched the line most */
#define PAIRS	  1024 /* of rows; what more there are is not named */
#define MOST_GAP  4096 /* cycles; a core that comes more seldom does not compete for the line */

/* An instruction that came to the line. */
struct toucher {
	uint64_t bytes;
	uint32_t row, times;
	bool writes;
};

/* What a core did to a line in the last turn in which it came there. */
struct sharer {
	uint64_t read, written; /* bytes */
	uint64_t kept;		/* until when nobody else can have had the line */
	uint32_t core, turn;
	uint32_t reads, writes;
	uint32_t pending; /* in WHOLEs */
	bool has;	  /* no other core has taken it since */
	struct toucher touchers[TOUCHERS];
};

struct shared_line {
	uint64_t line;
	struct sharer sharers[SHARERS];
};

struct sharing {
	struct shared_line lines[1 << LINE_BITS];
	uint64_t lasted[CORES]; /* cycles of each core's last turn */
	struct stamped *near[CORES];
	uint32_t latency, turn, cores;
	struct sharing_pair pairs[PAIRS];
};

struct sharing *sharing_new(uint32_t latency)
{
	struct sharing *sharing = sim_allocate(1, sizeof(*sharing));

	sharing->latency = latency;
	sharing->turn = 1;
	return sharing;
}

void sharing_join(struct sharing *sharing, uint32_t core, struct stamped *near)
{
	sharing->near[core % CORES] = near;
	stamped_hide_all(near);
}

void sharing_turn(struct sharing *sharing, uint32_t before, uint64_t cycles)
{
	sharing->lasted[before % CORES] = cycles;
	sharing->cores = before > sharing->cores ? before : sharing->cores;
	sharing->turn++;
}

static struct shared_line *line_of(struct sharing *sharing, uint64_t line)
{
	return &sharing->lines[(line ^ line >> LINE_BITS) & ((1 << LINE_BITS) - 1)];
}

/* Others see from now on when they come to the line. */
static void show_line(const struct sharing *sharing, const struct shared_line *shared)
{
	for (const struct sharer *s = shared->sharers; s < shared->sharers + SHARERS; s++)
		if (s->core)
			stamped_hide(sharing->near[s->core % CORES], shared->line);
}

/* The core's entry, which is new where it has none. */
static struct sharer *sharer_of(const struct sharing *sharing, struct shared_line *shared, uint32_t core)
{
	struct sharer *oldest = shared->sharers;

	for (struct sharer *s = shared->sharers; s < shared->sharers + SHARERS; s++) {
		if (s->core == core)
			return s;
		if (s->turn < oldest->turn)
			oldest = s;
	}
	show_line(sharing, shared);
	*oldest = (struct sharer){ .core = core };
	return oldest;
}

/* What others do at the same time, as far as it is in the way of a touch. */
struct rivals {
	uint32_t count;	   /* that come often */
	uint32_t pending;  /* how much of an access of theirs comes between */
	bool has_taken;	   /* the line is another's */
	bool same, writes; /* the same bytes; it writes them */
};

static bool is_rival(const struct touch *touch, const struct sharer *other)
{
	return other->core && other->core != touch->core &&
	       (touch->is_store ? other->read | other->written : other->written);
}

static void add_rival(const struct sharing *sharing, const struct touch *touch, const struct sharer *me,
		      const struct sharer *other, struct rivals *rivals)
{
	uint64_t bytes = other->written | (touch->is_store ? other->read : 0), gap;
	uint32_t times = other->writes + (touch->is_store ? other->reads : 0);
	uint64_t passed = touch->time > me->kept ? touch->time - me->kept : 0;

	rivals->same |= (bytes & touch->bytes) != 0;
	rivals->writes |= (other->written & touch->bytes) != 0;
	rivals->has_taken |= touch->is_store ? other->has : !me->has;
	if (sharing->turn - other->turn > ROUNDS * sharing->cores)
		return;
	gap = sharing->lasted[other->core % CORES] / (times ? times : 1) + 1;
	if (gap > MOST_GAP)
		return;
	rivals->count++;
	rivals->pending += touch->is_atomic || passed > gap ? WHOLE : (uint32_t)(passed * WHOLE / gap);
}

/* The line is the core's now; of a store no other's. */
static void sharing_take(struct shared_line *shared, struct sharer *me, const struct touch *touch)
{
	if (touch->is_store)
		for (struct sharer *s = shared->sharers; s < shared->sharers + SHARERS; s++)
			s->has = false;
	me->has = true;
	*(touch->is_store ? &me->written : &me->read) |= touch->bytes;
	me->writes += touch->is_store;
	me->reads += !touch->is_store;
}

/* The row's entry, or that of the one that came least often. */
static void note_toucher(struct sharer *me, const struct touch *touch)
{
	struct toucher *least = me->touchers;

	for (struct toucher *t = me->touchers; t < me->touchers + TOUCHERS; t++) {
		if (t->times && t->row == touch->row) {
			least = t;
			break;
		}
		if (t->times < least->times)
			least = t;
	}
	if (!least->times || least->row != touch->row)
		*least = (struct toucher){ .row = touch->row };
	least->bytes |= touch->bytes;
	least->writes |= touch->is_store;
	least->times++;
}

/* What of the other core's work is in the touch's way: what came most often of that. 0: nothing that is known. */
static uint32_t partner_of(const struct sharer *other, const struct touch *touch, enum transfer kind)
{
	const struct toucher *most = NULL;

	for (const struct toucher *t = other->touchers; t < other->touchers + TOUCHERS; t++)
		if (t->times && (touch->is_store || t->writes) && (kind == TRANSFER_FALSE || t->bytes & touch->bytes) &&
		    (!most || t->times > most->times))
			most = t;
	return most ? most->row : 0;
}

/* Its place in the table, or one that is free; NULL: there is no room near it. */
static struct sharing_pair *pair_of(struct sharing *sharing, uint32_t row, uint32_t partner, enum transfer kind)
{
	uint32_t hash = (row * 0x9e3779b1u ^ partner * 0x85ebca6bu ^ (uint32_t)kind) >> 16;

	for (uint32_t i = 0; i < PAIRS / 16; i++) {
		struct sharing_pair *pair = &sharing->pairs[(hash + i) % PAIRS];

		if (!pair->transfers || (pair->row == row && pair->partner == partner && pair->kind == kind))
			return pair;
	}
	return NULL;
}

static void note_pairs(struct sharing *sharing, const struct shared_line *shared, const struct touch *touch,
		       enum transfer kind)
{
	for (const struct sharer *s = shared->sharers; s < shared->sharers + SHARERS; s++) {
		uint32_t partner = is_rival(touch, s) ? partner_of(s, touch, kind) : 0;
		struct sharing_pair *pair = partner ? pair_of(sharing, touch->row, partner, kind) : NULL;

		if (pair)
			*pair = (struct sharing_pair){ touch->row, partner, kind, pair->transfers + 1 };
	}
}

const struct sharing_pair *sharing_pairs(const struct sharing *sharing, uint32_t *count)
{
	*count = PAIRS;
	return sharing->pairs;
}

void sharing_forget_pairs(struct sharing *sharing)
{
	for (uint32_t i = 0; i < PAIRS; i++)
		sharing->pairs[i].transfers = 0;
}

static enum transfer kind_of(const struct rivals *rivals, const struct sharer *me, const struct touch *touch)
{
	if (!rivals->same)
		return TRANSFER_FALSE;
	return rivals->writes && (touch->is_store || me->written & touch->bytes) ? TRANSFER_CONTESTED : TRANSFER_SHARED;
}

enum transfer sharing_touch(struct sharing *sharing, const struct touch *touch, uint64_t *cycles)
{
	struct shared_line *shared = line_of(sharing, touch->line);
	struct rivals rivals = { .count = 0 };
	enum transfer kind = TRANSFER_NONE;
	struct sharer *me;

	if (shared->line != touch->line)
		*shared = (struct shared_line){ .line = touch->line };
	me = sharer_of(sharing, shared, touch->core);
	if (me->turn != sharing->turn)
		*me = (struct sharer){
			.core = touch->core, .turn = sharing->turn, .has = me->has, .kept = touch->time
		};
	for (const struct sharer *s = shared->sharers; s < shared->sharers + SHARERS; s++)
		if (is_rival(touch, s))
			add_rival(sharing, touch, me, s, &rivals);
	me->pending += rivals.pending;
	/* What the core itself writes its store waits for, not the load before it. */
	if (touch->is_store || touch->is_atomic || !(me->written & touch->bytes))
		if (rivals.has_taken || me->pending >= WHOLE) {
			kind = kind_of(&rivals, me, touch);
			*cycles = (uint64_t)sharing->latency * (rivals.count ? rivals.count : 1);
			me->pending = 0;
			if (touch->row)
				note_pairs(sharing, shared, touch, kind);
		}
	me->kept = touch->time + (kind ? *cycles : 0) > me->kept ? touch->time + (kind ? *cycles : 0) : me->kept;
	sharing_take(shared, me, touch);
	if (touch->row)
		note_toucher(me, touch);
	return kind;
}

bool sharing_is_watched(const struct sharing *sharing, uint64_t line, uint32_t core)
{
	const struct shared_line *shared = &sharing->lines[(line ^ line >> LINE_BITS) & ((1 << LINE_BITS) - 1)];

	if (shared->line != line)
		return false;
	for (uint32_t i = 0; i < SHARERS; i++)
		if (shared->sharers[i].core && shared->sharers[i].core != core)
			return true;
	return false;
}
