#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Plan for each machine snapshot, and read the plan independently.

usage: plans.py [MACHINE...]     TOPDOWN names the program

plans/MACHINE.txt is what `topdown plan -l1 --sysroot tests/machines/MACHINE` prints, on standard output and behind
it on standard error. What it says is checked here against the snapshot's files and events/*.json: SMT, watchdog,
PERF_METRICS, the counter and the encoding of every event, and that each group alone gives the nodes that it completes;
counters and encodings at every level.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

from golden import HERE, ROOT, Events, number, read_json

MACHINES = ROOT / 'tests' / 'machines'
CPUS = {'cloud-vm': 'sapphirerapids', 'epyc-zen4': 'amdzen4', 'epyc-zen5': 'amdzen5', 'graviton2': 'neoverse-n1',
        'graviton3': 'neoverse-v1', 'laptop-hybrid': 'alderlake:core', 'xeon-clx': 'cascadelakex',
        'xeon-clx-nosmt': 'cascadelakex', 'xeon-skx': 'skylakex', 'xeon-spr': 'sapphirerapids'}
LEVELS = 6
# Nodes of level 1 whose events no group holds together: with SMT five of a node's events need general counters, of which the
# watchdog leaves three; and where two groups are enough, no third is made for the sake of one node.
APART = {machine: {'Backend_Bound', 'Bad_Speculation', 'Retiring'} for machine in ('xeon-clx', 'xeon-skx')}
UNKNOWN = 125


def topdown(*arguments):
    environment = {key: value for key, value in os.environ.items() if not key.startswith(('LC_', 'LANG', 'TOPDOWN_DB'))}
    return subprocess.run([os.environ.get('TOPDOWN', 'topdown'), *arguments], capture_output=True, text=True,
                          encoding='utf-8', env={**environment, 'LC_ALL': 'C.UTF-8'}, check=False)


class Machine:
    """What the snapshot's files say."""

    def __init__(self, name):
        self.name, self.folder = name, MACHINES / name
        self.events = Events(CPUS[name])
        header = self.events.header
        siblings = [path for file in ('thread_siblings_list', 'core_cpus_list')
                    for path in self.folder.glob(f'sys/devices/system/cpu/cpu*/topology/{file}')]
        self.smt = any(re.search('[,-]', path.read_text()) for path in siblings)
        pmus = self.folder / 'sys/bus/event_source/devices'
        self.has_pmu = (pmus / header['Pmu'] / 'format').is_dir()
        self.watchdog = self.has_pmu and (self.folder / 'proc/sys/kernel/nmi_watchdog').read_text().strip() == '1'
        slots = [(pmus / header['Pmu'] / 'events' / name).exists() for name in ('slots', 'topdown-retiring')]
        self.metrics = 'SlotsEvent' in header and (all(slots) or not self.has_pmu)
        smt_off = '' if self.smt else header.get('GeneralCountersSMTOff', '')
        self.general = int(smt_off or header['GeneralCounters'])
        self.fixed = int(header['FixedCounters'])

    def counters(self, name):
        """Where an event may be counted: names such as gp3, fixed1, metric."""
        base, *modifiers = name.split(':')
        row = self.events.rows[base]
        text = row.get('CounterHTOff', row['Counter']) if not self.smt else row['Counter']
        general = {f'gp{counter}' for counter in range(self.general)}
        if text.startswith('Metric'):
            return {'metric'} if self.metrics else set()
        if not text.startswith('Fixed'):
            return general & {f'gp{counter}' for counter in text.split(',')}
        fixed = {'fixed' + text.split()[-1]}
        if modifiers and set(modifiers) - {'u', 'k'}:
            return general
        return fixed | general if number(row, 'EventCode') else fixed


class Checker:
    def __init__(self, machine):
        self.machine, self.failures = machine, 0

    def expect(self, what, found, expected):
        if found != expected:
            self.failures += 1
            print(f'{self.machine.name}: {what}: expected {expected!r}, found {found!r}')

    def group(self, where, events):
        """events: (counter, name, perf or None)"""
        machine, header = self.machine, self.machine.events.header
        for counter, name, perf in events:
            base, *modifiers = name.split(':')
            scope = [modifier for modifier in modifiers if modifier in 'uk']
            terms = machine.events.perf(base, modifiers=[each for each in modifiers if each not in 'uk'])
            self.expect(f'{where}: {name} on {counter}', counter in machine.counters(name), True)
            if perf is not None:
                self.expect(f'{where}: {name}', perf.rstrip('uk') + ''.join(scope), terms + '/' + ''.join(scope))
        used = [counter for counter, _, _ in events if counter != 'metric']
        self.expect(f'{where}: counters used twice', len(used) - len(set(used)), 0)
        self.expect(f'{where}: events counted twice', len({name for _, name, _ in events}), len(events))
        if any(counter == 'metric' for counter, _, _ in events):
            self.expect(f'{where}: leader', events[0][1], header.get('SlotsEvent'))
        free = (machine.counters(header['Cycles']) | {f'gp{n}' for n in range(machine.general)}) - set(used)
        self.expect(f'{where}: a counter is left for the watchdog', bool(free) or not machine.watchdog, True)

    def completes(self, where, events, names):
        """The group's counts alone give the nodes that it completes, and no other of level 1."""
        flat = dict(format='topdown-counts', cpu=CPUS[self.machine.name], smt=int(self.machine.smt),
                    counts={name: 1000 + 7 * i for i, (_, name, _) in enumerate(events)})
        with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
            json.dump(flat, file)
            file.flush()
            report = json.loads(topdown('report', '--format', 'json', '-l1', file.name).stdout)
        found = {node['title'] for node in report['nodes'] if node['value'] is not None}
        self.expect(f'{where}: nodes that its counts give', found >= set(names), True)
        return found


