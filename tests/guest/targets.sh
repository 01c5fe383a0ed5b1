# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# targets.sh - the part of a guest test that runs in the guest, in /payload: topdown on everything that it can be pointed at.
# What each way printed and left is in out/, for check_targets.py.
# shellcheck disable=SC1091 # a file of its own
. ./steps.sh

# attached NAME PROG_WORDS -- TOPDOWN_WORDS: measures a prog that waits, by its pid, and lets it go when that has begun.
# THREAD in TOPDOWN_WORDS is its last thread, PID its number.
attached() {
	name=$1
	words=''
	shift
	while [ "$1" != -- ]; do words="$words $1"; shift; done
	shift
	rm -f go
	mkfifo go
	# shellcheck disable=SC2086 # words
	./prog $words --wait <go >"out/$name.prog" &
	pid=$!
	exec 3>go
	threads=$(echo "$words" | sed -n 's/.*--threads \([0-9]*\).*/\1/p')
	until grep -qsx "Threads:	$((${threads:-0} + 1))" /proc/$pid/status; do usleep 20000; done
	ls /proc/$pid/task >"out/$name.threads"
	thread=$(sort -n "out/$name.threads" | tail -1)
	# shellcheck disable=SC2046 # words
	measure "$name" 1 $(echo "$@" | sed "s/PID/$pid/; s/THREAD/$thread/") &
	measuring=$!
	running
	echo go >&3
	wait $pid
	exec 3>&-
	wait "$measuring"
}

# signalled NAME COMMAND...: the same of what waits for a signal or a command to count
signalled() {
	name=$1
	shift
	measure "$name" 1 "$@" &
	measuring=$!
	until grep -qs 'counting begins' "out/$name.stderr"; do usleep 20000; done
	topdown=$(pidof topdown)
}

# lines NAME NUMBER LEVEL COMMAND...: measures until so many intervals are written
lines() {
	name=$1
	number=$2
	level=$3
	shift 3
	measure "$name" "$level" "$@" &
	measuring=$!
	until [ -e "out/$name.json" ] && [ "$(wc -l <"out/$name.json")" -gt "$number" ]; do usleep 20000; done
	kill "$(pidof topdown)"
	wait "$measuring"
}

cpu3=/sys/devices/system/cpu/cpu3/online
cgroup=/sys/fs/cgroup
mount -t cgroup2 none $cgroup
echo +pids >$cgroup/cgroup.subtree_control # the kernel gives cgroups their perf_event part when anything is enabled
mkdir $cgroup/inside
./prog --spin & # what nobody asks for; it stands still where nobody could ask for it either
spinner=$!
kill -STOP $spinner

# Whole CPUs.
measure all 1 -a --duration 0.4
measure some 1 -C 1,3 --duration 0.4
measure with-program 1 -a ./prog --work 5
measure killed 1 -a ./prog --kill 9
measure level3 3 -a --duration 0.4
measure by-socket 1 -a --per-socket --duration 0.1
measure by-core 1 -C S0-C0 --per-core --duration 0.1
measure by-every 1 -a --global --per-socket --per-core -A --duration 0.1
step by-every-again topdown report --per-core -A --format json -o out/by-every-again.json out/by-every.session.json
step all-again topdown report --per-socket --format json -o out/all-again.json out/all.session.json
measure program-by-core 1 --per-core taskset 4 ./prog --work 30
beside interrupted -a
kill -TERM "$topdown" # a shell's background ignores SIGINT
wait "$measuring"

# A CPU that goes away meanwhile, and one that comes.
beside unplugged -a
echo 0 >$cpu3
sleep 0.2
kill -TERM "$topdown"
wait "$measuring"
beside plugged -a
echo 1 >$cpu3
kill -TERM "$topdown"
wait "$measuring"
measure not-plugged 1 -a --duration 0.1
cpu2=/sys/devices/system/cpu/cpu2/online
echo 0 >$cpu2
echo 0 >$cpu3
measure two 1 -a --duration 0.1
echo 1 >$cpu2
echo 1 >$cpu3

