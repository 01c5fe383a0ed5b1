# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# refused.sh - the steps of trust.sh that no PMU changes: the watchdog, each way of being refused, limits, repeats. For trust.py.

# The NMI watchdog, which an emulated CPU does not have: a file in its place. The program prints its value meanwhile.
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

# Refusals. errno 1 is EPERM, which Docker's filter answers, and 38 ENOSYS, which others do.
step filter-1 filter 1 topdown -l1 ./prog
step filter-38 filter 38 topdown -l1 ./prog
step filter-doctor filter 1 topdown doctor --format json
as_user user1 1 "topdown -l1 --format json -o out/user1.json ./prog"
as_user user1-cpus 1 "topdown -l1 -a -- sleep 0.1"
step files topdown -l1 --format json -o out/files.json sh -c 'ulimit -n'
sh -c 'ulimit -n 16 && exec topdown -l3 --multiplex --format json -o out/files16.json ./prog --work 4' >/dev/null 2>out/files16.stderr
echo $? >out/files16.status
as_user files16-user 1 "sh -c 'ulimit -n 16 && exec topdown -l3 --multiplex ./prog'"
sleep 60 &
other=$!
as_user attached 1 "topdown -l1 --duration 0.1 -p $other"
kill $other

# Runs: three repeats of a program whose work is 1, 4 and 16 times the same; one that fails; the output of all runs. With two
# threads a core a repeat has two runs.
echo 1 >/tmp/work
growth=4
[ "$(cat /sys/devices/system/cpu/cpu0/topology/thread_siblings_list)" = 0 ] || growth=2
cat >/tmp/growing <<END
read n </tmp/work
echo \$((n * $growth)) >/tmp/work
exec /payload/prog --work \$n
END
measure repeat 1 -r 3 sh /tmp/growing
step repeat-again topdown report --format json out/repeat.session.json
step repeat-text topdown report out/repeat.session.json
measure fails 3 sh -c 'echo x >>out/fails.starts; exit 4'
step all-output topdown -l3 --all-output echo printed
