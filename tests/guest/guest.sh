# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# guest.sh - the part of a guest test that runs in the guest, in /payload: topdown in many ways. What each way printed
# and left is in out/, for check_guest.py.
# shellcheck disable=SC1091 # a file of its own
. ./steps.sh
step plan topdown plan -l3 --format json
step plan6 topdown plan -l6 --format json
for cpu in cascadelakex sapphirerapids neoverse-v1; do
	step "plan-$cpu" topdown plan -l6 --cpu "$cpu" --format json
done
step groups sh -c 'topdown plan -l6 --format csv | ./groups'
# The first run of anything is slow in an emulated CPU, as it translates: times are not compared in these two.
step exit topdown -l1 ./prog --exit 7
step signal topdown -l1 ./prog --kill 15
measure level1 1 ./prog --work 12
measure level3 3 ./prog
measure fork 1 ./prog --work 3 --fork 3
step text topdown -l3 ./prog
# One run for all groups, which take turns; and an event by its generic name.
measure turns 3 --multiplex -e cycles ./prog --work 4
# A part of the tree and some metrics. Their names are words without blanks or anything that the shell would expand.
if [ -f part ]; then
	{ read -r nodes && read -r words; } <part
	# shellcheck disable=SC2086 # words
	TOPDOWN_LAST=1 step part topdown metrics --nodes "$nodes" --format json -o out/part.json --save out/part.session.json $words -- ./prog
	step part-last topdown report --format json -o out/part-last.json
fi
if [ -f placed ]; then
	step cpuinfo grep -Ei "^(flags|features)" /proc/cpuinfo
	export XDG_STATE_HOME=/payload/state # the ceilings are kept there
	step ceilings topdown roofline --seconds 1 --format json -o out/ceilings.json
	step roofline topdown roofline --format json -o out/roofline.json --save out/roofline.session.json ./prog --for 200
fi
[ ! -f verified ] || step verify topdown verify --only divide,adds --times 1 --format json -o out/verify.json
[ ! -f asked ] || measure asked 1 -e "$(cat asked)" ./prog
[ ! -f drill ] || measure drill "$(cat drill)" --drilldown ./prog
# Samples, by a PMU that QEMU emulates: of all, and of a user who may lock no more than 64 KiB a CPU.
chmod 777 out
if [ ! -f pmu ]; then
	cp places out/
	step sampled topdown sample --save out/sampled.session.json -o out/sampled.report -c 100000 -g none ./places 100
	echo 2 >/proc/sys/kernel/perf_event_paranoid
	echo 64 >/proc/sys/kernel/perf_event_mlock_kb
	step sampled-user su user -c "ulimit -l 0 && cd /payload && exec topdown sample --save out/sampled-user.session.json -o out/sampled-user.report -c 100000 -g none ./places 100"
	echo 516 >/proc/sys/kernel/perf_event_mlock_kb
fi
# AMD's IBS, a PMU of its own: of the core's events it samples those that are to be precise.
if [ -d /sys/bus/event_source/devices/ibs_op ]; then
	step ibs topdown sample --save out/ibs.session.json -o out/ibs.report -g none ./places 500 spot /sys/module/synthetic_pmu2/parameters/spot
	# Functions below the ceilings, where a group of operations has no room for cycles, which are sampled: it is divided.
	step placed-parts topdown roofline --per-function=1 --format json -o out/placed-parts.json ./prog --work 10
	step no-ibs topdown sample --save out/no-ibs.session.json -o out/no-ibs.report -g none -e ex_ret_instr -F 997 ./places 500 spot /sys/module/synthetic_pmu/parameters/spot
fi
# A user without rights: what the kernel refuses, and what it counts for all the same. Debian's kernels know the level 3.
for paranoid in 3 2; do
	echo $paranoid >/proc/sys/kernel/perf_event_paranoid
	step user$paranoid su user -c "cd /payload && exec topdown -l1 --format json -o out/user$paranoid.json ./prog"
done
# shellcheck disable=SC1091 # a file of its own
. ./trust.sh
# shellcheck disable=SC1091 # a file of its own
[ ! -f faults ] || . ./faults.sh
if [ -f fewer ]; then
	cat fewer >/sys/module/synthetic_pmu/parameters/counters
	step fewer-plan topdown plan -l3 --format json
	measure fewer 3 ./prog
fi
exit 0
