/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program/symbols/symbol_table.h"

#ifdef TOPDOWN_DW
#include <stdlib.h>
#include <string.h>

#include "program/symbols/elf_symbols.h"
#include "program/symbols/symbols.h"

#define MOST_STUB 16 /* bytes of code, up to the jump */

/* A relocation of a slot: the function whose address the dynamic linker writes there. */
struct slot {
	uint64_t address;
	const char *name;
};

struct slots {
	struct arena *arena;
	struct slot *items;
	size_t count, room;
	uint64_t got; /* of 32-bit x86: where ebx points to */
};

static const char *section_name(const struct elf_sections *sections, size_t number)
{
	const char *name = NULL;
	size_t strings;

	if (elf_getshdrstrndx(sections->elf, &strings) == 0)
		name = elf_strptr(sections->elf, strings, sections->headers[number].sh_name);
	return name ? name : "";
}

/* ---- slots ---- */

/* The name of a relocation's symbol; of one without, which calls a resolver: the resolver's. */
static const char *relocated_name(const struct symbol_table *symbols, const struct elf_sections *sections,
				  const GElf_Shdr *header, const GElf_Rela *relocation)
{
	size_t number = (size_t)GELF_R_SYM(relocation->r_info);
	const struct table_symbol *resolver;
	Elf_Data *data;
	GElf_Sym symbol;

	if (!number) {
		resolver = symbol_table_find(symbols, (uint64_t)relocation->r_addend);
		return resolver && resolver->begin == (uint64_t)relocation->r_addend ? resolver->name : NULL;
	}
	if (header->sh_link >= sections->count)
		return NULL;
	data = elf_getdata(elf_getscn(sections->elf, header->sh_link), NULL);
	if (!data || number > INT32_MAX || !gelf_getsym(data, (int)number, &symbol))
		return NULL;
	return elf_strptr(sections->elf, sections->headers[header->sh_link].sh_link, symbol.st_name);
}

static bool get_relocation(GElf_Rela *relocation, Elf_Data *data, size_t number, bool has_addend)
{
	GElf_Rel plain;

	if (has_addend)
		return gelf_getrela(data, (int)number, relocation) != NULL;
	if (!gelf_getrel(data, (int)number, &plain))
		return false;
	*relocation = (GElf_Rela){ .r_offset = plain.r_offset, .r_info = plain.r_info };
	return true;
}

static void add_slots(struct slots *slots, const struct symbol_table *symbols, const struct elf_sections *sections,
		      size_t section)
{
	const GElf_Shdr *header = &sections->headers[section];
	Elf_Data *data = elf_getdata(elf_getscn(sections->elf, section), NULL);
	bool has_addend = header->sh_type == SHT_RELA;
	size_t entry = gelf_fsize(sections->elf, has_addend ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT);
	GElf_Rela relocation;

	for (size_t i = 0; data && entry && i < data->d_size / entry; i++) {
		const char *name;

		if (!get_relocation(&relocation, data, i, has_addend))
			continue;
		name = relocated_name(symbols, sections, header, &relocation);
		if (!name || !*name)
			continue;
		slots->items =
			arena_grow(slots->arena, slots->items, slots->count, &slots->room, sizeof(*slots->items));
		slots->items[slots->count++] = (struct slot){ relocation.r_offset, name };
	}
}