# What runs already.
attached attach --threads 3 --rounds 3 --work 6 -- -p PID
attached by-thread --threads 3 --each --work 6 -- -p PID --per-thread
attached thread --threads 3 --each --work 6 -- --tid THREAD
attached forks --work 12 --fork 3 -- -p PID
attached many --threads 150 --work 0 -- -p PID
step gone topdown -l1 -p 999999
kill -CONT $spinner
measure gone-and-there 1 -p "999999,$spinner" --duration 0.3
# Processes that end while they are being attached: each lives a little longer than the one before.
list=$spinner
for lives in $(seq 60); do
	usleep $((lives * 10000)) &
	list=$list,$!
done
measure exiting 1 -p "$list" --duration 0.8
measure cgroup 1 --cgroup inside sh -c "echo 0 >$cgroup/inside/cgroup.procs && exec ./prog --work 3"
kill -STOP $spinner
step no-cgroup topdown -l1 --cgroup nowhere --duration 0.1

# Programs.
measure threads 1 ./prog --threads 1200 --work 0
measure tree 1 sh -c './prog --fork 2 --work 12 >out/tree.1 & ./prog --fork 3 --work 12 >out/tree.2; wait'
measure close-stderr 1 ./prog --close-stderr
step timeout topdown -l1 --timeout 0.4 --format json -o out/timeout.json ./prog --spin
# When counting begins: after a while, too late, by a command, by SIGUSR2.
measure delay 1 -D 300 --timeout 0.7 ./prog --spin
measure late 1 -D 60000 ./prog --exit 3
step late-text topdown -l1 -D 60000 ./prog
mkfifo words answers
exec 4<>answers
signalled control -D -1 --control words,answers ./prog --spin
for word in enable disable enable stop; do
	sleep 0.2
	echo $word >words
	read -r answer <&4 && echo "$answer" >>out/control.answers
done
wait "$measuring"
signalled signal -D -1 --timeout 1.5 ./prog --spin
sleep 0.3
kill -USR2 "$topdown"
wait "$measuring"

# The multiplexing interval.
setting=/sys/bus/event_source/devices/cpu/perf_event_mux_interval_ms
cat $setting >out/mux.before
measure mux 3 --multiplex --mux-interval 15 sh -c "cat $setting && exec ./prog --work 4"
cat $setting >out/mux.after
topdown -l1 --mux-interval 15 ./prog --spin &
killed=$!
until grep -q 15 $setting; do usleep 20000; done
kill -KILL $killed
for _ in $(seq 3000); do
	cmp -s $setting out/mux.before && break
	usleep 20000
done
cat $setting >out/mux-killed.after

measure user 1 -u ./prog --work 3
measure kernel 1 -k ./prog --work 3
lines intervals 4 1 -e cycles -I 100 ./prog --spin
lines rotate 12 3 -e cycles -I 50 --interval-plan rotate ./prog --spin

# Two commands at once; gate.sh has them in turns.
step duet topdown compare --run --duet -l1 -r 3 --format json -o out/duet.json './prog --work 2' './prog --work 2' </dev/null

# Those without rights.
chmod 777 out
for paranoid in 2 1; do
	echo $paranoid >/proc/sys/kernel/perf_event_paranoid
	step user-all$paranoid su user -c "cd /payload && exec topdown -l1 -a --duration 0.1"
	step user-pid$paranoid su user -c "cd /payload && exec topdown -l1 -p $spinner --duration 0.1"
done
step mux-user su user -c "cd /payload && exec topdown -l1 --mux-interval 15 ./prog"
echo 2 >/proc/sys/kernel/perf_event_paranoid
step user-kernel su user -c "cd /payload && exec topdown -l1 -k ./prog"
kill -KILL $spinner
exit 0
