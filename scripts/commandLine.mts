import { parseArgs, type ParseArgsConfig } from 'node:util';

/**
 * The options behind the command; shows how it is used, and ends, for who asks for help or mistypes one.
 *
 * @param usage lists them, with `--help`
 */
export function readCommandLine<O extends NonNullable<ParseArgsConfig['options']>>(
	usage: string,
	options: O,
) {
	if (process.argv.includes('--help')) {
		console.log(usage);
		process.exit(0);
	}
	try {
		return parseArgs({ options }).values;
	} catch (error) {
		return endMisused(usage, error instanceof Error ? error.message : String(error));
	}
}

export function endMisused(usage: string, problem: string): never {
	console.error(`${problem}\n\n${usage}`);
	process.exit(1);
}

/** A number that an option was given. */
export function wholeNumber(
	usage: string,
	text: string,
	{ least, most }: { readonly least: number; readonly most: number },
): number {
	const value = Number(text);
	if (/^\d+$/.test(text) && value >= least && value <= most) return value;
	return endMisused(usage, `'${text}' is not a number from ${least} to ${most}.`);
}
