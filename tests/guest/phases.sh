# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# phases.sh - the part of a guest test that runs in the guest, in /payload: programs whose mix changes with time, and runs of
# a program that differ, for check_phases.py.
# shellcheck disable=SC1091 # a file of its own
. ./steps.sh

parameters=/sys/module/synthetic_pmu/parameters

# A phase as long as a round of the seven groups, at the kernel's 4 ms each, is 14 ms twice.
for us in 500 4000 12000 14000 16000 50000 200000 1000000; do
	echo $us,$us >$parameters/phases
	[ $us = 1000000 ] && time=1500 || time=500
	measure mux-$us 3 --multiplex ./prog --for "$time" --mark
done
for us in 4000 14000 50000; do
	echo $us,$us >$parameters/phases
	measure all-$us 3 -a ./prog --for 500 --mark
done
cp out/mux-14000.session.json out/level3.session.json # which test.sh reports again
# A program that ends before there are enough slices.
for us in 4000 14000 50000; do
	echo $us,$us >$parameters/phases
	measure short-$us 3 --multiplex ./prog --for 100 --mark
done
# Four milliseconds of sixteen; repeats.
echo 12000,4000 >$parameters/phases
measure quarter 3 --multiplex ./prog --for 500 --mark
echo 14000,14000 >$parameters/phases
measure repeats 3 --multiplex -r 2 ./prog --for 500 --mark

# Runs that differ: A, B, A ..., with the same IPC and so the same instructions.
cp same-ipc $parameters/rates2
echo 0,1 >$parameters/phases
measure split 3 ./prog --swap --for 300
step split-text topdown report -l3 out/split.session.json
