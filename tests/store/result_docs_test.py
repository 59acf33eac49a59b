#!/usr/bin/env python3
"""Every key of the golden results is in docs/result.md, and every key there is in a golden result.

usage: result_docs_test.py DOCS GOLDEN...
"""

import json
import re
import sys

TIMES = re.compile(r'(min|mean|max|p[0-9.]+)(_at_least)?')


def documented(path):
    """The keys of the first table after '## result.json', each a list of tokens."""
    text = open(path, encoding='utf-8').read()
    section = text.split('\n## result.json\n', 1)[1].split('\n## ', 1)[0]
    names = re.findall(r'^\| `([^`]+)` \|', section, re.MULTILINE)
    return {name: name.replace('[]', '.[]').split('.') for name in names}


def leaves(value, path=()):
    """The path of everything that is no container."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, path + (key,))
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner, path + ('[]',))
    else:
        yield path


def fits(pattern, path):
    if len(pattern) != len(path):
        return False
    for wanted, found in zip(pattern, path):
        if wanted == '<times>':
            if not TIMES.fullmatch(found):
                return False
        elif not (wanted.startswith('<') or wanted == found):
            return False
    return True


def main():
    patterns = documented(sys.argv[1])
    seen, unknown = set(), set()
    for golden in sys.argv[2:]:
        for path in leaves(json.load(open(golden, encoding='utf-8'))):
            found = {name for name, pattern in patterns.items() if fits(pattern, path)}
            seen |= found
            if not found:
                unknown.add('.'.join(path))
    for path in sorted(unknown):
        print(f'{path} is in a result and not in {sys.argv[1]}')
    missing = sorted(set(patterns) - seen)
    for name in missing:
        print(f'{name} is in {sys.argv[1]} and in no golden result')
    if len(patterns) < 50:
        print(f'only {len(patterns)} keys are found in {sys.argv[1]}: is its table still there?')
    return 1 if unknown or missing or len(patterns) < 50 else 0


if __name__ == '__main__':
    sys.exit(main())
