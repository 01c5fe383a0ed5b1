# SPDX-License-Identifier: GPL-2.0-or-later
"""Formulas: one tokenizer for the vendors' three spellings, one printer and one check for Linux' grammar."""
import re

from .common import DataError

WORDS = ('if', 'else', 'min', 'max', 'd_ratio')
TOOLS = ('TSC', 'duration_time', '#SMT_on', '#num_cpus_online')
TOKEN = re.compile(r'\s*([0-9.]+(?:e-?[0-9]+)?(?![\w.:])|[#\w](?:[\w.:@=]|\\.)*|[-+*/(),<>&|])')
MODIFIER = re.compile(r'(c\d+|e1|i1|k|u|u0x[0-9a-f]+|ocr_msr_val\\=0x[0-9a-f]+)$')


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
