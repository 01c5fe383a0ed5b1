/* SPDX-License-Identifier: GPL-2.0-or-later */
/* classify.h - which kind of micro-op an operation of VEX's IR stands for. */
#ifndef TOPDOWN_SIM_CLASSIFY_H
#define TOPDOWN_SIM_CLASSIFY_H

#include "sim/block.h"
#include "sim/valgrind.h"

enum kind classify_op(IROp op);

/* Helper functions that VEX calls, by their names. */
enum kind classify_call(const HChar *name);

/* Does the helper wait for all before it, as CPUID does? */
Bool is_serializing_call(const HChar *name);

#endif