static int elf_stubs_compare(const void *left, const void *right)
{
	const struct slot *a = left, *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

static void read_slots(struct slots *slots, const struct symbol_table *symbols, const struct elf_sections *sections)
{
	for (size_t i = 0; i < sections->count; i++) {
		const GElf_Shdr *header = &sections->headers[i];

		if ((header->sh_type == SHT_RELA || header->sh_type == SHT_REL) && header->sh_flags & SHF_ALLOC)
			add_slots(slots, symbols, sections, i);
		if (!strcmp(section_name(sections, i), ".got.plt") ||
		    (!slots->got && !strcmp(section_name(sections, i), ".got")))
			slots->got = header->sh_addr;
	}
	if (slots->count)
		qsort(slots->items, slots->count, sizeof(*slots->items), elf_stubs_compare);
}

/* ---- stubs ---- */

static uint32_t word(const unsigned char *code)
{
	uint32_t value;

	memcpy(&value, code, sizeof(value));
	return value;
}

/* The slot that the stub at an address jumps through; 0: there is none. MOST_STUB bytes can be read. */
typedef uint64_t slot_finder(const unsigned char *code, uint64_t address, const struct slots *slots);

/* endbr64 or endbr32, and bnd (Intel 64 and IA-32 Architectures Software Developer's Manual): where the jump is. */
static size_t x86_jump(const unsigned char *code)
{
	size_t at = code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e && (code[3] | 1) == 0xfb ? 4 : 0;

	return code[at] == 0xf2 ? at + 1 : at;
}

/* jmp *disp(%rip) */
static uint64_t x86_64_slot(const unsigned char *code, uint64_t address, const struct slots *slots)
{
	size_t at = x86_jump(code);

	(void)slots;
	if (code[at] != 0xff || code[at + 1] != 0x25)
		return 0;
	return address + at + 6 + (uint64_t)(int64_t)(int32_t)word(code + at + 2);
}

/* jmp *address, or jmp *disp(%ebx) */
static uint64_t i386_slot(const unsigned char *code, uint64_t address, const struct slots *slots)
{
	size_t at = x86_jump(code);

	(void)address;
	if (code[at] != 0xff || (code[at + 1] != 0x25 && code[at + 1] != 0xa3))
		return 0;
	return code[at + 1] == 0x25 ? word(code + at + 2) : (uint32_t)(slots->got + word(code + at + 2));
}

/* adrp x16, page; ldr x17, [x16, offset] (Arm Architecture Reference Manual, C6.2), after bti c. */
static uint64_t aarch64_slot(const unsigned char *code, uint64_t address, const struct slots *slots)
{
	size_t at = word(code) == 0xd503245f ? 4 : 0;
	uint32_t page = word(code + at), load = word(code + at + 4);
	uint64_t offset = (uint64_t)(page >> 5 & 0x7ffff) << 2 | (page >> 29 & 3);

	(void)slots;
	if ((page & 0x9f00001f) != 0x90000010 || (load & 0xffc003ff) != 0xf9400211)
		return 0;
	if (offset & 0x100000)
		offset |= ~(uint64_t)0x1fffff;
	return ((address + at) & ~(uint64_t)0xfff) + (offset << 12) + ((uint64_t)(load >> 10 & 0xfff) << 3);
}

/* By machine, where stubs may begin. Sections of stubs are those named .plt... */
static const struct {
	GElf_Half machine;
	slot_finder *find;
	size_t step;
} machines[] = { { EM_X86_64, x86_64_slot, 8 }, { EM_386, i386_slot, 8 }, { EM_AARCH64, aarch64_slot, 4 } };

static const char *elf_stubs_slot_name(const struct slots *slots, uint64_t address)
{
	const struct slot wanted = { .address = address }, *found = NULL;

	if (slots->count)
		found = bsearch(&wanted, slots->items, slots->count, sizeof(wanted), elf_stubs_compare);
	return found ? found->name : NULL;
}

static void add_stub(struct symbol_table *table, uint64_t begin, uint64_t size, const char *name)
{
	symbol_table_add(table, &(struct table_symbol){ .begin = begin,
							.end = begin + size,
							.name = arena_printf(table->arena, "%s@plt",
									     symbol_demangle(name, table->arena)) });
}

/* Stubs are as long as the section's entries, or 16 bytes. */
static void add_stubs(struct symbol_table *table, const struct elf_sections *sections, size_t section,
		      const struct slots *slots, size_t machine)
{
	const GElf_Shdr *header = &sections->headers[section];
	Elf_Data *data = elf_getdata(elf_getscn(sections->elf, section), NULL);
	size_t size = header->sh_entsize == 8 || header->sh_entsize == 24 ? (size_t)header->sh_entsize : MOST_STUB;
	size_t step = machines[machine].step, length;

	if (!data || !data->d_buf)
		return;
	length = data->d_size;
	for (size_t at = 0; at + step <= length; at += step) {
		unsigned char code[MOST_STUB] = { 0 };
		uint64_t slot, begin = header->sh_addr + at;
		const char *name;

		memcpy(code, (const unsigned char *)data->d_buf + at,
		       length - at < MOST_STUB ? length - at : MOST_STUB);
		slot = machines[machine].find(code, begin, slots);
		name = slot ? elf_stubs_slot_name(slots, slot) : NULL;
		if (name)
			add_stub(table, begin, size, name);
	}
}

void elf_stubs_read(struct symbol_table *stubs, const struct symbol_table *symbols, const struct elf_sections *sections)
{
	struct slots slots = { .arena = stubs->arena };
	size_t machine = 0;

	while (machine < COUNT_OF(machines) && machines[machine].machine != sections->machine)
		machine++;
	if (machine == COUNT_OF(machines))
		return;
	read_slots(&slots, symbols, sections);
	for (size_t i = 0; i < sections->count; i++)
		if (sections->headers[i].sh_type == SHT_PROGBITS && sections->headers[i].sh_flags & SHF_EXECINSTR &&
		    !strncmp(section_name(sections, i), ".plt", 4))
			add_stubs(stubs, sections, i, &slots, machine);
	symbol_table_sort(stubs);
}

#endif
