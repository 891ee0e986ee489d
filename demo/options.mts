export interface DemoOptions {
	readonly check: boolean;
	/** As given; undefined means the usual one, or for the check any free one. */
	readonly port: number | undefined;
}

export const USAGE = `Usage: npm run demo [-- options]

  --check        run the example workflows without a browser, check the results, and exit
  --port <n>     the port for n8n (default: 5678; with --check: any free port)
  --help         show this help`;

const HIGHEST_PORT = 65_535;

/** @returns undefined when the person asks for help */
export function readOptions(args: readonly string[]): DemoOptions | undefined {
	let check = false;
	let port: number | undefined;
	const left = args.flatMap((arg) => arg.split('='));
	for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
		if (arg === '--help') return undefined;
		else if (arg === '--check') check = true;
		else if (arg === '--port') port = readPort(left.shift());
		else throw new Error(`Unknown option '${arg}'.\n\n${USAGE}`);
	}
	return { check, port };
}

function readPort(text = ''): number {
	const port = Number(text);
	if (/^\d+$/.test(text) && port >= 1 && port <= HIGHEST_PORT) return port;
	throw new Error(`'--port' takes a number from 1 to ${HIGHEST_PORT}, not '${text}'.`);
}
