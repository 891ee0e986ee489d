// @ts-check
/** `npm run check`: types, lint, formatting, and the package, side by side. */
import { isBuilt } from './npm.mjs';
import { runScript, runSteps } from './steps.mjs';

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

await runSteps(async () => await Promise.all([checkPackage(), checkTypes()]));
