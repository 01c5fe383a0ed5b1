#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# bootstrap.sh - from a fresh machine to a first result.
#
#   ./bootstrap.sh             sets up, builds, and measures a sample program
#   ./bootstrap.sh test        sets up, builds, and runs the quick tests: those without guests, browsers, packages and network
#   ./bootstrap.sh test all    sets up, builds, and runs all tests
#   ./bootstrap.sh packages [gate]
#                              only installs what build and tests need; with gate what .ci/run needs
#   ./bootstrap.sh build       only builds, with the tests
#   ./bootstrap.sh install [PREFIX]
#                              sets up, builds, and installs topdown below PREFIX (/usr/local)
#
# It installs only what is missing; where nothing is, it needs no rights.
set -eu
cd "$(dirname "$0")"

# How to see that it is there (see is_there), and the package that brings it: Debian's name, Fedora's ("-": not used there).
build_needs='
command:gcc                       gcc                    gcc
header:stdio.h                    libc6-dev              glibc-devel
command:cmake                     cmake                  cmake
command:make                      make                   make
command:pkg-config                pkg-config             pkgconf-pkg-config
header:perfmon/pfmlib.h           libpfm4-dev            libpfm-devel
library:jansson                   libjansson-dev         jansson-devel
library:libcjson                  libcjson-dev           cjson-devel
library:zlib                      zlib1g-dev             zlib-devel
library:libzstd                   libzstd-dev            libzstd-devel
library:libdw                     libdw-dev              elfutils-devel
library:libelf                    libelf-dev             elfutils-libelf-devel
library:sqlite3                   libsqlite3-dev         sqlite-devel
header:libiberty/demangle.h       libiberty-dev          binutils-devel
library:libprotobuf-c             libprotobuf-c-dev      protobuf-c-devel
command:protoc-c                  protobuf-c-compiler    protobuf-c-compiler
library:libbpf                    libbpf-dev             libbpf-devel
command:clang                     clang                  clang
command:valgrind                  valgrind               valgrind
header:valgrind/pub_tool_basics.h valgrind               valgrind-devel
archive:coregrind                 valgrind               valgrind-tools-devel
'
# What the quick tests need, what .ci/run needs beside it, and what all tests need beside these.
quick_needs='
library:cmocka                    libcmocka-dev          libcmocka-devel
command:python3                   python3                python3
python:scipy.stats                python3-scipy          python3-scipy
python:jsonschema                 python3-jsonschema     python3-jsonschema
command:cmark-gfm                 cmark-gfm              -
command:glpsol                    glpk-utils             glpk-utils
command:tmux                      tmux                   tmux
command:fish                      fish                   fish
command:zsh                       zsh                    zsh
command:strace                    strace                 strace
'
gate_needs='
command:git                       git                    git
runtime:clang                     libclang-rt-14-dev     compiler-rt
command:clang-tidy                clang-tidy             clang-tools-extra
command:clang-format              clang-format           clang-tools-extra
command:shellcheck                shellcheck             ShellCheck
command:black                     black                  black
command:flake8                    flake8                 python3-flake8
command:qemu-system-x86_64        qemu-system-x86        -
command:qemu-system-aarch64       qemu-system-arm        -
command:aarch64-linux-gnu-gcc     gcc-aarch64-linux-gnu  -
command:cpio                      cpio                   -
shared:libelf.so.1                libelf1                -
shared:libssl.so.3                libssl3                -
'
all_needs='
command:pandoc                    pandoc                 pandoc
command:mandoc                    mandoc                 mandoc
command:man                       man-db                 man-db
command:pdftotext                 poppler-utils          poppler-utils
browser:chromium                  chromium-headless-shell chromium-headless
browser:firefox                   firefox-esr            firefox
command:npm                       npm                    nodejs-npm
command:mpirun                    openmpi-bin            openmpi
command:munged                    munge                  munge
command:slurmctld                 slurm-wlm              slurm-slurmctld
command:dh                        debhelper              -
command:lintian                   lintian                -
command:hardening-check           devscripts             -
command:mmdebstrap                mmdebstrap             -
command:rpmbuild                  rpm                    rpm-build
'

say() { echo "bootstrap.sh: $*"; }
fail() { say "$*" >&2; exit 1; }

usage() {
	sed -n '3,14s/^# \{0,1\}//p' "$0" >&2
	exit 2
}

compiles() { "$@" -x c -o /dev/null - 2>/dev/null; }

is_there() {
	name=${1#*:}
	case $1 in
	command:*) command -v "$name" ;;
	browser:*) command -v "$name-headless-shell" || command -v "$name" || command -v "$name-browser" ;;
	archive:*) find "$(pkg-config --variable=libdir valgrind)/valgrind" -name "lib$name-*.a" | grep -q . ;;
	header:*) printf '#if !__has_include(<%s>)\n#error\n#endif\n' "$name" | compiles gcc -E ;;
	library:*) pkg-config --exists "$name" ;;
	python:*) /usr/bin/python3 -c "import $name" ;;
	runtime:*) echo 'int main(void) { return 0; }' | compiles "$name" -fsanitize=address ;;
	shared:*) PATH=$PATH:/sbin:/usr/sbin ldconfig -p | grep -F "$name" ;;
	esac >/dev/null 2>&1
}

