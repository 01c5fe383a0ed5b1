/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/model/predictor.h"

#include "simulator/model/host.h"

#define ONE_TARGET    63 /* times in a row */
#define STATES	      8	 /* of a counter of the tables */
#define SHORT_LENGTH  11
#define MIDDLE_LENGTH 40
#define MIX	      0xd6e8feb86659fd93u

/* An entry of a table: where it would know a branch, and under which tag. */
struct table_entry {
	uint32_t row;
	uint16_t tag;
};

/* What the tables know of a branch: the counter of the longest history, and that of the next shorter one. */
struct knowledge {
	uint16_t state, other;
	int table; /* -1: none, both are the bias */
};

/* A branch that goes the other way puts what is expected of it in doubt; when it does so again, that is expected. */
static int8_t next_bias(int bias, bool is_taken)
{
	int doubt = bias < 0 ? -1 : 0;

	if ((bias >= 0) != is_taken)
		return (int8_t)(bias == doubt ? ~doubt : doubt);
	if (is_taken)
		return (int8_t)(bias < BIASED ? bias + 1 : BIASED);
	return (int8_t)(bias > ~BIASED ? bias - 1 : ~BIASED);
}

#define SHORT_INDIRECT 10 /* bits */
#define ANY_INDIRECT   40 /* where parameters do not say */

static uint64_t lowest_bits(uint32_t bits)
{
	return (UINT64_C(1) << bits) - 1;
}

static void predictor_init_indirect(struct predictor *p, const struct parameters *parameters)
{
	uint32_t bits = parameters->indirect_history ? parameters->indirect_history : ANY_INDIRECT;

	p->by_outcomes = parameters->indirect_outcomes != 0;
	if (p->by_outcomes)
		bits = parameters->indirect_outcomes;
	p->indirect_masks[0] = lowest_bits(bits < SHORT_INDIRECT ? bits : SHORT_INDIRECT);
	p->indirect_masks[1] = lowest_bits(bits);
}

static uint32_t at_least_a_set(uint32_t targets)
{
	return targets > TARGET_WAYS ? targets : TARGET_WAYS;
}

static void predictor_init_targets(struct predictor *predictor, const struct parameters *parameters)
{
	uint32_t all = at_least_a_set(parameters->branch_targets), near = at_least_a_set(parameters->near_targets);

	if (parameters->near_targets && near < all) {
		cache_init(&predictor->targets, near, TARGET_WAYS);
		cache_init(&predictor->all_targets, all, TARGET_WAYS);
	} else {
		cache_init(&predictor->targets, all, TARGET_WAYS);
	}
}

void predictor_init(struct predictor *predictor, const struct parameters *parameters)
{
	predictor_init_targets(predictor, parameters);
	predictor->return_depth = parameters->return_stack;
	predictor->returns = sim_allocate(predictor->return_depth, sizeof(*predictor->returns));
	while (1u << predictor->entry_bits < parameters->predictor_entries)
		predictor->entry_bits++;
	for (unsigned i = 0; i < TAGE_TABLES; i++) {
		predictor->tage[i] = sim_allocate(1u << predictor->entry_bits, sizeof(*predictor->tage[i]));
		predictor->useful[i] = sim_allocate(1u << predictor->entry_bits, sizeof(*predictor->useful[i]));
	}
	predictor_init_indirect(predictor, parameters);
	predictor->random = 1;
	for (int bias = INT8_MIN; bias <= INT8_MAX; bias++)
		for (int is_taken = 0; is_taken < 2; is_taken++)
			predictor->next_biases[(uint8_t)bias][is_taken] = next_bias(bias, is_taken);
}

/*
 * Each table sees more of the past than the one before: 11, 40 and 128 branches, a geometric series. The lower 40 bits
 * of a product are made of the lower 40 bits of its factors only, so their upper ones are a hash of the last 40
 * outcomes, and of no others (multiply-shift hashing: Dietzfelbinger and others, J. Algorithms 25, 1997).
 */
