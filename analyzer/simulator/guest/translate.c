/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/guest/translate.h"

#include "simulator/guest/arch.h"
#include "simulator/model/trace.h"

#define LINES_AT_ONCE	(64 * 1024) /* bytes */
#define MICROCODE_SLOTS 8	    /* of what a helper function of VEX does, for want of better */

/* ---- instructions ---- */

/*
 * Slots as the core issues them: what loads carries its operation, what stores is one, else there is one in any case.
 */
static UInt slots_of(const struct walk *w, const struct form *form)
{
	const struct parameters *p = w->translator->parameters;
	const struct insn *insn = w->insn;
	UInt slots = (UInt)insn->loads + insn->stores;

	if (insn->flags & INSN_GATHERS)
		return p->gather_slots + insn->loads * p->gather_lane_slots;
	if (insn->flags & INSN_MICROCODED)
		return slots + (form ? form->slots : MICROCODE_SLOTS);
	if (w->b->computes && !insn->loads && !(insn->flags & INSN_REPEATED))
		slots++;
	if (form && form->slots)
		slots += form->slots - 1u;
	return (slots ? slots : 1) + (w->traits & TRAIT_EXCHANGE ? 1 : 0);
}

/* How long delivery takes, from the micro-op cache and from the decoders. */
static void set_costs(struct insn *insn, unsigned traits, const struct parameters *p)
{
	UInt slots = insn->slots * (traits & TRAIT_LONG_CONSTANT ? 2 : 1),
	     by_width = slots * FETCH_UNIT / p->decode_width;
	UInt by_bytes = insn->bytes * FETCH_UNIT / p->decode_bytes;

	insn->cached_cost = (UShort)(slots * FETCH_UNIT / p->uop_cache_width);
	insn->legacy_cost = (UShort)(by_width > by_bytes ? by_width : by_bytes);
	if (insn->flags & INSN_MICROCODED)
		insn->cached_cost = insn->legacy_cost = (UShort)(slots * FETCH_UNIT / p->microcode_width);
}

/* A compare whose result nobody stored still executes. */
static void add_compare(struct walk *w, unsigned next_traits)
{
	/* ... unless the branch behind it does that too. */
	if (!(w->traits & TRAIT_COMPARE) || w->b->computes || next_traits & TRAIT_CONDITIONAL)
		return;
	flow_add_uop(w->b, KIND_ALU, &w->compared, VALUE_LOCALS);
	w->b->computes++;
}

/* What reads the flags waits for the operation that sets them, and not only for its operands, which VEX keeps. */
static void set_flags(struct walk *w)
{
	struct builder *b = w->b;

	for (UInt i = b->nuops; i > b->first_uop && w->flags_insn == b->ninsns && b->computes; i--) {
		const struct uop *uop = &b->uops[i - 1];

		if (uop->kind >= KIND_LOAD || uop->port == PORT_NONE || uop->target < VALUE_LOCALS)
			continue;
		b->registers[arch_flags()] = uop->target;
		return;
	}
}

#define MOST_FILLERS 16

/* The micro-op that works out the current instruction's result; NULL: it only moves, loads or stores. */
static struct uop *result_of(struct builder *b)
{
	for (UInt i = b->nuops; i > b->first_uop; i--)
		if (b->uops[i - 1].kind < KIND_LOAD && b->uops[i - 1].port != PORT_NONE)
			return &b->uops[i - 1];
	return NULL;
}

/* More micro-ops of a kind, which wait for nothing and nobody waits for: but their unit is busy. */
static void add_fillers(struct builder *b, enum kind kind, UInt count)
{
	const struct flow nothing = { .kind = KIND_NONE };

	for (UInt i = 0; i < count && i < MOST_FILLERS; i++)
		if (flow_add_uop(b, kind, &nothing, VALUE_UNUSED) >= 0) {
			b->uops[b->nuops - 1].latency = 1;
			b->uops[b->nuops - 1].is_known = 1;
		}
}

/*
 * One unit moves what crosses to the other registers, whichever computes it. What comes to general registers, or from
 * them, keeps some of the units busy that add.
 */
static void add_transfer(struct walk *w)
{
	UInt adders = w->translator->parameters->transfer_adders;

	if (w->crossing == CROSSES_NOT || !w->b->computes)
		return;
	add_fillers(w->b, KIND_TRANSFER, 1);
	if (w->crossing != CROSSES_TO_FLAGS)
		add_fillers(w->b, KIND_ALU, w->crossing == CROSSES_TO_GENERAL ? adders : adders / 2);
}