# missing NEEDS COLUMN: the packages of what is not there
missing() {
	echo "$1" | while read -r check debian fedora; do
		[ -n "$check" ] || continue
		if [ "$2" = debian ]; then package=$debian; else package=$fedora; fi
		if [ "$package" != - ] && ! is_there "$check"; then
			echo "$package"
		fi
	done | sort -u | tr '\n' ' '
}

install_packages() {
	if [ "$(id -u)" = 0 ]; then
		root=
	elif command -v sudo >/dev/null; then
		root=sudo
	else
		fail "missing packages; as root: $manager install $*"
	fi
	say "installing $*"
	case $manager in
	apt-get)
		$root apt-get -qq update &&
			$root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@"
		;;
	dnf) $root dnf install -y "$@" ;;
	esac || fail "installing failed; what is missing: $*"
}

install_missing() {
	distribution=debian
	if command -v apt-get >/dev/null; then
		manager=apt-get
	elif command -v dnf >/dev/null; then
		manager=dnf
		distribution=fedora
	else
		manager=
	fi
	packages=$(missing "$1" $distribution)
	[ -n "$packages" ] || return 0
	[ -n "$manager" ] || fail "neither apt-get nor dnf here; install what Debian calls: $packages"
	# shellcheck disable=SC2086 # words, on purpose
	install_packages $packages
}

# configure OPTION...: a build directory that came here with a moved checkout starts anew
configure() {
	grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$(pwd -P)" build/CMakeCache.txt || rm -rf build/CMakeCache.txt build/CMakeFiles
	cmake -S . -B build -DCMAKE_BUILD_TYPE=Release "$@"
}

# The checker of accessibility, which no distribution has. Where it can't be had, its test says so.
fetch_axe() {
	axe=4.14.1
	grep -qs "\"version\": \"$axe\"" build/npm/node_modules/axe-core/package.json ||
		npm install --silent --no-audit --no-fund --no-save --prefix build/npm "axe-core@$axe" >/dev/null ||
		say "axe-core $axe can't be had; pages are tested without"
}

compile() { cmake --build build -j "${JOBS:-$(nproc)}" "$@"; }

build_tests() {
	configure -DTOPDOWN_TESTS=ON -DTOPDOWN_WERROR=ON
	compile
}

# run_tests OPTION...: one more at a time than there are CPUs, because some wait for what they started
run_tests() { ctest --test-dir build -j"$((${JOBS:-$(nproc)} + 1))" --timeout 3600 --output-on-failure "$@"; }

# The main job on the sample. Where nothing can be counted, a report of a session that was recorded elsewhere.
demonstrate() {
	status=0
	printf '\n$ build/topdown -l3 build/sample\n'
	build/topdown -l3 build/sample || status=$?
	[ "$status" = 125 ] || return "$status"
	printf '\n%s\n' "This machine cannot be measured, for the reason above. So here is the report of a RECORDED session: a program in a" \
		"test guest (tests/guest) that shows itself as a Sapphire Rapids and whose PMU counts at rates that were chosen."
	[ -f docs/sample-session.json ] || fail "docs/sample-session.json, the recorded session, is not there"
	printf '\n$ build/topdown report -l3 docs/sample-session.json\n'
	build/topdown report -l3 docs/sample-session.json
}

# install_below PREFIX: with the rights that this takes; what is there already is replaced
install_below() {
	case $1 in
	/*) prefix=$1 ;;
	*) prefix=$(pwd)/$1 ;;
	esac
	set -- -DCMAKE_INSTALL_PREFIX="$prefix"
	[ -f build/CMakeCache.txt ] || set -- "$@" -DTOPDOWN_TESTS=OFF
	configure "$@"
	compile
	if mkdir -p "$prefix" 2>/dev/null && [ -w "$prefix" ]; then
		cmake --install build
	elif command -v sudo >/dev/null; then
		sudo cmake --install build
	else
		fail "no rights to write $prefix; as root, or with another PREFIX: ./bootstrap.sh install PREFIX"
	fi
	say "installed: $prefix/bin/topdown; \`cmake --build build --target uninstall\` removes it"
}

case $#:${1-} in
0:)
	install_missing "$build_needs"
	# The unit tests need one more package than the program; who has them built already keeps them.
	[ -f build/CMakeCache.txt ] || set -- -DTOPDOWN_TESTS=OFF
	configure "$@"
	compile --target topdown sample
	demonstrate
	;;
1:test)
	install_missing "$build_needs$quick_needs"
	build_tests
	run_tests -LE '^full$'
	left=$(ctest --test-dir build -N -L '^full$' | sed -n 's/^Total Tests: //p')
	say "these are the quick tests; \`./bootstrap.sh test all\` adds $left: guests, browsers, packages, more data"
	;;
2:test)
	[ "$2" = all ] || usage
	install_missing "$build_needs$quick_needs$gate_needs$all_needs"
	build_tests
	fetch_axe
	run_tests
	;;
1:build)
	install_missing "$build_needs$quick_needs"
	build_tests
	;;
1:install | 2:install)
	install_missing "$build_needs"
	install_below "${2:-/usr/local}"
	;;
1:packages) install_missing "$build_needs$quick_needs$gate_needs$all_needs" ;;
2:packages)
	[ "$2" = gate ] || usage
	install_missing "$build_needs$quick_needs$gate_needs"
	;;
*) usage ;;
esac
