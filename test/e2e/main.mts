/** `npm run test:e2e`: the packed package in real releases of n8n, against the sandbox. */
import { groupsNamed, Report, runGroups } from '../../harness/checks/checks.mts';
import {
	CURRENT_N8N,
	LIKE_N8N_3,
	N8N_RELEASES,
	REGULAR_RELEASES,
	type N8nRelease,
} from '../../harness/realN8n/index.mts';
import { endMisused, readCommandLine } from '../../scripts/commandLine.mts';
import { isShuttingDown, shutDown } from '../../scripts/shutdown.mjs';
import { CHECKS } from './checks/index.mts';
import { openSession, type E2eSession } from './session.mts';

const known = [...N8N_RELEASES.keys()].join(', ');
const regular = REGULAR_RELEASES.map(({ version }) => version).join(' and ');
const usage = `Usage: npm run test:e2e [-- options]

  --n8n <version>   only in this release of n8n, one of ${known} (${regular} if not given)
  --like-n8n-3      in n8n ${CURRENT_N8N.version} with the settings of n8n 3
  --only <word>     only groups of checks with this word in their name, such as products
  --help            show this`;

const {
	n8n,
	only = '',
	'like-n8n-3': likeN8n3 = false,
} = readCommandLine(usage, {
	n8n: { type: 'string' },
	'like-n8n-3': { type: 'boolean' },
	only: { type: 'string' },
});
if (n8n !== undefined && !N8N_RELEASES.has(n8n)) endMisused(usage, `'${n8n}' is not known.`);
if (n8n !== undefined && likeN8n3) endMisused(usage, '--n8n and --like-n8n-3 go one at a time.');

const given = likeN8n3 ? CURRENT_N8N : N8N_RELEASES.get(n8n ?? '');
const report = new Report(console.log);
const groups = groupsNamed(CHECKS, only);
for (const release of given === undefined ? REGULAR_RELEASES : [given]) {
	if (!isShuttingDown()) await tryOut(release);
}
console.log('');
const holds = report.finish();
await shutDown();
process.exit(holds ? 0 : 1);

/** What the first n8n fails does not hide how the next one fares. */
async function tryOut(release: N8nRelease): Promise<void> {
	const name = `n8n ${release.version}${likeN8n3 ? ' with the settings of n8n 3' : ''}`;
	console.log(`\n${name}\n`);
	let session: E2eSession | undefined;
	await report.check(`${name} starts with the package in it`, async () => {
		session = await openSession(release, likeN8n3 ? LIKE_N8N_3 : {}, console.log);
	});
	if (!session) return;
	await runGroups(groups, session, report);
	await session.close();
}
