import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runChecks } from '../harness/checks/runChecks.mts';
import { freePort } from '../harness/realN8n/index.mts';
import { CHECKS } from './checks/index.mts';
import { openSession } from './session.mts';

/** @returns whether everything that the demo shows holds */
/** @param only groups with this word in their name; empty for all */
export async function checkDemo(port?: number, only = ''): Promise<boolean> {
	const session = await openSession({
		userFolder: join(tmpdir(), `kuaidaili-demo-check-${process.pid}`),
		port: port ?? (await freePort()),
		// The more n8n logs, the more the search for secrets in its log is worth.
		logLevel: 'debug',
		say: console.log,
	});
	const groups = CHECKS.filter(({ name }) => name.toLowerCase().includes(only));
	return await runChecks(groups, session, console.log);
}
