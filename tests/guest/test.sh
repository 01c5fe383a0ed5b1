#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# test.sh TOPDOWN CACHE_DIR MACHINE... - measures programs with topdown in a guest, and compares with what machines/MACHINE.py
# has chosen. Machines with the same CPU share a guest, which is booted as the first of them says. TOPDOWN is the host's
# program, which an x86 guest runs too; for an arm64 guest it is built in CACHE_DIR. Exit status 77 when the guest cannot be
# had here. With KEEP=DIR in the environment the guest's files stay there: of several machines in a folder each.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
[ $# -ge 3 ] || { sed -n '3,6s/^# //p' "$0" >&2; exit 2; }
host_topdown=$(realpath "$1")
mkdir -p "$2"
cache=$(realpath "$2")
machines=("${@:3}")
export PYTHONDONTWRITEBYTECODE=1
# shellcheck source=tests/guest/arm64.sh
. "$here/arm64.sh"

# libraries_x86 PROGRAM DIR: the loader and the libraries that the program needs on this machine
libraries_x86() {
	ldd "$1" | awk '$2 == "=>" { print $3 } $1 ~ /^\// { print $1 }' | xargs -I{} cp -L {} "$2/"
}

# compile_programs: those that are measured, once for all guests of an architecture; two tests may want them at once
compile_programs() {
	local program made=$cache/programs-$arch

	mkdir -p "$made"
	(
		flock 9
		for program in prog filter gated groups hinder places; do
			[ ! "$made/$program" -nt "$here/$program.c" ] || continue
			"${compiler[@]}" -O1 -static -pthread -o "$work/$program" "$here/$program.c"
			mv "$work/$program" "$made/"
		done
	) 9> "$cache/lock-programs"
}

"$here/prepare.sh" "$cache"
readarray -t options < <("$here/machine.py" "${machines[0]}" qemu)
arch=${options[1]}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
payload=$work/payload
mkdir -p "$payload"/{lib,db}
topdown=$host_topdown
compiler=(gcc)
if [ "$arch" = arm64 ]; then
	topdown=$(build_arm64)
	compiler=(aarch64-linux-gnu-gcc --sysroot="$cache/sysroot-arm64")
fi
compile_programs
cp "$cache/programs-$arch"/* "$payload/"
cp "$topdown" "$payload/topdown"
"libraries_$arch" "$topdown" "$payload/lib"
cp -r "$source/events" "$source/models" "$payload/db/"
cp "$here"/*.sh "$payload/" # those of the guest are among them
for machine in "${machines[@]}"; do
	files=$payload/machines/$machine
	mkdir -p "$files"
	"$here/machine.py" "$machine" files "$files"
	[ ! -f "$files/units" ] || "$here/chosen.py" "$(basename "$machine")" > "$files/unit-metrics"
	[ ! -f "$files/pmu" ] || cp "$cache/$arch"/synthetic_{pmu,pmu2,units}.ko "$payload/"
	if [ "$machine" = sampling ] && command -v objdump >/dev/null; then
		cp -L "$(command -v objdump)" "$payload/objdump" # writes the instructions of loops
		libraries_x86 "$payload/objdump" "$payload/lib"
	fi
done

# here_too OUT: what was saved in the guest can be evaluated here, and what was planned there is planned here too
here_too() {
	local out=$1 plan cpu

	for plan in "$out"/plan-*.stdout; do
		[ -e "$plan" ] || continue
		cpu=$(basename "$plan" .stdout)
		TOPDOWN_DB=$source "$host_topdown" plan -l6 --cpu "${cpu#plan-}" --format json >"${plan%stdout}here" ||
			echo "test.sh: topdown plan failed with status $?" >&2
	done
	if [ -f "$out/level3.session.json" ]; then
		TOPDOWN_DB=$source "$host_topdown" report --format json -o "$out/again.json" "$out/level3.session.json" ||
			echo "test.sh: topdown report failed with status $?" >&2
	fi
	if [ -f "$out/part.session.json" ]; then
		TOPDOWN_DB=$source "$host_topdown" report --format json -o "$out/part-again.json" "$out/part.session.json" ||
			echo "test.sh: topdown report of the selection failed with status $?" >&2
	fi
}

out=${KEEP:-$work/out}
rm -rf "$out"
"$here/run.sh" --cache "$cache" "${options[@]}" --out "$out" "$payload" sh ./scenes.sh "${machines[@]}"
if [ ${#machines[@]} = 1 ]; then
	mv "$out/$machine"/* "$out/"
	rmdir "$out/$machine"
fi
failed=0
for machine in "${machines[@]}"; do
	left=$out
	[ ${#machines[@]} = 1 ] || left=$out/$machine
	echo "--- $machine"
	here_too "$left"
	"$here/check_$(<"$payload/machines/$machine/script").py" "$machine" "$left" || failed=1
done
exit $failed
