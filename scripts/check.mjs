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

/** Once for all that read `dist`. */
async function build() {
	const hasBuilt = isBuilt || (await runScript('build'));
	process.env.KUAIDAILI_BUILT = '1';
	return hasBuilt;
}

/**
 * One after the other: the linter looks into folders that the build empties, and where a package is unpacked.
 *
 * @param {Promise<boolean>} built
 */
async function checkPackage(built) {
	const canPack = await built;
	await runScript('format:check');
	await runScript('lint');
	if (!canPack) return;
	await runScript('lint:package');
	await runScript('smoke');
}

/** @param {Promise<boolean>} built */
async function checkDemo(built) {
	if (process.argv.includes('--demo') && (await built))
		await runProgram('demo', 'demo/main.mts', '--check');
}

await runSteps(async () => {
	const built = build();
	await Promise.all([checkPackage(built), checkTypes(), checkDemo(built)]);
});
