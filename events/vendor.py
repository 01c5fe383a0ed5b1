#!/usr/bin/env python3
"""Write events/*.json, models/*.json and events/mapfile.csv from the vendors' published data.

usage: events/vendor.py [REFERENCE_DIR]     default: ../shared/reference, relative to the repository root

REFERENCE_DIR holds intel/ (intel/perfmon), linux/ (pmu-events) and arm/ (Arm telemetry). Only facts are
taken over: names, codes, counters, formulas, thresholds; no descriptions. The same input gives the same
bytes. A formula that names something unknown is an error; everything left out is listed on stdout.
"""
import json
import re
import sys
from decimal import Decimal
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PERFMON = 'intel/perfmon'
LINUX = 'Linux 6.12 pmu-events arch/x86'
TELEMETRY = 'Arm telemetry-solution'

# One row per CPU: everything the vendor files do not say in a form that can be read by a program.
CPUS = (
    dict(name='skylakex', short='SKX', vendor='Intel', slots='4', general=4, smt_off=8, fixed=3,
         title='Intel Xeon Scalable, Skylake', match='GenuineIntel-6-55-[01234]'),
    dict(name='cascadelakex', short='CLX', vendor='Intel', slots='4', general=4, smt_off=8, fixed=3,
         title='Intel Xeon Scalable, Cascade Lake', match='GenuineIntel-6-55-[56789ABCDEF]'),
    dict(name='sapphirerapids', short='SPR', vendor='Intel', slots='6', general=8, fixed=4,
         title='Intel Xeon Scalable, Sapphire Rapids', match='GenuineIntel-6-8F'),
    dict(name='amdzen4', short='ZEN4', vendor='AMD', slots='6', general=6, fixed=0,
         title='AMD Zen 4 (EPYC 9004, Ryzen 7000)', match='AuthenticAMD-25-[16-9A][[:xdigit:]]'),
    dict(name='amdzen5', short='ZEN5', vendor='AMD', slots='8', general=6, fixed=0,
         title='AMD Zen 5 (EPYC 9005, Ryzen 9000)', match='AuthenticAMD-26-[[:xdigit:]]+'),
    dict(name='neoverse-n1', short='N1', vendor='Arm', general=6, fixed=1,
         title='Arm Neoverse N1', match='0x00000000410fd0c0',
         no_tree='This core has no event that counts issue slots, so stalled cycles are reported '
                 'instead of a tree whose parts add up to all slots.'),
    dict(name='neoverse-v1', short='V1', vendor='Arm', slots='8', general=6, fixed=1,
         title='Arm Neoverse V1', match='0x00000000410fd400'),
)

EVENT_KEYS = ('EventName', 'EventCode', 'UMask', 'UMaskExt', 'CounterMask', 'Invert', 'EdgeDetect',
              'AnyThread', 'Equal', 'Counter', 'CounterHTOff', 'MSRIndex', 'MSRValue', 'TakenAlone',
              'PEBS', 'Data_LA', 'SampleAfterValue', 'Errata', 'Deprecated')
METRIC_KEYS = ('MetricName', 'Title', 'MetricExpr', 'MetricGroup', 'MetricThreshold', 'ScaleUnit',
               'CountDomain', 'LocateWith', 'NextGroups')
HEX_KEYS = ('EventCode', 'UMask', 'UMaskExt', 'MSRValue')
ABSENT = ('', '0', '0x0', '0x00', 'na', '#na', 'null', 'none')

# The encodings that Linux' jevents.py puts in place of the fixed counters' pseudo codes.
FIXED_CODES = {
    'INST_RETIRED.ANY': dict(EventCode='0xc0', UMask=''),
    'CPU_CLK_UNHALTED.THREAD': dict(EventCode='0x3c', UMask=''),
    'CPU_CLK_UNHALTED.THREAD_ANY': dict(EventCode='0x3c', UMask='', AnyThread='1'),
    'CPU_CLK_UNHALTED.REF_TSC': dict(EventCode='0x00', UMask='0x03'),
    'TOPDOWN.SLOTS': dict(EventCode='0x00', UMask='0x04'),
}
PERF_METRICS = ('RETIRING', 'BAD_SPECULATION', 'FRONTEND_BOUND', 'BACKEND_BOUND', 'HEAVY_OPERATIONS',
                'BRANCH_MISPREDICTS', 'FETCH_LATENCY', 'MEMORY_BOUND')

