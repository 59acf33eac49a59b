#!/usr/bin/env python3
"""Makes tables.h: what the statistics must agree with, to 1e-9.

Computed with 50 digits by python3-mpmath (Debian), from definitions other than those of the code:
tails by integrating densities or by mpmath's own functions, quantiles by its root finder. Run it
once when a row is added:

    python3 tests/compare/tables.py > tests/compare/tables.h
"""

from mpmath import (betainc, erfc, findroot, gamma, inf, log, mp, mpf, nstr, pi, quad, sqrt)

mp.dps = 50


def digits(value):
    return nstr(mpf(value), 20, strip_zeros=False)


def normal_tail(z):
    return erfc(mpf(z) / sqrt(2)) / 2


def t_density(freedom):
    front = gamma((freedom + 1) / 2) / gamma(freedom / 2) / sqrt(freedom * pi)
    return lambda x: front * (1 + x * x / freedom) ** (-(freedom + 1) / 2)


def t_tail(t, freedom):
    t, freedom = mpf(t), mpf(freedom)
    if t < 0:
        return 1 - t_tail(-t, freedom)
    return quad(t_density(freedom), [t, t + 1, t + 4, t + 16, t + 256, t + 65536, inf])


def t_beta_tail(t, freedom):
    t, freedom = mpf(t), mpf(freedom)
    half = betainc(freedom / 2, mpf(1) / 2, 0, freedom / (freedom + t * t), regularized=True) / 2
    return half if t >= 0 else 1 - half


def quantile(tail_of, tail, high):
    tail = mpf(tail)
    if tail > mpf(1) / 2:
        return -quantile(tail_of, 1 - tail, high)
    if tail == mpf(1) / 2:
        return mpf(0)
    low, high = mpf(0), mpf(high)
    while tail_of(high) > tail:
        high *= 2
    return findroot(lambda x: log(tail_of(x)) - log(tail), (low, high), solver='anderson',
                    tol=mpf(10) ** -60)


def mean(values):
    return sum(values) / len(values)


def variance(values):
    middle = mean(values)
    return sum((v - middle) ** 2 for v in values) / (len(values) - 1)


def interval(middle, error, freedom):
    width = quantile(lambda t: t_beta_tail(t, freedom), '0.025', 4) * error
    return [middle, error, freedom, mp.exp(middle - width), mp.exp(middle + width)]


BASE = [1000, 1040, 985, 1012, 1025, 998]
HEAD = [1051, 1080, 1049, 1046, 1090, 1030]
OTHER = [1120, 1001, 1055, 1200]


def blocks_row():
    logs = [log(mpf(h)) - log(mpf(b)) for b, h in zip(BASE, HEAD)]
    return interval(mean(logs), sqrt(variance(logs) / len(logs)), mpf(len(logs) - 1))


def groups_row():
    base, head = [log(mpf(b)) for b in BASE], [log(mpf(h)) for h in OTHER]
    parts = [variance(base) / len(base), variance(head) / len(head)]
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / (len(base) - 1) + parts[1] ** 2 / (len(head) - 1))
    return interval(mean(head) - mean(base), sqrt(sum(parts)), freedom)


def trend_row():
    values = [mpf(b) for b in BASE]
    middle = mpf(len(values) - 1) / 2
    squares = sum((i - middle) ** 2 for i in range(len(values)))
    slope = sum((i - middle) * v for i, v in enumerate(values)) / squares
    rest = sum((v - mean(values) - slope * (i - middle)) ** 2 for i, v in enumerate(values))
    error = sqrt(rest / (len(values) - 2) / squares)
    return [slope, 2 * t_beta_tail(abs(slope) / error, len(values) - 2)]


def table(kind, name, rows):
    print(f'static const struct {kind} {name}[] = {{')
    for row in rows:
        print('    { ' + ', '.join(digits(v) for v in row) + ' },')
    print('};\n')


def main():
    print('/*\n * tables.h - made by tables.py with 50 digits; not edited by hand.\n */')
    print('#ifndef TESTS_COMPARE_TABLES_H\n#define TESTS_COMPARE_TABLES_H\n')
    print('/* clang-format off */')
    print('struct normal_row { double at, value; };')
    print('struct student_row { double at, freedom, value; };')
    print('struct beta_row { double a, b, x, value; };')
    print('struct ratio_row { double log_mean, error, freedom, low, high; };')
    print('struct trend_row { double slope, p; };\n')
    table('normal_row', 'normal_tails',
          [(z, normal_tail(z)) for z in ['-3', '-1', '0', '0.5', '1', '1.96', '3', '5', '8', '20']])
    tails = ['0.9', '0.5', '0.25', '0.1', '0.05', '0.025', '0.01', '0.005', '0.0001', '1e-6', '1e-10']
    table('normal_row', 'normal_quantiles', [(p, quantile(normal_tail, p, 4)) for p in tails])
    freedoms = ['1', '2', '3', '4.5', '5', '7.25', '11', '19', '30', '100', '1000']
    rows = []
    for freedom in freedoms:
        for t in ['-1', '0', '0.5', '1', '2.5', '6', '20', '100']:
            integral, beta = t_tail(t, freedom), t_beta_tail(t, freedom)
            assert abs(integral - beta) < mpf(10) ** -15, (t, freedom, integral, beta)
            if beta > mpf(10) ** -300:
                rows.append((t, freedom, beta))
    table('student_row', 'student_tails', rows)
    table('student_row', 'student_quantiles',
          [(p, freedom, quantile(lambda t: t_beta_tail(t, freedom), p, 4))
           for freedom in freedoms for p in tails])
    rows = [(a, b, x, betainc(mpf(a), mpf(b), 0, mpf(x), regularized=True))
            for a in ['0.5', '1', '3.5', '50', '400'] for b in ['0.5', '2', '10', '250']
            for x in ['0', '0.001', '0.1', '0.5', '0.7', '0.999', '1']]
    table('beta_row', 'betas', [row for row in rows if row[3] == 0 or row[3] > mpf(10) ** -300])
    table('ratio_row', 'ratio_rows', [blocks_row(), groups_row()])
    table('trend_row', 'trend_rows', [trend_row()])
    for name, values in [('table_base', BASE), ('table_head', HEAD), ('table_other', OTHER)]:
        print(f'static const double {name}[] = {{ {", ".join(str(v) for v in values)} }};')
    print('/* clang-format on */\n\n#endif')


if __name__ == '__main__':
    main()
