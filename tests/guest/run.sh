#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# run.sh --cache CACHE_DIR --arch x86|arm64 --cpu QEMU_CPU [OPTION]... DIR COMMAND...
# Boots a guest, runs COMMAND there in /payload, which holds a copy of DIR, and leaves with its exit status.
# Standard output and error come back byte for byte through virtio consoles. DIR/lib is the guest's /lib.
#   --smp N         vCPUs (1)
#   --memory MB     (512)
#   --timeout S     wall seconds before the guest is ended (1500)
#   --shift N       an instruction takes 2^N ns of the guest's time (3)
#   --out DIR       where the files go that COMMAND left in /payload/out
#   --log FILE      the kernel's console
# Exit status 124 when the time was up and 125 when the guest died before the command ended.
set -euo pipefail

usage() { sed -n '3,/^set /{/^set /d;s/^# \?//;p}' "$0" >&2; exit 125; }

cache='' arch='' cpu='' smp=1 memory=512 timeout=1500 shift_by=3 out='' log=/dev/null
while [ $# -gt 0 ]; do
	case $1 in
	--cache) cache=$2 ;;
	--arch) arch=$2 ;;
	--cpu) cpu=$2 ;;
	--smp) smp=$2 ;;
	--memory) memory=$2 ;;
	--timeout) timeout=$2 ;;
	--out) out=$2 ;;
	--log) log=$2 ;;
	--shift) shift_by=$2 ;;
	--*) usage ;;
	*) break ;;
	esac
	shift 2
done
if [ -z "$cache" ] || [ -z "$cpu" ] || [ $# -lt 2 ]; then usage; fi

case $arch in
x86) qemu=(qemu-system-x86_64 -M pc -device "virtio-serial-pci,max_ports=8") console=ttyS0 more='' ;;
arm64) qemu=(qemu-system-aarch64 -M virt -device "virtio-serial-device,max_ports=8") console=ttyAMA0 more='' ;;
*) usage ;;
esac

# Functions of the kernel's start that take long in an emulator, for what no guest needs.
skipped=initcall_blacklist=load_system_certificate_list,init_blk_tracer,init_kprobe_trace,cubictcp_register,tpm_init,ksm_init

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/root"
cp -a "$1" "$work/root/payload"
shift
printf '%q ' "$@" > "$work/root/command"
(cd "$work/root" && find . | cpio -o -H newc --quiet -R 0:0) > "$work/payload.cpio"
cat "$cache/$arch/base.cpio" "$work/payload.cpio" > "$work/initrd"

for port in 1 2 3 4; do
	: > "$work/port$port"
	qemu+=(-chardev "file,id=c$port,path=$work/port$port" -device "virtserialport,chardev=c$port,nr=$port")
done
ended=0
# Time follows the instructions, and jumps to the next timer where all CPUs are idle: a busy host changes nothing of it. The TSC
# shows that time, 1 GHz. Of several CPUs one has an instruction at a time, and QEMU 7.2 goes to the next one when this one is
# idle or gives way (x86 pause, arm64 yield), as the kernel does where it waits. init starts the others.
clock=(-icount "shift=$shift_by,sleep=off")
[ "$arch" != x86 ] || more+=" maxcpus=1 tsc_early_khz=1000000 tsc=reliable"
timeout "$timeout" "${qemu[@]}" "${clock[@]}" -cpu "$cpu" -smp "$smp" -m "$memory" \
	-kernel "$cache/$arch/kernel" -initrd "$work/initrd" -nic none -display none -monitor none -no-reboot \
	-append "console=$console $more loglevel=5 panic=-1 mitigations=off audit=0 nokaslr cryptomgr.notests $skipped" -serial "file:$work/serial" >&2 || ended=$?

cat "$work/serial" > "$log"
cat "$work/port1"
cat "$work/port2" >&2
if [ -n "$out" ] && [ -s "$work/port4" ]; then
	mkdir -p "$out"
	tar -C "$out" -xmf "$work/port4"
fi
[ $ended != 124 ] || { tail -200 "$work/serial" >&2; echo "run.sh: the guest was ended after $timeout s" >&2; exit 124; }
read -r status < "$work/port3" || { tail -200 "$work/serial" >&2; exit 125; }
exit "$status"
