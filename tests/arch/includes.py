#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks that analyzer/ includes what docs/ARCHITECTURE.md allows, and that each library is touched only where it says."""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / 'docs/ARCHITECTURE.md').read_text(encoding='utf-8')
LIBRARIES = {'jansson.h': 'jansson', 'cjson/cJSON.h': 'cJSON', 'perfmon/pfmlib_perf_event.h': 'libpfm4', 'zlib.h': 'zlib'}


def table(title):
    """The rows of the first table below a heading, without its two header lines."""
    body = TEXT.split(f'## {title}\n', 1)[1].split('\n## ', 1)[0]
    rows = [line.strip('|').split('|') for line in body.splitlines() if line.startswith('|')]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def includes(path):
    return re.findall(r'^#include [<"]([^>"]+)[>"]', path.read_text(encoding='utf-8'), re.M)


def main():
    allowed = {row[0]: {word.strip() for word in row[1].split(',') if word.strip()} for row in table('Who may include whom')}
    homes = {row[0]: set(re.findall(r'`([^`]+)`', row[2])) for row in table('Libraries')}
    folders = {path.name for path in (ROOT / 'analyzer').iterdir() if path.is_dir()}
    wrong = [f'analyzer/{name} is not in the table' for name in folders - allowed.keys()]
    seen = 0
    for path in sorted((ROOT / 'analyzer').rglob('*.[ch]')):
        name = str(path.relative_to(ROOT / 'analyzer'))
        folder = name.split('/')[0]
        for header in includes(path):
            seen += 1
            other = header.split('/')[0]
            if header in LIBRARIES and name not in homes[LIBRARIES[header]]:
                wrong.append(f'{name} touches {LIBRARIES[header]}')
            if other in folders and other != folder and not {other, header} & allowed.get(folder, set()):
                wrong.append(f'{name} includes {header}')
    print('\n'.join(wrong) or f'{seen} includes, all as the table says')
    return 1 if wrong or not seen else 0


sys.exit(main())
