# SPDX-License-Identifier: GPL-2.0-or-later
"""What the readers of all vendors share: reading JSON, telling the user, cleaning an event."""
import json

EVENT_KEYS = ('EventName', 'EventCode', 'UMask', 'UMaskExt', 'CounterMask', 'Invert', 'EdgeDetect',
              'AnyThread', 'Equal', 'Counter', 'CounterHTOff', 'MSRIndex', 'MSRValue', 'TakenAlone',
              'PEBS', 'Data_LA', 'SampleAfterValue', 'Errata', 'Deprecated')
HEX_KEYS = ('EventCode', 'UMask', 'UMaskExt', 'MSRValue')
COUNTER_KEYS = ('Counter', 'CounterHTOff')  # here 0 is the first counter
ABSENT = ('', '0', '0x0', '0x00', 'na', '#na', 'null', 'none')


class DataError(Exception):
    """Vendor data that this program does not understand."""


def read_json(path):
    with open(path, encoding='utf-8') as stream:
        return json.load(stream)


def say(text):
    print(text)


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
        elif present(value) or (key in COUNTER_KEYS and value == '0'):
            event[key] = hex_code(value) if key in HEX_KEYS else value.strip()
    if 'MSRIndex' in event:
        event['MSRIndex'] = event['MSRIndex'].lower()
    if event.get('CounterHTOff') == event.get('Counter'):
        event.pop('CounterHTOff', None)
    return event


def locate_with(names, events, where):
    """The sampling events that exist, joined; the others are named on stdout."""
    for name in names:
        if name not in events:
            say(f'{where}: sampling event {name} does not exist, dropped')
    return ';'.join(name for name in names if name in events)
