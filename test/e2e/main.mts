/** `npm run test:e2e`: the packed package in real releases of n8n, against the sandbox. */
import { runGroups } from '../../harness/checks/runChecks.mts';
import { Report } from '../../harness/checks/report.mts';
import type { N8nRelease } from '../../harness/realN8n/index.mts';
import { isShuttingDown, shutDown } from '../../scripts/shutdown.mjs';
import { CHECKS } from './checks/index.mts';
import { readOptions, USAGE } from './options.mts';
import { openSession, type E2eSession } from './session.mts';

const options = readOptions(process.argv.slice(2));
if (!options) {
	console.log(USAGE);
} else {
	const report = new Report(console.log);
	const groups = CHECKS.filter(({ name }) => name.toLowerCase().includes(options.only));
	for (const release of options.releases) {
		if (!isShuttingDown()) await tryOut(release, groups, report);
	}
	console.log('');
	const holds = report.finish();
	await shutDown();
	process.exit(holds ? 0 : 1);
}

/** One release after the other: what the first one fails does not hide how the next one fares. */
async function tryOut(release: N8nRelease, groups: typeof CHECKS, report: Report): Promise<void> {
	console.log(`\nn8n ${release.version}\n`);
	let session: E2eSession | undefined;
	await report.check(`n8n ${release.version} starts with the package in it`, async () => {
		session = await openSession(release, console.log);
	});
	if (!session) return;
	await runGroups(groups, session, report);
	await session.close();
}
