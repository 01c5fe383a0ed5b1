#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Write events/*.json, models/*.json and events/mapfile.csv from the vendors' published data.

usage: events/vendor.py [REFERENCE_DIR]     default: ../shared/reference, relative to the repository root

REFERENCE_DIR holds intel/ (intel/perfmon), linux/ (pmu-events) and arm/ (Arm telemetry). Only facts are
taken over: names, codes, counters, formulas, thresholds; no descriptions. The same input gives the same
bytes. A formula that names something unknown is an error; everything left out is listed on stdout.
"""
import json
import sys
from pathlib import Path

from vendors.amd import amd_events, amd_model
from vendors.arm import arm_events, arm_model
from vendors.common import DataError, say
from vendors.formula import check_metrics
from vendors.intel import intel_events, intel_model

ROOT = Path(__file__).resolve().parent.parent

# One row per CPU: everything the vendor files do not say in a form that can be read by a program.
CPUS = (
    dict(name='skylakex', pfm='skx', short='SKX', vendor='Intel', slots='4', general=4, smt_off=8, fixed=3,
         title='Intel Xeon Scalable, Skylake', match='GenuineIntel-6-55-[01234]'),
    dict(name='cascadelakex', pfm='clx', short='CLX', vendor='Intel', slots='4', general=4, smt_off=8, fixed=3,
         title='Intel Xeon Scalable, Cascade Lake', match='GenuineIntel-6-55-[56789ABCDEF]'),
    dict(name='sapphirerapids', pfm='spr', short='SPR', vendor='Intel', slots='6', general=8, fixed=4,
         title='Intel Xeon Scalable, Sapphire Rapids', match='GenuineIntel-6-8F'),
    dict(name='amdzen4', pfm='amd64_fam19h_zen4', short='ZEN4', vendor='AMD', slots='6', general=6, fixed=0,
         title='AMD Zen 4 (EPYC 9004, Ryzen 7000)', match='AuthenticAMD-25-[16-9A][[:xdigit:]]'),
    dict(name='amdzen5', pfm='amd64_fam1ah_zen5', short='ZEN5', vendor='AMD', slots='8', general=6, fixed=0,
         title='AMD Zen 5 (EPYC 9005, Ryzen 9000)', match='AuthenticAMD-26-[[:xdigit:]]+'),
    dict(name='neoverse-n1', pfm='arm_n1', short='N1', vendor='Arm', general=6, fixed=1,
         title='Arm Neoverse N1', match='0x00000000410fd0c0',
         no_tree='This core has no event that counts issue slots, so stalled cycles are reported '
                 'instead of a tree whose parts add up to all slots.'),
    dict(name='neoverse-v1', pfm='arm_v1', short='V1', vendor='Arm', slots='8', general=6, fixed=1,
         title='Arm Neoverse V1', match='0x00000000410fd400'),
)

# The events with a fixed role, so that the program needs no name of its own: cycles and instructions of the thread.
ROLES = dict(
    Intel=dict(Cycles='CPU_CLK_UNHALTED.THREAD', Instructions='INST_RETIRED.ANY', Reference='CPU_CLK_UNHALTED.REF_TSC'),
    AMD=dict(Cycles='ls_not_halted_cyc', Instructions='ex_ret_instr'),
    Arm=dict(Cycles='CPU_CYCLES', Instructions='INST_RETIRED'),
)

METRIC_KEYS = ('MetricName', 'Title', 'MetricExpr', 'MetricGroup', 'MetricThreshold', 'ScaleUnit',
               'CountDomain', 'LocateWith', 'NextGroups')
EVENT_READERS = dict(Intel=intel_events, AMD=amd_events, Arm=arm_events)
MODEL_READERS = dict(Intel=intel_model, AMD=amd_model, Arm=arm_model)


def one_line(value):
    return json.dumps(value, ensure_ascii=False, separators=(',', ':'))


def write_rows(path, header, name, rows):
    body = ',\n'.join(one_line(row) for row in rows)
    path.write_text(f'{{"Header":{one_line(header)},\n"{name}":[\n{body}\n]}}\n', encoding='utf-8')


def event_header(cpu, names, source, version):
    header = dict(Cpu=cpu['name'], ShortName=cpu['short'], Title=cpu['title'], Vendor=cpu['vendor'],
                  Source=source, Version=version, GeneralCounters=cpu['general'])
    if 'smt_off' in cpu:
        header['GeneralCountersSMTOff'] = cpu['smt_off']
    header['FixedCounters'] = cpu['fixed']
    if 'slots' in cpu:
        header['Slots'] = int(cpu['slots'])
    header['Pmu'] = 'armv8_pmuv3_0' if cpu['vendor'] == 'Arm' else 'cpu'
    header.update(ROLES[cpu['vendor']])
    if 'TOPDOWN.SLOTS' in names:
        header['SlotsEvent'] = 'TOPDOWN.SLOTS'
    header['Pfm'] = cpu['pfm']
    return header


def write_events(cpu, reference):
    source, version, events = EVENT_READERS[cpu['vendor']](cpu, reference)
    events.sort(key=lambda event: event['EventName'])
    names = {event['EventName'] for event in events}
    if len(names) != len(events):
        raise DataError('an event is there twice')
    write_rows(ROOT / 'events' / f"{cpu['name']}.json", event_header(cpu, names, source, version), 'Events', events)
    return version, names


def write_model(cpu, reference, events):
    header, metrics = MODEL_READERS[cpu['vendor']](cpu, reference, events)
    check_metrics(metrics, events)
    header = dict(Cpu=cpu['name'], **header)
    if 'no_tree' in cpu:
        header['NoTree'] = cpu['no_tree']
    rows = [{key: metric[key] for key in METRIC_KEYS if metric.get(key)} for metric in metrics]
    write_rows(ROOT / 'models' / f"{cpu['name']}.json", header, 'Metrics', rows)
    return rows


def map_row(cpu, version):
    version = 'v' + version if cpu['vendor'] == 'Intel' else 'v1' if cpu['vendor'] == 'Arm' else version
    return f"{cpu['match']},{version},{cpu['name']},core,{cpu['short']}"


def main(arguments):
    reference = Path(arguments[0]) if arguments else ROOT / '../shared/reference'
    if not (reference / 'intel').is_dir():
        sys.exit(f'vendor.py: {reference} is not a folder with intel/, linux/ and arm/; give it as argument')
    rows = ['Family-model,Version,Filename,EventType,ShortName']
    for cpu in CPUS:
        try:
            version, events = write_events(cpu, reference)
            metrics = write_model(cpu, reference, events)
        except DataError as error:
            sys.exit(f"vendor.py: {cpu['name']}: {error}")
        nodes = sum('TopdownL' in row.get('MetricGroup', '') for row in metrics)
        say(f"{cpu['name']}: {len(events)} events, {nodes} nodes, {len(metrics) - nodes} other metrics")
        rows.append(map_row(cpu, version))
    (ROOT / 'events/mapfile.csv').write_text('\n'.join(rows) + '\n', encoding='utf-8')


if __name__ == '__main__':
    main(sys.argv[1:])
