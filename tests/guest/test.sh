#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# test.sh TOPDOWN CACHE_DIR MACHINE - measures a program with topdown in a guest, and compares with what machines/MACHINE.py
# has chosen. TOPDOWN is the host's program, which an x86 guest runs too; for an arm64 guest it is built in CACHE_DIR.
# Exit status 77 when the guest cannot be had here. With KEEP=DIR in the environment the guest's files stay there.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
[ $# = 3 ] || { sed -n '3,5s/^# //p' "$0" >&2; exit 2; }
host_topdown=$(realpath "$1")
mkdir -p "$2"
cache=$(realpath "$2")
machine=$3
export PYTHONDONTWRITEBYTECODE=1
# shellcheck source=tests/guest/arm64.sh
. "$here/arm64.sh"

# libraries_x86 PROGRAM DIR: the loader and the libraries that the program needs on this machine
libraries_x86() {
	ldd "$1" | awk '$2 == "=>" { print $3 } $1 ~ /^\// { print $1 }' | xargs -I{} cp -L {} "$2/"
}

"$here/prepare.sh" "$cache"
readarray -t options < <("$here/machine.py" "$machine" qemu)
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
for program in prog filter gated groups hinder places; do
	"${compiler[@]}" -O1 -static -pthread -o "$payload/$program" "$here/$program.c"
done
cp "$topdown" "$payload/topdown"
"libraries_$arch" "$topdown" "$payload/lib"
cp -r "$source/events" "$source/models" "$payload/db/"
cp "$here"/*.sh "$payload/" # those of the guest are among them
"$here/machine.py" "$machine" insmod > "$payload/pmu"
"$here/machine.py" "$machine" drill > "$payload/drill"
"$here/machine.py" "$machine" part > "$payload/part"
"$here/machine.py" "$machine" insmod2 > "$payload/pmu2"
"$here/machine.py" "$machine" faults > "$payload/faults"
"$here/machine.py" "$machine" fewer > "$payload/fewer"
"$here/machine.py" "$machine" asked > "$payload/asked"
"$here/machine.py" "$machine" placed > "$payload/placed"
"$here/machine.py" "$machine" verified > "$payload/verified"
"$here/machine.py" "$machine" same-ipc > "$payload/same-ipc"
"$here/machine.py" "$machine" units > "$payload/units"
"$here/machine.py" "$machine" some-metrics > "$payload/some-metrics"
"$here/machine.py" "$machine" units-asked > "$payload/units-asked"
"$here/machine.py" "$machine" units-turns > "$payload/units-turns"
"$here/machine.py" "$machine" brief > "$payload/brief"
"$here/machine.py" "$machine" other-model > "$payload/other-model"
[ ! -s "$payload/units" ] || "$here/chosen.py" "$(basename "$machine")" > "$payload/unit-metrics"
script=$("$here/machine.py" "$machine" script)
find "$payload" -maxdepth 1 -empty -delete
[ ! -f "$payload/pmu" ] || cp "$cache/$arch"/synthetic_{pmu,pmu2,units}.ko "$payload/"

out=${KEEP:-$work/out}

# here_too: what was saved in the guest can be evaluated here, and what was planned there is planned here too
here_too() {
	local plan cpu

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

# attempt: a fresh guest, and the check of what it left. "set -e" does not hold where a status is tested.
attempt() {
	rm -rf "$out"
	"$here/run.sh" --cache "$cache" "${options[@]}" --out "$out" "$payload" sh "./$script.sh" || return
	here_too
	"$here/check_$script.py" "$machine" "$out"
}

attempts=$("$here/machine.py" "$machine" attempts)
for ((number = 1; number < attempts; number++)); do
	status=0
	attempt || status=$?
	[ $status != 0 ] && [ $status != 77 ] || exit $status
	echo "test.sh: attempt $number of $attempts failed; the next one is in a fresh guest"
done
attempt
