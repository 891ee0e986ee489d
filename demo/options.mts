export interface DemoOptions {
	readonly check: boolean;
	/** As given; undefined means the usual one, or for the check any free one. */
	readonly port: number | undefined;
	/** Of the check: only groups with this word in their name, in lower case; empty for all. */
	readonly only: string;
}

export const USAGE = `Usage: npm run demo [-- options]

  --check        run the example workflows without a browser, check the results, and exit
  --only <word>  with --check: only groups of checks with this word in their name, such as tunnel
  --port <n>     the port for n8n (default: 5678; with --check: any free port)
  --help         show this help`;

const HIGHEST_PORT = 65_535;

/** @returns undefined when the person asks for help */
export function readOptions(args: readonly string[]): DemoOptions | undefined {
	let check = false;
	let port: number | undefined;
	let only = '';
	const left = args.flatMap((arg) => arg.split('='));
	for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
		if (arg === '--help') return undefined;
		else if (arg === '--check') check = true;
		else if (arg === '--only') only = readWord(left.shift());
		else if (arg === '--port') port = readPort(left.shift());
		else throw new Error(`Unknown option '${arg}'.\n\n${USAGE}`);
	}
	return { check, port, only };
}

function readWord(text = ''): string {
	if (text !== '') return text.toLowerCase();
	throw new Error("'--only' takes a word.");
}

function readPort(text = ''): number {
	const port = Number(text);
	if (/^\d+$/.test(text) && port >= 1 && port <= HIGHEST_PORT) return port;
	throw new Error(`'--port' takes a number from 1 to ${HIGHEST_PORT}, not '${text}'.`);
}
