#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Import a folder of Linux' pmu-events and compare its model with the shipped one, on the same random counts.

usage: perf_form.py FOLDER     TOPDOWN names the program, REFERENCE the vendors' data

FOLDER is one of reference/linux/x86, which have the metrics; the events that go with them are the shipped ones, written in
Linux' form. Where both models are of one version of the method, every node and every metric of it must agree. Where they
are not, those that may differ stand below with what changed, and all others must agree. Exit status 77 without the data.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / 'tests' / 'equality'))
from equality import SKIPPED, TOOLS, Draw, is_close  # noqa: E402  (its folder has to be on the path first)

DRAWS = 8
TOPDOWN = os.environ.get('TOPDOWN', 'topdown')

# Linux 6.12 does not say in the files which version its metrics are of; its history does. The commits that came next
# ("perf vendor events: Update ...") say "Update TMA metrics from 4.8 to 5.02", and from which event version, which is that of
# mapfile.csv here. The efficient cores came as E-core TMA 3.6 (intel/perfmon, pull request 194).
BIG, SMALL = '4.8', '3.6'
FOLDERS = {  # the event version of mapfile.csv, and each CPU's version of the method; '': Linux' metrics are the shipped ones
    'sandybridge': ('v19', {'sandybridge': ''}), 'jaketown': ('v24', {'jaketown': ''}),
    'ivybridge': ('v24', {'ivybridge': ''}), 'ivytown': ('v24', {'ivytown': ''}),
    'haswell': ('v35', {'haswell': BIG}), 'haswellx': ('v28', {'haswellx': BIG}),
    'broadwell': ('v29', {'broadwell': BIG}), 'broadwellde': ('v11', {'broadwellde': ''}),
    'broadwellx': ('v22', {'broadwellx': BIG}), 'skylake': ('v59', {'skylake': BIG}),
    'skylakex': ('v1.35', {'skylakex': BIG}), 'cascadelakex': ('v1.22', {'cascadelakex': BIG}),
    'icelake': ('v1.22', {'icelake': BIG}), 'icelakex': ('v1.26', {'icelakex': BIG}),
    'tigerlake': ('v1.16', {'tigerlake': BIG}), 'rocketlake': ('v1.03', {'rocketlake': BIG}),
    'sapphirerapids': ('v1.23', {'sapphirerapids': BIG}), 'emeraldrapids': ('v1.09', {'emeraldrapids': BIG}),
    'alderlake': ('v1.27', {'alderlake:core': BIG, 'alderlake:atom': ''}),
    'meteorlake': ('v1.10', {'meteorlake:core': BIG, 'meteorlake:atom': ''}),
    'alderlaken': ('v1.27', {'alderlaken': ''}), 'elkhartlake': ('v1.05', {'elkhartlake': ''}),
    'sierraforest': ('v1.04', {'sierraforest': SMALL}), 'grandridge': ('v1.03', {'grandridge': SMALL})}

HASWELL, BROADWELL = 'haswell haswellx', 'broadwell broadwellx'
SKYLAKE, ICELAKE = 'skylake skylakex cascadelakex', 'icelake icelakex tigerlake rocketlake'
GOLDEN_COVE = 'alderlake:core meteorlake:core sapphirerapids emeraldrapids'

# Where the shipped model and Linux' differ, on which CPUs, and why.
TABLES = {
    'values': [
        ("Linux' formulas lost brackets: (a / 2 if #SMT_on else b / c) where perfmon has (a / 2 if smt_on else b) / c",
         HASWELL, 'tma_core_bound tma_memory_bound tma_ports_utilization tma_ports_utilized_0 tma_ports_utilized_1 tma_ports_utilized_2'),
        ('as on Haswell', BROADWELL, 'tma_ports_utilized_0 tma_ports_utilized_1 tma_ports_utilized_2'),
        ('5.x adds lines that another socket has modified', 'icelakex sapphirerapids emeraldrapids', 'tma_false_sharing'),
        ('5.x reads LOCK_CYCLES.CACHE_LOCK_DURATION', 'sapphirerapids emeraldrapids', 'tma_lock_latency'),
        ('5.x reads MEM_INST_RETIRED.SPLIT_LOADS', 'sapphirerapids emeraldrapids', 'tma_split_loads'),
        ('5.2 counts cycles with 12 requests, 4.8 those with 4', 'sapphirerapids emeraldrapids',
         'tma_mem_bandwidth tma_mem_latency'),
        ('the bound of N loads at the frequency f is N * 24 f in 4.8 and N * 27 f - 3 f in 5.1', 'meteorlake:core',
         'tma_contested_accesses tma_data_sharing tma_l3_hit_latency'),
        ("an error of 4.8 (toplev's notes on 5.0)", 'meteorlake:core', 'tma_ports_utilized_0 tma_ports_utilization')],
    'thresholds': [
        ('5.x judges it alone, from 30 %; 4.8 from 20 % and with its parents',
         f'{HASWELL} {BROADWELL} {SKYLAKE} {ICELAKE} alderlake:core meteorlake:core', 'tma_split_loads')],
    'added nodes': [
        ('5.x parts TLB misses by page size, and L2', f'{SKYLAKE} {ICELAKE} {GOLDEN_COVE}',
         'tma_code_stlb_hit tma_code_stlb_miss tma_code_stlb_miss_2m tma_code_stlb_miss_4k tma_l2_hit_latency '
         'tma_load_stlb_miss_1g tma_load_stlb_miss_2m tma_load_stlb_miss_4k '
         'tma_store_stlb_miss_1g tma_store_stlb_miss_2m tma_store_stlb_miss_4k'),
        ('5.x parts the divider, code misses in L2 and the fetch bandwidth', f'{ICELAKE} {GOLDEN_COVE}',
         'tma_code_l2_hit tma_code_l2_miss tma_fp_divider tma_int_divider tma_ms'),
        ('5.x tells what kind of branch was mispredicted', 'meteorlake:core',
         'tma_cond_nt_mispredicts tma_cond_tk_mispredicts tma_ind_call_mispredicts tma_ind_jump_mispredicts '
         'tma_ret_mispredicts')],
    'removed nodes': [
        ('5.x has persistent memory no more', 'cascadelakex icelakex sapphirerapids', 'tma_pmm_bound')]}


