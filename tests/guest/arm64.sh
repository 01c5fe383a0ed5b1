# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# arm64.sh - topdown for an arm64 guest, and the libraries that a program needs there. For scripts that have set here, source and cache.
# shellcheck disable=SC2154

# The program for an arm64 guest, brought up to date; two tests may want it at once.
build_arm64() {
	local build=$cache/build-arm64
	(
		flock 9
		if ! grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$source" "$build/CMakeCache.txt" ||
			! grep -qsxF "CMAKE_CACHEFILE_DIR:INTERNAL=$build" "$build/CMakeCache.txt"; then
			rm -rf "$build" # it came here with a moved checkout, or there is none
			cmake -S "$source" -B "$build" -DCMAKE_TOOLCHAIN_FILE="$here/aarch64.cmake" \
				-DGUEST_SYSROOT="$cache/sysroot-arm64" -DCMAKE_BUILD_TYPE=Release -DTOPDOWN_TESTS=OFF
		fi
		cmake --build "$build" --target topdown -j 2
	) 9> "$cache/lock-arm64" >"$cache/build-arm64.log" 2>&1 || { cat "$cache/build-arm64.log" >&2; exit 1; }
	find "$build" -name topdown -type f -executable -print -quit
}

# libraries_arm64 FILE DIR: those that the file needs, from the arm64 packages, and what they need
libraries_arm64() {
	local name file

	for name in $(aarch64-linux-gnu-readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
		[ ! -e "$2/$name" ] || continue
		file=$(find "$cache/sysroot-arm64" -name "$name" -print -quit)
		[ -n "$file" ] || { echo "prepare.sh has no arm64 package with $name" >&2; exit 1; }
		cp -L "$file" "$2/"
		libraries_arm64 "$2/$name" "$2"
	done
}
