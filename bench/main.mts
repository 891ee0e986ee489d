/** `npm run bench`: how much time and space the package takes, beside what does the same without it. */
import { fileURLToPath } from 'node:url';
import { expect } from '../harness/checks/expectations.mts';
import { Report } from '../harness/checks/report.mts';
import { runNpm } from '../scripts/npm.mjs';
import { shutDown } from '../scripts/shutdown.mjs';
import { MEASURES } from './measures/index.mts';
import type { Measure, Measured } from './measure.mts';
import { readOptions, usage, type BenchOptions } from './options.mts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const NAMES = MEASURES.map(({ name }) => name);

const options = readOptions(process.argv.slice(2), NAMES);
if (options === undefined) {
	console.log(usage(NAMES));
} else {
	const holds = await bench(options);
	await shutDown();
	process.exit(holds ? 0 : 1);
}

async function bench({ json, only }: BenchOptions): Promise<boolean> {
	const say = (line: string) => (json ? console.error(line) : console.log(line));
	await runNpm(['run', 'build'], { cwd: ROOT, what: 'building the node', say });
	const report = new Report(say);
	for (const measure of MEASURES) {
		if (only.length > 0 && !only.includes(measure.name)) continue;
		say(`${measure.name}: ${measure.compares}`);
		await report.check(`${measure.name} is at most ${measure.goal}`, async () => {
			const measured = await measure.measure(say);
			const ok = measured.ratio <= measure.goal;
			if (json) console.log(jsonLine(measure, measured, ok));
			else say(`  ${inWords(measured)}`);
			expect(ok, `it is ${rounded(measured.ratio)}`);
		});
	}
	return report.finish();
}

function jsonLine({ name, goal }: Measure, measured: Measured, ok: boolean): string {
	return JSON.stringify({ name, goal, ok, ...measured }, (_key, value: unknown) =>
		typeof value === 'number' ? rounded(value) : value,
	);
}

function inWords({ ratio, low, high, pairs, ...more }: Measured): string {
	const spread =
		pairs > 1 ? ` (${rounded(low)} to ${rounded(high)} in the middle half of ${pairs} pairs)` : '';
	const rest = Object.entries(more).map(([name, value]) => `; ${name}: ${shown(value)}`);
	return `${rounded(ratio)}${spread}${rest.join('')}`;
}

function shown(value: unknown): string {
	if (typeof value === 'number') return String(rounded(value));
	if (typeof value === 'string') return value;
	return JSON.stringify(value, (_key, each: unknown) =>
		typeof each === 'number' ? rounded(each) : each,
	);
}

function rounded(value: number): number {
	return Math.round(value * 1_000) / 1_000;
}