WORDS = ('if', 'else', 'min', 'max', 'd_ratio')
TOOLS = ('TSC', 'duration_time', '#SMT_on', '#num_cpus_online')
TOKEN = re.compile(r'\s*([0-9.]+(?:e-?[0-9]+)?(?![\w.:])|[#\w](?:[\w.:@]|\\.)*|[-+*/(),<>&|])')
MODIFIER = re.compile(r'(c\d+|e1|i1|k|u|u0x[0-9a-f]+|ocr_msr_val\\=0x[0-9a-f]+)$')


class DataError(Exception):
    """Vendor data that this program does not understand."""


# Reading and writing

def read_json(path):
    with open(path, encoding='utf-8') as stream:
        return json.load(stream)


def one_line(value):
    return json.dumps(value, ensure_ascii=False, separators=(',', ':'))


def write_rows(path, header, name, rows):
    body = ',\n'.join(one_line(row) for row in rows)
    path.write_text(f'{{"Header":{one_line(header)},\n"{name}":[\n{body}\n]}}\n', encoding='utf-8')


def say(text):
    print(text)


# Formulas: one tokenizer for the vendors' three spellings, one printer for Linux' grammar

def tokens(text):
    found, at = [], 0
    text = text.rstrip()
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise DataError(f'cannot read {text[at:at + 30]!r}')
        found.append(match.group(1))
        at = match.end()
    return found


def is_name(token):
    return token not in WORDS and re.match(r'[#A-Za-z_]|[0-9]\w*[A-Za-z_.]', token) is not None \
        and not is_number(token)


def is_number(token):
    return re.fullmatch(r'[0-9.]+(e-?[0-9]+)?', token) is not None


def drop_single_parens(found):
    """'( 4 ) * x' is '4 * x'; the parentheses of a call stay."""
    out = []
    for token in found:
        out.append(token)
        if token == ')' and len(out) > 2 and out[-3] == '(' and out[-2] not in '()' \
                and (len(out) == 3 or out[-4] not in ('min', 'max', 'd_ratio')):
            out[-3:] = [out[-2]]
    return out


def join(found):
    """Blanks as in Linux' files: around operators and words, after commas, none inside parentheses."""
    text = ''
    for before, token in zip([''] + found, found):
        tight = before in ('', '(') or token in (')', ',') or \
            (token == '(' and before in ('min', 'max', 'd_ratio'))
        text += token if tight else ' ' + token
    return text


def check_formula(text, events, metrics):
    """Raise DataError unless text parses and names only what exists."""
    skeleton = []
    for token in tokens(text):
        if is_name(token):
            check_name(token, events, metrics)
        skeleton.append('x' if is_name(token) else 'max' if token == 'd_ratio' else token)
    try:
        compile(' '.join(skeleton), 'formula', 'eval')
    except SyntaxError as error:
        raise DataError(f'does not parse: {text}') from error


def check_name(token, events, metrics):
    if token in metrics or token in TOOLS:
        return
    name, *modifiers = (token.split('@')[1].split('\\,') if '@' in token else token.split(':'))
    known = re.compile(r'cmask\\=0x[0-9a-f]+$') if '@' in token else MODIFIER
    if name not in events or not all(known.match(modifier) for modifier in modifiers):
        raise DataError(f'unknown name {token}')


def check_metrics(metrics, events):
    names = {metric['MetricName'] for metric in metrics}
    if len(names) != len(metrics):
        raise DataError('a metric is there twice')
    for metric in metrics:
        try:
            check_formula(metric['MetricExpr'], events, names)
            if metric.get('MetricThreshold'):
                check_formula(metric['MetricThreshold'], events, names)
        except DataError as error:
            raise DataError(f"{metric['MetricName']}: {error}") from error


# Events

def present(value):
    return value is not None and value.strip().lower() not in ABSENT


def hex_code(value):
    """The first code of a list, in lower case with at least two digits."""
    return f"0x{int(value.split(',')[0], 16):02x}"


def clean_event(raw):
    """The keys of EVENT_KEYS that say something, in that order."""
    event = {}
    for key in EVENT_KEYS:
        value = raw.get(key)
        if key == 'EventCode' and value is not None:
            event[key] = hex_code(value)
        elif present(value):
            event[key] = hex_code(value) if key in HEX_KEYS else value.strip()
    if 'MSRIndex' in event:
        event['MSRIndex'] = event['MSRIndex'].lower()
    if event.get('CounterHTOff') == event.get('Counter'):
        event.pop('CounterHTOff', None)
    return event


