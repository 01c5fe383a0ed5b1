#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# prepare.sh CACHE_DIR - what the guests are made of, below CACHE_DIR/{x86,arm64}:
#   kernel             Debian's cloud kernel, on x86 unpacked
#   base.cpio          an initramfs of busybox, the virtio modules and init
#   synthetic_pmu.ko   our synthetic PMU for that kernel
# and CACHE_DIR/sysroot-arm64, against which the arm64 program is linked.
#
# Everything comes from the distribution, by apt into CACHE_DIR alone: no root, and the host's packages,
# architectures and lists stay as they are. A second call finds it all there and takes no time.
# Exit status 77, after one sentence that says why, when something cannot be had here.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=$(mkdir -p "$1" && cd "$1" && pwd)
sysroot_packages=(libc6 libc6-dev linux-libc-dev libgcc-s1 libpfm4 libpfm4-dev
                  libjansson4 libjansson-dev zlib1g zlib1g-dev valgrind)

skip() { echo "guest tests: $*"; exit 77; }

apt_options=(-qq
	-o Dir::State="$cache/apt" -o Dir::State::lists="$cache/apt/lists" -o Dir::State::status="$cache/apt/status"
	-o Dir::Cache="$cache/apt" -o Dir::Cache::pkgcache=pkgcache.bin -o Dir::Cache::srcpkgcache=srcpkgcache.bin
	-o APT::Architecture=amd64 -o APT::Architectures::=amd64
	-o APT::Architectures::=arm64 -o APT::Sandbox::User= -o Acquire::Languages=none
	-o Acquire::Retries=1 -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20)

need_tools() {
	local tool

	[ "$(uname -m)" = x86_64 ] || skip "the host is $(uname -m), the guests are built on x86_64"
	for tool in apt-get dpkg-deb cpio make gcc aarch64-linux-gnu-gcc qemu-system-x86_64 qemu-system-aarch64; do
		command -v $tool >/dev/null || skip "$tool is not installed"
	done
}

update_lists() {
	mkdir -p "$cache/apt/lists/partial" "$cache/apt/archives/partial"
	: > "$cache/apt/status"
	# What the host has already need not be fetched again.
	cp -n /var/lib/apt/lists/*{InRelease,Packages*} "$cache/apt/lists/" 2>/dev/null || true
	apt-get "${apt_options[@]}" update >"$cache/apt.log" 2>&1 || skip "apt cannot fetch the distribution's package lists"
}

# depends PACKAGE PREFIX: the package of that prefix that PACKAGE depends on
depends() {
	apt-cache "${apt_options[@]}" depends "$1" 2>/dev/null |
		awk -v prefix="$2" '$1 == "Depends:" && index($2, prefix) == 1 { sub(/:.*/, "", $2); print $2; exit }'
}

# unpack DEB DIR [MEMBER...]
unpack() {
	local deb=$1 dir=$2
	shift 2
	mkdir -p "$dir"
	dpkg-deb --fsys-tarfile "$deb" | tar -xf - -C "$dir" --wildcards "$@"
}