# Text of level 1

def parse(text):
    """The groups of a plan as lists of (counter, name, perf or None), and the titles that each completes."""
    groups = []
    for line in text.splitlines():
        found = re.fullmatch(r'    (gp\d+|fixed\d+|metric) +(\S+)(?: +(\S+))?', line)
        if re.fullmatch(r'  Group \d+', line):
            groups.append(([], []))
        elif line.startswith('    completes ') or (groups and re.match('      [A-Z]', line)):
            words = line.replace('    completes ', '').strip().rstrip(',')
            groups[-1][1].extend(words.split(', '))
        elif found:
            groups[-1][0].append(found.groups())
    return groups


def plural(count, what):
    return f"{count} {what}{'' if count == 1 else 's'}"


def head_lines(machine, groups):
    metrics = ', PERF_METRICS' if machine.metrics else ''
    watchdog = '; the NMI watchdog holds a counter' if machine.watchdog else ''
    return [f"{CPUS[machine.name]}, level 1: {plural(len(groups), 'run')} of 1 group; "
            'no plan needs fewer groups',
            f"{plural(machine.general, 'general counter')}, {machine.fixed} fixed{metrics}; "
            f"SMT {'on' if machine.smt else 'off'}{watchdog}"]


def check_text(checker, text):
    machine = checker.machine
    groups = parse(text)
    first, *limits = text.split('\n\n')[0].splitlines()
    checker.expect('head', [first, ' '.join(line.strip() for line in limits)], head_lines(machine, groups))
    done = []
    for i, (events, titles) in enumerate(groups, 1):
        where = f'group {i}'
        checker.group(where, events)
        known = checker.completes(where, events, titles)
        done += titles
        checker.expect(f'{where}: completes', set(titles), known - set(done[:-len(titles)] if titles else done))
    metrics = read_json(ROOT / 'models' / f"{CPUS[machine.name].replace(':', '-')}.json")['Metrics']
    tops = [row['Title'] for row in metrics if 'TopdownL1' in row.get('MetricGroup', '').split(';')]
    checker.expect('nodes completed', sorted(done), sorted(set(tops) - APART.get(machine.name, set())))


# All levels as JSON

def check_levels(checker):
    for level in range(1, LEVELS + 1):
        done = topdown('plan', f'-l{level}', '--format', 'json', '--sysroot', str(checker.machine.folder))
        plan = json.loads(done.stdout)
        groups = [group for run in plan['runs'] for group in run['groups']]
        checker.expect(f'level {level}: lower bound', 0 < plan['lower_bound'] <= len(groups), True)
        for i, group in enumerate(groups, 1):
            events = [(f"{event['counter']}{event.get('counter_index', '')}", event['name'], event['perf'])
                      for event in group['events']]
            checker.group(f'level {level}, group {i}', events)


def check(name):
    done = topdown('plan', '-l1', '--sysroot', f'tests/machines/{name}')
    expected = (HERE / 'plans' / f'{name}.txt').read_text(encoding='utf-8')
    failures = 0
    if done.stdout + done.stderr != expected:
        failures += 1
        print(f'{name}: plans/{name}.txt has\n{expected}\ntopdown plan prints\n{done.stdout}{done.stderr}')
    if CPUS[name] is None:
        return failures + check_unknown(name, done)
    checker = Checker(Machine(name))
    checker.expect('exit status', done.returncode, 0)
    checker.expect('says that there is no PMU', 'no CPU PMU' in done.stderr, not checker.machine.has_pmu)
    check_text(checker, expected)
    check_levels(checker)
    return failures + checker.failures


def check_unknown(name, done):
    """A CPU without data is named as the kernel names it, and the message says what to do."""
    info = (MACHINES / name / 'proc/cpuinfo').read_text()
    model = re.search(r'model name\s*: (.*)', info).group(1)
    wanted = [model, 'GenuineIntel-6-9A-3', '--cpu', '--db']
    lacking = [word for word in wanted if word not in done.stderr]
    if done.returncode != UNKNOWN or done.stdout or lacking:
        print(f'{name}: exit status {done.returncode}, the message lacks {lacking}: {done.stderr}')
        return 1
    return 0


def main(names):
    names = names or sorted(path.name for path in MACHINES.iterdir() if path.is_dir())
    failed = sum(check(name) for name in names)
    print(f'plans.py: {len(names)} machines, {failed} differences')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
