#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Write or check expected.json of every case in this folder, straight from the vendors' published formulas.

usage: expect.py [--check] [REFERENCE_DIR [CASE...]]   default: ../shared/reference, relative to the repository root

This shares nothing with events/vendor.py and with topdown: Intel's values come from the flattened formulas and
thresholds over letters, not from those that refer to other metrics; AMD's from Linux' pipeline.json and
recommended.json; Arm's from the telemetry files. The thresholds of AMD and Arm, which are topdown's own, stand below once more.

Values are in the unit that topdown prints (percent for the tree). A value that needs a count that the case does not
have is null and has no over_threshold. --check compares with a relative error of 1e-9; it exits with 77 when the
reference folder is not there, as tests do that are skipped.
"""
import ast
import functools
import json
import math
import operator
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SKIPPED = 77
INTEL = dict(skylakex='SKX', cascadelakex='CLX', sapphirerapids='SPR')
OTHER_PMU = re.compile(r'UNC_|FREERUN_|.*:percore')

# Percent; the names of a threshold are joined by 'and' (all must hold) or 'or'.
AMD_THRESHOLDS = '''
frontend_bound: frontend_bound > 15
bad_speculation: bad_speculation > 15
backend_bound: backend_bound > 20
retiring: retiring > 70 or MICROCODE > 10
smt_contention: smt_contention > 20
LATENCY: LATENCY > 10 and frontend_bound > 15
BANDWIDTH: BANDWIDTH > 10 and frontend_bound > 15
MISPREDICTS: MISPREDICTS > 10 and bad_speculation > 15
RESTARTS: RESTARTS > 5 and bad_speculation > 15
MEMORY: MEMORY > 20 and backend_bound > 20
CPU: CPU > 10 and backend_bound > 20
FASTPATH: FASTPATH > 60
MICROCODE: MICROCODE > 10
'''
AMD_LEVEL_2 = dict(
    amdzen4=dict(LATENCY='frontend_bound_latency', BANDWIDTH='frontend_bound_bandwidth',
                 MISPREDICTS='bad_speculation_mispredicts', RESTARTS='bad_speculation_pipeline_restarts',
                 MEMORY='backend_bound_memory', CPU='backend_bound_cpu',
                 FASTPATH='retiring_fastpath', MICROCODE='retiring_microcode'),
    amdzen5=dict(LATENCY='frontend_bound_by_latency', BANDWIDTH='frontend_bound_by_bandwidth',
                 MISPREDICTS='bad_speculation_from_mispredicts',
                 RESTARTS='bad_speculation_from_pipeline_restarts',
                 MEMORY='backend_bound_by_memory', CPU='backend_bound_by_cpu',
                 FASTPATH='retiring_from_fastpath', MICROCODE='retiring_from_microcode'))
ARM_LIMITS = dict(frontend_bound=15, bad_speculation=15, backend_bound=20, retiring=70,
                  frontend_stalled_cycles=15, backend_stalled_cycles=20)


class Missing(Exception):
    """A count that a formula needs is not in the case."""


# Evaluation: Python reads the formula, the walk below gives it perf's meaning.

def divide(a, b):
    return a / b if b else math.nan


def d_ratio(a, b):
    return a / b if b else 0.0


BINARY = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: divide}
COMPARE = {ast.Gt: operator.gt, ast.Lt: operator.lt}
CALLS = dict(min=lambda a, b: a if a < b else b, max=lambda a, b: a if a > b else b, d_ratio=d_ratio)


def walk(node, look_up):
    if isinstance(node, ast.Constant):
        return float(node.value)
    if isinstance(node, ast.Name):
        return look_up(node.id)
    if isinstance(node, ast.BinOp):
        return BINARY[type(node.op)](walk(node.left, look_up), walk(node.right, look_up))
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return COMPARE[type(node.ops[0])](walk(node.left, look_up), walk(node.comparators[0], look_up))
    if isinstance(node, ast.IfExp):
        return walk(node.body if walk(node.test, look_up) else node.orelse, look_up)
    if isinstance(node, ast.BoolOp):
        fold = all if isinstance(node.op, ast.And) else any
        return fold([walk(value, look_up) for value in node.values])
    if isinstance(node, ast.Call):
        return CALLS[node.func.id](*[walk(argument, look_up) for argument in node.args])
    raise ValueError(f'no meaning for {ast.dump(node)[:80]}')


@functools.lru_cache(maxsize=None)
def parse(text):
    return ast.parse(text.strip(), mode='eval').body


def evaluate(text, look_up):
    """Value of a formula over plain names; None when a count is missing."""
    try:
        return walk(parse(text), look_up)
    except Missing:
        return None


def threshold_holds(text, look_up):
    return evaluate(text.replace('&', ' and ').replace('|', ' or '), look_up)


# The case: counts under one spelling

def spelling(name):
    """Any spelling of an event with modifiers as name:modifier..., lower case, modifiers in a fixed order."""
    at_form = re.fullmatch(r'cpu@([^\\]+)((?:\\,[a-z]+\\=[^\\@]+)*)@', name)
    if at_form:
        terms = re.findall(r'cmask\\=(0x[0-9a-f]+|\d+)', at_form.group(2))
        return ':'.join([at_form.group(1).lower()] + [f'c{int(term, 0)}' for term in terms])
    base, *modifiers = name.lower().split(':')
    same = dict(sup='k', user='u')
    modifiers = [same.get(modifier, modifier) for modifier in modifiers if modifier != 'perf_metrics']
    return ':'.join([base] + sorted(modifiers))


class Case:
    def __init__(self, folder):
        self.folder = folder
        data = json.loads((folder / 'counts.json').read_text(encoding='utf-8'))
        self.cpu, self.smt = data['cpu'], data.get('smt', 0)
        self.constants = data.get('constants', {})
        self.counts = {spelling(name): float(value) for name, value in data['counts'].items()}

    def count(self, name):
        if spelling(name) not in self.counts:
            raise Missing(name)
        return self.counts[spelling(name)]

    def constant(self, name):
        """Intel's constants by their published names."""
        if name.isdigit():
            return float(name)
        if name == 'HYPERTHREADING_ON':
            return float(self.smt)
        if name == 'THREADS_PER_CORE':
            return 1.0 + self.smt
        key = '#num_cpus_online' if name.startswith('system.sockets') else name
        if key not in self.constants:
            raise Missing(name)
        return float(self.constants[key])


