/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instruction_forms.h - what single instructions of x86 take on the modelled core, where that is known:
 * events/sim/instructions.csv. A form is an instruction without its operands: opcode, prefixes, width. A form that
 * loads its operand is the same one as that of registers, and so is VEX's.
 */
#ifndef TOPDOWN_SIMULATOR_MODEL_INSTRUCTION_FORMS_H
#define TOPDOWN_SIMULATOR_MODEL_INSTRUCTION_FORMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct form {
	uint32_t key;
	uint8_t latency; /* cycles from the operands to the result, beside a load; 0: those of the kind */
	uint8_t slots;	 /* issue slots, beside loads and stores */
	uint16_t apart;	 /* hundredths of a cycle between two that don't wait for each other */
};

#define FORM_PLACES 1024 /* a power of two */
#define MOST_FORMS  (FORM_PLACES / 2)

struct forms {
	struct form places[FORM_PLACES];
	uint32_t count;
};

/* The number of the form of an instruction; 0 where no row can be about it. */
uint32_t form_key(const uint8_t *bytes, size_t length);

/* Where an instruction of registers only brings something that was a vector's, or a general register's. */
enum crossing { CROSSES_NOT, CROSSES_TO_VECTOR, CROSSES_TO_GENERAL, CROSSES_TO_FLAGS };

enum crossing form_crossing(const uint8_t *bytes, size_t length);

/* Of an instruction that was added, be it of 32 or of 64 bits; NULL for others. */
const struct form *forms_find(const struct forms *forms, uint32_t key);

/*
 * Reads "4801d8 1 25 1": bytes, latency, hundredths of a cycle, slots; *text then points behind it. False where it
 * says nothing that can be, or of an instruction that was there before.
 */
bool forms_read(struct forms *forms, const char **text);

#endif
