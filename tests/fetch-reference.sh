#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# fetch-reference.sh [DIR] - fetches what the CPU vendors publish, as it was when events/ and models/ were made from it.
# Tests that compare with these files are skipped without them. DIR is tests/reference by default, where ctest looks too.
# About 50 MB are kept; what is there already is not fetched twice. Needs git 2.27 or newer.
#
# Linux is pinned by its tag and by digests of the files that the import and the plans' test read. For a mirror:
# PERFMON_URL, LINUX_URL, ARM_URL, PERFSPECT_URL name another repository, PERFMON_COMMIT ... another commit, LINUX_DIGEST and
# KERNEL_DIGEST another digest ("-": any).
set -euo pipefail

perfmon_url=${PERFMON_URL:-https://github.com/intel/perfmon.git}
perfmon_commit=${PERFMON_COMMIT:-6dadedf3aa483393943e044ba5ec88a4507cd040}
linux_url=${LINUX_URL:-https://github.com/torvalds/linux.git}
linux_commit=${LINUX_COMMIT:-v7.3}
linux_digest=${LINUX_DIGEST:-9af8b08e2f8a03487e02b191e2a96e2fe9a804790f353b0df476db3f352fa6d8}
kernel_digest=${KERNEL_DIGEST:-b639e6b8843097a4a84cfd9db32cb59ff490028b37d6f4311065b87928e332c9}
arm_url=${ARM_URL:-https://gitlab.arm.com/telemetry-solution/telemetry-solution.git}
arm_commit=${ARM_COMMIT:-917257c776b40f04c1ea4cb25871b518eb1ed6a4}
perfspect_url=${PERFSPECT_URL:-https://github.com/intel/PerfSpect.git}
perfspect_commit=${PERFSPECT_COMMIT:-c399daa6cc9e595b1afe23745133c0aac76f314a}

fail() {
	echo "fetch-reference.sh: $*" >&2
	exit 1
}

# A tag, which only a digest makes sure of
is_tag() {
	[[ $1 =~ ^v[0-9][0-9.]*$ ]]
}

# check_out URL COMMIT PATTERN...: the files that match the patterns, of that commit only, in $work/tree
check_out() {
	local url=$1 commit=$2 tree=$work/tree name=$2 got

	shift 2
	rm -rf "$tree"
	git -c init.defaultBranch=main init -q "$tree"
	git -C "$tree" remote add origin "$url"
	! is_tag "$commit" || name=refs/tags/$commit
	git -C "$tree" fetch -q --depth 1 --filter=blob:none origin "$name" ||
		fail "commit $commit can't be fetched from $url"
	got=$(git -C "$tree" rev-parse 'FETCH_HEAD^{commit}')
	is_tag "$commit" || [ "$got" = "$commit" ] || fail "$url has $got where commit $commit was asked for"
	git -C "$tree" sparse-checkout set --no-cone "$@"
	git -C "$tree" checkout -q FETCH_HEAD || fail "commit $commit of $url can't be checked out"
}

copy_intel() {
	cp -r "$work"/tree/[A-Z]*/ "$work/new/"
	cp "$work/tree/LICENSE" "$work/tree/mapfile.csv" "$work/new/"
}

# check_digest DIGEST WHAT FILE...: of the files below the working directory, whatever their order
check_digest() {
	local wanted=$1 what=$2 got

	shift 2
	got=$(sha256sum -- "$@" | LC_ALL=C sort -k2 | sha256sum)
	[ "$wanted" = - ] || [ "${got%% *}" = "$wanted" ] ||
		fail "$what: the files of $linux_commit have the digest ${got%% *}, not $wanted"
}

# Intel's sheets, from which the files of a CPU are made.
copy_tma() {
	cp "$work"/tree/{Atom_TMA.csv,TMA_Metrics-full.csv,LICENSE} "$work/new/"
}

copy_linux() {
	cp -r "$work"/tree/tools/perf/pmu-events/arch/{x86,arm64} "$work/new/" && cp "$work/tree/COPYING" "$work/new/" ||
		return 1
	(
		cd "$work/new/x86"
		files=(mapfile.csv */*-metrics.json */uncore-*.json amdzen*/*.json)
		check_digest "$linux_digest" linux "${files[@]}"
	) || exit 1
}

# The drivers: what they allow is what plans are tested against.
copy_kernel() {
	cp -r "$work"/tree/{arch,drivers} "$work/tree/COPYING" "$work/new/" || return 1
	(cd "$work/new" && check_digest "$kernel_digest" kernel "${drivers[@]#/}") || exit 1
}

# Arm's revisions are links to each other.
copy_arm() {
	cp -L "$work"/tree/data/pmu/cpu/{neoverse,lumex}/*.json "$work/tree/LICENSE.md" "$work/new/"
	cp "$work/tree/data/schema/cpu/v1.0.schema.json" "$work/new/schema.v1.0.json"
}

copy_perfspect() {
	cp "$work"/tree/cmd/metrics/resources/perfmon/*/*_alt_tma_metrics.json "$work/tree/LICENSE" "$work/new/"
}

# fetch FOLDER URL COMMIT PATTERN...: DIR/FOLDER, complete or as it was
fetch() {
	local folder=$1 name=${1%%-*} url=$2 commit=$3

	if [ "$(cat "$dir/$folder/.commit" 2>/dev/null)" = "$commit" ]; then
		echo "$name: commit $commit is there"
		return
	fi
	[[ $commit =~ ^[0-9a-f]{40}$ ]] || { [[ $name = linux || $name = kernel ]] && is_tag "$commit"; } ||
		fail "$name: '$commit' is no commit: 40 hexadecimal digits are"
	echo "$name: commit $commit of $url"
	shift
	check_out "$@"
	rm -rf "$work/new"
	mkdir "$work/new"
	"copy_$name" || fail "$url has other files than expected"
	echo "$commit" > "$work/new/.commit"
	rm -rf "${dir:?}/$folder"
	mv "$work/new" "$dir/$folder"
}

[ $# -le 1 ] || { sed -n '3,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
dir=${1:-$(dirname "$0")/reference}
mkdir -p "$dir"
work=$(mktemp -d "$dir/.fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT
pmu_events=/tools/perf/pmu-events/arch
drivers=(/arch/x86/events/{perf_event.h,intel/core.c,intel/ds.c,amd/core.c} /drivers/perf/arm_pmuv3.c)

# Events that are metrics too
xeons=("$pmu_events"/x86/{cascadelakex,skylakex}/uncore-{io,memory}.json)

fetch linux-7.3 "$linux_url" "$linux_commit" "$pmu_events/x86/mapfile.csv" "$pmu_events/x86/*/*-metrics.json" \
	"${xeons[@]}" "$pmu_events/x86/amdzen*/*.json" "$pmu_events/arm64/" /COPYING
fetch kernel-7.3 "$linux_url" "$linux_commit" "${drivers[@]}" /COPYING
fetch arm "$arm_url" "$arm_commit" '/data/pmu/cpu/neoverse/*.json' '/data/pmu/cpu/lumex/*.json' \
	/data/schema/cpu/v1.0.schema.json /LICENSE.md
fetch perfspect "$perfspect_url" "$perfspect_commit" '/cmd/metrics/resources/perfmon/*/*_alt_tma_metrics.json' /LICENSE
fetch tma "$perfmon_url" "$perfmon_commit" /Atom_TMA.csv /TMA_Metrics-full.csv /LICENSE
# The last one: tests look for its folder only, before they use all of them.
fetch intel "$perfmon_url" "$perfmon_commit" '/*/events/*.json' '!/*/events/*_matrix.json' \
	'/*/metrics/*.json' /mapfile.csv /LICENSE
