# SPDX-License-Identifier: GPL-2.0-or-later
# fewest.mod - the fewest groups that can count a set of events, as an integer program (GNU MathProg, for glpsol).
#
# Summed over all groups: how often each event is on each counter. Each counter holds one event in a group, so no counter
# has more events than there are groups. What no plan can be without stands here, so no plan has fewer groups.

set COUNTERS;                        # gp0 fixed1 ...
set EVENTS;                          # that have to be counted somewhere
set EVERYWHERE within EVENTS;        # that have to be counted in each group
set PLACES within EVENTS cross COUNTERS;
set REGISTERS default {};            # MSRs
param values{REGISTERS} >= 0;        # different values that the events want in it
param alone{REGISTERS} >= 0;         # events that share it with nothing
param room{REGISTERS} >= 1;          # values that it can hold at the same time

var groups integer >= 1;
var counted{PLACES} integer >= 0;

minimize length: groups;

subject to somewhere{e in EVENTS diff EVERYWHERE}: sum{(e, c) in PLACES} counted[e, c] >= 1;
subject to always{e in EVERYWHERE}: sum{(e, c) in PLACES} counted[e, c] >= groups;
subject to one_each{c in COUNTERS}: sum{(e, c) in PLACES} counted[e, c] <= groups;
subject to registers{m in REGISTERS}: values[m] + room[m] * alone[m] <= room[m] * groups;

solve;
printf "%d\n", groups;
end;