/* Shifters, and what CMOVcc has, are some of the units that add; half of those have LEA with three parts. */
static void take_adder(struct walk *w)
{
	const struct parameters *p = w->translator->parameters;
	const struct uop *result = result_of(w->b);

	if (result && (result->kind == KIND_SHIFT || result->kind == KIND_SELECT) &&
	    block_port(result->kind, p) != PORT_ALU)
		add_fillers(w->b, KIND_ALU, 1);
	if (result && w->traits & TRAIT_LONG_SUM && block_port(result->kind, p) == PORT_ALU)
		add_fillers(w->b, KIND_ALU, 1);
}

/* On some cores a vector's data go to the store queue the way that others go to general registers. */
static void add_vector_stores(struct walk *w)
{
	struct builder *b = w->b;
	UInt last = b->nuops;

	for (UInt i = b->first_uop; i < last && w->translator->parameters->stores_take_transfers; i++)
		if (b->uops[i].kind == KIND_STORE && b->uops[i].is_vector)
			add_fillers(b, KIND_TRANSFER, 1);
}

/* Memory is renamed for MOV, and for what stores where it has loaded; not for a load that is an operand. */
static void mark_operands(struct walk *w)
{
	struct builder *b = w->b;

	if (!b->computes || w->insn->stores)
		return;
	for (UInt i = b->first_uop; i < b->nuops; i++)
		if (b->uops[i].kind == KIND_LOAD)
			b->uops[i].is_operand = 1;
}

/* The units that do nearly anything take a shuffle that is faster than those of shuffles are. */
static void choose_units(struct walk *w, struct uop *result, const struct form *form)
{
	const struct parameters *p = w->translator->parameters;
	struct builder *b = w->b;
	UInt units = p->units[block_port(result->kind, p)];

	if (result->kind == KIND_SHUFFLE && form->apart * units < 80)
		result->kind = KIND_VECTOR;
	units = p->units[block_port(result->kind, p)];
	if (p->occupancy[result->kind] && result->is_known)
		result->occupancy = (form->apart + 50) / 100;
	else if (units < MOST_OTHERS && form->apart * units > 150 &&
		 !w->crossing) /* without a limit, none is kept busy */
		add_fillers(b, (enum kind)result->kind, (form->apart * units - 50) / 100);
}

/*
 * What is known of the very instruction goes before what its kind says: latency, and how far two are apart, as so many
 * cycles of the units, or of the divider. Its row, where it has one.
 */
static const struct form *apply_form(struct walk *w)
{
	const struct form *form = forms_find(&w->translator->parameters->forms, w->form);
	struct builder *b = w->b;
	struct uop *result = result_of(b);

	/* A divider that has no limit (--what-if divider) has none for any instruction. */
	if (!form || !result || result->kind == KIND_BRANCH ||
	    w->translator->parameters->occupancy[result->kind] == 1 ||
	    w->insn->flags & (INSN_LOCKED | INSN_SERIALIZES | INSN_REPEATED))
		return NULL;
	for (UInt i = b->first_uop; i < b->nuops && form->latency; i++)
		if (b->uops[i].kind == result->kind && !b->uops[i].is_known) {
			b->uops[i].latency = form->latency;
			b->uops[i].is_known = 1;
		}
	choose_units(w, result, form);
	return form;
}

/* A flag-setting instruction and the conditional branch behind it are one micro-op. */
static Bool is_fused(const struct walk *w)
{
	return (w->traits & TRAIT_CONDITIONAL) && (w->last_traits & TRAIT_FUSES);
}

/* What keeps upper halves costs some cores once, until they are written the next time. */
static void note_upper_half(struct walk *w)
{
	struct insn *insn = w->insn;
	enum upper_half use = insn->bytes ? arch_upper_half((const UChar *)insn->address, insn->bytes) : UPPER_OTHERS;

	if (use == UPPER_OTHERS || (use != UPPER_CLEARED && !(insn->flags & INSN_VECTOR)))
		return;
	if (use == UPPER_KEPT && w->is_upper_written)
		insn->flags |= INSN_MIXES;
	if (use == UPPER_KEPT && !w->is_upper_known && !w->first_kept)
		w->first_kept = insn;
	w->is_upper_written = use == UPPER_WRITTEN;
	w->is_upper_known = w->is_upper_known || use != UPPER_KEPT;
}

