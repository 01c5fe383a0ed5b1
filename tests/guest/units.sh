# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# units.sh - the part of a guest test that runs in the guest, in /payload: PMUs beside the cores, with a program and
# without; events that are asked for; without rights, with a CPU offline, without one kind of units, and with another
# model of it. check_units.py checks what is in out/.
# shellcheck disable=SC1091 # a file of its own
. ./steps.sh

some=$(cat some-metrics)

# units NAME METRICS OPTION...: with the JSON report and the session
units() {
	name=$1
	metrics=$2
	shift 2
	step "$name" topdown -l1 --metrics "$metrics" --format json -o "out/$name.json" --save "out/$name.session.json" "$@"
}

xargs insmod ./synthetic_units.ko <units || exit 2
chmod 777 out

# All metrics in one run, with counters for all their events; then few, with as many counters as there are.
echo 160 >/sys/module/synthetic_units/parameters/spare
units all "$(cat unit-metrics)" -a --duration 0.7
echo 0 >/sys/module/synthetic_units/parameters/spare
units program "$some" sleep 1
[ -f brief ] || units program-all "$some" -a sleep 1
[ -f brief ] || step program-text topdown -l1 --metrics "$some" sleep 0.5
step doctor topdown doctor --format json
if [ -f units-turns ]; then
	# The cores need one run, and so does a program for them.
	step turns topdown -l1 --metrics "$(cat units-turns)" --save out/turns.session.json sleep 0.3
	step turns-all topdown -l1 --metrics "$(cat units-turns)" --save out/turns-all.session.json -a --duration 0.3 --max-runs 9
	step turns-shared topdown -l1 --metrics "$(cat units-turns)" --save out/turns-shared.session.json -a --duration 0.5
fi
if [ -f units-asked ]; then
	# Beside all metrics of the machine, and the units' clock stands still where their counters take turns.
	echo 160 >/sys/module/synthetic_units/parameters/spare
	step asked topdown -l1 -e "$(tr '\n' , <units-asked | sed 's/,$//')" --format json -o out/asked.json --save out/asked.session.json -a sleep 0.5
	echo 0 >/sys/module/synthetic_units/parameters/spare
fi

# An ordinary user may count programs, and not the whole machine.
echo 1 >/proc/sys/kernel/perf_event_paranoid
step user su user -c "cd /payload && exec topdown -l1 --metrics $some --format json -o out/user.json sleep 0.2"
if [ ! -f brief ]; then
	step user-all su user -c "cd /payload && exec topdown -l1 --metrics $some -a --duration 0.2"
	step user-doctor su user -c "cd /payload && exec topdown doctor --format json"
fi
echo 0 >/proc/sys/kernel/perf_event_paranoid

# The CPU on which the second socket's units count.
echo 0 >/sys/devices/system/cpu/cpu2/online
units offline "$some" -a --duration 0.2
[ -f brief ] || step offline-doctor topdown doctor --format json
echo 1 >/sys/devices/system/cpu/cpu2/online

# Without the first kind of units.
rmmod synthetic_units
tail -n +2 units | xargs insmod ./synthetic_units.ko || exit 2
units missing "$some" -a --duration 0.5
if [ -f other-model ]; then
	rmmod synthetic_units
	sed -f other-model units | xargs insmod ./synthetic_units.ko || exit 2
	units other-model "$some" -a --duration 0.2
fi
exit 0
