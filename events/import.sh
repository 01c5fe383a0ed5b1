#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Imports every CPU of the vendors' published data: events/import.sh [REFERENCE [OUT [TOPDOWN]]]
# REFERENCE holds intel/ and tma/ (intel/perfmon; without tma/, CPUs of a sheet get what else there is of them),
# perfspect/ (intel/PerfSpect), linux-7.3/ (pmu-events) and arm/ (Arm's telemetry files), as tests/fetch-reference.sh
# puts them into its default, tests/reference; CPUs that it lacks are left out. OUT gets events/ and models/.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
reference=${1:-$root/tests/reference} out=${2:-$root} topdown=${3:-topdown}
sheets=
if [ -d "$reference/tma" ]; then sheets=$reference/tma; fi
for folder in "$reference"/intel/*/; do
	"$topdown" import --db "$root" --from perfmon -o "$out" "$folder" "$reference"/linux-7.3/x86/*/ \
		"$reference"/perfspect ${sheets:+"$sheets"}
done
for folder in "$reference"/linux-7.3/x86/amdzen*/; do
	"$topdown" import --db "$root" --from perf -o "$out" "$folder"
done
# C1-Pro has three revisions of the same events and formulas; SME2 is a unit that cores of C1 share.
arm=$(mktemp -d)
trap 'rm -rf "$arm"' EXIT
for file in "$reference"/arm/*.json; do
	case $file in
	*/arm-c1-pro-r0p0-pmu.json | */arm-c1-pro-r1p1-pmu.json | */arm-c1-sme2-*) ;;
	*) cp "$file" "$arm/" ;;
	esac
done
"$topdown" import --db "$root" --from arm -o "$out" "$arm"
for folder in arm/cortex-a34 arm/cortex-a35 arm/cortex-a510 arm/cortex-a53 arm/cortex-a55 arm/cortex-a57-a72 \
	arm/cortex-a65-e1 arm/cortex-a710 arm/cortex-a73 arm/cortex-a75 arm/cortex-a76 arm/cortex-a77 arm/cortex-a78 \
	arm/cortex-x1 arm/cortex-x2 ampere/ampereone ampere/ampereonex ampere/emag cavium/thunderx2 \
	fujitsu/a64fx hisilicon/hip08 nvidia/t410; do
	[ -d "$reference/linux-7.3/arm64/$folder" ] || continue
	"$topdown" import --db "$root" --from perf -o "$out" "$reference/linux-7.3/arm64/$folder"
done
"$topdown" import --db "$root" --from perf -o "$out" "$reference/linux-7.3/arm64/arm/cmn/sys"
for folder in "$root"/events/generic/*/; do
	[ -e "$folder/events.json" ] || continue # metrics of CPUs that have events of their own
	"$topdown" import --db "$root" --from perf -o "$out" "$folder"
done
