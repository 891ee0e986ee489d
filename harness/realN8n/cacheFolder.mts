import { homedir } from 'node:os';
import { join } from 'node:path';

/** What is made once per machine: outside the repository, so that a fresh clone finds it again. */
export function cacheFolder(): string {
	const { KUAIDAILI_N8N_CACHE, XDG_CACHE_HOME } = process.env;
	return (
		KUAIDAILI_N8N_CACHE || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'n8n-nodes-kuaidaili')
	);
}
