/**
 * `npm run fuzz`: the properties with cases that nobody has tried before, and in all
 * combinations what `npm test` tries a choice of, such as what can go wrong with purchases. Another seed in each run, which it prints; it ends at the first counterexample.
 */
import { randomInt } from 'node:crypto';
import { createRequire } from 'node:module';
import { startChild, stopChild } from '../../scripts/children.mjs';
import { npmCommand } from '../../scripts/npm.mjs';
import { onShutdown, shutDown } from '../../scripts/shutdown.mjs';
import { CASES_IN_ALL } from './cases.mts';
import { FEWEST_FUZZED, readOptions, USAGE } from './fuzzOptions.mts';

/** Of which `npm test` tries a choice. */
const MATRICES = [
	'test/unit/nodes/shared/(errors|fields|response)',
	'test/engine/calls/codes',
	'test/engine/calls/orderAccess',
	'test/engine/operations/orderMatrix',
	'test/engine/purchases/purchaseFaults',
	'test/engine/trigger/triggerMonth',
];

const options = readOptions(process.argv.slice(2));
if (options === undefined) {
	console.log(USAGE);
} else {
	const { seed = randomInt(1, 1_000_000_000), cases } = options;
	const holds = await fuzz(seed, Math.ceil(cases / CASES_IN_ALL));
	await shutDown();
	process.exit(holds ? 0 : 1);
}

async function fuzz(seed: number, times: number): Promise<boolean> {
	const count = (CASES_IN_ALL * times).toLocaleString('en');
	console.log(`Trying ${count} cases with the seed ${seed}.`);
	if (!(await succeeds([...npmCommand(), 'run', '--silent', 'build']))) return false;
	const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
	const tests = ['test/properties', ...MATRICES];
	const holds = await succeeds([process.execPath, jest, '--bail', ...tests], {
		FULL_MATRICES: 'yes',
		PROPERTIES_SEED: String(seed),
		PROPERTIES_TIMES: String(times),
		PROPERTIES_FEWEST: String(Math.max(FEWEST_FUZZED, CASES_IN_ALL * times)),
	});
	console.log(
		holds
			? `All ${count} cases hold with the seed ${seed}.`
			: `One does not. To repeat it: npm run fuzz -- --seed ${seed} --cases ${CASES_IN_ALL * times}`,
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
