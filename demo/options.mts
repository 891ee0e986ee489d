export interface DemoOptions {
	readonly check: boolean;
	/** As given; undefined means the usual one, or for the check any free one. */
	readonly port: number | undefined;
}

export const USAGE = `Usage: npm run demo [-- options]

  --check        run the example workflows without a browser, verify what comes out, and end
  --port <n>     the port for n8n (5678 if not given; any free one for --check)
  --help         show this`;

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
		else throw new Error(`'${arg}' is not known.\n\n${USAGE}`);
	}
	return { check, port };
}

function readPort(text = ''): number {
	const port = Number(text);
	if (/^\d+$/.test(text) && port >= 1 && port <= HIGHEST_PORT) return port;
	throw new Error(`'--port' takes a number from 1 to ${HIGHEST_PORT}, not '${text}'.`);
}
