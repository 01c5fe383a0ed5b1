#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# one-file.sh TOPDOWN BUILD_DIR CACHE_DIR - copies the program of -DTOPDOWN_STATIC=ON (built in BUILD_DIR) to a guest that has no
# library, no database and no topdown, and measures a program there. Its plan shall be that of TOPDOWN, which reads files.
# Exit status 77 when the guest or the program cannot be had here. With KEEP=DIR in the environment the guest's files stay there.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ $# = 3 ] || { sed -n '3,5s/^# //p' "$0" >&2; exit 2; }
usual=$(realpath "$1")
machine=sapphirerapids
export PYTHONDONTWRITEBYTECODE=1

"$here/prepare.sh" "$3"
cache=$(realpath "$3")
one_file=$("$here/../static.sh" "$2")
readarray -t options < <("$here/machine.py" $machine qemu)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/payload"
cp "$one_file" "$work/payload/topdown"
gcc -O1 -static -o "$work/payload/prog" "$here/prog.c"
cp "$cache/x86/synthetic_pmu.ko" "$work/payload/"
mkdir "$work/machine"
"$here/machine.py" $machine files "$work/machine"
cp "$work/machine/pmu" "$work/payload/"

out=${KEEP:-$work/out}
# shellcheck disable=SC2016 # for the guest's shell
"$here/run.sh" --cache "$cache" "${options[@]}" --out "$out" "$work/payload" sh -c '
	ls -a / /lib/ /usr /payload >out/files 2>&1
	xargs insmod ./synthetic_pmu.ko <pmu || exit
	alone() { env -i ./topdown "$@"; }
	alone list cpus --format json >out/cpus.json &&
		alone plan -l6 --cpu spr --format json >out/plan.json || exit
	# The first run of anything is slow in an emulated CPU, as it translates.
	alone -l1 ./prog >out/first 2>&1
	alone -l1 --format json -o out/level1.json --save out/level1.session.json ./prog --work 4 >out/level1.stdout 2>out/level1.stderr
	echo $? >out/level1.status'
TOPDOWN_DB=$here/../.. "$usual" plan -l6 --cpu spr --format json > "$out/usual.json"
"$here/one_file.py" $machine "$out"
