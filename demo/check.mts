import { groupsNamed, Report, runGroups } from '../harness/checks/checks.mts';
import { freePort, sessionFolder } from '../harness/realN8n/index.mts';
import { CHECKS } from './checks/index.mts';
import { openSession } from './session.mts';

/**
 * @param only groups with this word in their name; all if not given
 * @returns whether everything that the demo shows holds
 */
export async function checkDemo(port?: number, only?: string): Promise<boolean> {
	const session = await openSession({
		userFolder: sessionFolder('demo-check'),
		port: port ?? (await freePort()),
		// The more n8n logs, the more the search for secrets in its log is worth.
		logLevel: 'debug',
		say: console.log,
	});
	const report = new Report(console.log);
	console.log('');
	for (const lanes of CHECKS) {
		await Promise.all(
			lanes.map(async (lane) => await runGroups(groupsNamed(lane, only), session, report)),
		);
	}
	console.log('');
	return report.finish();
}
