# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# causes.sh - the part of a guest test that runs in the guest, in /payload: what stands in the way of counting, and what
# happens while it is counted. What was printed about the cause is in out/, for check_causes.py.
# shellcheck disable=SC1091,SC2154 # a file of its own, with variables
. ./steps.sh

# as_user NAME COMMAND: as somebody without rights
as_user() {
	step "$1" su user -c "cd /payload && exec $2"
}

chmod 777 out
as_user path-refused "topdown -l1 ./prog"
as_user sample-refused "topdown sample ./prog"
as_user lines-refused "topdown -l1 --lines ./prog"
as_user pid-refused "topdown -l1 --duration 0.1 -p 1"
echo 2 >/proc/sys/kernel/perf_event_paranoid

# Programs that may be executed, and not looked into.
cp prog unreadable
chmod 711 unreadable
cp prog other-user
chmod 4755 other-user
as_user unreadable "topdown -l1 --format json ./unreadable --work 3"
as_user other-user "topdown -l1 --format json ./other-user --work 3"
step own-user topdown -l1 --format json ./other-user --work 3

# File systems that are not mounted.
umount -l /sys
measure no-sys 1 ./prog --work 3
step no-sys-doctor topdown doctor -l1 --format json
mount -t sysfs sys /sys
mount -t cgroup2 none /sys/fs/cgroup
./prog --spin &
spinner=$!
umount -l /proc
topdown -l1 -p $spinner --duration 0.1 2>out/no-proc.stderr
echo $? >out/no-proc.status
topdown -l1 --format json -o out/no-proc-program.json ./prog >out/no-proc-program.stdout 2>out/no-proc-program.stderr
echo $? >out/no-proc-program.status
mount -t proc proc /proc
kill $spinner

# What a filter or a limit refuses.
step filter-22 filter 22 topdown -l1 ./prog
step few-files hinder files 6 topdown -l1 ./prog
as_user few-files-user "hinder files 6 topdown -l1 ./prog"
as_user few-processes "hinder processes 1 topdown -l1 ./prog"
echo 3 >/proc/sys/kernel/perf_event_paranoid
as_user path-doctor "env PATH=/bin TOPDOWN_DB=$TOPDOWN_DB /payload/topdown doctor --format json"
echo 2 >/proc/sys/kernel/perf_event_paranoid

# All counters are held by somebody else.
echo 0xffffffffffffffff >/sys/module/synthetic_pmu/parameters/held
step held topdown -l3 --save out/held.session.json sh -c 'echo x >>out/held.starts; exec ./prog'
step held-cpus topdown -l1 -a --duration 0.1
echo 0 >/sys/module/synthetic_pmu/parameters/held
measure one-group 1 --multiplex --mux-interval 5 ./prog

# A cgroup that goes away.
echo +pids >/sys/fs/cgroup/cgroup.subtree_control
mkdir -p /sys/fs/cgroup/passing
sh -c 'echo 0 >/sys/fs/cgroup/passing/cgroup.procs && exec ./prog --spin' &
spinner=$!
beside removed --cgroup passing --duration 600
kill $spinner
wait $spinner
rmdir /sys/fs/cgroup/passing
wait "$measuring"

# Time.
measure fast-intervals 3 -I 10 ./prog --work 6
measure slow-intervals 1 -I 250 --timeout 1.1 ./prog --spin
step many hinder drowsy 300 0 topdown -l1 --format json -o out/many.json -p PIDS --duration 1
step by-user hinder busy 4 1000 topdown -l1 --format json -o out/by-user.json -p PIDS --duration 0.5
exit 0
