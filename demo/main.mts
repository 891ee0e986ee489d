/** `npm run demo`: the package at work in a real n8n, against the sandbox. */
import { readCommandLine, wholeNumber } from '../scripts/commandLine.mts';
import { shutDown } from '../scripts/shutdown.mjs';
import { checkDemo } from './check.mts';
import { showDemo } from './interactive.mts';

const usage = `Usage: npm run demo [-- options]

  --check        run the example workflows without a browser, check the results, and exit
  --only <word>  with --check: only groups of checks with this word in their name, such as tunnel
  --port <n>     the port for n8n (default: 5678; with --check: any free port)
  --help         show this help`;

const {
	check,
	port: given,
	only,
} = readCommandLine(usage, {
	check: { type: 'boolean' },
	port: { type: 'string' },
	only: { type: 'string' },
});
const port = given === undefined ? given : wholeNumber(usage, given, { least: 1, most: 65_535 });
if (check) {
	const holds = await checkDemo(port, only);
	await shutDown();
	process.exit(holds ? 0 : 1);
} else {
	await showDemo(port);
}
