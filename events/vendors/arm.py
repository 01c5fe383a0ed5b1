# SPDX-License-Identifier: GPL-2.0-or-later
"""Arm: the telemetry files. Thresholds are ours, because none are published."""
from .common import clean_event, locate_with, read_json
from .formula import drop_single_parens, join, tokens

TELEMETRY = 'Arm telemetry-solution'
ARM_THRESHOLDS = dict(frontend_bound=15, bad_speculation=15, backend_bound=20, retiring=70,
                      frontend_stalled_cycles=15, backend_stalled_cycles=20)
ARM_UNITS = {    # units: ScaleUnit, CountDomain; a percentage is already multiplied by 100 in the formula
    'percent of slots': ('1%', 'Slots'),
    'percent of cycles': ('1%', 'Clocks'),
    'percent of operations': ('1%', 'Operations'),
}


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
                  LocateWith=locate_with(raw.get('sample_events', []), events, f'{cpu}: {name}'))
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
