/**
 * `npm run fuzz`: the properties with cases that nobody has tried before, at another date, and in all
 * combinations what `npm test` tries a choice of, such as what can go wrong with purchases. Another seed in each run, which
 * it prints; it ends at the first counterexample.
 */
import { randomInt } from 'node:crypto';
import { createRequire } from 'node:module';
import { startChild, stopChild } from '../../scripts/children.mjs';
import { readCommandLine, wholeNumber } from '../../scripts/commandLine.mts';
import { npmCommand } from '../../scripts/npm.mjs';
import { onShutdown, shutDown } from '../../scripts/shutdown.mjs';
import { startOfTime } from '../seed.mts';
import { CASES_IN_ALL } from './cases.mts';

/** Of which `npm test` tries a choice. */
const MATRICES = [
	'test/unit/nodes/(shared/(api|fields)|Kuaidaili/(actions|proxies))',
	'test/engine/calls/codes',
	'test/engine/calls/orderAccess',
	'test/engine/operations/items',
	'test/engine/purchases/(deadWorker|faults|limits|retries|workers)',
	'test/timing/hostile',
];

/** What a run tries at least. */
const FUZZED = 20_000;
const LARGEST = 999_999_999;

const usage = `Usage: npm run fuzz [-- options]

  --seed <n>  repeat the cases of an earlier run (random if not given)
  --help      show this`;

const given = readCommandLine(usage, { seed: { type: 'string' } });
const { seed = String(randomInt(1, LARGEST)) } = given;
const holds = await fuzz(
	wholeNumber(usage, seed, { least: 0, most: LARGEST }),
	Math.ceil(FUZZED / CASES_IN_ALL),
);
await shutDown();
process.exit(holds ? 0 : 1);

async function fuzz(seed: number, times: number): Promise<boolean> {
	const count = (CASES_IN_ALL * times).toLocaleString('en');
	const start = new Date(startOfTime(seed)).toISOString();
	console.log(`Trying ${count} cases with the seed ${seed}, on ${start}.`);
	if (!(await succeeds([...npmCommand(), 'run', '--silent', 'build']))) return false;
	const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
	const tests = ['test/properties', ...MATRICES];
	const holds = await succeeds([process.execPath, jest, '--bail', ...tests], {
		FULL_MATRICES: 'yes',
		PROPERTIES_SEED: String(seed),
		PROPERTIES_TIMES: String(times),
	});
	console.log(
		holds
			? `All ${count} cases hold with the seed ${seed}.`
			: `One does not. To repeat it: npm run fuzz -- --seed ${seed}`,
	);
	return holds;
}

async function succeeds(
	[command = '', ...args]: readonly string[],
	variables: Readonly<Record<string, string>> = {},
): Promise<boolean> {
	const child = startChild(command, args, { env: { ...process.env, ...variables } });
	const forget = onShutdown(() => stopChild(child, 2_000));
	for (const stream of [child.stdout, child.stderr]) stream.pipe(process.stdout, { end: false });
	const code = await new Promise((resolve) => {
		child.once('error', () => resolve(1));
		child.once('close', resolve);
	});
	forget();
	return code === 0;
}
