// @ts-check
/**
 * `npm run check`: types, lint, formatting, and the package, side by side. With `--demo` the demo's check as well, which
 * waits for n8n most of its time.
 */
import { isBuilt } from './npm.mjs';
import { runProgram, runScript, runSteps } from './steps.mjs';

async function checkTypes() {
	await runScript('typecheck');
	await runScript('lint:types');
}

/** One after the other: the linter looks into folders that the build empties, and where a package is unpacked. */
async function checkPackage() {
	const canPack = isBuilt || (await runScript('build'));
	await runScript('format:check');
	await runScript('lint');
	if (!canPack) return;
	await runScript('lint:package');
	await runScript('smoke');
}

async function checkDemo() {
	if (process.argv.includes('--demo')) await runProgram('demo', 'demo/main.mts', '--check');
}

await runSteps(async () => await Promise.all([checkPackage(), checkTypes(), checkDemo()]));