def intel_event(raw):
    raw = dict(raw)
    raw.setdefault('PEBS', raw.get('Precise'))
    raw.update(FIXED_CODES.get(raw['EventName'], {}))
    return clean_event(raw)


def intel_events(cpu, reference):
    path = f"{cpu['short']}/events/{cpu['name']}_core.json"
    data = read_json(reference / 'intel' / path)
    # Names with a colon are old spellings of OCR.* events; a colon starts a modifier here.
    events = [intel_event(raw) for raw in data['Events'] if ':' not in raw['EventName']]
    if len(events) < len(data['Events']):
        say(f"{cpu['name']}: {len(data['Events']) - len(events)} deprecated events with ':' in the name left out")
    if 'TOPDOWN.SLOTS' in {event['EventName'] for event in events}:
        events += [dict(EventName=f'PERF_METRICS.{name}', EventCode='0x00', UMask=hex(0x80 + i),
                        Counter=f'Metric {i}') for i, name in enumerate(PERF_METRICS)]
    return f'{PERFMON} {path}', data['Header']['Version'], events


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


def arm_data(cpu, reference):
    return read_json(reference / 'arm' / f"{cpu['name']}.json")


def arm_version(data):
    product = data['product_configuration']
    day, month, _, year = data['document']['timestamp'].split()
    return f"r{product['major_revision']}p{product['minor_revision']} {day} {month} {year}"


def arm_events(cpu, reference):
    data = arm_data(cpu, reference)
    events = [clean_event(dict(EventName=name, EventCode=raw['code'],
                               Counter='Fixed counter 0' if name == 'CPU_CYCLES' else '0,1,2,3,4,5'))
              for name, raw in data['events'].items()]
    return f"{TELEMETRY} {cpu['name']}.json", arm_version(data), events


EVENT_READERS = dict(Intel=intel_events, AMD=amd_events, Arm=arm_events)


def event_header(cpu, source, version):
    header = dict(Cpu=cpu['name'], ShortName=cpu['short'], Title=cpu['title'], Vendor=cpu['vendor'],
                  Source=source, Version=version, GeneralCounters=cpu['general'])
    if 'smt_off' in cpu:
        header['GeneralCountersSMTOff'] = cpu['smt_off']
    header['FixedCounters'] = cpu['fixed']
    if 'slots' in cpu:
        header['Slots'] = int(cpu['slots'])
    header['Pmu'] = 'armv8_pmuv3_0' if cpu['vendor'] == 'Arm' else 'cpu'
    return header


# Intel models

INTEL_LITERALS = dict(smt_on='#SMT_on', tsc='TSC', num_cpus='#num_cpus_online',
                      duration_time='duration_time')
INTEL_UNITS = {'GB/sec': '1GB/s', 'Seconds': '1s', 'Scaled_Slots': '1%'}
# Events of other PMUs, and sums over the threads of a core: no event of one thread gives these.
NOT_THIS_CORE = re.compile(r'unc_|freerun_|.*:percore')


def intel_token(token, events):
    """One identifier of a BaseFormula in the spelling of our files; None when another PMU counts it."""
    if not is_name(token) or token.startswith('tma_'):
        return token
    if token in INTEL_LITERALS:
        return INTEL_LITERALS[token]
    if NOT_THIS_CORE.match(token):
        return None
    name, *modifiers = token.split(':')
    if name.upper() not in events:
        raise DataError(f'unknown event {token}')
    return ':'.join([name.upper()] + [intel_modifier(m) for m in modifiers if m != 'perf_metrics'])


def intel_modifier(modifier):
    return dict(sup='k', user='u').get(modifier, modifier.replace('=', '\\='))


def split_modifier(text):
    """'event:ocr_msr_val=0x1' in the form that the tokenizer reads."""
    return re.sub(r'(?<=\w)=(?=0x)', r'\\=', text)


def intel_expr(text, events):
    found = [intel_token(token.replace('\\=', '='), events) for token in tokens(split_modifier(text))]
    return None if None in found else join(drop_single_parens(found))


def percent(number):
    """'15' (percent) as a fraction, in the shortest spelling."""
    return f'{Decimal(number) / 100:f}'.rstrip('0').rstrip('.')


