/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "simulator/guest/source_rows.h"

#include "simulator/guest/guest_internal.h"
#include "simulator/model/host.h"
#include "simulator/wire.h"

#define FIRST_ROWS  1024 /* powers of two */
#define MOST_ROWS   (1u << 22)
#define FIRST_TEXTS 1024
#define MOST_PATH   4096

static void source_rows_make_room(struct source_rows *all)
{
	UInt before = all->capacity, after = before ? 2 * before : FIRST_ROWS;

	all->rows = sim_grow(all->rows, before * sizeof(*all->rows), after * sizeof(*all->rows));
	all->functions = sim_grow(all->functions, before * sizeof(*all->functions), after * sizeof(*all->functions));
	all->capacity = after;
	all->contexts->functions = all->functions;
}

/* The file that a path leads to, through all links. False when there is none. */
static Bool source_rows_resolve(HChar resolved[MOST_PATH], const HChar *path)
{
	SysRes opened = VG_(open)(path, VKI_O_RDONLY, 0);
	HChar link[64];
	SSizeT length;

	if (sr_isError(opened))
		return False;
	VG_(sprintf)(link, "/proc/self/fd/%d", (Int)sr_Res(opened));
	length = VG_(readlink)(link, resolved, MOST_PATH - 1);
	VG_(close)((Int)sr_Res(opened));
	resolved[length > 0 ? length : 0] = '\0';
	return length > 0;
}

/* VG_(basename) has one place for all its answers. */
static const HChar *source_rows_base_of(const HChar *path)
{
	const HChar *slash = VG_(strrchr)(path, '/');

	return slash ? slash + 1 : path;
}

static void find_program(struct source_rows *all)
{
	const HChar *name = VG_(args_the_exename), *directory = VG_(get_startup_wd)();
	HChar path[MOST_PATH];

	if (!name || !source_rows_resolve(path, name) ||
	    VG_(strcmp)(source_rows_base_of(name), source_rows_base_of(path)) == 0)
		return;
	all->program = VG_(strdup)("topdown", path);
	while (name[0] == '.' && name[1] == '/')
		name += 2;
	if (name[0] != '/' && directory && VG_(strlen)(directory) + VG_(strlen)(name) + 2 <= sizeof(path)) {
		VG_(sprintf)(path, "%s/%s", directory, name);
		name = path;
	}
	all->started_as = VG_(strdup)("topdown", name);
}

void source_rows_init(struct source_rows *all, struct contexts *contexts)
{
	*all = (struct source_rows){ .contexts = contexts,
				     .count = 1,
				     .texts_size = FIRST_TEXTS,
				     .meant = all->meant,
				     .has_loops = all->has_loops };
	if (all->meant && !*all->meant)
		all->meant = NULL;
	all->texts = sim_allocate(FIRST_TEXTS, sizeof(*all->texts));
	source_rows_make_room(all);
	find_program(all);
}

/* ---- texts ---- */

/* FNV-1a (Fowler, Noll, Vo) */
static UInt hash_text(const HChar *text)
{
	UInt hash = 2166136261u;

	for (; *text; text++)
		hash = (hash ^ (UChar)*text) * 16777619u;
	return hash;
}

/* Where the text is, or is to be put. */
static UInt find_text(const struct source_rows *all, const HChar *text)
{
	UInt at = hash_text(text) & (all->texts_size - 1);

	while (all->texts[at] && VG_(strcmp)(all->texts[at], text) != 0)
		at = (at + 1) & (all->texts_size - 1);
	return at;
}

static void grow_texts(struct source_rows *all)
{
	const HChar **before = all->texts;
	UInt size = all->texts_size;

	all->texts_size = 2 * size;
	all->texts = sim_allocate(all->texts_size, sizeof(*all->texts));
	for (UInt i = 0; i < size; i++)
		if (before[i])
			all->texts[find_text(all, before[i])] = before[i];
	VG_(free)(before);
}

/* NULL for one that is empty. */
static const HChar *keep_text(struct source_rows *all, const HChar *text)
{
	UInt at;

	if (!text || !*text)
		return NULL;
	if (2 * all->ntexts >= all->texts_size)
		grow_texts(all);
	at = find_text(all, text);
	if (!all->texts[at]) {
		all->texts[at] = VG_(strdup)("topdown", text);
		all->ntexts++;
	}
	return all->texts[at];
}

/* ---- rows ---- */

static const HChar *keep_path(struct source_rows *all, const HChar *directory, const HChar *file)
{
	HChar path[MOST_PATH];

	if (!directory || !*directory || file[0] == '/' ||
	    VG_(strlen)(directory) + VG_(strlen)(file) + 2 > sizeof(path))
		return keep_text(all, file);
	VG_(sprintf)(path, "%s/%s", directory, file);
	return keep_text(all, path);
}

/* What the object is called: a link to the program, such as those of BusyBox, may be all that the user knows. */
static const HChar *keep_object(struct source_rows *all, const HChar *object)
{
	Bool is_program = all->started_as && VG_(strcmp)(object, all->program) == 0;

	return keep_text(all, is_program ? all->started_as : object);
}

/* As in its program headers; 0: it is in none. */
static Addr address_in_object(const DebugInfo *info, Addr address)
{
	return info ? address - (Addr)VG_(DebugInfo_get_text_bias)(info) : 0;
}

