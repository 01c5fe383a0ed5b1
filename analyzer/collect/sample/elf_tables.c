/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/sample/elf_tables.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The bytes there, and a zero behind them, to be freed; NULL: they are not there, or too many. */
static void *part_read(const struct elf_file_part *file, uint64_t offset, uint64_t size)
{
	unsigned char *part = size && size <= *file->bytes ? malloc(size + 1) : NULL;

	if (part && pread(file->fd, part, size, (off_t)offset) != (ssize_t)size) {
		free(part);
		return NULL;
	}
	if (!part)
		return NULL;
	*file->bytes -= size;
	part[size] = '\0'; /* texts end there at the latest */
	return part;
}

struct section_list {
	Elf64_Shdr *items; /* NULL: it is no such file */
	size_t count, names;
};

static struct section_list sections_load(const struct elf_file_part *file)
{
	struct section_list list = { .items = NULL };
	Elf64_Ehdr header;

	if (pread(file->fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_shentsize != sizeof(Elf64_Shdr))
		return list;
	list.items = part_read(file, header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr));
	list.count = list.items ? header.e_shnum : 0;
	list.names = header.e_shstrndx;
	return list;
}

/* False: the visit is over. */
static bool visit_table(const struct elf_linked *table, elf_visit *visit, void *context)
{
	const Elf64_Sym *symbols = table->content;
	const char *texts = table->texts;

	for (size_t i = 0; texts && i < table->size / sizeof(*symbols); i++)
		if (symbols[i].st_name < table->texts_size && texts[symbols[i].st_name] &&
		    !visit(context, &symbols[i], texts + symbols[i].st_name))
			return false;
	return true;
}

static void linked_free(const struct elf_linked *linked)
{
	free(linked->content);
	free(linked->texts);
}

static struct elf_linked linked_load(const struct elf_file_part *file, const Elf64_Shdr *section,
				     const Elf64_Shdr *texts)
{
	struct elf_linked linked = { .size = section->sh_size, .texts_size = texts->sh_size };

	linked.content = part_read(file, section->sh_offset, section->sh_size);
	linked.texts = linked.content ? part_read(file, texts->sh_offset, texts->sh_size) : NULL;
	return linked;
}

bool elf_tables_visit(const struct elf_file_part *file, elf_visit *visit, void *context)
{
	const struct section_list sections = sections_load(file);
	bool goes_on = true;

	for (size_t i = 0; goes_on && i < sections.count; i++) {
		const Elf64_Shdr *section = &sections.items[i];
		struct elf_linked table;

		if ((section->sh_type != SHT_SYMTAB && section->sh_type != SHT_DYNSYM) ||
		    section->sh_link >= sections.count)
			continue;
		table = linked_load(file, section, &sections.items[section->sh_link]);
		goes_on = visit_table(&table, visit, context);
		linked_free(&table);
	}
	free(sections.items);
	return sections.items != NULL;
}

struct elf_linked elf_linked_read(const struct elf_file_part *file, uint32_t type)
{
	const struct section_list sections = sections_load(file);
	struct elf_linked found = { .content = NULL };

	for (size_t i = 0; !found.content && i < sections.count; i++)
		if (sections.items[i].sh_type == type && sections.items[i].sh_link < sections.count)
			found = linked_load(file, &sections.items[i], &sections.items[sections.items[i].sh_link]);
	free(sections.items);
	return found;
}

void *elf_section_named(const struct elf_file_part *file, const char *name, size_t *size)
{
	const struct section_list sections = sections_load(file);
	const Elf64_Shdr *texts = sections.names < sections.count ? &sections.items[sections.names] : NULL;
	char *names = texts ? part_read(file, texts->sh_offset, texts->sh_size) : NULL;
	void *found = NULL;

	for (size_t i = 0; names && !found && i < sections.count; i++)
		if (sections.items[i].sh_name < texts->sh_size && !strcmp(names + sections.items[i].sh_name, name)) {
			*size = sections.items[i].sh_size;
			found = part_read(file, sections.items[i].sh_offset, *size);
		}
	free(names);
	free(sections.items);
	return found;
}
