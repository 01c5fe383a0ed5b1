#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# release.sh - tarballs of a release, in release/ of the checkout, with their SHA-256 sums in SHA256SUMS.
#
#   packaging/release.sh source    the sources, as git has them
#   packaging/release.sh native    the static program for this machine, with the simulator beside it
#   packaging/release.sh arm64     the same for arm64, cross-built; libraries in GUEST/sysroot-arm64 by tests/guest/prepare.sh.
#                                  Its manual pages are made by a topdown of this machine: NATIVE, else one built here
#
# OUT names another folder than release/, GUEST another than build/guest. Two runs make the same bytes, wherever the sources are:
# times are those of the commit, or SOURCE_DATE_EPOCH. Outside of git, in an unpacked tarball, they are those of its files.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
out=$(mkdir -p "${OUT:-$source/release}" && cd "${OUT:-$source/release}" && pwd)
guest=${GUEST:-$source/build/guest}
version=$(sed -n 's/^project(topdown VERSION \([0-9.]*\) .*/\1/p' "$source/CMakeLists.txt")
if [ -e "$source/.git" ]; then
	SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$source" log -1 --format=%ct)}
elif [ "${1-}" = source ]; then
	echo "release.sh: $source is no checkout of git, which says what belongs to the sources" >&2
	exit 1
else
	SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(stat -c %Y "$source/CMakeLists.txt")}
fi
export SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# pack NAME: the folder of that name in $work
pack() {
	find "$work/$1" -type d -exec chmod 755 {} +
	find "$work/$1" -type f -perm -u+x -exec chmod 755 {} +
	find "$work/$1" -type f ! -perm -u+x -exec chmod 644 {} +
	tar -C "$work" --format=gnu --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -cf - "$1" |
		gzip -n -9 > "$out/$1.tar.gz"
	(cd "$out" && sha256sum -- *.tar.gz > SHA256SUMS)
	echo "$out/$1.tar.gz"
}

pack_source() {
	mkdir "$work/topdown-$version"
	(cd "$source" && git ls-files -z | xargs -0 cp --parents -t "$work/topdown-$version")
	pack "topdown-$version"
}

# The path of a topdown that this machine runs.
native_topdown() {
	if [ -z "${NATIVE-}" ]; then
		cmake -S "$source" -B "$work/native" -DCMAKE_BUILD_TYPE=Release -DTOPDOWN_TESTS=OFF >&2
		cmake --build "$work/native" --target topdown -j "${JOBS:-2}" >&2
	fi
	realpath -- "${NATIVE:-$work/native/topdown}"
}

# pack_static MACHINE STRIP OPTION...
pack_static() {
	local name=topdown-$version-$1-linux strip=$2
	shift 2
	cmake -S "$source" -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr/local -DTOPDOWN_STATIC=ON -DTOPDOWN_TESTS=OFF "$@"
	cmake --build "$work/build" -j "${JOBS:-2}"
	for component in topdown simulator dev; do
		cmake --install "$work/build" --prefix "$work/$name" --component $component
	done
	"$strip" "$work/$name/bin/topdown" "$work/$name/libexec/topdown/launcher"
	cp "$source"/{LICENSE,NOTICE.md,README.md,NEWS.md} "$work/$name/"
	pack "$name"
}

case $#:${1-} in
1:source) pack_source ;;
1:native) pack_static "$(uname -m)" strip ;;
1:arm64)
	[ -d "$guest/sysroot-arm64" ] || "$source/tests/guest/prepare.sh" "$guest"
	native=$(native_topdown)
	pack_static aarch64 aarch64-linux-gnu-strip -DCMAKE_TOOLCHAIN_FILE="$source/tests/guest/aarch64.cmake" \
		-DGUEST_SYSROOT="$guest/sysroot-arm64" -DTOPDOWN_NATIVE="$native"
	;;
*)
	sed -n '4,11s/^# \{0,1\}//p' "$0" >&2
	exit 2
	;;
esac
