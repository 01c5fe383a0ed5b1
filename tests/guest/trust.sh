# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# trust.sh - the steps of guest.sh about what can be measured at all: topdown doctor, and each way of being refused. For
# trust.py.

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
