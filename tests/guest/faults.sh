# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# faults.sh - the steps of guest.sh with a PMU that is not what it says: what opens and never counts, what is held or
# refused. For faults.py.
parameters=/sys/module/synthetic_pmu/parameters

# fault NAME PARAMETER VALUE COMMAND...: while the module's parameter has that value, which was empty or 0 before
fault() {
	name=$1
	parameter=$2
	value=$3
	shift 3
	echo "$value" >"$parameters/$parameter"
	step "$name" "$@"
	case $parameter in
	held) echo 0 >$parameters/held ;;
	*) echo >"$parameters/$parameter" ;;
	esac
}

faults=$(cat faults)
if [ "$faults" = dead-metrics ]; then
	# listed and opening, as on some virtual machines: all 0
	fault dead-metrics silent 400,8000,8100,8200,8300,8400,8500,8600,8700 \
		topdown -l1 --format json -o out/dead-metrics.json ./prog
	# one field of level 2
	fault field refused 8400:22 topdown -l2 --format json -o out/field.json ./prog
	# the fixed counter of cycles; they still advance on the others, where a filter (cmask) puts them
	fault idle-cycles silent 3c topdown -l1 -e cycles --format json -o out/idle-cycles.json ./prog
	fault idle-cycles-doctor silent 3c topdown doctor -l1 --format json
	fault dead-metrics-doctor silent 400,8000,8100,8200,8300,8400,8500,8600,8700 topdown doctor --format json
else
	# an event of level 2 that is held by somebody exclusively (EBUSY), or whose register the guest does not have (ENXIO)
	fault busy refused 8a4:16 topdown -l2 --format json -o out/busy.json ./prog
	fault register refused 8a4:6 topdown -l2 --format json -o out/register.json ./prog
	fault register-cpus refused 8a4:6 topdown -l2 -a --duration 0.2 --format json -o out/register-cpus.json
	# it opens, and never gets a counter
	fault unscheduled unscheduled 8a4 topdown -l2 --format json -o out/unscheduled.json ./prog
	fault unscheduled-doctor unscheduled 8a4 topdown doctor -l2 --format json
	# it gets one, and counts nothing: cycles
	fault silent silent 3c topdown -l1 --format json -o out/silent.json ./prog
	# two of the six counters are somebody else's
	fault held held 0x30 topdown -l1 --format json -o out/held.json ./prog
	fault held-doctor held 0x30 topdown doctor -l1 --format json
fi
