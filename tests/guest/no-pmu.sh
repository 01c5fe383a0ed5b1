#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# no-pmu.sh CACHE_DIR - an arm64 guest without a PMU, where topdown simulates by itself: kernels whose bottleneck is known, on the
# core of the guest's CPU, under the distribution's Valgrind for arm64 with our tool.
# Exit status 77 when the guest cannot be had here. With KEEP=DIR in the environment the guest's files stay there.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
[ $# = 1 ] || { sed -n '3,5s/^# //p' "$0" >&2; exit 2; }
"$here/prepare.sh" "$1"
cache=$(realpath "$1")
export PYTHONDONTWRITEBYTECODE=1
# shellcheck source=tests/guest/arm64.sh
. "$here/arm64.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
payload=$work/payload
mkdir -p "$payload"/{lib,db,libexec/topdown,libexec/valgrind}
topdown=$(build_arm64)
tool=$(dirname "$topdown")/libexec/topdown/topdown-arm64-linux
[ -x "$tool" ] || { echo "no-pmu.sh: the arm64 build has no simulator" >&2; exit 1; }
cp "$topdown" "$cache/sysroot-arm64/usr/bin/valgrind.bin" "$payload/"
mv "$payload/valgrind.bin" "$payload/valgrind"
cp "$tool" "$(dirname "$tool")/launcher" "$payload/libexec/topdown/"
cp "$cache"/sysroot-arm64/usr/libexec/valgrind/{memcheck-arm64-linux,vgpreload_core-arm64-linux.so,default.supp} "$payload/libexec/valgrind/"
cp "$here/steps.sh" "$payload/"
cp -r "$source/events" "$source/models" "$payload/db/"
for kernel in divide quicksort chase behave; do
	aarch64-linux-gnu-gcc --sysroot="$cache/sysroot-arm64" -O2 -g -D_GNU_SOURCE -pthread -o "$payload/$kernel" "$source/tests/kernels/$kernel.c"
done
libraries_arm64 "$payload/topdown" "$payload/lib"
libraries_arm64 "$payload/behave" "$payload/lib"

out=${KEEP:-$work/out}
# shellcheck disable=SC2016 # for the shell of the guest
"$here/run.sh" --cache "$cache" --arch arm64 --cpu neoverse-n1,midr=0x411fd401,pmu=off --memory 1024 \
	--out "$out" "$payload" sh -c '
	. ./steps.sh
	export VALGRIND_LIB=$PWD/libexec/valgrind
	simulate() { name=$1; shift; step "$name" topdown -l3 --no-anchor --format json -o "out/$name.json" --save "out/$name.session.json" "$@"; }
	simulate divide --lines ./divide 150000
	simulate again --lines ./divide 150000
	simulate quicksort ./quicksort 30000
	simulate chase ./chase 512 200000
	simulate threads --per-thread ./behave threads
	step status topdown -l1 ./behave status-7
	step refused topdown --pmu cpu -l1 ./divide 20000'
"$here/no_pmu.py" "$out"
