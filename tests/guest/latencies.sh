# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# latencies.sh - the part of a guest test that runs in the guest, in /payload: retire latencies as published, by samples,
# and by samples that have none. check_latencies.py checks what is in out/.
# shellcheck disable=SC1091 # a file of its own
. ./steps.sh

measure published 1 --nodes Lock_Latency ./prog --work 20
measure sampled 1 --nodes Lock_Latency --retire-latency ./prog --work 20
measure machine 1 --nodes Lock_Latency --retire-latency -a --duration 0.5
step again topdown report --format json -o out/again.json out/sampled.session.json
step interval topdown -l1 --retire-latency -I 100 ./prog
echo "" >/sys/module/synthetic_pmu/parameters/latencies
measure none 1 --nodes Lock_Latency --retire-latency ./prog --work 20
exit 0
