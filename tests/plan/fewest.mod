# SPDX-License-Identifier: GPL-2.0-or-later
# fewest.mod - the fewest groups that can count a set of events, as an integer program (GNU MathProg, for glpsol).
#
# Groups are of two kinds: those that may have exclusive events, which leave half of the general counters idle, and full ones.
# Summed over all groups of a kind: how often each event is on each counter. Each counter holds one event in a group, so no
# counter has more events than there are groups. What no plan can be without stands here, so no plan has fewer groups.

set COUNTERS;                        # gp0 fixed1 ...
set EVENTS;                          # that have to be counted somewhere
set EVERYWHERE within EVENTS;        # that have to be counted in each group
set PLACES within EVENTS cross COUNTERS;
set GENERAL within COUNTERS default {};
set EXCLUSIVE within EVENTS default {};
set PAIRED within EVENTS default {}; # that take the counter behind theirs too
set BEHIND within COUNTERS cross COUNTERS; # (b, c): c is the counter behind b
set KINDS := {'half', 'full'};
param half >= 0, default 0;          # general counters beside an exclusive event
set REGISTERS default {};            # MSRs
param values{REGISTERS} >= 0;        # different values that the events want in it
param alone{REGISTERS} >= 0;         # events that share it with nothing
param room{REGISTERS} >= 1;          # values that it can hold at the same time

var groups{KINDS} integer >= 0;
var counted{PLACES, KINDS} integer >= 0;

minimize length: sum{k in KINDS} groups[k];

subject to one: sum{k in KINDS} groups[k] >= 1;
subject to somewhere{e in EVENTS diff EVERYWHERE}: sum{(e, c) in PLACES, k in KINDS} counted[e, c, k] >= 1;
subject to always{e in EVERYWHERE, k in KINDS}: sum{(e, c) in PLACES} counted[e, c, k] >= groups[k];
subject to one_each{c in COUNTERS, k in KINDS}:
  sum{(e, c) in PLACES} counted[e, c, k] + sum{(b, c) in BEHIND, (e, b) in PLACES: e in PAIRED} counted[e, b, k] <= groups[k];
subject to idle: sum{(e, c) in PLACES: c in GENERAL} counted[e, c, 'half'] <= half * groups['half'];
subject to shared{(e, c) in PLACES: e in EXCLUSIVE}: counted[e, c, 'full'] = 0;
subject to registers{m in REGISTERS}: values[m] + room[m] * alone[m] <= room[m] * sum{k in KINDS} groups[k];

solve;
printf "%d\n", sum{k in KINDS} groups[k];
end;
