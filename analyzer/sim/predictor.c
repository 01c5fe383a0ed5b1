/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/predictor.h"

#include "sim/memory.h"

#define BIASED 128 /* times in a row */
#define HASH   0x9e3779b97f4a7c15u

/* What a table is asked for: its row, and the tag that tells others' branches apart. */
struct place {
	struct tage_entry *entry;
	uint16_t tag;
};

/* What the tables know of a branch: the entry of the longest history, the next shorter one, and the number of the former's table. */
struct knowledge {
	struct tage_entry *found, *second; /* NULL: none */
	int table;			   /* -1: none */
};

void predictor_init(struct predictor *predictor, const struct parameters *parameters)
{
	cache_init(&predictor->targets, parameters->branch_targets, 4);
	predictor->return_depth = parameters->return_stack;
	predictor->returns = sim_allocate(predictor->return_depth, sizeof(*predictor->returns));
	predictor->random = 1;
}

/* The last length outcomes (up to 192) in one word, each with its weight. */
static uint64_t fold(const struct predictor *p, unsigned length)
{
	uint64_t folded = p->history[0];

	if (length < 64)
		return (folded & ((UINT64_C(1) << length) - 1)) * HASH;
	folded *= HASH;
	if (length > 64)
		folded ^= (p->history[1] * (HASH << 1 | 1)) ^ ((p->history[2] & 0xfff) * (HASH << 2 | 1));
	return folded;
}

static void remember(struct predictor *p, unsigned bits, uint64_t value)
{
	p->history[2] = p->history[2] << bits | p->history[1] >> (64 - bits);
	p->history[1] = p->history[1] << bits | p->history[0] >> (64 - bits);
	p->history[0] = p->history[0] << bits | (value & ((UINT64_C(1) << bits) - 1));
}

/* A table's row for a hash of the branch and its past. */
static inline struct place place_of(struct predictor *p, unsigned table, uint64_t hash)
{
	uint64_t mixed = hash * (HASH + 2 * table);

	return (struct place){ .entry = &p->tage[table][mixed >> (64 - TAGE_BITS)],
			       .tag = (uint16_t)(mixed >> 32 & 0xfff) | 0x1000 }; /* never that of an empty entry */
}

/* Each table sees more of the past than the one before: 5, 12, 27, 64 and 140 branches, a geometric series. */
static inline void look_up(struct predictor *p, uint64_t address, struct place places[TAGE_TABLES])
{
	uint64_t where = (address ^ address >> 17) * 0xd6e8feb86659fd93u, last = p->history[0];

	places[0] = place_of(p, 0, (last & 0x1f) ^ where);
	places[1] = place_of(p, 1, (last & 0xfff) ^ where);
	places[2] = place_of(p, 2, (last & 0x7ffffff) ^ where);
	places[3] = place_of(p, 3, last ^ where);
	places[4] = place_of(p, 4, fold(p, 140) ^ where);
}

static inline struct knowledge find_known(struct predictor *p, uint64_t address)
{
	struct knowledge known = { .table = -1 };
	struct place places[TAGE_TABLES];

	look_up(p, address, places);
#pragma GCC unroll 5
	for (int i = 0; i < TAGE_TABLES; i++) {
		bool is_known = places[i].entry->tag == places[i].tag;

		known.second = is_known ? known.found : known.second;
		known.found = is_known ? places[i].entry : known.found;
		known.table = is_known ? i : known.table;
	}
	return known;
}

static int8_t step(int8_t counter, bool up, int8_t least, int8_t most)
{
	if (up)
		return counter < most ? (int8_t)(counter + 1) : counter;
	return counter > least ? (int8_t)(counter - 1) : counter;
}

/* A wrong prediction gets an entry with a longer history, if one can be spared. */
static __attribute__((noinline)) void allocate(struct predictor *p, uint64_t address, int from, bool is_taken)
{
	struct place places[TAGE_TABLES];

	look_up(p, address, places);
	p->random = p->random * 1664525u + 1013904223u;
	if (from < TAGE_TABLES - 1 && (p->random >> 28 & 3) == 0)
		from++; /* not always the nearest one */
	for (int i = from; i < TAGE_TABLES; i++) {
		struct tage_entry *entry = places[i].entry;

		if (entry->useful) {
			entry->useful--;
			continue;
		}
		*entry = (struct tage_entry){ .tag = places[i].tag, .counter = is_taken ? 0 : -1 };
		return;
	}
}

static bool is_new(const struct tage_entry *entry)
{
	return !entry->useful && (entry->counter == 0 || entry->counter == -1);
}

/* Learns from an outcome that the table `found` predicted, where the next shorter one would have said `other`. */
static void learn_found(struct predictor *p, struct tage_entry *entry, bool other, bool is_taken)
{
	bool said = entry->counter >= 0;

	if (said != other) {
		if (is_new(entry))
			p->trust_new = step(p->trust_new, said == is_taken, -8, 7);
		if (said == is_taken)
			entry->useful = entry->useful < 3 ? (uint8_t)(entry->useful + 1) : 3;
		else if (entry->useful)
			entry->useful--;
	}
	entry->counter = step(entry->counter, is_taken, -4, 3);
}

