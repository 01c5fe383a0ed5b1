# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# live.sh - the part of a guest test that runs in the guest, in /payload: intervals that are counted and sampled in one run.
# What each way printed and saved is in out/, for check_live.py.
# shellcheck disable=SC1091 # a file of its own
. ./steps.sh

# series NAME MS OPTION...: each interval as JSON, and the session
series() {
	name=$1
	milliseconds=$2
	shift 2
	step "$name" topdown --format json -o "out/$name.json" --save "out/$name.session.json" "$@" ./places "$milliseconds"
}

asked=$(cat asked)
series alone 1500 -l1 -e "$asked" -I 500
series beside 4000 -l1 -e "$asked" -I 1000 --functions
series deep 4000 -l3 -I 1000 --functions
series nodes 4000 -l1 -I 1000 --nodes DRAM_Bound --functions
series few 4000 -l1 --counters 1 -I 1000 --functions
step text topdown -l1 -I 1000 --functions -o out/text.report ./places 3000
step csv topdown -l1 -I 1000 --functions --format csv -o out/csv.report ./places 4000
step page topdown -l1 -I 500 --functions -o out/page.html ./places 1500
step again topdown report --functions --format json out/deep.session.json
step page-again topdown report -o out/page-again.html out/page.html
step per-function topdown -l1 -I 500 --per-function ./places 100
exit 0
