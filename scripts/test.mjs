// @ts-check
/**
 * `npm test`: installs what is missing, builds, and runs the tests; those of timing alone, after all others.
 * `npm test -- test/engine/pages/crawl -t redirect` runs what jest finds for these arguments. With `--quick`, only
 * the checks that name a forgotten step, within 20 s.
 */
import { availableParallelism } from 'node:os';
import { runJest, runScript, runSteps } from './steps.mjs';

/** Tests of tables, architecture, and documentation; one worker, beside the type check. */
const QUICK_TESTS = [
	...['--selectProjects', 'no-engine', '--maxWorkers', '1'],
	// Without n8n's engine, which takes longer to load than all of them
	...['--testPathIgnorePatterns', 'release.test', 'outputSchemas.test'],
	...['--', 'test/unit/architecture', 'test/docs', 'test/operations', 'everyEndpoint'],
];

async function quickChecks() {
	await Promise.all([runScript('typecheck'), runJest('quick tests', QUICK_TESTS)]);
}

/** @param {readonly string[]} args of jest; all tests without any */
async function tests(args) {
	if (!(await runScript('build'))) return;
	if (args.length > 0) {
		await runJest('tests', args);
		return;
	}
	await runJest('tests', ['--config', 'jest.together.config.cjs']);
	// One of them waits for real time, and leaves its processor to the others
	const workers = String(availableParallelism() + 1);
	await runJest('tests of timing', ['--selectProjects', 'timing', '--maxWorkers', workers]);
}

const given = process.argv.slice(2);
await runSteps(async () => await (given.includes('--quick') ? quickChecks() : tests(given)));