# fetch_guest ARCH DEBIAN_ARCH: kernel, headers and busybox
fetch_guest() {
	local arch=$1 debian=$2 image headers release

	image=$(depends "linux-image-cloud-$debian:$debian" linux-image-)
	release=${image#linux-image-}
	headers=linux-headers-$release
	[ -n "$image" ] || skip "the distribution has no linux-image-cloud-$debian for $debian"
	mkdir -p "$cache/deb/$arch"
	(cd "$cache/deb/$arch" &&
		apt-get "${apt_options[@]}" download "$image:$debian" "$headers:$debian" "busybox-static:$debian" \
			"linux-headers-${release%-cloud-*}-common" "$(depends "$headers:$debian" linux-kbuild-)" >"$cache/apt.log" 2>&1
	) || skip "apt cannot fetch the $debian kernel $release, its headers and busybox"
	echo "$release" > "$cache/deb/$arch/release"
}

fetch_sysroot() {
	mkdir -p "$cache/deb/sysroot"
	(cd "$cache/deb/sysroot" && apt-get "${apt_options[@]}" download "${sysroot_packages[@]/%/:arm64}" >"$cache/apt.log" 2>&1) ||
		skip "apt cannot fetch the arm64 libraries"
}

unpack_guest() {
	local arch=$1 debs=$cache/deb/$1 root=$cache/$1/root

	rm -rf "$cache/${arch:?}"
	unpack "$debs"/linux-image-*.deb "$cache/$arch/image" './boot/vmlinuz-*' '*/virtio*.ko'
	unpack "$debs"/busybox-static_*.deb "$root" ./bin/busybox
	mv "$cache/$arch"/image/boot/vmlinuz-* "$cache/$arch/vmlinuz"
	# The payload brings its own dynamic loader and libraries.
	ln -s payload/lib "$root/lib"
	ln -s payload/lib "$root/lib64"
}

# make_base ARCH MODULE...: modules in the order in which they need each other
make_base() {
	local root=$cache/$1/root images=$cache/$1/image number=0 module

	mkdir -p "$root"/{proc,sys,dev,tmp,etc,payload/out}
	rm -rf "$root/modules"
	mkdir "$root/modules"
	for module in "${@:2}"; do
		number=$((number + 1))
		find "$images" -name "$module.ko" -exec cp {} "$root/modules/$number-$module.ko" \;
	done
	# As "busybox --install" would in each guest; x86's runs here, and has the same commands.
	"$cache/x86/root/bin/busybox" --list | grep -vx busybox | xargs -I{} ln -sf busybox "$root/bin/{}"
	echo user:x:1000:1000::/:/bin/sh > "$root/etc/passwd"
	cp "$here/init" "$root/init"
	(cd "$root" && find . | cpio -o -H newc --quiet -R 0:0) > "$cache/$1/base.cpio"
}

unpack_headers() {
	local arch=$1 debs=$cache/deb/$1 headers=$cache/headers-$1 deb

	rm -rf "$headers"
	for deb in "$debs"/linux-headers-*.deb "$debs"/linux-kbuild-*.deb; do
		unpack "$deb" "$headers"
	done
	# shellcheck disable=SC2016 # for make to expand
	sed -i 's|^include /usr/src|include $(dir $(lastword $(MAKEFILE_LIST)))/..|' "$headers/usr/src/linux-headers-$(<"$debs/release")/Makefile"
	cp "$debs/release" "$headers/release"
}

fetch() {
	local deb

	update_lists
	fetch_guest x86 amd64
	fetch_guest arm64 arm64
	fetch_sysroot
	unpack_guest x86
	unpack_guest arm64
	unpack_headers x86
	unpack_headers arm64
	rm -rf "$cache/sysroot-arm64"
	for deb in "$cache"/deb/sysroot/*.deb; do
		unpack "$deb" "$cache/sysroot-arm64"
	done
	rm -rf "$cache/apt" "$cache/deb"
}

# build_module ARCH KERNEL_ARCH CROSS_PREFIX
build_module() {
	local arch=$1 headers=$cache/headers-$1 build=$cache/$1/pmu module

	rm -rf "$build"
	cp -r "$here/pmu" "$build"
	make -s -C "$headers/usr/src/linux-headers-$(<"$headers/release")" M="$build" \
		ARCH="$2" CROSS_COMPILE="$3" CC="$3gcc" modules >"$build/log" 2>&1 || { cat "$build/log" >&2; exit 1; }
	for module in synthetic_pmu synthetic_pmu2 synthetic_units; do
		"$3strip" -g -o "$cache/$arch/$module.ko" "$build/$module.ko"
	done
}

# step NAME INPUT_FILES... -- COMMAND...: runs it once, and again when an input has changed
step() {
	local name=$1 inputs=() sum
	shift
	while [ "$1" != -- ]; do inputs+=("$1"); shift; done
	shift
	sum=$(cat "${inputs[@]}" | sha256sum)
	[ "$(cat "$cache/.$name" 2>/dev/null)" = "$sum" ] && return
	rm -f "$cache/.$name"
	"$@"
	echo "$sum" > "$cache/.$name"
}

need_tools
exec 9> "$cache/lock"
flock 9
declare -p sysroot_packages > "$cache/what-fetches"
declare -f fetch fetch_guest fetch_sysroot unpack_guest unpack_headers unpack update_lists depends >> "$cache/what-fetches"
step fetched "$cache/what-fetches" -- fetch
step kernel-x86 "$cache/.fetched" "$here/vmlinux.py" -- "$here/vmlinux.py" "$cache/x86/vmlinuz" "$cache/x86/kernel"
step kernel-arm64 "$cache/.fetched" -- cp "$cache/arm64/vmlinuz" "$cache/arm64/kernel"
step base-x86 "$cache/.fetched" "$here/init" "$here/prepare.sh" -- \
	make_base x86 virtio_ring virtio virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci virtio_console
step base-arm64 "$cache/.fetched" "$here/init" "$here/prepare.sh" -- make_base arm64 virtio_ring virtio virtio_mmio virtio_console
step module-x86 "$cache/.fetched" "$here"/pmu/* -- build_module x86 x86 ""
step module-arm64 "$cache/.fetched" "$here"/pmu/* -- build_module arm64 arm64 aarch64-linux-gnu-
