import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHECKS } from './checks/index.mts';
import { freePort } from './realN8n/index.mts';
import { Report } from './report.mts';
import { openSession } from './session.mts';

/** @returns whether everything that the demo shows holds */
export async function checkDemo(port?: number): Promise<boolean> {
	const session = await openSession({
		userFolder: join(tmpdir(), `kuaidaili-demo-check-${process.pid}`),
		port: port ?? (await freePort()),
		// The more n8n logs, the more the search for secrets in its log is worth.
		logLevel: 'debug',
		say: console.log,
	});
	const report = new Report(console.log);
	console.log('');
	for (const { name, run } of CHECKS) {
		try {
			await run(session, report.check);
		} catch (error) {
			await report.check(name, () => {
				throw error;
			});
		}
	}
	console.log('');
	return report.finish();
}
