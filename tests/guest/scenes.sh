# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# scenes.sh MACHINE... - the part of a guest test that runs in the guest, in /payload: the script of each machine, one after the
# other, each with its own PMU, its own mounts and nothing of what the one before it left. What the script of a machine leaves in
# out/ is handed back as out/MACHINE/.

paranoid=/proc/sys/kernel/perf_event_paranoid
locked=/proc/sys/kernel/perf_event_mlock_kb
read -r first_paranoid <$paranoid
read -r first_locked <$locked
rmdir out
ls -A >/tmp/before
mkdir /left
failed=0

# tidy: whatever is not in the list from before goes, and so do the modules
tidy() {
	# shellcheck disable=SC2010 # these names are plain, and a dot file is one, too
	ls -A | grep -vxFf /tmp/before | xargs rm -rf
	for module in synthetic_units synthetic_pmu2 synthetic_pmu; do
		[ ! -e /sys/module/$module ] || rmmod $module || failed=1
	done
	echo "$first_paranoid" >$paranoid
	echo "$first_locked" >$locked
}

for machine in "$@"; do
	mkdir out
	cp machines/"$machine"/* .
	unshare -m sh "./$(cat script).sh" || failed=$?
	mv out "/left/$machine"
	tidy
done
mv /left out
exit $failed
