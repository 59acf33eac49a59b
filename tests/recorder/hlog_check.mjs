// hlog_check.mjs - another tool, npm's hdr-histogram-js, reads our log and writes for us.
//
// Usage: node hlog_check.mjs RECORDER_HLOG_TOOL. The tool writes a log and says what is in it; the
// other reader must find the same counts and percentiles. Then the other writer encodes values at
// the edges of all cells, and the tool must find each in the cell where our own recording puts it.
// Ends with 77 (skipped) when tests/node/node_modules is not installed.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PERCENTS = [0.001, 1, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.99, 99.999];
const MAX_NS = 2 ** 43 - 1;
const LAWS = 7;

const tool = process.argv[2];
let hdr;
try {
    hdr = createRequire(new URL('../node/package.json', import.meta.url))('hdr-histogram-js');
} catch {
    console.log('skipped: run npm ci --ignore-scripts in tests/node');
    process.exit(77);
}

// Lehmer's generator, so that a failure comes again.
let state = 20261130;
function random() {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
}

let failures = 0;
function expect(holds, words) {
    if (!holds) {
        failures++;
        console.log(`FAILED ${words}`);
    }
}

function run(words, input) {
    const done = spawnSync(tool, words, { input, encoding: 'utf8', maxBuffer: 1 << 28 });
    if (done.status !== 0)
        throw new Error(`${tool} ${words[0]} ended with ${done.status}: ${done.stderr}`);
    return done.stdout.trim().split('\n');
}

// Theirs knows cells, ours the exact ends too; so a value of theirs is brought within the ends.
function checkLine(told, histogram) {
    const [tag, ...numbers] = told.split(' ');
    const [count, sum, min, max, ...percentiles] = numbers.map(Number);
    const cellEnd = (value) => histogram.highestEquivalentValue(Math.min(value, MAX_NS));

    expect(histogram.tag === tag, `tag: ${histogram.tag} is not ${tag}`);
    expect(histogram.totalCount === count, `${tag} count: ${histogram.totalCount}, not ${count}`);
    if (count === 0)
        return;
    expect(histogram.maxValue === cellEnd(max), `${tag} max: ${histogram.maxValue}, not ${max}`);
    expect(cellEnd(histogram.minNonZeroValue) === cellEnd(Math.max(min, 1)) || min === 0,
        `${tag} min: ${histogram.minNonZeroValue}, not ${min}`);
    if (max <= MAX_NS)
        expect(Math.abs(histogram.mean / (sum / count) - 1) < 1 / 1024, `${tag} mean`);
    PERCENTS.forEach((percent, i) => {
        const theirs = Math.min(histogram.getValueAtPercentile(percent), max);
        const ours = Math.min(percentiles[i], MAX_NS);

        expect(theirs === ours, `${tag} p${percent}: ${theirs}, not ${ours}`);
    });
}

function ourLogIsRead(folder) {
    const path = join(folder, 'latency.hlog');
    const told = run(['write', path, ...PERCENTS.map(String)]);
    const reader = new hdr.HistogramLogReader(readFileSync(path, 'utf8'), 64);
    let lines = 0;

    for (let next = reader.nextIntervalHistogram(); next; next = reader.nextIntervalHistogram()) {
        checkLine(told[lines], next);
        expect(next.startTimeStampMsec === 1441812279474 + 1000 * lines, `start of line ${lines}`);
        lines++;
    }
    expect(lines === LAWS && told.length === LAWS, `${lines} of ${told.length} lines were read`);
    return lines;
}

function theirEncodingIsRead() {
    const lists = [[], [0], [1], [2047], [2048], [MAX_NS]];
    const edges = [];

    for (let octave = 0; octave <= 32; octave++) {
        for (let step = 1024; step < 2048; step += 31) {
            const low = step * 2 ** octave;
            edges.push(low, low + 2 ** octave - 1);
        }
    }
    lists.push(edges);
    for (let list = 0; list < 20; list++)
        lists.push(Array.from({ length: 500 }, () => Math.floor(2 ** (43 * random()))));
    const lines = lists.map((values) => {
        const histogram = hdr.build({ lowestDiscernibleValue: 1, highestTrackableValue: MAX_NS,
            numberOfSignificantValueDigits: 3, bitBucketSize: 64, useWebAssembly: false });

        values.forEach((value) => histogram.recordValue(value));
        return `${hdr.encodeIntoCompressedBase64(histogram)} ${values.join(' ')}\n`;
    });
    const answers = run(['read'], lines.join(''));

    expect(answers.length === lists.length, `${answers.length} answers to ${lists.length} lines`);
    answers.forEach((answer, i) => expect(answer === 'same', `list ${i}: ${answer}`));
    return answers.length;
}

const folder = mkdtempSync(join(tmpdir(), 'hlog-'));
try {
    const read = ourLogIsRead(folder);
    const written = theirEncodingIsRead();
    console.log(`${read} histograms of ours read, ${written} of theirs, ${failures} failures`);
} finally {
    rmSync(folder, { recursive: true });
}
process.exit(failures > 0 ? 1 : 0);
