# SPDX-License-Identifier: GPL-2.0-or-later
"""Intel: intel/perfmon's event and metric files."""
import re
from decimal import Decimal

from .common import DataError, clean_event, locate_with, read_json, say
from .formula import drop_single_parens, is_name, join, tokens

PERFMON = 'intel/perfmon'
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
INTEL_LITERALS = dict(smt_on='#SMT_on', tsc='TSC', num_cpus='#num_cpus_online',
                      duration_time='duration_time')
INTEL_UNITS = {'GB/sec': '1GB/s', 'Seconds': '1s', 'Scaled_Slots': '1%'}
# Events of other PMUs, and sums over the threads of a core: no event of one thread gives these.
NOT_THIS_CORE = re.compile(r'unc_|freerun_|.*:percore')


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


def intel_expr(text, events):
    found = [intel_token(token, events) for token in tokens(text)]
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
    match = re.fullmatch(r'metric_TMA_\.*(\w+)(\(%\))?(.*?)([<>])\s*([-+*/0-9. ]+)', text)
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


def sample_names(raw):
    names = [re.sub(r'_PS$', '', name.strip()) for name in raw.get('LocateWith', '').split(';')]
    return [name for name in names if name not in ('', '#NA')]


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
                LocateWith=locate_with(sample_names(raw), events, f'{cpu}: {name}'))


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