/* next_traits: of the instruction behind it in the block, 0 for none. */
static void end_insn(struct walk *w, unsigned next_traits)
{
	struct insn *insn = w->insn;
	const struct form *form;

	if (!insn)
		return;
	if ((w->traits & TRAIT_FUSES) && (next_traits & TRAIT_CONDITIONAL)) {
		/* What a compare works out is the fused branch's own, and so is the slot of both. */
		if (w->traits & TRAIT_COMPARE)
			w->b->nfresh = 0;
		insn->flags |= INSN_BRANCH;
	}
	flow_end_insn(w->b, w->statement);
	add_compare(w, next_traits);
	set_flags(w);
	form = apply_form(w);
	take_adder(w);
	mark_operands(w);
	add_vector_stores(w);
	add_transfer(w);
	arithmetic_end(insn, &w->flops);
	note_upper_half(w);
	insn->nuops = (UChar)(w->b->nuops - w->b->first_uop);
	insn->slots = (UChar)(is_fused(w) ? 0 : slots_of(w, form));
	if (insn->loads || insn->stores)
		insn->flags |= INSN_MEMORY;
	set_costs(insn, w->traits, w->translator->parameters);
	w->last_traits = w->traits;
}

/* The number of the row among the block's. */
static UInt number_row(struct builder *b, UInt row)
{
	UInt number = b->nrows;

	while (number > 0 && b->rows[number - 1] != row)
		number--;
	if (number > 0)
		return number - 1;
	b->rows[b->nrows] = row;
	return b->nrows++;
}

static void begin_insn(struct walk *w, Addr address, UInt length)
{
	struct builder *b = w->b;
	Addr line = (address + w->translator->parameters->layout * LAYOUT_STEP + length - 1) >> 6;
	unsigned traits = length ? arch_traits((const UChar *)address, length) : 0;
	struct operand operand;

	end_insn(w, traits);
	flow_begin_insn(b);
	w->traits = traits;
	w->crossing = length ? arch_crossing((const UChar *)address, length) : CROSSES_NOT;
	w->form = length ? arch_form((const UChar *)address, length) : 0;
	w->hint = length ? cache_hint_of((const UChar *)address, length, address, &operand) : HINT_NONE;
	w->compared = w->passed = (struct flow){ .kind = KIND_NONE };
	w->flags = b->registers[arch_flags()];
	w->flops = (struct flop_sums){ .flops = 0 };
	w->has_exit = False;
	w->insn = &b->insns[b->ninsns++];
	*w->insn = (struct insn){ .address = address, .bytes = (UChar)length };
	if (w->traits & TRAIT_REPEATED)
		w->insn->flags |= INSN_REPEATED;
	if (w->traits & TRAIT_GATHER)
		w->insn->flags |= INSN_GATHERS;
	if (w->traits & TRAIT_POP_FLAGS)
		w->insn->flags |= INSN_MICROCODED;
	if (b->ninsns == 1 || line != w->translator->last_line_end)
		w->insn->flags |= INSN_STARTS_LINE;
	w->translator->last_line_end = line;
	if (w->translator->row_of)
		w->insn->row = number_row(b, w->translator->row_of(address));
	if (w->hint == HINT_PREFETCH)
		walk_prefetch(w, &operand);
}

/* ---- the end of the block ---- */

static Addr next_of(const IRSB *superblock)
{
	return (Addr)superblock->next->Iex.Const.con->Ico.U64;
}

static enum branch branch_of(const struct walk *w, Addr end)
{
	const IRSB *in = w->superblock;
	Bool is_direct = in->next->tag == Iex_Const;

	switch (in->jumpkind) {
	case Ijk_Call: return is_direct ? BRANCH_CALL : BRANCH_INDIRECT_CALL;
	case Ijk_Ret: return BRANCH_RETURN;
	case Ijk_Boring: break;
	default: return BRANCH_NONE;
	}
	if (w->traits & TRAIT_REPEATED)
		return BRANCH_NONE;
	if (w->has_exit)
		return BRANCH_CONDITIONAL;
	if (!is_direct)
		return BRANCH_INDIRECT;
	return next_of(in) == end ? BRANCH_NONE : BRANCH_DIRECT;
}

static void add_branch(struct walk *w, enum branch branch)
{
	struct flow sources = { .kind = KIND_NONE };

	if (branch == BRANCH_CONDITIONAL && (w->traits & TRAIT_CONDITIONAL) && !is_fused(w))
		sources = flow_of_one(w->flags);
	else if (branch == BRANCH_CONDITIONAL)
		sources = w->condition;
	else if (branch >= BRANCH_INDIRECT)
		sources = flow_of(w->b, w->superblock->next);
	flow_add_uop(w->b, KIND_BRANCH, &sources, VALUE_UNUSED);
	w->insn->flags |= INSN_BRANCH;
	/* A return and an indirect jump through memory carry their load. */
	w->b->computes++;
}

