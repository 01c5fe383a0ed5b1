# SPDX-License-Identifier: GPL-2.0-or-later
"""AMD: the pmu-events of Linux. Thresholds and sampling events are ours, because none are published."""
import re

from .common import DataError, clean_event, read_json, say
from .formula import drop_single_parens, join, tokens

LINUX = 'Linux 6.12 pmu-events arch/x86'
AMD_NODES = {    # name without 'by_', 'from_': title, threshold, what to sample (first those of this core)
    'frontend_bound': ('Frontend_Bound', '{} > 0.15',
                       'ic_tag_hit_miss.instruction_cache_miss op_cache_hit_miss.op_cache_miss'),
    'frontend_bound_latency': ('Frontend_Latency', '{} > 0.1 & frontend_bound > 0.15',
                               'ic_tag_hit_miss.instruction_cache_miss bp_l1_tlb_miss_l2_tlb_miss.all'),
    'frontend_bound_bandwidth': ('Frontend_Bandwidth', '{} > 0.1 & frontend_bound > 0.15',
                                 'op_cache_hit_miss.op_cache_miss'),
    'bad_speculation': ('Bad_Speculation', '{} > 0.15',
                        'ex_ret_brn_misp resyncs_or_nc_redirects bp_redirects.resync'),
    'bad_speculation_mispredicts': ('Mispredicts', '{} > 0.1 & bad_speculation > 0.15',
                                    'ex_ret_brn_misp'),
    'bad_speculation_pipeline_restarts': ('Pipeline_Restarts', '{} > 0.05 & bad_speculation > 0.15',
                                          'resyncs_or_nc_redirects bp_redirects.resync'),
    'backend_bound': ('Backend_Bound', '{} > 0.2', 'ls_not_halted_cyc'),
    'backend_bound_memory': ('Backend_Memory', '{} > 0.2 & backend_bound > 0.2',
                             'ls_dmnd_fills_from_sys.all ls_any_fills_from_sys.dram_io_all '
                             'ls_l1_d_tlb_miss.all_l2_miss'),
    'backend_bound_cpu': ('Backend_CPU', '{} > 0.1 & backend_bound > 0.2', 'ex_div_busy ls_not_halted_cyc'),
    'smt_contention': ('SMT_Contention', '{} > 0.2', ''),
    'retiring': ('Retiring', '{} > 0.7 | {microcode} > 0.1', 'ex_ret_ops'),
    'retiring_fastpath': ('Fastpath', '{} > 0.6', 'ex_ret_ops'),
    'retiring_microcode': ('Microcode', '{} > 0.1', 'ex_ret_ucode_ops'),
}


def amd_files(cpu, reference):
    return sorted((reference / 'linux/x86' / cpu['name']).glob('*.json'))


def amd_events(cpu, reference):
    rows = [row for path in amd_files(cpu, reference) for row in read_json(path)]
    events = [clean_event(dict(row, Counter='0,1,2,3,4,5')) for row in rows
              if 'EventName' in row and 'Unit' not in row]
    return f"{LINUX}/{cpu['name']}", linux_version(cpu, reference), events


def linux_version(cpu, reference):
    for line in (reference / 'linux/x86/mapfile.csv').read_text().splitlines():
        _, version, name, _ = line.split(',')
        if name == cpu['name']:
            return version
    raise DataError(f"{cpu['name']} is not in Linux' mapfile.csv")


def amd_key(name):
    return re.sub(r'_(by|from)_', '_', name)


def amd_groups(groups):
    """PipelineL1 also as TopdownL1, which is what gives a metric its level."""
    out = []
    for group in filter(None, groups.split(';')):
        out.append(group)
        if group.startswith('PipelineL'):
            out.append(group.replace('Pipeline', 'Topdown'))
    return ';'.join(out)


def amd_metric(raw, events, microcode):
    name, groups = raw['MetricName'], raw.get('MetricGroup', '')
    # 'instructions' is perf's generic event; on this family it is ex_ret_instr.
    expr = re.sub(r'\binstructions\b', 'ex_ret_instr', raw['MetricExpr'])
    metric = dict(MetricName=name, Title=title_case(name), MetricExpr=join(drop_single_parens(tokens(expr))),
                  MetricGroup=amd_groups(groups), ScaleUnit=raw.get('ScaleUnit', ''))
    if 'PipelineL' in groups:
        title, threshold, sample = AMD_NODES[amd_key(name)]
        metric.update(Title=title, MetricThreshold=threshold.format(name, microcode=microcode),
                      ScaleUnit='100%', CountDomain='Slots',
                      LocateWith=';'.join(event for event in sample.split() if event in events))
    return metric


def title_case(name):
    return '_'.join(word[:1].upper() + word[1:] for word in name.split('_'))


def amd_is_core(raw, units, cpu):
    """Whether raw names no event of another PMU; units maps such an event to its PMU."""
    foreign = [token for token in tokens(raw['MetricExpr']) if token in units]
    if foreign:
        say(f"{cpu}: {raw['MetricName']} left out: {foreign[0]} is counted by {units[foreign[0]]}")
    return not foreign


def amd_order(raws):
    """Tree nodes depth first in the order of AMD_NODES, then the rest as published."""
    keys = list(AMD_NODES)
    nodes = [raw for raw in raws if 'PipelineL' in raw.get('MetricGroup', '')]
    nodes.sort(key=lambda raw: keys.index(amd_key(raw['MetricName'])))
    return nodes + [raw for raw in raws if raw not in nodes]


def amd_model(cpu, reference, events):
    paths = sorted(amd_files(cpu, reference), key=lambda path: path.name != 'pipeline.json')
    rows = [row for path in paths for row in read_json(path)]
    units = {row['EventName']: row['Unit'] for row in rows if 'EventName' in row and 'Unit' in row}
    raws = {row['MetricName']: row for row in rows if 'MetricName' in row}
    microcode = next(name for name in raws if amd_key(name) == 'retiring_microcode')
    raws = amd_order([raw for raw in raws.values() if amd_is_core(raw, units, cpu['name'])])
    header = dict(Source=f"{LINUX}/{cpu['name']}", Version=linux_version(cpu, reference),
                  Thresholds='topdown')
    return header, [amd_metric(raw, events, microcode) for raw in raws]
