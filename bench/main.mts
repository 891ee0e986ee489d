/** `npm run bench`: how much time and quota the package takes, beside what does the same without it. */
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { endMisused, readCommandLine } from '../scripts/commandLine.mts';
import { runNpm } from '../scripts/npm.mjs';
import { shutDown } from '../scripts/shutdown.mjs';
import { MEASURES } from './measures/index.mts';
import type { Measure } from './measure.mts';
import { inWords, isMet, type Result } from './results.mts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const names = MEASURES.map(({ name }) => name);

const usage = `Usage: npm run bench [-- options]

  --only <name>   take this measure only; may be given several times: ${names.join(', ')}
  --help          show this`;

const { only = [] } = readCommandLine(usage, {
	only: { type: 'string', multiple: true },
});
const unknown = only.find((name) => !names.includes(name));
if (unknown !== undefined) endMisused(usage, `'${unknown}' is not known.`);
const areAllMet = await bench(only);
await shutDown();
process.exit(areAllMet ? 0 : 1);

async function bench(only: readonly string[]): Promise<boolean> {
	const say = console.log;
	await runNpm(['run', '--silent', 'build'], ROOT);
	const results: Result[] = [];
	const loads = [loadNow()];
	for (const measure of MEASURES) {
		if (only.length > 0 && !only.includes(measure.name)) continue;
		say(`\n${measure.name}: ${measure.compares}`);
		const result = await take(measure, say);
		results.push(result);
		loads.push(loadNow());
		say(`  ${result.measured === undefined ? result.failure : inWords(result.measured)}`);
		say(`  ${isMet(result) ? 'met' : 'MISSED'}: at most ${measure.goal}`);
	}
	say(
		`\nLoad of the ${cpus().length} processors before and after each measure: ${loads.join(', ')}.`,
	);
	return results.every(isMet);
}

async function take(measure: Measure, say: (line: string) => void): Promise<Result> {
	try {
		return { measure, measured: await measure.measure(say) };
	} catch (error) {
		return { measure, failure: error instanceof Error ? error.message : String(error) };
	}
}

/** How many processes wanted to run, over the last minute: this program itself among them. */
function loadNow(): string {
	return (loadavg()[0] ?? 0).toFixed(1);
}
