#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Imports every CPU of the vendors' published data: events/import.sh [REFERENCE [OUT [TOPDOWN]]]
# REFERENCE holds intel/ (intel/perfmon), linux/ (pmu-events) and arm/ (Arm's telemetry files); OUT gets events/ and models/.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
reference=${1:-$root/../shared/reference} out=${2:-$root} topdown=${3:-topdown}
for folder in "$reference"/intel/*/; do
	"$topdown" import --db "$root" --from perfmon -o "$out" "$folder" "$reference"/linux/x86/*/
done
for folder in "$reference"/linux/x86/amdzen*/; do
	"$topdown" import --db "$root" --from perf -o "$out" "$folder"
done
"$topdown" import --db "$root" --from arm -o "$out" "$reference/arm"
