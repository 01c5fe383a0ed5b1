/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program/symbols/symbol_table.h"

#ifdef TOPDOWN_DW
#include "program/symbols/elf_symbols.h"

#include <string.h>

void elf_sections_read(struct elf_sections *sections, Elf *elf, struct arena *arena)
{
	GElf_Ehdr header;
	Elf_Scn *section = NULL;
	size_t count = 0;

	*sections = (struct elf_sections){ .elf = elf };
	if (!gelf_getehdr(elf, &header) || elf_getshdrnum(elf, &count) != 0 || !count)
		return;
	sections->machine = header.e_machine;
	sections->headers = arena_array(arena, count, sizeof(*sections->headers));
	sections->count = count;
	while ((section = elf_nextscn(elf, section))) {
		size_t number = elf_ndxscn(section);

		if (number < count && !gelf_getshdr(section, &sections->headers[number]))
			sections->headers[number].sh_type = SHT_NULL;
	}
}

static bool is_code(const GElf_Shdr *header)
{
	return (header->sh_flags & (SHF_ALLOC | SHF_EXECINSTR)) == (SHF_ALLOC | SHF_EXECINSTR);
}

uint64_t elf_text_begin(const struct elf_sections *sections)
{
	uint64_t begin = UINT64_MAX;

	for (size_t i = 0; i < sections->count; i++)
		if (is_code(&sections->headers[i]) && sections->headers[i].sh_addr < begin)
			begin = sections->headers[i].sh_addr;
	return begin == UINT64_MAX ? 0 : begin;
}

/* The section of code that an address is in; NULL: none. */
static const GElf_Shdr *code_at(const struct elf_sections *sections, uint64_t address)
{
	for (size_t i = 0; i < sections->count; i++)
		if (is_code(&sections->headers[i]) &&
		    address - sections->headers[i].sh_addr < sections->headers[i].sh_size)
			return &sections->headers[i];
	return NULL;
}

/* "$x", "$d.7": code or data follows (ELF for the Arm Architecture, "Mapping symbols"); ".L5": a jump's target. */
static bool is_marker(const char *name)
{
	return *name == '$' || !strncmp(name, ".L", 2);
}

void elf_symbols_add(struct symbol_table *table, const struct elf_sections *sections, const GElf_Sym *symbol,
		     const char *name)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info), binding = GELF_ST_BIND(symbol->st_info);
	bool is_untyped = type == STT_NOTYPE;
	const GElf_Shdr *section;
	struct table_symbol added = { .begin = symbol->st_value,
				      .end = symbol->st_value + symbol->st_size,
				      .name = name,
				      .is_open = !symbol->st_size,
				      .is_local = binding == STB_LOCAL,
				      .is_weak = binding == STB_WEAK,
				      .is_untyped = is_untyped };

	if (!name || symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS ||
	    (type != STT_FUNC && type != STT_GNU_IFUNC && !is_untyped) || is_marker(name))
		return;
	if (added.is_open || is_untyped) {
		section = code_at(sections, added.begin);
		if (!section)
			return;
		if (added.is_open)
			added.end = section->sh_addr + section->sh_size;
	}
	if (added.end < added.begin)
		added.end = UINT64_MAX;
	symbol_table_add(table, &added);
}

static void add_section(struct symbol_table *table, const struct elf_sections *sections, size_t number)
{
	const GElf_Shdr *header = &sections->headers[number];
	Elf_Data *data = elf_getdata(elf_getscn(sections->elf, number), NULL);
	size_t entry = gelf_fsize(sections->elf, ELF_T_SYM, 1, EV_CURRENT);
	GElf_Sym symbol;

	for (size_t i = 0; data && entry && i < data->d_size / entry; i++)
		if (gelf_getsym(data, (int)i, &symbol))
			elf_symbols_add(table, sections, &symbol,
					elf_strptr(sections->elf, header->sh_link, symbol.st_name));
}

static bool add_sections(struct symbol_table *table, const struct elf_sections *sections, GElf_Word type)
{
	bool has_any = false;

	for (size_t i = 0; i < sections->count; i++)
		if (sections->headers[i].sh_type == type) {
			add_section(table, sections, i);
			has_any = true;
		}
	return has_any;
}

bool elf_symbols_read(struct symbol_table *table, const struct elf_sections *sections)
{
	bool has_all = add_sections(table, sections, SHT_SYMTAB);

	if (!has_all)
		add_sections(table, sections, SHT_DYNSYM);
	return has_all;
}

#endif