/* By the branch's past and that of those before it: true when the outcome was predicted. */
static inline bool by_history(struct predictor *p, uint64_t address, struct bimodal_entry *bimodal, bool is_taken)
{
	const struct knowledge known = find_known(p, address);
	bool other = (known.second ? known.second->counter : bimodal->counter) >= 0, said = other;

	if (known.found && (p->trust_new >= 0 || !is_new(known.found)))
		said = known.found->counter >= 0;
	if (said != is_taken && known.table < TAGE_TABLES - 1)
		allocate(p, address, known.table + 1, is_taken);
	if (known.found)
		learn_found(p, known.found, other, is_taken);
	if (!known.found || is_new(known.found))
		bimodal->counter = step(bimodal->counter, is_taken, -2, 1);
	return said == is_taken;
}

/*
 * A branch that has gone one way for long is expected to go on so, and the tables are left to those that need them, as in the bias-free
 * predictor (Gope and Lipasti, MICRO 2014): it would be right there too, and most branches are like that.
 */
static bool conditional(struct predictor *p, uint64_t address, bool is_taken)
{
	struct bimodal_entry *bimodal = &p->bimodal[(address ^ address >> BIMODAL_BITS) & ((1 << BIMODAL_BITS) - 1)];
	bool is_same = (bimodal->counter >= 0) == is_taken, is_right = is_same;

	if (bimodal->streak < BIASED) {
		is_right = by_history(p, address, bimodal, is_taken);
		is_same = (bimodal->counter >= 0) == is_taken && is_same;
	}
	bimodal->streak = (uint8_t)(is_same ? bimodal->streak + (bimodal->streak < BIASED) : 0);
	remember(p, 1, is_taken);
	return is_right;
}

static struct indirect_entry *indirect_place(struct predictor *p, unsigned table, uint64_t address, uint32_t *tag)
{
	static const uint8_t lengths[INDIRECT_TABLES] = { 10, 40 };
	uint64_t mixed = (fold(p, lengths[table]) ^ address * 0xd6e8feb86659fd93u) * (HASH + 2 * table);

	*tag = (uint32_t)mixed | 1;
	return &p->indirect[table][mixed >> (64 - INDIRECT_BITS)];
}

static void learn_indirect(struct indirect_entry *entry, uint32_t tag, uint64_t target)
{
	if (entry->tag == tag && entry->target == target) {
		if (entry->confidence < 3)
			entry->confidence++;
	} else if (entry->confidence) {
		entry->confidence--;
	} else {
		*entry = (struct indirect_entry){ .tag = tag, .target = target };
	}
}

/* The longest history that knows the branch decides, else its last target. */
static bool indirect(struct predictor *p, uint64_t address, uint64_t target)
{
	uint64_t *last = &p->last_targets[(address ^ address >> INDIRECT_LAST_BITS) & ((1 << INDIRECT_LAST_BITS) - 1)];
	uint64_t said = *last;

	for (unsigned i = 0; i < INDIRECT_TABLES; i++) {
		uint32_t tag;
		struct indirect_entry *entry = indirect_place(p, i, address, &tag);

		if (entry->tag == tag)
			said = entry->target;
		learn_indirect(entry, tag, target);
	}
	*last = target;
	remember(p, 5, (target >> 2 ^ target >> 7 ^ target >> 12));
	return said == target;
}

static void push(struct predictor *p, uint64_t address)
{
	p->return_top = p->return_top + 1 < p->return_depth ? p->return_top + 1 : 0;
	p->returns[p->return_top] = address;
}

static uint64_t pop(struct predictor *p)
{
	uint64_t address = p->returns[p->return_top];

	p->return_top = p->return_top ? p->return_top - 1 : p->return_depth - 1;
	return address;
}

/* Branches may lie at the same distance from each other, so that few sets would take all: their addresses are hashed. */
static bool is_known_branch(struct predictor *p, uint64_t address)
{
	return cache_access(&p->targets, address * HASH >> 20);
}

enum prediction predictor_branch(struct predictor *p, const struct branch_event *event)
{
	bool is_taken = true;

	switch ((enum branch)event->branch) {
	case BRANCH_CONDITIONAL:
		is_taken = event->target != event->fallthrough;
		if (!conditional(p, event->address, is_taken)) {
			if (is_taken)
				is_known_branch(p, event->address);
			return PREDICTION_WRONG;
		}
		break;
	case BRANCH_RETURN:
		if (pop(p) != event->target)
			return PREDICTION_WRONG;
		break;
	case BRANCH_CALL: push(p, event->fallthrough); break;
	case BRANCH_INDIRECT_CALL: push(p, event->fallthrough); /* fall through */
	case BRANCH_INDIRECT: return indirect(p, event->address, event->target) ? PREDICTION_RIGHT : PREDICTION_WRONG;
	case BRANCH_DIRECT: break;
	case BRANCH_NONE:
	default: return PREDICTION_RIGHT;
	}
	if (!is_taken)
		return PREDICTION_RIGHT;
	return is_known_branch(p, event->address) ? PREDICTION_RIGHT : PREDICTION_UNKNOWN;
}
