#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# long.sh [TARGET]... - runs the fuzz targets for FUZZ_SECONDS (600) each, and adds what they found to the corpus.
# FUZZ_BUILD (build-fuzz) has the targets. What breaks one is kept in its folder finds/; the exit status is then 1.
# Of the inputs that were found, the corpus gets the fewest that reach all code that was reached, with hashes for names.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
build=${FUZZ_BUILD:-build-fuzz} seconds=${FUZZ_SECONDS:-600} most=${FUZZ_MOST:-2048}
finds=$build/finds
failed=()

if [ ! -d "$build/tests" ]; then
	echo "long.sh: $build has no fuzz targets; docs/TESTING.md says how to build them" >&2
	exit 1
fi
mkdir -p "$finds"

is_hash() { [[ $1 =~ ^[0-9a-f]{40}$ ]]; }

# grow TARGET CORPUS WORK: replaces the hash-named inputs by the fewest of the old and the new ones; named ones stay
grow() {
	local target=$1 corpus=$2 work=$3 file

	mkdir -p "$corpus" "$work/named"
	for file in "$corpus"/*; do
		if [ -f "$file" ] && ! is_hash "${file##*/}"; then cp "$file" "$work/named"; fi
	done
	find "$work/found" -type f -size +"$most"c -delete
	"$target" -set_cover_merge=1 -use_counters=0 -timeout=10 -rss_limit_mb=2048 -close_fd_mask=3 \
		"$work/named" "$work/found" >"$work/log" 2>&1 || return
	for file in "$corpus"/*; do
		if is_hash "${file##*/}"; then rm "$file"; fi
	done
	for file in "$work/named"/*; do
		if is_hash "${file##*/}"; then cp "$file" "$corpus"; fi
	done
}

# fuzz NAME: fuzz_session for seconds, from its corpus
fuzz() {
	local name=$1 target=$build/tests/$1 corpus=tests/fuzz/corpus/${1#fuzz_} work before status

	work=$(mktemp -d)
	mkdir "$work/found"
	if [ -d "$corpus" ]; then cp -r "$corpus/." "$work/found"; fi
	before=$(find "$work/found" -type f | wc -l)
	"$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -close_fd_mask=3 -print_final_stats=1 \
		-artifact_prefix="$finds/$name-" "$work/found" >"$finds/$name.log" 2>&1
	status=$?
	if ! grow "$target" "$corpus" "$work"; then
		echo "$name: its inputs could not be merged"
		cat "$work/log"
		status=1
	fi
	echo "$name: $before inputs before, $(find "$work/found" -type f | wc -l) found, $(find "$corpus" -type f | wc -l) kept"
	rm -rf "$work"
	return $status
}

if [ $# -eq 0 ]; then
	mapfile -t all < <(find tests/fuzz -name 'fuzz_*.c' -printf '%f\n' | sed 's/\.c$//' | sort)
	set -- "${all[@]}"
fi
for name in "$@"; do
	if ! fuzz "$name"; then
		failed+=("$name")
		tail -n 40 "$finds/$name.log"
	fi
done
echo "the corpus: $(find tests/fuzz/corpus -type f -printf '%s\n' | awk '{ s += $1 } END { print s }') bytes"
[ ${#failed[@]} -eq 0 ] || echo "long.sh: broken: ${failed[*]}; their inputs are in $finds"
exit $((${#failed[@]} > 0))
