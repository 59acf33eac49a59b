"""Makes a bench's folder with synthetic results, from the frozen result of the golden tests.

Values are a pure function of the arguments: no clock, no random numbers from outside.
"""

import json
import pathlib
import random

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / 'golden' / 'result-closed.json'
VERSIONS = {'pg12': '12.22', 'pg17': '17.10', 'pg18': '18.4'}


def result(workload, per_s, target='pg17', **changes):
    """A result whose queries a second are `per_s`, in as many pieces as the frozen one has."""
    tree = json.loads(GOLDEN.read_text())
    version = VERSIONS.get(target, '17.10')
    tree.update(workload=workload, family='oltp', headlines=[], rates=[], ledgers=[])
    tree['summary'].pop('points_a_minute', None)
    major, minor = map(int, version.split('.'))
    tree['target'].update(version=f'PostgreSQL {version} on x86_64-linux', major=major,
                          version_num=major * 10000 + minor)
    tree['summary']['queries']['per_s'] = per_s
    tree['summary']['transactions']['per_s'] = per_s / 2
    pieces = changes.pop('pieces', [per_s * (1 + 0.01 * (-1) ** i) for i in range(30)])
    tree['batch_means'] = {
        'count': len(pieces), 'intervals_per_batch': 1, 'begin_s': [float(i) for i in range(len(pieces))],
        'seconds': [1.0] * len(pieces), 'done': [int(p / 2) for p in pieces],
        'per_s': [p / 2 for p in pieces], 'queries_per_s': pieces,
        'mean_ms': [8000 / p for p in pieces], 'p99_ms': [16000 / p for p in pieces]}
    for path, value in changes.items():
        place = tree
        *folders, last = path.split('__')
        for key in folders:
            place = place.setdefault(key, {})
        place[last] = value
    return tree


def write(folder, tree):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    (folder / 'result.json').write_text(json.dumps(tree))
    return str(folder)


def published(rate, factor):
    return {'cpu/o': 90 / rate * factor, 'cs/o': 2.5 * factor, 'r/o': 0.0, 'rKB/o': 0.0,
            'wKB/o': 1.25, 'o/s': rate}


def bench(folder, rows, ratios, blocks=6, spread=0.01, seed=1):
    """A bench's folder: `rows` are workloads, `ratios` {target: {workload: ratio to the first}}."""
    folder = pathlib.Path(folder)
    rng = random.Random(seed)
    runs = []
    for block in range(1, blocks + 1):
        for row in rows:
            machine = 1 + spread * rng.uniform(-1, 1)
            for target in ratios:
                rate = 20000 * machine * ratios[target].get(row, 1) * (1 + spread * rng.gauss(0, 1))
                name = f'{len(runs) + 1:04d}-{target}'
                write(folder / 'results' / name,
                      result(row, rate, target,
                             machine={'published': published(rate, 1 / ratios[target].get(row, 1))}))
                runs.append({'id': len(runs) + 1, 'block': block, 'target': target, 'row': row,
                             'seed': block, 'result': f'results/{name}', 'state': 'done'})
    index = {'schema': 1, 'name': 'versions', 'repeats': blocks, 'runs': runs,
             'targets': [{'name': name, 'target': f'local:{VERSIONS[name][:2]}'} for name in ratios],
             'rows': [{'name': row, 'workload': row, 'options': {}} for row in rows]}
    (folder / 'index.json').write_text(json.dumps(index, indent=1))
    return str(folder)

