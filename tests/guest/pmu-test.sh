#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# pmu-test.sh CACHE_DIR - a guest in which pmu-test checks the synthetic PMU itself.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=$1
"$here/prepare.sh" "$cache"

payload=$(mktemp -d)
trap 'rm -rf "$payload"' EXIT
gcc -O2 -Wall -Wextra -static -o "$payload/pmu-test" "$here/pmu-test.c" -lm
gcc -O2 -Wall -Wextra -static -pthread -o "$payload/prog" "$here/prog.c"
cp "$cache/x86/synthetic_pmu.ko" "$payload/"
cat > "$payload/go" <<'EOF'
insmod ./synthetic_pmu.ko name=cpu counters=4 metrics=1 khz=1000000 fixed=c0,3c,300,400 \
	masks=0-0:0,a4:1,b0-b1:3,b2:6 exclusive=d0,d1 paired=70 shared=b7+bb:2 hw=0:3c rates=3c:1000000,c0:1500000,1:250000 \
	rates=400:4000000,8000:2400000,8100:1600000 "events=slots:event=0x00,umask=0x4;cycles:event=0x3c" \
	"formats=event:config:0-7;umask:config:8-15" caps=branches:32 cpus=0 || exit 2
pmu=/sys/bus/event_source/devices/cpu
for file in type cpus events/slots format/umask caps/branches; do
	echo "$file=$(cat $pmu/$file)"
done > sysfs
cat > expected <<'EOT'
type=4
cpus=0
events/slots=event=0x00,umask=0x4
format/umask=config:8-15
caps/branches=32
EOT
diff expected sysfs && echo "ok   the files in sysfs" || exit 1
./pmu-test ./prog || exit 1
rmmod synthetic_pmu && [ ! -e $pmu ] && echo "ok   the module goes again"
EOF
"$here/run.sh" --cache "$cache" --arch x86 --cpu max "$payload" sh ./go
