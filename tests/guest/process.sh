# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# process.sh - the part of a guest test that runs in the guest, in /payload: programs whose processes stay, stop or are
# interrupted, and what comes through a pipe. What each way printed and left is in out/, for check_process.py.
# shellcheck disable=SC1091,SC2154 # a file of its own, with variables
. ./steps.sh

# left NAME: writes down the numbers of prog that still run, and ends them
left() {
	pidof prog >"out/$1.left"
	# shellcheck disable=SC2046 # words
	[ ! -s "out/$1.left" ] || kill -KILL $(pidof prog)
	while pidof prog >/dev/null; do usleep 20000; done
}

# terminate: SIGTERM to topdown alone, which is measuring a prog in the background; SIGKILL after a minute
terminate() {
	until pidof prog >/dev/null; do usleep 20000; done
	running
	kill -TERM "$topdown"
	for _ in $(seq 3000); do
		pidof topdown >/dev/null || break
		usleep 20000
	done
	kill -KILL "$topdown" 2>/dev/null
	wait $!
}

# Standard input.
dd if=/dev/zero of=zeros bs=1M count=16 2>/dev/null
# shellcheck disable=SC2002 # a pipe is what this is about
cat zeros | measure pipe 3 dd bs=64k of=/dev/null
yes | measure endless 3 head -1
mkdir small
mount -t tmpfs -o size=1M small small
export TMPDIR=/payload/small
# More than topdown keeps in memory, which is a quarter of it, and more than there is room for in the folder.
megabytes=$(($(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo) * 2 / 5 / 1024))
dd if=/dev/zero bs=1M count=$megabytes 2>/dev/null | measure large 3 dd bs=64k of=/dev/null
unset TMPDIR

# Limits and signals: the whole tree ends, also what is stopped.
# shellcheck disable=SC2016 # for the inner shell
measure timeout 3 --timeout 0.3 sh -c 'pidof prog | wc -w >>out/timeout.before; ./prog --spin; true'
left timeout
measure session 1 --timeout 0.3 sh -c 'setsid ./prog --spin & ./prog --spin'
left session
measure stopped 1 --timeout 0.3 sh -c './prog --spin & kill -STOP $$; wait'
left stopped
measure stopped-term 1 sh -c './prog --spin & kill -STOP $$; wait' &
terminate
left stopped-term
measure term 3 sh -c './prog --spin; true' &
terminate
left term
# shellcheck disable=SC2016 # for the inner shell
measure quit 1 -a sh -c 'sleep 0.3; kill -PIPE $PPID; kill -QUIT $PPID; exec ./prog --spin'
left quit
# shellcheck disable=SC2016
measure ignored 1 sh -c 'kill -PIPE $PPID; kill -25 $PPID; ./prog --work 3; exit 4'

# A series that is cut, though its program ends with 0.
# shellcheck disable=SC2016 # for the inner shell
measure cut 3 sh -c 'echo >>cut.runs; trap "" TERM; test $(wc -l <cut.runs) != 3 || kill -TERM $PPID; exec ./prog'
# shellcheck disable=SC2016
measure repeats 1 -r 6 sh -c 'echo >>repeats.runs; trap "" INT; test $(wc -l <repeats.runs) != 4 || kill -INT $PPID; exec ./prog'

# Those that go on by themselves.
measure daemon 1 sh -c 'setsid ./prog --spin & ./prog --work 3; true'
left daemon

# What can't be written.
mkdir short
# shellcheck disable=SC2016 # for the inner shell
step fsize sh -c '(ulimit -f 2; topdown -l1 --save short/session.json ./prog; echo $? >out/fsize.topdown) 2>&1 | cat'
ls -A short >out/fsize.files
# A reader that goes away.
# shellcheck disable=SC2016
step unread sh -c '(topdown -l1 -I 50 ./prog --spin; echo $? >out/unread.topdown) 2>&1 | head -3'
left unread
exit 0