def intel_threshold(text):
    """'( metric_TMA_..X(%) > 5 ) & ( metric_TMA_Y(%) > 15 )' as 'tma_x > 0.05 & tma_y > 0.15'."""
    if '&' in text and '|' in text:
        raise DataError(f'& and | are mixed: {text}')
    parts = re.split(r'([&|])', text)
    return ' '.join(part if part in '&|' else comparison(part) for part in parts)


def comparison(text):
    text = text.strip()
    if text.startswith('(') and text.endswith(')'):
        text = text[1:-1].strip()
    match = re.fullmatch(r'metric_TMA_\.*(\w+)(\(%\))?(.*?)([<>])\s*=?\s*([-+*/0-9. ]+)', text)
    if not match:
        raise DataError(f'cannot read the comparison {text!r}')
    name, is_percent, rest, operator, limit = match.groups()
    limit = percent(limit.strip()) if is_percent else limit.strip()
    return f"tma_{name.lower()}{rest.rstrip()} {operator} {limit}"


def is_node(raw):
    return not raw['MetricName'].startswith(('Info_', 'Bottleneck_'))


def intel_parents(nodes, cpu):
    """Parent of each node. Where the stated parent is not one level up, the threshold names the right one."""
    levels = {raw['MetricName']: int(raw['Level']) for raw in nodes}
    parents = {}
    for raw in nodes:
        name, parent = raw['MetricName'], raw.get('ParentCategory')
        if parent and levels[parent] != levels[name] - 1:
            stated, parent = parent, re.findall(r'_TMA_\.*(\w+)', raw['Threshold']['BaseFormula'])[1]
            say(f"{cpu}: {name}: parent {stated} is not one level up, taking {parent} from the threshold")
        parents[name] = parent
    return parents


def tree_order(names, parents, parent=None):
    """Names depth first, siblings in the given order."""
    out = []
    for name in names:
        if parents[name] == parent:
            out += [name] + tree_order(names, parents, name)
    return out


def intel_groups(raw, parents):
    groups = [group for group in raw.get('MetricGroup', '').split(';') if group]
    if is_node(raw):
        level, parent = raw['Level'], parents[raw['MetricName']]
        groups += [f'TopdownL{level}', f'tma_L{level}_group']
        groups += [f'tma_{parent.lower()}_group'] if parent else []
    groups += [f'tma_{issue}' for issue in re.findall(r'\$(\w+)', raw['Threshold']['ThresholdIssues'])]
    return ';'.join(groups)


def intel_unit(raw):
    if raw['UnitOfMeasure'] == 'percent':
        return '100%'
    if raw['UnitOfMeasure'] == 'per instruction':
        return '1per_instr'
    return INTEL_UNITS.get(raw['CountDomain'], '')


def locate_with(text, events, where):
    names = [re.sub(r'_PS$', '', name.strip()) for name in text.split(';')]
    names = [name for name in names if name not in ('', '#NA')]
    for name in names:
        if name not in events:
            say(f'{where}: sampling event {name} does not exist, dropped')
    return ';'.join(name for name in names if name in events)


def intel_metric(raw, parents, events, cpu):
    expr = intel_expr(raw['BaseFormula'], events)
    if expr is None:
        return None
    name = 'tma_' + raw['MetricName'].lower()
    threshold = raw['Threshold']['BaseFormula'].strip()
    return dict(MetricName=name, Title=raw['MetricName'], MetricExpr=expr,
                MetricGroup=intel_groups(raw, parents),
                MetricThreshold=intel_threshold(threshold) if threshold else '',
                ScaleUnit=intel_unit(raw), CountDomain=raw['CountDomain'],
                LocateWith=locate_with(raw.get('LocateWith', ''), events, f'{cpu}: {name}'))


def drop_unresolved(metrics, cpu):
    """Leave out metrics that refer to metrics that are left out."""
    while True:
        names = {metric['MetricName'] for metric in metrics}
        bad = [metric for metric in metrics
               if any(token.startswith('tma_') and token not in names for token in tokens(metric['MetricExpr']))]
        if not bad:
            return metrics
        for metric in bad:
            say(f"{cpu}: {metric['MetricName']} left out: refers to a metric that is left out")
        metrics = [metric for metric in metrics if metric not in bad]


