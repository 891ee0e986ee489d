import {
	N8N_RELEASES,
	REGULAR_RELEASES,
	type N8nRelease,
} from '../../harness/realN8n/releases.mts';

const KNOWN = [...N8N_RELEASES.keys()].join(', ');
const REGULAR = REGULAR_RELEASES.map(({ version }) => version).join(' and ');

export const USAGE = `Usage: npm run test:e2e [-- options]

  --n8n <version>   only in this release of n8n, one of ${KNOWN} (${REGULAR} if not given)
  --only <word>     only groups of checks with this word in their name, such as products
  --help            show this`;

export interface Options {
	readonly releases: readonly N8nRelease[];
	/** In lower case; empty for all groups. */
	readonly only: string;
}

/** @returns undefined when the person asks for help */
export function readOptions(args: readonly string[]): Options | undefined {
	const words = args.flatMap((arg) => arg.split('='));
	let options: Options = { releases: REGULAR_RELEASES, only: '' };
	while (words.length > 0) {
		const [option, value = ''] = words.splice(0, 2);
		switch (option) {
			case '--help':
				return undefined;
			case '--n8n':
				options = { ...options, releases: [releaseOf(value)] };
				break;
			case '--only':
				if (value === '') throw new Error(`'--only' takes a word.\n\n${USAGE}`);
				options = { ...options, only: value.toLowerCase() };
				break;
			default:
				throw new Error(`'${option}' is not known.\n\n${USAGE}`);
		}
	}
	return options;
}

function releaseOf(version: string): N8nRelease {
	const release = N8N_RELEASES.get(version);
	if (release === undefined) throw new Error(`'--n8n' takes one of ${KNOWN}, not '${version}'.`);
	return release;
}