/* "prog+0x1139": what has no symbol is called by where it begins, as in program/symbols/unnamed_code.c. */
static const HChar *keep_begin(struct source_rows *all, const DebugInfo *info, const HChar *object, Addr address)
{
	Addr begin = info && object ? unnamed_functions_find(info, address) : 0;
	HChar name[MOST_PATH];

	if (!begin || VG_(strlen)(source_rows_base_of(object)) + sizeof("+0x") + 16 > sizeof(name))
		return NULL;
	VG_(sprintf)(name, "%s+0x%lx", source_rows_base_of(object), address_in_object(info, begin));
	return keep_text(all, name);
}

/*
 * Valgrind's descriptions of the frames, innermost first; NULL where nothing is inlined. They are there to distinguish
 * chains of calls only: topdown has the frames' names from the same debug information.
 */
static const HChar *keep_site(struct source_rows *all, DiEpoch now, Addr address)
{
	InlIPCursor *frames = VG_(new_IIPC)(now, address);
	HChar site[MOST_PATH] = "";
	SizeT length = 0;
	UInt depth = 0;

	if (!frames)
		return NULL;
	do {
		const HChar *frame = VG_(describe_IP)(now, address, frames);
		const HChar *name = VG_(strchr)(frame, ' '); /* behind the address */
		SizeT more = name ? VG_(strlen)(name) : 0;

		if (length + more >= sizeof(site))
			break;
		VG_(strcpy)(site + length, name ? name : "");
		length += more;
		depth++;
	} while (VG_(next_IIPC)(frames));
	VG_(delete_IIPC)(frames);
	return depth > 1 ? keep_text(all, site) : NULL;
}

/* Each answer is kept before the next question, which may overwrite it. */
static struct source_row source_rows_look_up(struct source_rows *all, Addr address)
{
	DiEpoch now = VG_(current_DiEpoch)();
	const DebugInfo *info = VG_(find_DebugInfo)(now, address);
	const HChar *text, *directory = NULL;
	struct source_row row = { .line = 0 };

	if (VG_(get_filename_linenum)(now, address, &text, &directory, &row.line))
		row.file = keep_path(all, directory, text);
	if (!row.file)
		row.line = 0;
	if (VG_(get_fnname)(now, address, &text))
		row.function = keep_text(all, text);
	if (VG_(get_objname)(now, address, &text))
		row.object = keep_object(all, text);
	if (!row.function)
		row.function = keep_begin(all, info, row.object, address);
	row.inside = address_in_object(info, address);
	row.site = keep_site(all, now, address);
	row.is_meant = all->meant && row.function && wire_may_mean(all->meant, row.function);
	if (all->has_loops || row.is_meant)
		row.address = row.inside;
	return row;
}

static Bool source_rows_is_same(const struct source_row *a, const struct source_row *b)
{
	return a->line == b->line && a->function == b->function && a->file == b->file && a->object == b->object &&
	       a->address == b->address && a->site == b->site;
}

/* Where the row's number is in the index, or is to be put. */
static UInt source_rows_find_row(const struct source_rows *all, const struct source_row *row)
{
	UWord mixed = (UWord)row->function * 31 + (UWord)row->file * 17 + (UWord)row->object + row->line +
		      row->address * 1000003 + (UWord)row->site * 13;
	UInt at = (UInt)(mixed * 0x9e3779b97f4a7c15ull >> 32) & (all->index_size - 1);

	while (all->index[at] && !source_rows_is_same(&all->rows[all->index[at]], row))
		at = (at + 1) & (all->index_size - 1);
	return at;
}

/* Twice as large as there are rows, so that half of it stays free. */
static void grow_index(struct source_rows *all)
{
	VG_(free)(all->index);
	all->index_size = 2 * all->capacity;
	all->index = sim_allocate(all->index_size, sizeof(*all->index));
	for (UInt i = 1; i < all->count; i++)
		all->index[source_rows_find_row(all, &all->rows[i])] = i;
}

/* The number of the row, which is added where it is new. */
static UInt keep_row(struct source_rows *all, const struct source_row *row)
{
	UInt at;

	if (all->count == all->capacity && all->count < MOST_ROWS)
		source_rows_make_room(all);
	if (all->index_size < 2 * all->capacity)
		grow_index(all);
	at = source_rows_find_row(all, row);
	if (!all->index[at] && all->count < all->capacity) {
		all->rows[all->count] = *row;
		all->index[at] = all->count++;
	}
	return all->index[at];
}

UInt source_rows_find(struct source_rows *all, Addr address)
{
	struct source_row row = source_rows_look_up(all, address);
	const struct source_row whole = { .function = row.function, .object = row.object, .inside = row.inside };
	UInt number = keep_row(all, &row), function;

	if (!number || all->functions[number])
		return number;
	function = keep_row(all, &whole);
	all->functions[function] = all->functions[number] = function;
	return number;
}

static void add_edge(struct source_rows *all, UInt function, Addr address)
{
	UInt before = all->edges_capacity, after = before ? 2 * before : FIRST_ROWS;

	if (all->nedges == before) {
		all->edges = sim_grow(all->edges, before * sizeof(*all->edges), after * sizeof(*all->edges));
		all->edges_capacity = after;
	}
	all->edges[all->nedges++] = (struct loop_edge){ .function = function, .address = address };
}

void source_rows_add_loop(struct source_rows *all, UInt row, Addr begin, Addr end)
{
	const DebugInfo *info = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), begin);

	if (!row || !info)
		return;
	add_edge(all, all->functions[row], address_in_object(info, begin));
	add_edge(all, all->functions[row], address_in_object(info, end));
}
