export interface BenchOptions {
	/** One line of JSON for each measure, and all else on the error output. */
	readonly json: boolean;
	/** The names of the measures to take; all if empty. */
	readonly only: readonly string[];
}

export function usage(names: readonly string[]): string {
	return `Usage: npm run bench [-- options]

  --json          print one line of JSON for each measure; all else goes to the error output
  --only <name>   take this measure only; may be given several times: ${names.join(', ')}
  --help          show this`;
}

/** @returns undefined when the person asks for help */
export function readOptions(
	args: readonly string[],
	names: readonly string[],
): BenchOptions | undefined {
	let json = false;
	const only: string[] = [];
	const left = args.flatMap((arg) => arg.split('='));
	for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
		if (arg === '--help') return undefined;
		else if (arg === '--json') json = true;
		else if (arg === '--only') only.push(readName(left.shift() ?? '', names));
		else throw new Error(`'${arg}' is not known.\n\n${usage(names)}`);
	}
	return { json, only };
}

function readName(name: string, names: readonly string[]): string {
	if (names.includes(name)) return name;
	throw new Error(`'--only' takes one of ${names.join(', ')}, not '${name}'.`);
}
