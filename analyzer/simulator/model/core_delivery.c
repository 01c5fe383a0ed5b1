/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/model/core_internal.h"

/* A line of code asked for at a time, which is not simply there. */
static __attribute__((noinline)) void await_line(struct core *core, uint64_t line, uint64_t time)
{
	struct supply supply = hierarchy_fetch(&core->hierarchy, line, time);

	if (supply.time <= core->fetch / FETCH_UNIT)
		return;
	core->fetch = supply.time * FETCH_UNIT;
	core->late_until = supply.time;
	/* What would be left if the page were translated. */
	core->late_code = supply.level == LEVEL_L1 ? 0 : supply.time - supply.translation;
	core->late_cause = CAUSE_ITLB;
}

void delivery_fetch_line(struct core *core, uint64_t line, uint32_t before)
{
	uint64_t now, asked;

	if (core->is_cached && core->parameters.uop_cache_fetches == 1)
		core->fetch += -(core->fetch + before) % FETCH_UNIT;
	now = core->fetch / FETCH_UNIT;
	asked = core->predicted < now ? core->predicted : now;
	core->last_line = line;
	if (!hierarchy_hits_code(&core->hierarchy, line, asked))
		await_line(core, line, asked);
	core->is_cached = core->parameters.uop_cache_lines && stamped_access(&core->uop_cache, line);
}

/* The lines of an instruction behind the block's first; that of the block's last byte may have been fetched already. */
static void come_further(struct core *core, const struct insn *insn)
{
	uint64_t last = (insn->address + insn->bytes - 1) >> 6;

	if (insn->address >> 6 > core->last_line)
		delivery_fetch_line(core, insn->address >> 6, 0);
	if (last > core->last_line)
		delivery_fetch_line(core, last, 0);
}

/* What came late comes first, and then what delivery itself takes. */
void delivery_lose(struct core *core, const struct insn *insn, uint64_t delivered)
{
	enum cause cause = core->is_cached ? CAUSE_UOP_CACHE : CAUSE_LEGACY_DECODE;
	uint64_t late = core->late_until + 1, code = core->late_code ? core->late_code + 1 : 0;

	if (insn->flags & INSN_MICROCODED)
		cause = CAUSE_MICROCODE_SWITCH;
	slots_lose(core, delivered < code ? delivered : code, CAUSE_ICACHE, core->base + insn->row);
	slots_lose(core, delivered < late ? delivered : late, (enum cause)core->late_cause, core->base + insn->row);
	slots_lose(core, delivered, cause, core->base + insn->row);
}

void delivery_take(struct core *core, const struct insn *insn, bool *is_cached)
{
	if (insn->flags & INSN_STARTS_LINE && (insn->before || insn->bytes > 64 - (insn->address & 63))) {
		come_further(core, insn);
		*is_cached = core->is_cached;
	}
	core->fetch = later(core->fetch, queue_room(core, -(int32_t)core->parameters.decode_queue)) +
		      (*is_cached ? insn->cached_cost : insn->legacy_cost);
	await_delivery(core, insn, core->fetch / FETCH_UNIT);
}

void delivery_take_first(struct core *core, const struct block *block, uint64_t fetch, bool is_cached)
{
	fetch = later(fetch, queue_room(core, -(int32_t)core->parameters.decode_queue)) +
		(is_cached ? block->first_cached_cost : block->first_legacy_cost);
	await_delivery(core, block->insns, fetch / FETCH_UNIT);
}
