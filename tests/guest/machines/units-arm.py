# SPDX-License-Identifier: GPL-2.0-or-later
"""Neoverse V1 with two sockets of two cores, each with a CMN-700 mesh and a DSU, and two of SMMUv3's counter
groups.

The formats are those of the kernel's drivers (drivers/perf/arm-cmn.c, arm_dsu_pmu.c, arm_smmuv3_pmu.c).
"""
from dataclasses import replace

from machine import Units, definitions

BASE = definitions("neoverse-v1")["MACHINE"]
CMN = {
    "type": "config:0-15",
    "eventid": "config:16-26",
    "occupid": "config:27-30",
    "bynodeid": "config:31",
    "nodeid": "config:32-47",
    "wp_dev_sel": "config:48-50",
    "wp_chn_sel": "config:51-55",
    "wp_grp": "config:56",
    "wp_exclusive": "config:57",
    "wp_val": "config1:0-63",
    "wp_mask": "config2:0-63",
}
SMMU = {
    "event": "config:0-15",
    "filter_stream_id": "config1:0-31",
    "filter_span": "config1:32",
    "filter_enable": "config1:33",
}
TRANSACTION = {"transaction": "event=0x0001"}

MACHINE = replace(
    BASE,
    qemu=[*BASE.qemu, "--smp", "4,sockets=2,cores=2,threads=1", "--memory", "1024"],
    pmu=BASE.pmu | {"cpus": "0-3"},
    units=(
        Units(
            "arm_cmn",
            2,
            8,
            CMN,
            {"watchpoint_up": "type=0x7770,eventid=0x0"},
            {"identifier": "43c02", "cpumask": "0|2"},
        ),
        Units(
            "arm_dsu",
            2,
            6,
            {"event": "config:0-31"},
            {"l3d_cache": "event=0x2b", "bus_access": "event=0x19"},
            {"cpumask": "0|2", "associated_cpus": "0-1|2-3"},
        ),
        Units("smmuv3_pmcg_2b420", 0, 4, SMMU, TRANSACTION, {"cpumask": "0", "identifier": "0x483"}),
        Units("smmuv3_pmcg_2b4e0", 0, 4, SMMU, TRANSACTION, {"cpumask": "0", "identifier": "0x483"}),
    ),
    some_metrics=("slc_miss_rate", "rni_actual_read_bandwidth.all", "sbsx_actual_write_bandwidth.all"),
    units_asked=(
        "arm_dsu/l3d_cache/",
        "arm_dsu_1/bus_access/",
        "smmuv3_pmcg/transaction/",
        "smmuv3_pmcg_2b4e0/transaction,filter_enable=1,filter_span=1,filter_stream_id=0x42/",
        "arm_cmn_0/watchpoint_up,nodeid=0x48,bynodeid=1,wp_dev_sel=1,wp_chn_sel=2,wp_val=0x1234567812345678,wp_mask=0xff00/",  # noqa: E501
        "arm_cmn/type=0x5,eventid=0x2/",
        "hnf_cache_miss",
    ),
    other_model=("identifier:43c02", "identifier:43901"),
    is_brief=True,
    script="units",
)
