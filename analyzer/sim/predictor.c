/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/predictor.h"

#include "sim/memory.h"

#define HASH 0x9e3779b97f4a7c15u

/* Branches of the past that each table sees: a geometric series. */
static const uint8_t history_lengths[TAGE_TABLES] = { 5, 12, 27, 64, 140 };

/* What a table is asked for: its row, and the tag that tells others' branches apart. */
struct place {
	struct tage_entry *entry;
	uint16_t tag;
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

static void look_up(struct predictor *p, uint64_t address, struct place places[TAGE_TABLES])
{
	uint64_t where = (address ^ address >> 17) * 0xd6e8feb86659fd93u;

	for (unsigned i = 0; i < TAGE_TABLES; i++) {
		uint64_t mixed = (fold(p, history_lengths[i]) ^ where) * (HASH + 2 * i);

		places[i].entry = &p->tage[i][mixed >> (64 - TAGE_BITS)];
		places[i].tag = (uint16_t)(mixed >> 32 & 0xfff) | 0x1000; /* never that of an empty entry */
	}
}

/* The table with the longest history below limit that knows the branch, or -1. */
static int longest(const struct place places[TAGE_TABLES], int limit)
{
	for (int i = limit - 1; i >= 0; i--)
		if (places[i].entry->tag == places[i].tag)
			return i;
	return -1;
}

static int8_t step(int8_t counter, bool up, int8_t least, int8_t most)
{
	if (up)
		return counter < most ? (int8_t)(counter + 1) : counter;
	return counter > least ? (int8_t)(counter - 1) : counter;
}

/* A wrong prediction gets an entry with a longer history, if one can be spared. */
static void allocate(struct predictor *p, const struct place places[TAGE_TABLES], int from, bool is_taken)
{
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

/* True when the outcome was predicted. */
static bool conditional(struct predictor *p, uint64_t address, bool is_taken)
{
	struct place places[TAGE_TABLES];
	int8_t *bimodal = &p->bimodal[(address ^ address >> BIMODAL_BITS) & ((1 << BIMODAL_BITS) - 1)];
	bool other = *bimodal >= 0, said;
	int found, second;

	look_up(p, address, places);
	found = longest(places, TAGE_TABLES);
	second = longest(places, found);
	if (second >= 0)
		other = places[second].entry->counter >= 0;
	said = other;
	if (found >= 0 && (p->trust_new >= 0 || !is_new(places[found].entry)))
		said = places[found].entry->counter >= 0;
	if (said != is_taken && found < TAGE_TABLES - 1)
		allocate(p, places, found + 1, is_taken);
	if (found >= 0)
		learn_found(p, places[found].entry, other, is_taken);
	if (found < 0 || is_new(places[found].entry))
		*bimodal = step(*bimodal, is_taken, -2, 1);
	remember(p, 1, is_taken);
	return said == is_taken;
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

enum prediction predictor_branch(struct predictor *p, const struct branch_event *event)
{
	bool is_taken = true, is_known;

	switch ((enum branch)event->branch) {
	case BRANCH_CONDITIONAL:
		is_taken = event->target != event->fallthrough;
		if (!conditional(p, event->address, is_taken)) {
			if (is_taken)
				cache_access(&p->targets, event->address);
			return PREDICTION_WRONG;
		}
		break;
	case BRANCH_RETURN: return pop(p) == event->target ? PREDICTION_RIGHT : PREDICTION_WRONG;
	case BRANCH_CALL: push(p, event->fallthrough); break;
	case BRANCH_INDIRECT_CALL: push(p, event->fallthrough); /* fall through */
	case BRANCH_INDIRECT: return indirect(p, event->address, event->target) ? PREDICTION_RIGHT : PREDICTION_WRONG;
	case BRANCH_DIRECT: break;
	case BRANCH_NONE:
	default: return PREDICTION_RIGHT;
	}
	if (!is_taken)
		return PREDICTION_RIGHT;
	is_known = cache_access(&p->targets, event->address);
	return is_known ? PREDICTION_RIGHT : PREDICTION_UNKNOWN;
}
