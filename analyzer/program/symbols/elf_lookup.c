/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program/symbols/lookup.h"

#ifdef TOPDOWN_DW
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/text.h"
#include "program/symbols/build_id.h"
#include "program/symbols/elf_symbols.h"

#define SEARCH "/usr/lib/debug"

/* What is known of the file. */
struct elf_file {
	struct answer *answer;
	struct symbol_table symbols, stubs;
	struct debug_info *info; /* NULL: it has none */
	struct unnamed_code unnamed;
	uint64_t text_begin;
};

/* ---- symbols ---- */

/* Sections of the files that a module's symbols come from: its own, its debug file's, its MiniDebugInfo's. */
struct origins {
	struct elf_sections items[4];
	size_t count;
};

static const struct elf_sections *origin_of(struct origins *origins, Elf *elf, struct arena *arena)
{
	for (size_t i = 0; i < origins->count; i++)
		if (origins->items[i].elf == elf)
			return &origins->items[i];
	if (!elf || origins->count == COUNT_OF(origins->items))
		return NULL;
	elf_sections_read(&origins->items[origins->count], elf, arena);
	return &origins->items[origins->count++];
}

/* True if there is more than what is exported. */
static bool read_symbols(struct symbol_table *table, Dwfl_Module *module, struct arena *arena)
{
	struct origins origins = { .count = 0 };
	int count = dwfl_module_getsymtab(module), locals = dwfl_module_getsymtab_first_global(module);

	for (int i = 0; i < count; i++) {
		GElf_Addr address;
		GElf_Word section;
		GElf_Sym symbol;
		Elf *elf = NULL;
		const char *name = dwfl_module_getsym_info(module, i, &symbol, &address, &section, &elf, NULL);
		const struct elf_sections *sections;

		/* Those that are not defined here have addresses too, as it were: their stubs'. */
		if (!name || symbol.st_shndx == SHN_UNDEF)
			continue;
		symbol.st_value = address;
		sections = origin_of(&origins, elf, arena);
		if (sections)
			elf_symbols_add(table, sections, &symbol, name);
	}
	return locals > 1;
}

/* ---- places ---- */

static void elf_lookup_add_place(struct elf_file *file, uint64_t address, uint32_t place)
{
	struct table_symbol *symbol = symbol_table_find(&file->symbols, address);
	const struct cfi_range *range = unnamed_code_find(&file->unnamed, address);
	struct debug_function_name name = { .text = ANSWER_NO_TEXT };

	/* A symbol without a size reaches to the next one: over functions that have none, in a stripped file. */
	if (symbol && symbol->is_open && range && range->begin > symbol->begin)
		symbol = NULL;
	if (!symbol)
		symbol = symbol_table_find(&file->stubs, address);
	if (symbol)
		name = (struct debug_function_name){ lookup_symbol_text(symbol, file->answer), symbol->begin,
						     symbol->end - symbol->begin };
	if (file->info && debug_info_frames(file->info, address, place, name, file->answer))
		return;
	if (symbol)
		(void)answer_add(
			file->answer, place,
			&(struct answer_frame){ .function = name.text, .begin = name.begin, .size = name.size });
	else if (range)
		unnamed_code_add(&file->unnamed, range, place, file->answer);
}

static void add_places(struct elf_file *file, const struct lookup *lookup)
{
	for (size_t i = 0; i < lookup->count; i++)
		elf_lookup_add_place(file, lookup->addresses[i], (uint32_t)i);
	unnamed_code_release(&file->unnamed);
}

/* What the main file's sections say. */
static void read_main(struct elf_file *file, Elf *elf, const struct lookup *lookup, struct arena *arena)
{
	struct elf_sections sections;

	elf_sections_read(&sections, elf, arena);
	symbol_table_sort(&file->symbols);
	elf_stubs_read(&file->stubs, &file->symbols, &sections);
	file->text_begin = elf_text_begin(&sections);
	unnamed_code_read(&file->unnamed, lookup, sections.machine, arena);
}

static void file_init(struct elf_file *file, struct answer *answer, struct arena *arena)
{
	*file = (struct elf_file){ .answer = answer };
	symbol_table_init(&file->symbols, arena);
	symbol_table_init(&file->stubs, arena);
}

/* ---- with debug files and DWARF ---- */

