export interface FuzzOptions {
	/** Chosen at random if not given. */
	readonly seed: number | undefined;
	/** At least so many cases are tried. */
	readonly cases: number;
}

/** What a run proves at least. */
export const FEWEST_FUZZED = 20_000;

const LARGEST = 999_999_999;

export const USAGE = `Usage: npm run fuzz [-- options]

  --seed <n>   repeat the cases of an earlier run (random if not given)
  --cases <n>  how many cases to try at least (${FEWEST_FUZZED} if not given)
  --help       show this`;

/** @returns undefined when the person asks for help */
export function readOptions(args: readonly string[]): FuzzOptions | undefined {
	let seed: number | undefined;
	let cases = FEWEST_FUZZED;
	const left = args.flatMap((arg) => arg.split('='));
	for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
		if (arg === '--help') return undefined;
		else if (arg === '--seed') seed = readNumber(arg, 0, left.shift());
		else if (arg === '--cases') cases = readNumber(arg, FEWEST_FUZZED, left.shift());
		else throw new Error(`'${arg}' is not known.\n\n${USAGE}`);
	}
	return { seed, cases };
}

function readNumber(option: string, least: number, text = ''): number {
	const value = Number(text);
	if (/^\d+$/.test(text) && value >= least && value <= LARGEST) return value;
	throw new Error(`'${option}' takes a number from ${least} to ${LARGEST}, not '${text}'.`);
}
