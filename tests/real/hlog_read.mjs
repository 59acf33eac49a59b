// hlog_read.mjs - what npm's hdr-histogram-js reads in a latency.hlog, as JSON by tag.
//
// Usage: node hlog_read.mjs FILE PERCENT...
// Ends with 77 when tests/node/node_modules is not installed.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [file, ...percents] = process.argv.slice(2);
let hdr;
try {
    hdr = createRequire(new URL('../node/package.json', import.meta.url))('hdr-histogram-js');
} catch {
    process.exit(77);
}

const sums = new Map();
const reader = new hdr.HistogramLogReader(readFileSync(file, 'utf8'), 64);
for (let next = reader.nextIntervalHistogram(); next; next = reader.nextIntervalHistogram()) {
    const known = sums.get(next.tag);
    if (known)
        known.add(next);
    else
        sums.set(next.tag, next);
}

const told = {};
for (const [tag, histogram] of sums) {
    told[tag] = { count: histogram.totalCount, max: histogram.maxValue, mean: histogram.mean };
    for (const percent of percents)
        told[tag][`p${percent}`] = histogram.getValueAtPercentile(Number(percent));
}
console.log(JSON.stringify(told));
