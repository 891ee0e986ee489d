// @ts-check
/** `npm run check`: types, lint, formatting, and the package, side by side. */
import { runScript, runSteps } from './steps.mjs';

/** @param {Promise<boolean>} build */
async function checkPackage(build) {
	if (!(await build)) return;
	await runScript('lint:package');
	await runScript('smoke');
}

async function checkTypes() {
	await runScript('typecheck');
	await runScript('lint:types');
}

/** @param {Promise<boolean>} build */
async function checkText(build) {
	await runScript('format:check');
	// It looks into folders that the build empties
	await build;
	await runScript('lint');
}

await runSteps(async () => {
	const build = runScript('build');
	await Promise.all([checkPackage(build), checkTypes(), checkText(build)]);
});
