#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Import all of the vendors' data into an empty folder: the files must be the shipped ones, byte for byte, within the limits.

usage: shipped.py     TOPDOWN names the program, REFERENCE the vendors' data

Limits: 0.5 s and 64 MiB for each folder, 600 KB for the files of a CPU, 12 MB for all. Exit status 77 without the data.
"""
import filecmp
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
REFERENCE = Path(os.environ.get('REFERENCE', ROOT / '../shared/reference'))
TOPDOWN = Path(os.environ.get('TOPDOWN', 'topdown')).absolute()
SKIPPED = 77
SECONDS, MEMORY = 0.5, 64 << 10  # KiB, as getrusage has it
CPU_SIZE, ALL_SIZE = 600_000, 12_000_000
OURS = {'events/cpus.json', 'events/README.md', 'events/import.sh', 'models/README.md', 'models/glossary.json',
        'events/sim.json', 'models/sim.json'}


def check_limits(folder, out):
    """One import is under the limits of time and memory; sanitizers and debuggers have other ones."""
    before = time.monotonic()
    subprocess.run([TOPDOWN, 'import', '--db', ROOT, '--from', 'perfmon', '-o', out, folder], check=True,
                   stdout=subprocess.DEVNULL)
    seconds = time.monotonic() - before
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    if seconds > SECONDS or memory > MEMORY:
        yield f'{folder.name}: {seconds:.2f} s, {memory} KiB'


def files(folder):
    return {str(path.relative_to(folder)): path for kind in ('events', 'models') for path in (folder / kind).rglob('*')
            if path.is_file()}


def differences(out):
    shipped, made = files(ROOT), files(out)
    for name in sorted((shipped.keys() | made.keys()) - OURS):
        if name.startswith('events/sim/'):
            continue
        if name not in made:
            yield f'{name}: is shipped, but no import makes it'
        elif name not in shipped:
            yield f'{name}: is made, but not shipped'
        elif not filecmp.cmp(shipped[name], made[name], shallow=False):
            yield f'{name}: differs'
    sizes = {name: path.stat().st_size for name, path in made.items()}
    for name, size in sizes.items():
        both = size + sizes.get(name.replace('events/', 'models/'), 0) if name.startswith('events/') else 0
        if both > CPU_SIZE:
            yield f'{name}: {both} bytes with its model'
    if sum(sizes.values()) > ALL_SIZE:
        yield f'all: {sum(sizes.values())} bytes'


def main():
    if not (REFERENCE / 'intel').is_dir():
        print(f"shipped.py: skipped, the vendors' data are not at {REFERENCE}")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        out, spare = Path(folder) / 'out', Path(folder) / 'spare'
        subprocess.run([ROOT / 'events/import.sh', REFERENCE, out, TOPDOWN], check=True, stdout=subprocess.DEVNULL)
        wrong = list(differences(out))
        if 'san' not in os.environ.get('TOPDOWN_BUILD', ''):
            for platform in ('CLX', 'GNR'):
                wrong += check_limits(REFERENCE / 'intel' / platform, spare)
    print('\n'.join(wrong) or 'shipped.py: the shipped files are the imported ones')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
