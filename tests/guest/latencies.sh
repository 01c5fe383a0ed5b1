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
measure interval 1 --nodes Lock_Latency --retire-latency -I 200 ./prog --for 1500
step interval-again topdown report --format json -o out/interval-again.json out/interval.session.json
step drill topdown --drilldown -l6 --retire-latency --format json -o out/drill.json --save out/drill.session.json ./prog --for 400
step refused topdown -l1 --retire-latency --functions ./prog
echo "" >/sys/module/synthetic_pmu/parameters/latencies
measure none 1 --nodes Lock_Latency --retire-latency ./prog --work 20
exit 0