def intel_model(cpu, reference, events):
    path = f"{cpu['short']}/metrics/{cpu['name']}_metrics.json"
    data = read_json(reference / 'intel' / path)
    raws = [raw for raw in data['Metrics'] if raw['Category'] == 'TMA']
    nodes = [raw for raw in raws if is_node(raw)]
    parents = intel_parents(nodes, cpu['name'])
    by_name = {raw['MetricName']: raw for raw in nodes}
    ordered = [by_name[name] for name in tree_order(list(by_name), parents)]
    metrics = []
    for raw in ordered + [raw for raw in raws if not is_node(raw)]:
        metric = intel_metric(raw, parents, events, cpu['name'])
        if metric is None:
            say(f"{cpu['name']}: {raw['MetricName']} left out: needs another PMU, or all threads of a core")
        else:
            metrics.append(metric)
    header = dict(Source=f'{PERFMON} {path}', Version=data['Header']['Version'],
                  TmaVersion=data['Header']['TmaVersion'], Thresholds='vendor')
    return header, drop_unresolved(metrics, cpu['name'])


# AMD models. Thresholds and sampling events are ours: the vendor publishes none.

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


def amd_key(name):
    return re.sub(r'_(by|from)_(?!l[12])', '_', name)


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


# Arm models. Thresholds are ours: the vendor publishes none.

ARM_THRESHOLDS = dict(frontend_bound=15, bad_speculation=15, backend_bound=20, retiring=70,
                      frontend_stalled_cycles=15, backend_stalled_cycles=20)
ARM_UNITS = {    # units: ScaleUnit, CountDomain; a percentage is already multiplied by 100 in the formula
    'percent of slots': ('1%', 'Slots'),
    'percent of cycles': ('1%', 'Clocks'),
    'percent of operations': ('1%', 'Operations'),
}


def arm_order(data):
    """Root nodes first, then group by group in the order of the methodology."""
    method = data['methodologies']['topdown_methodology']
    grouping = method['metric_grouping']
    names = list(method['decision_tree']['root_nodes'])
    for group in grouping['stage_1'] + grouping['stage_2']:
        names += data['groups']['metrics'][group]['metrics']
    names += sorted(data['metrics'])
    return list(dict.fromkeys(names))


def arm_metric(name, data, events, cpu):
    raw, tree = data['metrics'][name], data['methodologies']['topdown_methodology']['decision_tree']
    groups = [group for group, entry in data['groups']['metrics'].items() if name in entry['metrics']]
    unit, domain = ARM_UNITS.get(raw['units'], ('1' + raw['units'], 'Metric'))
    metric = dict(MetricName=name, Title=raw['title'],
                  MetricExpr=join(drop_single_parens(tokens(raw['formula']))),
                  ScaleUnit=unit, CountDomain=domain,
                  LocateWith=locate_with(';'.join(raw.get('sample_events', [])), events, f'{cpu}: {name}'))
    if name in tree['root_nodes']:
        groups = ['TopdownL1'] + groups
        metric['MetricThreshold'] = f'{name} > {ARM_THRESHOLDS[name]}'
        metric['NextGroups'] = ';'.join(next(node['next_items'] for node in tree['metrics']
                                             if node['name'] == name))
    metric['MetricGroup'] = ';'.join(groups)
    return metric


def arm_model(cpu, reference, events):
    data = arm_data(cpu, reference)
    header = dict(Source=f"{TELEMETRY} {cpu['name']}.json", Version=arm_version(data), Thresholds='topdown')
    return header, [arm_metric(name, data, events, cpu['name']) for name in arm_order(data)]


MODEL_READERS = dict(Intel=intel_model, AMD=amd_model, Arm=arm_model)


# Everything together

def write_events(cpu, reference):
    source, version, events = EVENT_READERS[cpu['vendor']](cpu, reference)
    events.sort(key=lambda event: event['EventName'])
    names = {event['EventName'] for event in events}
    if len(names) != len(events):
        raise DataError('an event is there twice')
    write_rows(ROOT / 'events' / f"{cpu['name']}.json", event_header(cpu, source, version), 'Events', events)
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
    return f"{cpu['match']},{version},{cpu['name']},core"


def main(arguments):
    reference = Path(arguments[0]) if arguments else ROOT / '../shared/reference'
    if not (reference / 'intel').is_dir():
        sys.exit(f'vendor.py: {reference} is not a folder with intel/, linux/ and arm/; give it as argument')
    rows = ['Family-model,Version,Filename,EventType']
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