def names_of(table, cpu):
    return {name for _, cpus, names in table if cpu in cpus.split() for name in names.split()}


# The folder as Linux would have it

def read_json(path):
    return json.loads(Path(path).read_text(encoding='utf-8'))


def events_of(cpu):
    return read_json(ROOT / 'events' / f"{cpu.replace(':', '-')}.json")['Events']


def in_linux_form(event, cpu):
    core = cpu.split(':')[1:]
    return dict(event, Unit=f'cpu_{core[0]}') if core else event


def write_folder(folder, source, cpus):
    """PERF_METRICS.* are no events of the vendor's files; the import adds them."""
    folder.mkdir()
    for path in source.glob('*.json'):
        (folder / path.name).write_bytes(path.read_bytes())
    events = [in_linux_form(event, cpu) for cpu in cpus for event in events_of(cpu)
              if not event['EventName'].startswith('PERF_METRICS.')]
    (folder / 'core.json').write_text(json.dumps(events), encoding='utf-8')


def run(*words):
    return subprocess.run([TOPDOWN, *map(str, words)], capture_output=True, check=True, text=True).stdout


# Counts for both models

def same_events(cpu):
    """NAME:u0x0f is the event of that unit mask, if there is one under a name of its own."""
    rows = events_of(cpu)
    by_name = {row['EventName']: row for row in rows}

    def encoding(row, mask):
        return [row.get(key) for key in ('EventCode', 'CounterMask', 'EdgeDetect', 'Invert', 'MSRIndex')] + [mask]

    def same(name):
        masked = re.fullmatch(r'([\w.]+):u(0x[0-9a-f]+)', name)
        if not masked:
            return name
        wanted = encoding(by_name[masked.group(1)], int(masked.group(2), 16))
        found = [row['EventName'] for row in rows if encoding(row, int(row.get('UMask', '0'), 16)) == wanted]
        return found[0] if found else name
    return same


class Counts(Draw):
    """A draw for two models: whatever one of them misses is drawn."""

    def __init__(self, cpu, smt, seed):
        super().__init__(cpu, smt, seed)
        self.constants['#core_wide'] = 1  # Linux' formulas estimate the core's cycles where only one thread is counted
        self.same = same_events(cpu)

    def add(self, name):
        self.count(self.same(name))
        if self.same(name) != name:
            self.counts[name], self.names[name] = int(self.count(self.same(name))), name

    def report(self, *options):
        with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
            json.dump(self.flat(), file)
            file.flush()
            return json.loads(run('report', *options, '--format', 'json', file.name))

    def reports(self, database):
        while True:
            both = self.report('--db', ROOT), self.report('--db', database)
            missing = {name for report in both for row in report['nodes'] + report['metrics']
                       for name in row.get('missing', ()) if name.lower() not in TOOLS}
            if not missing:
                return both
            for name in sorted(missing):
                self.add(name)


# Comparison

def rows_of(report, renamed):
    return {renamed.get(row['name'], row['name']): row for row in report['nodes'] + report['metrics']}


def renames(ours, theirs):
    """From a name that only theirs has to ours, by the glossary."""
    lists = read_json(ROOT / 'models/glossary.json')['Header']['SameNode']
    return {name: other for names in lists for name in names for other in names
            if name in theirs and name not in ours and other in ours and other not in theirs}


