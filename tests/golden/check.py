#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare what topdown reports about the golden cases with the vendors' formulas and with the screens kept here.

usage: check.py [CASE...]     TOPDOWN names the program

For each case: every node and metric of the JSON report against expected.json (relative error 1e-9), thresholds, the
marks of bottlenecks and of the worst path, the names of missing counts, what to sample next; screen.txt against the
expected values, word by word, and against the program's output, byte by byte. Where a case has screen-ascii.txt,
report.csv or report.md, these too.
"""
import csv
import difflib
import io
import json
import math
import os
import subprocess
import sys

import screen
from expect import spelling
from golden import HERE, Golden

LEVEL = 3
ASCII = str.maketrans({'├': '+', '└': '`', '│': '|', '─': '-'})


class Failures:
    def __init__(self, case):
        self.case, self.count = case, 0

    def expect(self, what, found, expected):
        if found == expected:
            return
        self.count += 1
        print(f'{self.case}: {what}:\n  expected {expected!r}\n  found    {found!r}')

    def expect_number(self, what, found, expected):
        if None in (found, expected):
            self.expect(what, found, expected)
        elif not math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-12):
            self.expect(what, found, expected)


def run(golden, *options, locale='C.UTF-8'):
    environment = {key: value for key, value in os.environ.items() if not key.startswith(('LC_', 'LANG', 'TOPDOWN_DB'))}
    command = [os.environ.get('TOPDOWN', 'topdown'), 'report', *options, str(golden.folder / 'counts.json')]
    done = subprocess.run(command, env={**environment, 'LC_ALL': locale}, capture_output=True, check=False)
    if done.returncode or done.stderr:
        print(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr.decode()}")
        sys.exit(1)
    return done.stdout.decode()


# JSON

def check_missing(failures, golden, row, found):
    """What is named as missing is missing, and a reason is given wherever there is no value."""
    names = found['missing']
    failures.expect(f'{row.name}: reason', bool(found['reason']), row.raw is None)
    failures.expect(f'{row.name}: named as missing, but counted',
                    [name for name in names if spelling(name) in golden.counts], [])
    if row.raw is not None:
        failures.expect(f'{row.name}: missing', names, [])
    elif not names:
        failures.expect(f'{row.name}: reason',
                        'divides by zero' in found['reason'] or found['reason'].startswith('needs '), True)
    for name in names[:4]:
        failures.expect(f'{row.name}: reason names {name}', name in found['reason'], True)


def check_measurement(failures, golden, row, found):
    failures.expect_number(f'{row.name}: raw', found['raw'], row.raw)
    failures.expect_number(f'{row.name}: value', found['value'], row.value)
    failures.expect(f'{row.name}: quality', found['quality'], row.quality)
    failures.expect(f'{row.name}: title', found['title'], row.title)
    failures.expect(f'{row.name}: unit', found['unit'], row.scale_unit)
    failures.expect(f'{row.name}: domain', found['domain'], row.domain)
    failures.expect(f'{row.name}: has_threshold', found['has_threshold'], row.has_threshold)
    failures.expect(f'{row.name}: over_threshold', found['over_threshold'], row.over)
    check_missing(failures, golden, row, found)


def check_node(failures, golden, row, found):
    check_measurement(failures, golden, row, found)
    expected = dict(level=row.level, parent=row.parent.name if row.parent else None,
                    bottleneck=row.bottleneck, worst_path=row.worst_path, sample=row.samples)
    for key, value in expected.items():
        failures.expect(f'{row.name}: {key}', found[key], value)


def check_rows(failures, golden, rows, found, check):
    failures.expect('names', [row['name'] for row in found], [row.name for row in rows])
    by_name = {row['name']: row for row in found}
    for row in rows:
        if row.name in by_name:
            check(failures, golden, row, by_name[row.name])


def check_summary(failures, golden, found):
    cycles, instructions = golden.count('Cycles'), golden.count('Instructions')
    failures.expect_number('cycles', found['cycles'], cycles)
    failures.expect_number('instructions', found['instructions'], instructions)
    both = cycles and instructions
    failures.expect_number('ipc', found['ipc'], instructions / cycles if both else None)


def check_json(failures, golden):
    report = json.loads(run(golden, '--format', 'json'))
    deepest = max(node.level for node in golden.nodes)
    golden.find_worst(deepest)
    failures.expect('cpu', report['cpu'], golden.cpu)
    failures.expect('tma_version', report['tma_version'], golden.header.get('TmaVersion'))
    check_rows(failures, golden, golden.nodes, report['nodes'], check_node)
    check_rows(failures, golden, golden.metrics, report['metrics'], check_measurement)
    check_summary(failures, golden, report['summary'])
    advice = report.get('advice', {})
    words = [f"{golden.title(advice['node'])}: {advice['means']}", f"Try: {advice['try']}"] if advice else []
    failures.expect('advice', words, golden.words(deepest))
    failures.expect('closer', report['closer'], golden.closer(deepest))
    failures.expect('next', [hint['command'] for hint in report['next']], golden.commands(deepest))


# Screens and sheets

def check_text(failures, golden, name, found):
    expected = (golden.folder / name).read_text(encoding='utf-8')
    if found != expected:
        failures.count += 1
        sys.stdout.writelines(difflib.unified_diff(expected.splitlines(True), found.splitlines(True),
                                                   f'{golden.name}/{name}', 'topdown'))


def check_screen(failures, golden):
    text = (golden.folder / 'screen.txt').read_text(encoding='utf-8')
    for line in screen.differences(golden, text, LEVEL):
        failures.expect(f'screen.txt against expected.json: {line}', 'wrong', 'right')
    check_text(failures, golden, 'screen.txt', run(golden, f'-l{LEVEL}'))


def check_ascii(failures, golden):
    """The same screen in other signs."""
    utf8 = (golden.folder / 'screen.txt').read_text(encoding='utf-8')
    text = (golden.folder / 'screen-ascii.txt').read_text(encoding='ascii')
    failures.expect('screen-ascii.txt against screen.txt', text, utf8.translate(ASCII))
    check_text(failures, golden, 'screen-ascii.txt', run(golden, f'-l{LEVEL}', locale='C'))


def csv_row(row):
    """The columns of a line but for its value and reason."""
    over = str(row.over).lower() if row.has_threshold else ''
    return dict(level=str(row.level or ''), name=row.name, title=row.title, path=row.path, unit=row.scale_unit,
                domain=row.domain, quality=row.quality, over_threshold=over, bottleneck=str(row.bottleneck).lower())


def check_csv(failures, golden):
    text = (golden.folder / 'report.csv').read_text(encoding='utf-8')
    rows = [node for node in golden.nodes if node.level <= LEVEL] + golden.metrics
    found = list(csv.DictReader(io.StringIO(text)))
    failures.expect('report.csv: lines', len(found), len(rows))
    for line, row in zip(found, rows):
        value, reason = line.pop('value'), line.pop('reason')
        failures.expect_number(f'report.csv: {row.name}', float(value) if value else None, row.value)
        failures.expect(f'report.csv: {row.name}: reason', bool(reason), row.value is None)
        failures.expect(f'report.csv: {row.name}', line, csv_row(row))
    check_text(failures, golden, 'report.csv', run(golden, f'-l{LEVEL}', '--format', 'csv'))


def check_markdown(failures, golden):
    text = (golden.folder / 'report.md').read_text(encoding='utf-8')
    for line in screen.markdown_differences(golden, text, LEVEL):
        failures.expect(f'report.md against expected.json: {line}', 'wrong', 'right')
    check_text(failures, golden, 'report.md', run(golden, f'-l{LEVEL}', '--format', 'markdown'))


OPTIONAL = {'screen-ascii.txt': check_ascii, 'report.csv': check_csv, 'report.md': check_markdown}


def check(name):
    golden = Golden(name)
    failures = Failures(name)
    check_json(failures, golden)
    check_screen(failures, golden)
    for file, function in OPTIONAL.items():
        if (golden.folder / file).exists():
            function(failures, golden)
    return failures.count


def main(names):
    names = names or sorted(path.parent.name for path in HERE.glob('*/counts.json'))
    failed = sum(check(name) for name in names)
    print(f'check.py: {len(names)} cases, {failed} differences')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
