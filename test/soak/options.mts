export interface SoakOptions {
	readonly minutes: number;
}

export const USAGE = `Usage: npm run soak [-- options]

  --minutes <n>  how long to run (20 if not given; memory is judged from 10 on)
  --help         show this`;

const DEFAULT_MINUTES = 20;
const MOST_MINUTES = 24 * 60;

/** @returns undefined when the person asks for help */
export function readOptions(args: readonly string[]): SoakOptions | undefined {
	let minutes = DEFAULT_MINUTES;
	const left = args.flatMap((arg) => arg.split('='));
	for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
		if (arg === '--help') return undefined;
		else if (arg === '--minutes') minutes = readMinutes(left.shift());
		else throw new Error(`'${arg}' is not known.\n\n${USAGE}`);
	}
	return { minutes };
}

function readMinutes(text = ''): number {
	const minutes = Number(text);
	if (/^\d+$/.test(text) && minutes >= 1 && minutes <= MOST_MINUTES) return minutes;
	throw new Error(`'--minutes' takes a number from 1 to ${MOST_MINUTES}, not '${text}'.`);
}
