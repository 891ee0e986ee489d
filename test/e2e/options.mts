import { N8N_RELEASES, type N8nRelease } from '../../harness/realN8n/releases.mts';

const KNOWN = [...N8N_RELEASES.keys()].join(', ');

export const USAGE = `Usage: npm run test:e2e [-- options]

  --n8n <version>   only in this release of n8n (all of them if not given: ${KNOWN})
  --help            show this`;

/** @returns undefined when the person asks for help */
export function readReleases(args: readonly string[]): readonly N8nRelease[] | undefined {
	const [option, version, ...more] = args.flatMap((arg) => arg.split('='));
	if (option === undefined) return [...N8N_RELEASES.values()];
	if (option === '--help') return undefined;
	if (option !== '--n8n') throw new Error(`'${option}' is not known.\n\n${USAGE}`);
	const release = N8N_RELEASES.get(version ?? '');
	if (release && more.length === 0) return [release];
	throw new Error(`'--n8n' takes one of ${KNOWN}, not '${[version, ...more].join(' ')}'.`);
}
