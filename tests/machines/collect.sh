#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# collect.sh OUT_DIR - copies what topdown reads about a machine, so that it can be tested against that machine elsewhere.
#
#	sh collect.sh my-machine
#	topdown plan -l3 --sysroot my-machine
#
# Please send the directory along with a bug report, or contribute it as tests/machines/NAME. It holds small text files only:
#
#	proc/cpuinfo                                        CPU model and features
#	proc/sys/kernel/{osrelease,nmi_watchdog,perf_event_paranoid,randomize_va_space,cap_last_cap}
#	sys/devices/system/cpu/                             which CPUs are online, their topology, clock settings, arm64 id
#	sys/bus/event_source/devices/                       PMUs; formats, events and caps of the CPU's own
#	sys/class/dmi/id/{sys_vendor,product_name}, sys/hypervisor/type, proc/device-tree/{,hypervisor/}compatible
#	.dockerenv, run/.containerenv (empty), run/systemd/container: whether it is a container, and of which kind
#
# No root is needed. Serial numbers are left out (the Serial line of cpuinfo; nothing else that is copied has one), and so is
# everything about the user, the network and the disks. Look through it before you send it: grep -r . my-machine
#
# SYSROOT=DIR copies from below DIR instead of from this machine.
#
# Exit status: 0 done, 1 nothing could be read or written, 2 wrong usage.

set -u

if [ $# -ne 1 ] || [ -z "$1" ]; then
	echo "usage: sh collect.sh OUT_DIR" >&2
	exit 2
fi
out=$1
root=${SYSROOT:-}

if [ -e "$out" ]; then
	echo "collect.sh: $out exists already; choose another name" >&2
	exit 2
fi

# copy PATH...: each file that is there, through a filter that drops serial numbers; files of /sys have no size, so no cp
copy() {
	for path in "$@"; do
		[ -f "$root/$path" ] || continue
		mkdir -p "$out/${path%/*}" || exit 1
		# some files are there but refuse to be read: then there is no copy either
		if content=$(tr -d '\000' 2>/dev/null <"$root/$path"); then
			printf '%s\n' "$content" | sed '/^Serial[[:blank:]]*:/d' >"$out/$path" || exit 1
		fi
	done
}

# The paths below the root that match patterns; those that match nothing stay as they are, and copy() passes them over.
below() (
	cd "$root/" || exit 1
	# shellcheck disable=SC2086 # the patterns shall be expanded here
	printf '%s\n' $1
)

copy_all() {
	for one in $(below "$1"); do
		copy "$one"
	done
}

copy proc/cpuinfo
copy proc/sys/kernel/osrelease proc/sys/kernel/nmi_watchdog proc/sys/kernel/perf_event_paranoid
copy proc/sys/kernel/randomize_va_space proc/sys/kernel/cap_last_cap
copy sys/class/dmi/id/sys_vendor sys/class/dmi/id/product_name sys/hypervisor/type
copy proc/device-tree/hypervisor/compatible proc/device-tree/compatible

cpu=sys/devices/system/cpu
copy $cpu/online $cpu/present $cpu/possible $cpu/smt/active $cpu/smt/control
for file in physical_package_id die_id core_id core_cpus_list package_cpus_list; do
	copy_all "$cpu/cpu[0-9]*/topology/$file"
done
for file in thread_siblings_list core_siblings_list; do # the names before Linux 5.3
	[ -f "$out/$cpu/cpu0/topology/core_cpus_list" ] || copy_all "$cpu/cpu[0-9]*/topology/$file"
done
copy_all "$cpu/cpu[0-9]*/cpufreq/base_frequency"
copy_all "$cpu/cpufreq/policy[0-9]*/scaling_governor"
copy $cpu/cpufreq/boost $cpu/intel_pstate/no_turbo sys/fs/selinux/enforce
copy_all "$cpu/cpu[0-9]*/regs/identification/midr_el1"

# Of every PMU its type; more of those that count for CPU cores: topdown asks nothing else.
# Of a container only its kind: podman writes names into its file.
for file in .dockerenv run/.containerenv; do
	[ ! -f "$root/$file" ] || { mkdir -p "$out/$(dirname "$file")" && : >"$out/$file"; }
done
copy run/systemd/container

pmus=sys/bus/event_source/devices
copy_all "$pmus/*/type"
copy_all "$pmus/*/cpus"
copy_all "$pmus/*/cpumask"
for pmu in $(below "$pmus/*"); do
	case ${pmu##*/} in
	cpu | cpu_*) ;;
	*) [ -f "$root/$pmu/cpus" ] || continue ;;
	esac
	for part in format events caps; do
		copy_all "$pmu/$part/*"
	done
done

if [ ! -f "$out/proc/cpuinfo" ]; then
	echo "collect.sh: $root/proc/cpuinfo could not be read" >&2
	exit 1
fi
echo "collect.sh: $(find "$out" -type f | wc -l) files in $out; look through them with: grep -r . $out"
