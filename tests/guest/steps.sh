# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# steps.sh - what the scripts in the guest share: they run topdown step by step and keep what each step printed and left in
# out/, for the checks on the host. The PMUs of the machine are there when this has been read.
export TOPDOWN_DB=/payload/db

# step NAME COMMAND...
step() {
	name=$1
	shift
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

step boot true
[ ! -f pmu ] || xargs insmod ./synthetic_pmu.ko <pmu || exit 2
[ ! -f pmu2 ] || xargs insmod ./synthetic_pmu2.ko <pmu2 || exit 2
