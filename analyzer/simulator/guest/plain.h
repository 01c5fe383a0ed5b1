/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plain.h - each block's second translation, which nothing follows: it only takes its instructions off a budget. While
 * there is one, the program runs almost as fast as under Valgrind alone; where a block does not fit into what is left,
 * the translation that leaves it in the trace goes on (instrument.c), block by block, until there is a budget again.
 *
 * Both stay where Valgrind keeps translations, so nothing is translated anew when they change. The plain one is that
 * of the block's own address, the other one that of an alias, which no program has. Valgrind finds code to translate
 * through its table of redirected functions: there the alias leads to the address.
 */
#ifndef TOPDOWN_SIMULATOR_GUEST_PLAIN_H
#define TOPDOWN_SIMULATOR_GUEST_PLAIN_H

#include "simulator/guest/valgrind.h"

/* Instructions that may still run without being followed. */
extern Long plain_budget;

/*
 * Addresses that the program used meanwhile, of lines that reuse.h chooses, with enum use in the lowest bits, which
 * are 0 of most addresses anyhow. Whoever reads them begins anew.
 */
#define PLAIN_USE 3
extern Addr plain_addresses[], *plain_end;

/* Are there so many of them that they have to be read? The other translation goes on then, too. */
Bool plain_is_full(void);

/* From now on both are made; what was translated so far is forgotten. Only where no code of the program runs. */
void plain_begin(void);
Bool plain_has_begun(void);

/* Is this the plain translation that is asked for? */
Bool plain_is_wanted(const VgCallbackClosure *closure);

IRSB *plain_instrument(IRSB *in, const VexGuestLayout *layout, Addr address);

/* Where the thread is, by the block's own address; and from then on for whoever looks. */
Addr plain_address(ThreadId id);
void plain_hide_alias(ThreadId id);

#endif
