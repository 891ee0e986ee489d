/** `npm run test:e2e`: the packed package in real releases of n8n, against the sandbox. */
import { groupsNamed, Report, runGroups } from '../../harness/checks/checks.mts';
import {
	N8N_RELEASES,
	REGULAR_RELEASES,
	type N8nRelease,
} from '../../harness/realN8n/releases.mts';
import { endMisused, readCommandLine } from '../../scripts/commandLine.mts';
import { isShuttingDown, shutDown } from '../../scripts/shutdown.mjs';
import { CHECKS } from './checks/index.mts';
import { openSession, type E2eSession } from './session.mts';

const known = [...N8N_RELEASES.keys()].join(', ');
const regular = REGULAR_RELEASES.map(({ version }) => version).join(' and ');
const usage = `Usage: npm run test:e2e [-- options]

  --n8n <version>   only in this release of n8n, one of ${known} (${regular} if not given)
  --only <word>     only groups of checks with this word in their name, such as products
  --help            show this`;

const { n8n, only = '' } = readCommandLine(usage, {
	n8n: { type: 'string' },
	only: { type: 'string' },
});
const release = N8N_RELEASES.get(n8n ?? '');
if (n8n !== undefined && release === undefined) endMisused(usage, `'${n8n}' is not known.`);
const report = new Report(console.log);
const groups = groupsNamed(CHECKS, only);
for (const each of release === undefined ? REGULAR_RELEASES : [release]) {
	if (!isShuttingDown()) await tryOut(each, groups, report);
}
console.log('');
const holds = report.finish();
await shutDown();
process.exit(holds ? 0 : 1);

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
