# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# sampling.sh - the part of a guest test that runs in the guest, in /payload: events of the PMU are sampled in a program whose
# shares are known. What each way printed and saved is in out/, for check_sampling.py.
# shellcheck disable=SC1091 # a file of its own
. ./steps.sh

# sample NAME OPTION...: with the profile
sample() {
	name=$1
	shift
	step "$name" topdown sample --save "out/$name.session.json" -o "out/$name.report" "$@"
}

sample frequency -e CPU_CLK_UNHALTED.THREAD -F 997 -g fp ./places 500
sample period -e INST_RETIRED.ANY -c 1500000 -g none ./places 500
sample user -u -e CPU_CLK_UNHALTED.THREAD -g none ./places 500
sample nodes --nodes DRAM_Bound ./places 500
sample all -a -e CPU_CLK_UNHALTED.THREAD -g none ./places 500
sample threads -e CPU_CLK_UNHALTED.THREAD sh -c './places 300 & ./places 300 & wait'

# Events at a chosen instruction, and behind it, as the PMU takes precise ones or not; branch records that the test makes up.
parameters=/sys/module/synthetic_pmu/parameters
for level in 0 1 3; do
	echo $level >$parameters/precise
	sample "precise$level" --nodes DRAM_Bound -g none ./places 300 spot $parameters/spot
done
echo 1,1 >$parameters/branches
sample lbr -e CPU_CLK_UNHALTED.THREAD -g lbr ./places 300 spot $parameters/spot $parameters/branches
topdown export --to folded out/lbr.session.json >out/lbr.folded

# tree NAME OPTION...: groups are read with each sample
tree() {
	name=$1
	shift
	step "$name" topdown -l1 --per-function --format json -o "out/$name.json" --save "out/$name.session.json" "$@" \
		./places 800 /sys/module/synthetic_pmu/parameters/phases
}

tree tree
tree tree-all -a --functions
./places 20000 /sys/module/synthetic_pmu/parameters/phases &
step tree-pid topdown -l1 --per-function --duration 1 --format json -o out/tree-pid.json -p $!
kill $!
step tree-again topdown report -l1 --per-function=1 out/tree.session.json
# Functions below the ceilings: each computes and moves what its rates say.
export XDG_STATE_HOME=/payload/state # the ceilings are kept there
step placed topdown roofline --seconds 1 --per-function --format json -o out/placed.json --save out/placed.session.json \
	./places 800 /sys/module/synthetic_pmu/parameters/phases
step placed-again topdown report --roofline --per-function out/placed.session.json
# A cgroup: one of two programs is in it.
cgroup=/sys/fs/cgroup
mount -t cgroup2 none $cgroup
echo +pids >$cgroup/cgroup.subtree_control # the kernel gives cgroups their perf_event part when anything is enabled
mkdir $cgroup/inside
sample cgroup --cgroup inside -e CPU_CLK_UNHALTED.THREAD -g none sh -c "./prog --work 4 & echo 0 >$cgroup/inside/cgroup.procs && ./places 500; wait"
exit 0
