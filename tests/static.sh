#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# static.sh BUILD_DIR - builds the program of -DTOPDOWN_STATIC=ON in BUILD_DIR/static, or brings it up to date, and prints its path.
# Nothing is installed where it would look. Exit status 77, after one sentence, when a library has no archive here.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
[ $# = 1 ] || { sed -n '3,4s/^# //p' "$0" >&2; exit 2; }
mkdir -p "$1/static"
build=$(cd "$1/static" && pwd)
log=$build/log

# A build folder that came here with a moved checkout starts anew.
configure() {
	if ! grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$source" "$build/CMakeCache.txt" ||
		! grep -qsxF "CMAKE_CACHEFILE_DIR:INTERNAL=$build" "$build/CMakeCache.txt"; then
		rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles"
	fi
	cmake -S "$source" -B "$build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/nonexistent \
		-DTOPDOWN_STATIC=ON -DTOPDOWN_WERROR=ON -DTOPDOWN_TESTS=OFF
}

exec 9> "$build/lock" # two tests may want it at once
flock 9
if ! configure > "$log" 2>&1; then
	rm -f "$build/CMakeCache.txt"
	missing=$(grep -o 'TOPDOWN_STATIC needs .*' "$log") || { cat "$log" >&2; exit 1; }
	echo "static.sh: $missing" >&2
	exit 77
fi
cmake --build "$build" --target topdown -j 2 > "$log" 2>&1 || { cat "$log" >&2; exit 1; }
echo "$build/topdown"
