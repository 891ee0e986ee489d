/** `npm run demo`: the package at work in a real n8n, against the sandbox. */
import { shutDown } from '../scripts/shutdown.mjs';
import { checkDemo } from './check.mts';
import { showDemo } from './interactive.mts';
import { readOptions, USAGE } from './options.mts';

const options = readOptions(process.argv.slice(2));
if (!options) {
	console.log(USAGE);
} else if (options.check) {
	const holds = await checkDemo(options.port, options.only);
	await shutDown();
	process.exit(holds ? 0 : 1);
} else {
	await showDemo(options.port);
}
