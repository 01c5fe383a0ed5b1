# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# trust.sh - the steps of guest.sh about what can be measured at all: topdown doctor, and few counters or none. For trust.py.

# as_user NAME PARANOID COMMAND: as somebody without rights
as_user() {
	echo "$2" >/proc/sys/kernel/perf_event_paranoid
	step "$1" su user -c "cd /payload && exec $3"
	echo 2 >/proc/sys/kernel/perf_event_paranoid
}

step doctor topdown doctor --format json
as_user doctor-user2 2 "topdown doctor -l1 --format json"
as_user doctor-user3 3 "topdown doctor --format json"
if [ -f fewer ]; then
	counters=/sys/module/synthetic_pmu/parameters/counters
	all=$(cat $counters)
	cat fewer >$counters
	step doctor-fewer topdown doctor --format json
	echo "$all" >$counters
fi

# What the kernel refuses and limits is the same on most machines.
# shellcheck disable=SC1091 # a file of its own
[ ! -f refused ] || . ./refused.sh
if [ -f pmu ]; then
	parameters=/sys/module/synthetic_pmu/parameters
	all=$(cat $parameters/counters)
	echo 2 >$parameters/counters
	step two topdown -l1 --format json -o out/two.json ./prog
	echo "$all" >$parameters/counters
	# Events that open, and are never put on a counter.
	echo 0xffffffffffffffff >$parameters/held
	step never topdown -l3 --format json -o out/never.json sh -c 'echo x >>out/never.starts; ./prog --exit 3'
	step never-doctor topdown doctor --format json
	echo 0 >$parameters/held
fi
