# SPDX-License-Identifier: GPL-2.0-or-later
"""first_made.py - /proc and /sys of a machine of two CPUs, made up in two states ten seconds apart."""
import os


def stat(pid, name, state, ticks, children=0, began=50, pages=0):
    """/proc/PID/stat; ticks of user and system time together, pages in memory."""
    return f"{pid} ({name}) {state} 1 1 1 0 -1 0 0 0 0 0 {ticks} 0 {children} 0 20 0 1 0 {began} 0 {pages}\n"


def pressure(some, full):
    return (
        f"some avg10=0.00 avg60=0.00 avg300=0.00 total={some}\n"
        f"full avg10=0.00 avg60=0.00 avg300=0.00 total={full}\n"
    )


def interface(name, received, drops, errors, sent):
    return f"{name:>6}: {received} 9 {errors} {drops} 0 0 0 0 {sent} 9 0 0 0 0 0 0\n"


def disk(number, name, reads, read_ms, writes, busy_ms, queued_ms):
    numbers = (reads, 0, 20 * reads, read_ms, writes, 0, writes, writes, 0, busy_ms, queued_ms, 0, 0)
    return f"   8 {number} {name} {' '.join(map(str, numbers))}\n"


HEADS = "Inter-|   Receive\n face |bytes    packets\n"
SNMP = "Tcp: RtoAlgorithm OutSegs RetransSegs\nTcp: 1 {} {}\n"
NETSTAT = "TcpExt: SyncookiesSent ListenOverflows\nTcpExt: 7 {}\nIpExt: InOctets\nIpExt: 5\n"
VMSTAT = "pswpin {}\npswpout {}\nallocstall_dma {}\nallocstall_normal {}\npgmajfault {}\noom_kill {}\n"
CPUS = (
    # user nice system idle iowait irq softirq steal guest guest_nice
    "cpu  {} 100 500 4000 200 10 30 50 0 0\n",
    "cpu0 500 50 250 2000 100 5 15 25 0 0\ncpu1 500 50 250 2000 100 5 15 25 0 0\nintr 99 1\nprocesses 70\n",
    "cpu  1900 200 800 4400 300 30 60 200 0 0\n"
    "cpu0 1000 100 550 2000 100 15 35 150 0 0\ncpu1 900 100 250 2400 200 15 25 50 0 0\n"
    "intr 100 1\nprocesses 75\n",
)
SCHEDSTAT = "version 15\ncpu0 0 0 0 0 0 0 5 {} 1\ndomain0 3 1 2\ncpu1 0 0 0 0 0 0 5 {} 1\n"

STATES = (
    {
        "proc/uptime": "1000.00 1.00\n",
        "proc/stat": CPUS[0].format(1000) + CPUS[1],
        "proc/loadavg": "3.00 2.00 1.00 6/100 77\n",
        "proc/meminfo": "MemTotal:  1000000 kB\nMemFree: 5 kB\nMemAvailable:  80000 kB\n",
        "proc/vmstat": VMSTAT.format(10, 20, 1, 2, 300, 3),
        "proc/schedstat": SCHEDSTAT.format(10**9, 10**9),
        "proc/diskstats": disk(0, "sda", 1000, 5000, 50, 70000, 90000)
        + disk(1, "sda1", 900, 5000, 50, 70000, 90000)
        + disk(2, "sdb", 5, 5, 5, 5, 5),
        "proc/net/dev": HEADS + interface("lo", 10, 0, 0, 10) + interface("eth0", 1000, 5, 1, 2000),
        "proc/net/snmp": SNMP.format(5000, 10),
        "proc/net/netstat": NETSTAT.format(2),
        "proc/net/softnet_stat": "0000000f 0000000a 00000000\n00000001 00000000 00000001\n",
        "proc/pressure/cpu": pressure(1000000, 0),
        "proc/pressure/memory": pressure(2000000, 100000),
        "proc/pressure/io": pressure(3000000, 200000),
        "proc/11/stat": stat(11, "python3", "R", 500),
        "proc/12/stat": stat(12, "a) (b", "D", 0),
        "proc/14/stat": stat(14, "make", "S", 5, children=100),
        "sys/block/sda/size": "1000\n",
        "sys/block/sdb/size": "1000\n",
        "sys/block/sda/device/ioerr_cnt": "0x1\n",
        "sys/class/net/eth0/speed": "1000\n",
        "sys/class/net/lo/speed": "-1\n",
        "sys/devices/system/edac/mc/mc0/ce_count": "1\n",
        "sys/devices/system/edac/mc/mc0/ue_count": "0\n",
        "sys/fs/cgroup/cpu/cpu.stat": "nr_periods 5\nnr_throttled 1\nthrottled_time 1000000000\n",
    },
)
STATES += (
    {
        **STATES[0],
        "proc/uptime": "1010.00 1.00\n",
        "proc/stat": CPUS[2],
        "proc/vmstat": VMSTAT.format(30, 70, 3, 5, 400, 5),
        "proc/schedstat": SCHEDSTAT.format(11 * 10**9, 11 * 10**9),
        "proc/diskstats": disk(0, "sda", 1100, 7000, 50, 78000, 110000)
        + disk(1, "sda1", 950, 5000, 50, 70000, 90000)
        + disk(2, "sdb", 5, 5, 5, 5, 5),
        "proc/net/dev": HEADS + interface("lo", 10, 0, 0, 10) + interface("eth0", 125001000, 25, 3, 50002000),
        "proc/net/snmp": SNMP.format(6000, 30),
        "proc/net/netstat": NETSTAT.format(7),
        "proc/net/softnet_stat": "0000000f 00000014 00000000\n00000001 00000000 00000003\n",
        "proc/pressure/cpu": pressure(5000000, 0),
        "proc/pressure/memory": pressure(4000000, 200000),
        "proc/pressure/io": pressure(3500000, 300000),
        "proc/11/stat": stat(11, "python3", "R", 1450),
        "proc/13/stat": stat(13, "late", "R", 50, began=100500),
        "proc/14/stat": stat(14, "make", "S", 5, children=300, pages=1000),
        "sys/block/sda/device/ioerr_cnt": "0x3\n",
        "sys/fs/cgroup/cpu/cpu.stat": "nr_periods 9\nnr_throttled 2\nthrottled_time 1200000000\n",
    },
)


def write_state(folder, number):
    for name, text in STATES[number].items():
        file = folder / str(number) / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def made_machine(folder):
    """A root in the first state; change() of it is the second one, in one step."""
    for number in range(len(STATES)):
        write_state(folder, number)
    (folder / "now").symlink_to("0")
    return folder / "now"


def change(root):
    (root.parent / "next").symlink_to("1")
    os.replace(root.parent / "next", root)