/* A copy goes before those that write what it reads. */
static UInt order_copies(struct copy *copies, UInt count)
{
	for (UInt i = 0; i < count; i++)
		for (UInt j = i + 1; j < count; j++) {
			struct copy later = copies[j];

			if (later.from != copies[i].to)
				continue;
			copies[j] = copies[i];
			copies[i] = later;
		}
	return count;
}

static Bool is_read(const struct uop *uop, UInt value)
{
	for (UInt i = 0; i < UOP_SOURCES; i++)
		if (uop->sources[i] == value)
			return True;
	return False;
}

static void rename_value(struct uop *uop, UShort from, UShort to)
{
	for (UInt i = 0; i < UOP_SOURCES; i++)
		if (uop->sources[i] == from)
			uop->sources[i] = to;
	if (uop->target == from)
		uop->target = to;
}

/*
 * Can the micro-op that makes the copy's value write the register itself? Not while someone still
 * reads what the register has.
 */
static Bool write_directly(struct builder *b, struct copy copy)
{
	UInt made = 0;

	if (copy.from < VALUE_LOCALS)
		return False;
	while (made < b->nuops && b->uops[made].target != copy.from)
		made++;
	for (UInt i = made + 1; i < b->nuops; i++)
		if (is_read(&b->uops[i], copy.to))
			return False;
	for (UInt i = made; i < b->nuops; i++)
		rename_value(&b->uops[i], copy.from, copy.to);
	return True;
}

/* Registers with the same value that could not be written directly get it from there. */
static void move_copies(struct copy *copies, UInt count, struct copy moved)
{
	for (UInt i = 0; i < count; i++)
		if (copies[i].from == moved.from)
			copies[i].from = moved.to;
}

static UInt list_copies(struct builder *b, struct copy *copies)
{
	UShort moved[VALUE_COUNT] = { 0 }; /* where a value is written directly */
	Bool is_copied[VALUE_LOCALS] = { False };
	UInt count = 0;

	/* A register's old value that another one gets must stay until then. */
	for (UInt i = VALUE_REGISTERS; i < VALUE_LOCALS; i++)
		if (b->is_written[i] && b->registers[i] < VALUE_LOCALS)
			is_copied[b->registers[i]] = True;
	for (UInt i = VALUE_REGISTERS; i < VALUE_LOCALS; i++) {
		struct copy copy = { .to = (UShort)i, .from = b->registers[i] };

		if (!b->is_written[i] || copy.from == i)
			continue;
		if (moved[copy.from])
			copy.from = moved[copy.from];
		else if (!is_copied[i] && write_directly(b, copy)) {
			moved[copy.from] = copy.to;
			move_copies(copies, count, copy);
			continue;
		}
		copies[count++] = copy;
	}
	count = order_copies(copies, count);
	return count;
}

/* From the start of a line of the host's cache on, which Valgrind's allocator does not promise. Zeroes. */
static UChar *allocate_lines(struct translator *translator, SizeT size)
{
	UChar *memory = translator->room;

	size = VG_ROUNDUP(size, HOST_LINE);
	if ((SizeT)(translator->room_end - memory) < size) {
		SizeT more = size > LINES_AT_ONCE ? size : LINES_AT_ONCE;

		memory = VG_(perm_malloc)(more + HOST_LINE, sizeof(uint64_t));
		memory = (UChar *)VG_ROUNDUP((Addr)memory, HOST_LINE);
		translator->room_end = memory + more;
	}
	translator->room = memory + size;
	return VG_(memset)(memory, 0, size);
}

/*
 * Room for the block and all that it refers to, side by side, so that running it touches few lines of the host's cache.
 */
static struct block *translate_allocate(const struct walk *w, UInt ncopies)
{
	const struct builder *b = w->b;
	SizeT insns = b->ninsns * sizeof(struct insn), uops = b->nuops * sizeof(struct uop);
	SizeT copies = ncopies * sizeof(struct copy), stores = (b->naccesses + ACCESSES_AT_ONCE) * sizeof(bool);
	SizeT size = sizeof(struct block) + insns + uops + copies + stores;
	UChar *memory = allocate_lines(w->translator, size);
	struct block *block = (struct block *)memory;