static inline uint64_t mix_middle(struct recent_values past, uint64_t hash)
{
	return past.recent * MIX + hash;
}

/*
 * A bit of the factors changes only those of the product that are not below it: what the upper half has
 * of the past goes down first.
 */
static inline uint64_t mix_longest(struct recent_values past, uint64_t mixed)
{
	return ((mixed >> 32 | mixed << 32) + past.older) * MIX;
}

static inline struct table_entry short_entry(struct recent_values past, uint64_t hash, unsigned entry_bits)
{
	uint64_t row = hash >> (64 - entry_bits) ^ (past.recent & ((1u << SHORT_LENGTH) - 1));

	return (struct table_entry){ .row = (uint32_t)row, .tag = (uint16_t)(hash >> 32) };
}

/* By the upper ones of so many lower bits. */
static inline struct table_entry mixed_entry(uint64_t mixed, unsigned bits, unsigned entry_bits)
{
	return (struct table_entry){ .row = (uint32_t)(mixed >> (bits - entry_bits)) & ((1u << entry_bits) - 1),
				     .tag = (uint16_t)(mixed >> (bits - entry_bits - 16)) };
}

static inline void find_entries(const struct predictor *p, struct recent_values past, uint64_t hash,
				struct table_entry entries[TAGE_TABLES])
{
	uint64_t mixed = mix_middle(past, hash);

	entries[0] = short_entry(past, hash, p->entry_bits);
	entries[1] = mixed_entry(mixed, MIDDLE_LENGTH, p->entry_bits);
	entries[2] = mixed_entry(mix_longest(past, mixed), 64, p->entry_bits);
}

/* A counter, if it is below STATES; otherwise the tag is another one. */
static inline uint16_t state_at(const struct predictor *p, int table, struct table_entry entry)
{
	return p->tage[table][entry.row] ^ entry.tag;
}

/* That of a table, or of those before it. */
static inline uint16_t state_from(const struct predictor *p, int table, struct table_entry entry, uint16_t before)
{
	uint16_t state = state_at(p, table, entry);

	return state < STATES ? state : before;
}

static inline uint16_t sure(bool is_taken)
{
	return is_taken ? STATES - 1 : 0;
}

static bool says_taken(uint16_t state)
{
	return state >= STATES / 2;
}

static int8_t step(int8_t counter, bool up, int8_t least, int8_t most)
{
	if (up)
		return counter < most ? (int8_t)(counter + 1) : counter;
	return counter > least ? (int8_t)(counter - 1) : counter;
}

/* A wrong prediction gets an entry with a longer history, if one can be spared. */
static void predictor_allocate(struct predictor *p, const struct table_entry *entries, int from, bool is_taken)
{
	p->random = p->random * 1664525u + 1013904223u;
	if (from < TAGE_TABLES - 1 && (p->random >> 28 & 3) == 0)
		from++; /* not always the nearest one */
	for (int i = from; i < TAGE_TABLES; i++) {
		uint8_t *useful = &p->useful[i][entries[i].row];

		if (*useful) {
			--*useful;
			continue;
		}
		p->tage[i][entries[i].row] = entries[i].tag ^ (is_taken ? STATES / 2 : STATES / 2 - 1);
		return;
	}
}

static struct knowledge find_known(const struct predictor *p, const struct table_entry *entries, int8_t bias)
{
	struct knowledge known = { .state = sure(bias >= 0), .other = sure(bias >= 0), .table = -1 };

	for (int i = 0; i < TAGE_TABLES; i++) {
		uint16_t state = state_at(p, i, entries[i]);

		if (state < STATES)
			known = (struct knowledge){ .state = state, .other = known.state, .table = i };
	}
	return known;
}

/*
 * Learns from an outcome that a table predicted. Returns what was to be expected: an entry
 * that is new may not be trusted.
 */