def entry(value, over):
    """One expected value; over is None when there is no threshold."""
    if value is None or math.isnan(value):
        return dict(value=None)
    return dict(value=value) if over is None else dict(value=value, over_threshold=bool(over))


# Intel

def intel_value(metric, case):
    events = {event['Alias']: event['Name'] for event in metric['Events']}
    constants = {constant['Alias']: constant['Name'] for constant in metric['Constants']}

    def look_up(alias):
        return case.count(events[alias]) if alias in events else case.constant(constants[alias])
    return evaluate(metric['Formula'], look_up)


def intel_over(metric, values):
    threshold = metric['Threshold']
    if not threshold['Formula']:
        return None
    names = {row['Alias']: row['Value'] for row in threshold['ThresholdMetrics']}

    def look_up(alias):
        value = values[names[alias]]
        return math.nan if value is None else value
    return threshold_holds(threshold['Formula'], look_up)


def intel_expected(case, reference):
    path = f'intel/{INTEL[case.cpu]}/metrics/{case.cpu}_metrics.json'
    metrics = [metric for metric in read_json(reference / path)['Metrics'] if metric['Category'] == 'TMA'
               and not any(OTHER_PMU.match(event['Name']) for event in metric['Events'])]
    values = {metric['LegacyName']: intel_value(metric, case) for metric in metrics}
    nodes, others = {}, {}
    for metric in metrics:
        into = others if metric['MetricName'].startswith(('Info_', 'Bottleneck_')) else nodes
        into['tma_' + metric['MetricName'].lower()] = entry(values[metric['LegacyName']],
                                                            intel_over(metric, values))
    return f'intel/perfmon {path[6:]}', nodes, others


# AMD

def plain_names(text):
    """The formula with every dotted or @ name replaced by a plain one, and what stands for what."""
    names = {}

    def plain(match):
        if match.group(0) in CALLS:
            return match.group(0)
        return names.setdefault(match.group(0), f'name{len(names)}')
    text = re.sub(r'cpu@[^@]*@|[A-Za-z_][\w.]*', plain, text)
    return text, {short: name for name, short in names.items()}


def amd_value(name, metrics, case):
    if name not in metrics:
        return case.count('ex_ret_instr' if name == 'instructions' else name)
    text, names = plain_names(metrics[name]['MetricExpr'])
    return walk(parse(text), lambda short: amd_value(names[short], metrics, case))


