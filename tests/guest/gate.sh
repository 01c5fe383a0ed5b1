# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# gate.sh - the part of a guest test that runs in the guest, in /payload: a program is judged by a baseline, and compared with
# itself, by counted events. Its second half counts at the second rates where ./phases is the PMU's parameter. For
# check_gate.py.
# shellcheck disable=SC1091 # a file of its own
. ./steps.sh

parameter=/sys/module/synthetic_pmu/parameters/phases

# judge NAME STEM LEVEL OPTION... -- PROGRAM...: with STEM.limits.json and STEM.baseline.json
judge() {
	name=$1
	stem=$2
	level=$3
	shift 3
	step "$name" topdown gate "-l$level" -r 6 --limits "$stem.limits.json" --baseline "out/$stem.baseline.json" \
		--save "out/$name.session.json" --format json -o "out/$name.json" "$@"
}

cat >same.limits.json <<'END'
{"format": "topdown-limits", "version": 1, "limits": [
  {"metric": "instructions", "max_increase": "60 %"},
  {"metric": "cycles", "max_increase": "5 %"},
  {"metric": "IPC", "max_decrease": "5 %"},
  {"metric": "Memory_Bound", "max_increase": "3 points"},
  {"metric": "Bad_Speculation", "max": "20 points"}]}
END
cat >varied.limits.json <<'END'
{"format": "topdown-limits", "version": 1, "limits": [
  {"metric": "cycles", "max_increase": "1 %"},
  {"metric": "Backend_Bound", "max_increase": "3 points"}]}
END

# The same again; then with the second rates. Only the link says which, so the command is the same.
ln -sf /dev/null phases
judge made same 2 --update -- ./gated 40 phases
judge within same 2 -- ./gated 40 phases
ln -sf $parameter phases
judge beyond same 2 -- ./gated 40 phases
step beyond-text topdown gate -l2 -r 5 --limits same.limits.json --baseline out/same.baseline.json -- ./gated 40 phases
# In turns with the program as it was: the one that is asked runs as it was.
cat >before <<'END'
#!/bin/sh
exec ./gated "$1" /dev/null
END
cat >after <<'END'
#!/bin/sh
exec ./gated "$@"
END
chmod +x before after
step turns topdown gate -l2 -r 6 --limits same.limits.json --baseline ./before --format json -o out/turns.json -- \
	./after 40 phases

# Repeats that take 1 part of time or 3, alternately, before and now: nobody knows. Each is counted and sampled.
ln -sf /dev/null phases
cat >varied <<'END'
#!/bin/sh
read -r number <number
echo $((number + 1)) >number
exec ./gated $((20 + number / 2 % 2 * 40)) /dev/null
END
chmod +x varied
echo 0 >number
judge varied-made varied 1 --update -- ./varied
judge varied varied 1 -- ./varied
# Another scope than the baseline's.
chmod 777 out
echo 2 >/proc/sys/kernel/perf_event_paranoid
chmod 644 out/same.baseline.json
step scope su user -c "cd /payload && exec topdown gate -l2 -r 6 --limits same.limits.json \
	--baseline out/same.baseline.json --format json -o out/scope.json -- ./gated 40 phases"

# Two commands in turns, which leave their letters.
cat >first <<'END'
#!/bin/sh
printf b >>letters
exec ./gated "$1" /dev/null
END
cat >second <<END
#!/bin/sh
printf a >>letters
exec ./gated "\$1" $parameter
END
chmod +x first second
step compared topdown compare --run -l3 -r 5 --format json -o out/compared.json './first 40' './second 40'
cp letters out/letters
step compared-same topdown compare --run -l1 -r 5 --format json -o out/compared-same.json './first 40' './first 40'
step compared-more topdown compare --run -l1 -r 5 --format json -o out/compared-more.json './first 40' './first 80'
exit 0
