/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pack.h - all events of a problem on the counters of a fixed number of groups. Each event is either bound to a group, or
 * floats: it holds some counter of some group for now, and moves when another event needs that. So at any time the
 * events that are not bound yet are known to have room. A bipartite matching of events to (group, counter), kept up by
 * augmenting paths (Kuhn; Berge's theorem makes a failed search a proof that there is no room).
 */
#ifndef TOPDOWN_PACK_H
#define TOPDOWN_PACK_H

#include "plan/problem.h"

struct pack;

/*
 * What every group holds is bound, all other events float. NULL when so few groups have no room for all events: then no
 * plan of so few groups exists (MSRs are not looked at; see problem_msr_groups).
 */
struct pack *pack_new(const struct problem *problem, size_t ngroups, struct arena *arena);

/* Binds the events, with the leader of PERF_METRICS fields, to the group. False, and nothing changed, when there is no room. */
bool pack_bind(struct pack *pack, size_t group, const uint64_t *events);

/* As it was after pack_new. */
void pack_reset(struct pack *pack);

const struct problem *pack_problem(const struct pack *pack);
size_t pack_groups(const struct pack *pack);
/* Events that are bound to the group; to any group. */
const uint64_t *pack_members(const struct pack *pack, size_t group);
const uint64_t *pack_bound(const struct pack *pack);
/* Counters looked at so far: a measure of the work that does not depend on the machine. */
size_t pack_work(const struct pack *pack);

#endif
