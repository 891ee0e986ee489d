import { runToEnd, type N8nProgram } from './program.mts';
import type { N8nRelease } from './releases.mts';

const line = (version: string) => version.split('.').slice(0, 2).join('.');

/** An n8n that the machine already has, when it is of the same line and runs at all. */
export async function findN8nOnPath(release: N8nRelease): Promise<N8nProgram | undefined> {
	const asked = await runToEnd('n8n', ['--version']);
	const version = asked.output.trim();
	if (asked.code !== 0 || line(version) !== line(release.version)) return undefined;
	// The version is printed under any Node.js; every other command needs one that fits.
	const tried = await runToEnd('n8n', ['--help']);
	if (tried.code !== 0) return undefined;
	return {
		command: 'n8n',
		before: [],
		binFolder: undefined,
		origin: `n8n ${version} from the PATH`,
	};
}
