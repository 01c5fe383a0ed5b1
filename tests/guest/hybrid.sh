# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# hybrid.sh - the part of a guest test that runs in the guest, in /payload: programs on a CPU with two types of cores, the
# first on CPUs 0 and 1, the second on 2 and 3. What each way printed and left is in out/, for check_hybrid.py.
# shellcheck disable=SC1091 # a file of its own
. ./steps.sh

step plan topdown plan -l3 --format json
measure core 1 taskset 1 ./prog --work 30
measure atom 1 taskset 4 ./prog --work 30
measure both 1 sh -c 'taskset 1 ./prog --work 20 & taskset 4 ./prog --work 30 >out/both.atom & wait'
measure level3 3 sh -c 'taskset 2 ./prog --work 10 & taskset 8 ./prog --work 10 >out/level3.atom & wait'
measure turns 3 --multiplex sh -c 'taskset 1 ./prog --work 40 & taskset 4 ./prog --work 40 >out/turns.atom & wait'
measure moving 1 sh -c 'taskset 1 ./prog --work 20; exec taskset 4 ./prog --work 20 >out/moving.atom'
measure all 1 -a --duration 0.1
measure some 1 -C 2 --duration 0.1
measure named 1 --cpu alderlake:atom taskset 4 ./prog --work 10
step sampled topdown sample -g none --save out/sampled.session.json \
	sh -c 'taskset 1 ./places 1000r; taskset 4 ./places 1000r'
step text topdown -l1 taskset 1 ./prog
step csv topdown -l1 --format csv -o out/csv.csv taskset 1 ./prog
exit 0