static bool learn_found(struct predictor *p, struct table_entry entry, const struct knowledge *known, bool is_taken)
{
	uint8_t *useful = &p->useful[known->table][entry.row];
	bool said = says_taken(known->state), other = says_taken(known->other), expected = said;

	if (said != other) {
		if (!*useful && (known->state == STATES / 2 || known->state == STATES / 2 - 1)) {
			expected = p->trust_new >= 0 ? said : other;
			p->trust_new = step(p->trust_new, said == is_taken, -8, 7);
		}
		*useful = (uint8_t)step((int8_t)*useful, said == is_taken, 0, 3);
	}
	p->tage[known->table][entry.row] = entry.tag ^ (uint16_t)step((int8_t)known->state, is_taken, 0, STATES - 1);
	return expected;
}

static __attribute__((noinline)) enum prediction find_target(struct predictor *p, uint32_t *set, uint64_t hash)
{
	uint32_t tag = (uint32_t)hash;

	if (cache_search(set, TARGET_WAYS, tag))
		return PREDICTION_RIGHT;
	if (!p->all_targets.shape.sets)
		return PREDICTION_UNKNOWN;
	set = predictor_target_set(&p->all_targets, hash);
	return cache_search(set, TARGET_WAYS, tag) ? PREDICTION_FAR : PREDICTION_UNKNOWN;
}

/* Does fetch know of a taken branch? It does afterwards. */
static inline enum prediction know_target(struct predictor *p, uint64_t hash)
{
	uint32_t *set = predictor_targets(p, hash);

	return LIKELY(set[0] == (uint32_t)hash) ? PREDICTION_RIGHT : find_target(p, set, hash);
}

static __attribute__((noinline)) enum prediction wrong(struct predictor *p, uint64_t hash, bool is_taken)
{
	if (is_taken)
		(void)know_target(p, hash);
	return PREDICTION_WRONG;
}

/* What a branch did, and its bias before. */
struct outcome {
	int8_t bias;
	bool is_taken;
};

static __attribute__((noinline)) enum prediction learn(struct predictor *p, uint64_t hash, struct recent_values past,
						       struct outcome outcome)
{
	struct table_entry entries[TAGE_TABLES];
	struct knowledge known;
	bool expected;

	find_entries(p, past, hash, entries);
	known = find_known(p, entries, outcome.bias);
	expected = known.table < 0 ? says_taken(known.state)
				   : learn_found(p, entries[known.table], &known, outcome.is_taken);
	if (expected == outcome.is_taken)
		return outcome.is_taken ? know_target(p, hash) : PREDICTION_RIGHT;
	if (known.table < TAGE_TABLES - 1)
		predictor_allocate(p, entries, known.table + 1, outcome.is_taken);
	return wrong(p, hash, outcome.is_taken);
}

/*
 * By the branch's past and that of those before it. There is nothing to learn from what the
 * longest history is already sure of.
 */
static inline enum prediction by_history(struct predictor *p, uint64_t hash, struct recent_values past,
					 struct outcome outcome)
{
	uint64_t mixed = mix_middle(past, hash);
	uint16_t state = sure(outcome.bias >= 0);

	state = state_from(p, 0, short_entry(past, hash, p->entry_bits), state);
	state = state_from(p, 1, mixed_entry(mixed, MIDDLE_LENGTH, p->entry_bits), state);
	state = state_from(p, 2, mixed_entry(mix_longest(past, mixed), 64, p->entry_bits), state);
	if (!LIKELY(state == sure(outcome.is_taken)))
		return learn(p, hash, past, outcome);
	return outcome.is_taken ? know_target(p, hash) : PREDICTION_RIGHT;
}

/* BIASED or ~BIASED: the others are between them. */
static inline bool is_biased(int8_t bias)
{
	return (uint8_t)(bias + BIASED) >= 2 * BIASED;
}

/*
 * A branch that has gone one way for long is expected to go on so, and the tables are left to those that need them (a
 * filter: Chang, Evers and Patt, PACT 1996): it would be right there too, and most branches are like that.
 */