class Comparison:
    def __init__(self, cpu, version):
        self.cpu, self.version, self.wrong = cpu, version, []
        self.compared, self.nodes = 0, set()
        self.found = {what: set() for what in TABLES}
        self.metrics = set()

    def expect(self, what, found, wanted):
        if found != wanted:
            self.wrong.append(f'{self.cpu}: {what}: {found} instead of {wanted}')

    def is_close_up(self, name, ours, theirs):
        """The node and all that are above it agree, so the threshold judges the same."""
        while name:
            if name not in theirs or not is_close(ours[name]['raw'], theirs[name]['raw']):
                return False
            name = ours[name].get('parent')
        return True

    def node(self, name, ours, theirs):
        self.compared += 2
        self.expect(f'level of {name}', theirs[name].get('level'), ours[name]['level'])
        if not is_close(theirs[name]['raw'], ours[name]['raw']):
            self.found['values'].add(name)
        elif self.is_close_up(name, ours, theirs) and ours[name]['over_threshold'] != theirs[name]['over_threshold']:
            self.found['thresholds'].add(name)

    def metric(self, name, ours, theirs):
        self.compared += 1
        if not is_close(theirs[name]['raw'], ours[name]['raw']):
            self.metrics.add(name)

    def draw(self, both):
        renamed = renames(*[rows_of(report, {}) for report in both])
        ours, theirs = [rows_of(report, renamed) for report in both]
        our_nodes, their_nodes = [{name for name, row in rows.items() if 'level' in row} for rows in (ours, theirs)]
        self.found['added nodes'] |= our_nodes - their_nodes
        self.found['removed nodes'] |= their_nodes - our_nodes
        self.nodes |= our_nodes & their_nodes
        for name in our_nodes & their_nodes:
            self.node(name, ours, theirs)
        for name in ours.keys() & theirs.keys() - our_nodes:
            if name.startswith('tma_') or not self.version:
                self.metric(name, ours, theirs)

    def end(self, our_version):
        """The differences are exactly those of the tables, and none where the version is the same."""
        is_same = self.version in ('', our_version)
        self.expect('anything compared', self.compared > 0, True)
        for what, table in TABLES.items():
            self.expect(what, sorted(self.found[what]), sorted(names_of(table, self.cpu)))
            if is_same:
                self.expect(f'{what} of one version', len(self.found[what]), 0)
        if is_same:
            self.expect('metrics of one version', sorted(self.metrics), [])
        counts = ', '.join(f'{len(names)} {what}' for what, names in self.found.items())
        print(f"perf_form.py: {self.cpu}: TMA {our_version or 'of Linux'} against Linux' {self.version or 'own'}: "
              f'{len(self.nodes)} nodes, {self.compared} numbers compared; differing: {counts}, '
              f'{len(self.metrics)} metrics that are no nodes')


def check_cpu(cpu, version, database):
    comparison = Comparison(cpu, version)
    for smt in (0, 1):
        for seed in range(DRAWS):
            ours, theirs = Counts(cpu, smt, seed).reports(database)
            comparison.draw((ours, theirs))
    comparison.end(ours['tma_version'])
    return comparison.wrong


def check_names(folder, database, cpus):
    """No metric of the method may be lost on the way."""
    names = {}
    for path in folder.glob('*-metrics.json'):
        for row in read_json(path):
            names.setdefault(row.get('Unit', ''), set()).add(re.sub('[ %]', '', row['MetricName'].replace('%_', '')))
    for cpu in cpus:
        unit = f"cpu_{cpu.split(':')[1]}" if ':' in cpu else ''
        wanted = {name for name in names.get(unit, set()) | names.get('', set()) if name.startswith('tma_')}
        rows = read_json(database / 'models' / f"{cpu.replace(':', '-')}.json")['Metrics']
        for name in sorted(wanted - {row['MetricName'] for row in rows}):
            yield f'{cpu}: {name} was lost'


def mapfile_version(reference, folder):
    lines = (reference / 'linux/x86/mapfile.csv').read_text(encoding='utf-8').splitlines()
    return next(line.split(',')[-3] for line in lines if line.split(',')[-2] == folder)


def main(name):
    reference = Path(os.environ.get('REFERENCE', ROOT / '../shared/reference'))
    if not (reference / 'linux/x86').is_dir():
        print(f"perf_form.py: skipped, the vendors' data are not at {reference}")
        return SKIPPED
    version, cpus = FOLDERS[name]
    wrong = []
    if mapfile_version(reference, name) != version:
        wrong.append(f'{name}: mapfile.csv has another version than {version}: whose TMA version is that?')
    with tempfile.TemporaryDirectory() as place:
        folder, database = Path(place) / name, Path(place) / 'out'
        write_folder(folder, reference / 'linux/x86' / name, cpus)
        run('import', '--db', ROOT, '--from', 'perf', '-o', database, folder)
        wrong += check_names(folder, database, cpus)
        for cpu, tma in cpus.items():
            wrong += check_cpu(cpu, tma, database)
    print('\n'.join(wrong))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
