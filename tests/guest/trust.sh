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

# The NMI watchdog, which an emulated CPU does not have: a file in its place. The program tells what it was meanwhile.
setting=/proc/sys/kernel/nmi_watchdog
echo 1 >/tmp/nmi_watchdog
chmod 644 /tmp/nmi_watchdog
mount --bind /tmp/nmi_watchdog $setting
step doctor-watchdog topdown doctor --format json
step watchdog topdown -l1 --nmi-watchdog off -- cat $setting
cat $setting >out/watchdog.after
step watchdog-kept topdown -l1 -- cat $setting
step watchdog-user su user -c "cd /payload && exec topdown -l1 --nmi-watchdog off ./prog"
cat $setting >out/watchdog-user.after
for signal in TERM KILL; do
	topdown -l1 --nmi-watchdog off -- sleep 20 >/dev/null 2>&1 &
	pid=$!
	tries=0
	while [ "$(cat $setting)" = 1 ] && [ $tries -lt 200 ]; do
		usleep 20000
		tries=$((tries + 1))
	done
	cat $setting >out/watchdog-$signal.before
	kill -$signal $pid
	wait $pid
	usleep 200000
	cat $setting >out/watchdog-$signal.after
done
umount $setting