static inline enum prediction conditional(struct predictor *p, uint64_t hash, uint64_t is_taken)
{
	const struct recent_values past = p->past;
	int8_t *known = &p->biases[hash & ((1u << BIAS_BITS) - 1)], bias = *known,
	       next = p->next_biases[(uint8_t)bias][is_taken];

	predictor_remember(p, 1, is_taken);
	if (next == bias)
		return is_taken ? know_target(p, hash) : PREDICTION_RIGHT;
	*known = next;
	if (is_biased(bias))
		return wrong(p, hash, is_taken);
	return by_history(p, hash, past, (struct outcome){ .bias = bias, .is_taken = is_taken });
}

static struct indirect_entry *indirect_at(struct predictor *p, unsigned table, uint64_t hash, uint32_t *tag)
{
	uint64_t last = p->past.recent & p->indirect_masks[table], mixed = (last * MIX ^ hash) * (MIX + 2 * table);

	*tag = (uint32_t)mixed | 1;
	return &p->indirect[table][mixed >> (64 - INDIRECT_BITS)];
}

static void learn_indirect(struct indirect_entry *entry, uint32_t tag, uint64_t target, uint32_t confidence)
{
	if (entry->tag == tag && entry->target == target) {
		if (entry->confidence < 3)
			entry->confidence++;
	} else if (entry->confidence) {
		entry->confidence--;
	} else {
		*entry = (struct indirect_entry){ .tag = tag, .target = target, .confidence = confidence };
	}
}

/* The longest history that knows the branch decides, else its last target. */
static __attribute__((noinline)) bool indirect_by_history(struct predictor *p, uint64_t hash, uint64_t *last,
							  uint64_t target)
{
	uint64_t said = *last >> 8;

	*last = said == target ? *last + 1 : target << 8;
	for (unsigned i = 0; i < INDIRECT_TABLES; i++) {
		uint32_t tag;
		struct indirect_entry *entry = indirect_at(p, i, hash, &tag);

		if (entry->tag == tag)
			said = entry->target;
		learn_indirect(entry, tag, target, p->by_outcomes);
	}
	if (!p->by_outcomes)
		predictor_remember(p, 5, (target >> 2 ^ target >> 7 ^ target >> 12) & 31);
	return said == target;
}

/* One that has had one target for long says nothing of what comes after it either: most are jumps into libraries. */
static inline bool indirect(struct predictor *p, uint64_t hash, uint64_t target)
{
	uint64_t *last = &p->last_targets[hash >> (64 - INDIRECT_LAST_BITS)];

	p->has_targets = *last != (target << 8 | ONE_TARGET);
	return LIKELY(!p->has_targets) || indirect_by_history(p, hash, last, target);
}

static void predictor_push(struct predictor *p, uint64_t address)
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

static __attribute__((noinline)) enum prediction unconditional(struct predictor *p, const struct block *block,
							       uint64_t next)
{
	switch ((enum branch)block->branch) {
	case BRANCH_RETURN:
		if (pop(p) != next)
			return PREDICTION_WRONG;
		break;
	case BRANCH_CALL: predictor_push(p, block->end); break;
	case BRANCH_INDIRECT_CALL: predictor_push(p, block->end); /* fall through */
	case BRANCH_INDIRECT: return indirect(p, block->branch_hash, next) ? PREDICTION_RIGHT : PREDICTION_WRONG;
	case BRANCH_DIRECT: break;
	case BRANCH_CONDITIONAL:
	case BRANCH_NONE:
	default: return PREDICTION_RIGHT;
	}
	return know_target(p, block->branch_hash);
}

/* A call of its own: its many values would drive out of registers what its callers keep there for their loops. */
__attribute__((noinline)) enum prediction predictor_branch(struct predictor *p, const struct block *block,
							   uint64_t next)
{
	if (block->branch == BRANCH_CONDITIONAL)
		return conditional(p, block->branch_hash, next != block->end);
	return unconditional(p, block, next);
}