	block->insns = (struct insn *)(memory + sizeof(*block));
	block->uops = (struct uop *)(memory + sizeof(*block) + insns);
	block->copies = (struct copy *)(memory + sizeof(*block) + insns + uops);
	block->is_store = (bool *)(memory + sizeof(*block) + insns + uops + copies);
	block->ninsns = (UShort)b->ninsns;
	block->nuops = (UShort)b->nuops;
	block->ncopies = (UShort)ncopies;
	return block;
}

static void set_copies(struct block *block, const struct copy *copies, UInt count)
{
	for (UInt i = 0; i < count; i++)
		*(i < FIRST_COPIES ? &block->first_copies[i] : &block->copies[i - FIRST_COPIES]) = copies[i];
}

static struct block *make_block(struct walk *w, enum branch branch, Addr end)
{
	struct builder *b = w->b;
	struct copy copies[VALUE_LOCALS];
	UInt ncopies = list_copies(b, copies);
	struct block *block = translate_allocate(w, ncopies > FIRST_COPIES ? ncopies - FIRST_COPIES : 0);
	Addr shift = w->translator->parameters->layout * LAYOUT_STEP;

	block->address = b->insns[0].address + shift;
	block->end = end + shift;
	block->branch = (UChar)branch;
	block->is_followed = w->translator->has_stacks && branch >= BRANCH_CALL;
	block->is_marked = w->translator->is_marked && w->translator->is_marked(block->address);
	block->nrows = (UShort)b->nrows;
	block->rows = VG_(perm_malloc)((b->nrows + 1) * sizeof(*block->rows), sizeof(*block->rows));
	VG_(memcpy)(block->rows, b->rows, b->nrows * sizeof(*block->rows));
	block->is_repeated = (w->traits & TRAIT_REPEATED) && b->ninsns == 1;
	block->naccesses = (UShort)b->naccesses;
	VG_(memcpy)(block->insns, b->insns, b->ninsns * sizeof(*b->insns));
	VG_(memcpy)(block->uops, b->uops, b->nuops * sizeof(*b->uops));
	set_copies(block, copies, ncopies);
	block_finish(block, w->translator->parameters);
	return block;
}

/* A loop has a jump back to its first instruction, whichever way VEX has turned the condition. */
static void report_jump_back(const struct walk *w, enum branch branch, Addr end)
{
	Addr to = branch == BRANCH_CONDITIONAL ? w->exit_to : end;

	if (!w->translator->on_jump_back || (branch != BRANCH_CONDITIONAL && branch != BRANCH_DIRECT))
		return;
	if (to == end && w->superblock->next->tag == Iex_Const)
		to = next_of(w->superblock);
	if (to <= w->insn->address)
		w->translator->on_jump_back(w->b->rows[w->insn->row], to, end);
}

/* A loop of one block begins with what it ends with. */
static void note_upper_halves_of_loop(const struct walk *w, enum branch branch)
{
	Addr begin = w->b->insns[0].address;
	Bool is_back = w->superblock->next->tag == Iex_Const && next_of(w->superblock) == begin;

	if (w->first_kept && w->is_upper_written && (is_back || (branch == BRANCH_CONDITIONAL && w->exit_to == begin)))
		w->first_kept->flags |= INSN_MIXES;
}

struct block *translate(struct translator *translator, const IRSB *superblock)
{
	struct builder *b = &translator->builder;
	struct walk w = { .translator = translator, .b = b, .superblock = superblock };
	enum branch branch;
	Addr end;

	if (!flow_begin(b, superblock->tyenv->types_used))
		return NULL;
	flow_find_last_uses(b, superblock);
	for (w.statement = 0; w.statement < superblock->stmts_used && b->ninsns < MOST_INSNS; w.statement++) {
		const IRStmt *s = superblock->stmts[w.statement];

		if (s->tag == Ist_IMark)
			begin_insn(&w, s->Ist.IMark.addr, s->Ist.IMark.len);
		else
			walk_statement(&w, s);
	}
	if (!w.insn)
		return NULL;
	end = w.insn->address + w.insn->bytes;
	branch = branch_of(&w, end);
	if (branch != BRANCH_NONE)
		add_branch(&w, branch);
	if (superblock->jumpkind == Ijk_Yield)
		w.insn->flags |= INSN_SERIALIZES | INSN_PAUSES;
	end_insn(&w, 0);
	note_upper_halves_of_loop(&w, branch);
	report_jump_back(&w, branch, end);
	return make_block(&w, branch, end);
}