static void read_module(struct elf_file *file, Dwfl_Module *module, const struct lookup *lookup, struct arena *arena)
{
	GElf_Addr bias = 0;
	Elf *elf = dwfl_module_getelf(module, &bias);
	Dwarf_Addr dwarf_bias = 0;
	Dwarf *dwarf;

	file->answer->state = read_symbols(&file->symbols, module, arena) ? ANSWER_COMPLETE : ANSWER_EXPORTED;
	read_main(file, elf, lookup, arena);
	dwarf = dwfl_module_getdwarf(module, &dwarf_bias);
	if (dwarf)
		file->info = debug_info_new(dwarf, dwarf_bias, file->text_begin, arena);
}

/* Where libdw looks for separate debug files: beside the file, in .debug/ there, in the folders of the search. */
static char *debug_folders(const struct lookup *lookup, struct arena *arena)
{
	const char *search = lookup->request->search ? lookup->request->search : SEARCH;

	return arena_printf(arena, ":.debug:%s", search);
}

void elf_lookup(const struct lookup *lookup, struct answer *answer, struct arena *arena)
{
	char *folders = debug_folders(lookup, arena);
	const Dwfl_Callbacks callbacks = { .find_elf = dwfl_build_id_find_elf,
					   .find_debuginfo = dwfl_standard_find_debuginfo,
					   .section_address = dwfl_offline_section_address,
					   .debuginfo_path = &folders };
	Dwfl *dwfl = dwfl_begin(&callbacks);
	int descriptor = open(lookup->path, O_RDONLY | O_CLOEXEC);
	Dwfl_Module *module = NULL;
	struct elf_file file;

	unsetenv("DEBUGINFOD_URLS"); /* libdw would ask these servers by itself: topdown uses no network */
	file_init(&file, answer, arena);
	answer->state = ANSWER_UNREADABLE;
	if (dwfl && descriptor >= 0)
		module = dwfl_report_elf(dwfl, "module", lookup->name, descriptor, 0, true);
	if (!module || dwfl_report_end(dwfl, NULL, NULL) != 0)
		return;
	read_module(&file, module, lookup, arena);
	add_places(&file, lookup);
}

/* ---- by the symbol table alone ---- */

static void lookup_in(Elf *elf, const struct lookup *lookup, struct answer *answer, struct arena *arena)
{
	struct elf_sections sections;
	struct elf_file file;

	answer->state = ANSWER_UNREADABLE;
	if (!elf || elf_kind(elf) != ELF_K_ELF)
		return;
	file_init(&file, answer, arena);
	elf_sections_read(&sections, elf, arena);
	answer->state = elf_symbols_read(&file.symbols, &sections) ? ANSWER_COMPLETE : ANSWER_EXPORTED;
	read_main(&file, elf, lookup, arena);
	add_places(&file, lookup);
}

void elf_lookup_plain(const struct lookup *lookup, struct answer *answer, struct arena *arena)
{
	int descriptor = open(lookup->path, O_RDONLY | O_CLOEXEC);

	elf_version(EV_CURRENT);
	lookup_in(elf_begin(descriptor, ELF_C_READ, NULL), lookup, answer, arena);
}

/* ---- the vdso ---- */

/* The image ends with its section headers. */
static size_t image_size(const unsigned char *image)
{
	ElfW(Ehdr) header;

	memcpy(&header, image, sizeof(header));
	return (size_t)header.e_shoff + (size_t)header.e_shnum * header.e_shentsize;
}

void vdso_lookup(const struct lookup *lookup, struct answer *answer, struct arena *arena)
{
	const char *wanted = lookup->profile->modules[lookup->module].build_id;
	unsigned char *image = (unsigned char *)getauxval(AT_SYSINFO_EHDR); // NOLINT(performance-no-int-to-ptr)
	int copy = image ? memfd_create("vdso", MFD_CLOEXEC) : -1;
	struct elf_identity identity;

	answer->state = ANSWER_OTHER;
	if (copy < 0 || write(copy, image, image_size(image)) != (ssize_t)image_size(image) ||
	    !elf_identify(&identity, copy) || (wanted && !is_same_name(wanted, identity.build_id)))
		return;
	elf_version(EV_CURRENT);
	lookup_in(elf_begin(copy, ELF_C_READ, NULL), lookup, answer, arena);
	if (answer->state == ANSWER_EXPORTED)
		answer->state = ANSWER_COMPLETE; /* nothing else is in it */
}

#endif
