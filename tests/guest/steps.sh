# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034 # variables for the scripts
# steps.sh - what the scripts in the guest share: they run topdown step by step and keep what each step printed and left in
# out/, for the checks on the host. The PMUs of the machine are there when this has been read.
export TOPDOWN_DB=/payload/db

# step NAME COMMAND...; the console says which, for the case that it hangs
step() {
	name=$1
	shift
	echo "<3>step $name" >/dev/kmsg
	"$@" >"out/$name.stdout" 2>"out/$name.stderr"
	echo $? >"out/$name.status"
	read -r now _ </proc/uptime
	echo "$name $now" >>out/times
}

# measure NAME LEVEL COMMAND...: with the JSON report and the session
measure() {
	name=$1
	level=$2
	shift 2
	step "$name" topdown "-l$level" --format json -o "out/$name.json" --save "out/$name.session.json" "$@"
}

# running: waits until topdown sleeps in ppoll(2), which is 271 on x86-64: it counts, or samples. Sets topdown to its number.
running() {
	until topdown=$(pidof topdown) && grep -qs '^271 ' "/proc/$topdown/syscall"; do usleep 20000; done
}

# beside NAME COMMAND...: measures at level 1 in the background, and returns when that has begun
beside() {
	name=$1
	shift
	measure "$name" 1 "$@" &
	measuring=$!
	running
}

step boot true
[ ! -f pmu ] || xargs insmod ./synthetic_pmu.ko <pmu || exit 2
[ ! -f pmu2 ] || xargs insmod ./synthetic_pmu2.ko <pmu2 || exit 2