def amd_scaled(name, metrics, case):
    try:
        value = amd_value(name, metrics, case)
    except Missing:
        return None
    scale = re.match(r'[0-9.]+(?:e-?[0-9]+)?', metrics[name].get('ScaleUnit', '1'))
    return value * float(scale.group(0))


def amd_over(name, values, renamed):
    rules = dict(line.split(': ') for line in AMD_THRESHOLDS.strip().splitlines())
    rule = rules.get({full: short for short, full in renamed.items()}.get(name, name))

    def look_up(word):
        value = values[renamed.get(word, word)]
        return math.nan if value is None else value
    return evaluate(rule, look_up)


def amd_expected(case, reference):
    folder = f'linux/x86/{case.cpu}'
    rows = [row for name in ('pipeline', 'recommended') for row in read_json(reference / folder / f'{name}.json')]
    metrics = {row['MetricName']: row for row in rows if 'MetricName' in row and 'PerPkg' not in row
               and not row['MetricName'].startswith('l3_')}
    values = {name: amd_scaled(name, metrics, case) for name in metrics}
    nodes = {name: entry(values[name], amd_over(name, values, AMD_LEVEL_2[case.cpu]))
             for name in metrics if 'PipelineL' in metrics[name].get('MetricGroup', '')}
    others = {name: entry(values[name], None) for name in metrics if name not in nodes}
    return f'Linux 6.12 pmu-events {folder[6:]}', nodes, others


# Arm

def arm_expected(case, reference):
    data = read_json(reference / 'arm' / f'{case.cpu}.json')
    roots = data['methodologies']['topdown_methodology']['decision_tree']['root_nodes']
    nodes, others = {}, {}
    for name, metric in data['metrics'].items():
        text, names = plain_names(metric['formula'])
        value = evaluate(text, lambda short, names=names: case.count(names[short]))
        if name in roots:
            nodes[name] = entry(value, value is not None and value > ARM_LIMITS[name])
        else:
            others[name] = entry(value, None)
    return f'Arm telemetry-solution {case.cpu}.json', nodes, others


# Writing and checking

@functools.lru_cache(maxsize=None)
def read_json(path):
    return json.loads(path.read_text(encoding='utf-8'))


def expected(case, reference):
    reader = intel_expected if case.cpu in INTEL else amd_expected if case.cpu in AMD_LEVEL_2 else arm_expected
    source, nodes, others = reader(case, reference)
    return dict(cpu=case.cpu, source=source, nodes=nodes, metrics=others)


def lines(entries):
    return ',\n'.join(f'  {json.dumps(name)}: {json.dumps(value)}' for name, value in entries.items())


def write(case, result):
    text = (f'{{ "cpu": {json.dumps(result["cpu"])}, "source": {json.dumps(result["source"])},\n'
            f' "nodes": {{\n{lines(result["nodes"])} }},\n "metrics": {{\n{lines(result["metrics"])} }} }}\n')
    (case.folder / 'expected.json').write_text(text, encoding='utf-8')


def same(a, b):
    if a.get('over_threshold') != b.get('over_threshold') or None in (a['value'], b['value']):
        return a == b
    return math.isclose(a['value'], b['value'], rel_tol=1e-9)


def differences(old, new):
    """What the file says and the formulas do not, one line each."""
    for kind in ('nodes', 'metrics'):
        for name in {**old[kind], **new[kind]}:
            a, b = old[kind].get(name), new[kind].get(name)
            if a is None or b is None or not same(a, b):
                yield f'{name}: file {a}, formulas {b}'


def check(case, result):
    found = list(differences(read_json(case.folder / 'expected.json'), result))
    for line in found:
        print(f'{case.folder.name}: {line}')
    return not found


def main(arguments):
    checking = arguments[:1] == ['--check']
    arguments = arguments[checking:]
    reference = Path(arguments[0]) if arguments else HERE.parent.parent / '../shared/reference'
    if not (reference / 'intel').is_dir():
        print(f"expect.py: skipped, the vendors' data are not at {reference}; give their folder as argument")
        return SKIPPED
    names = arguments[1:] or sorted(path.parent.name for path in HERE.glob('*/counts.json'))
    good = True
    for case in (Case(HERE / name) for name in names):
        result = expected(case, reference)
        if checking:
            good = check(case, result) and good
        else:
            write(case, result)
    print(f"expect.py: {len(names)} cases {'checked' if checking else 'written'}{'' if good else ', with differences'}")
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
