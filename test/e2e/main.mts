/** `npm run test:e2e`: the packed package in real releases of n8n, against the sandbox. */
import { groupsNamed, Report, runGroups } from '../../harness/checks/checks.mts';
import {
	CURRENT_N8N,
	LIKE_N8N_3,
	N8N_RELEASES,
	readRunningN8n,
	REGULAR_RELEASES,
} from '../../harness/realN8n/index.mts';
import { CERTIFICATE_FILE } from '../../sandbox/pages/certificate.mts';
import { endMisused, readCommandLine } from '../../scripts/commandLine.mts';
import { isShuttingDown, shutDown } from '../../scripts/shutdown.mjs';
import { CHECKS } from './checks/index.mts';
import { joinSession, openSession, type E2eSession } from './session.mts';

const known = [...N8N_RELEASES.keys()].join(', ');
const regular = REGULAR_RELEASES.map(({ version }) => version).join(' and ');
const usage = `Usage: npm run test:e2e [-- options]

  --n8n <version>   only in this release of n8n, one of ${known} (${regular} if not given)
  --like-n8n-3      in n8n ${CURRENT_N8N.version} with the settings of n8n 3
  --n8n-url <url>   in an n8n that is running and has the package; N8N_EMAIL and N8N_PASSWORD are its
                    owner's login. It has to reach this machine's 127.0.0.1, and to be started with
                    NODE_EXTRA_CA_CERTS=${CERTIFICATE_FILE}
  --only <word>     only groups of checks with this word in their name, such as products
  --help            show this`;

const {
	n8n,
	only = '',
	'like-n8n-3': likeN8n3 = false,
	'n8n-url': url,
} = readCommandLine(usage, {
	n8n: { type: 'string' },
	'like-n8n-3': { type: 'boolean' },
	'n8n-url': { type: 'string' },
	only: { type: 'string' },
});
if (n8n !== undefined && !N8N_RELEASES.has(n8n)) endMisused(usage, `'${n8n}' is not known.`);
if ([n8n, url, likeN8n3 || undefined].filter((each) => each !== undefined).length > 1) {
	endMisused(usage, '--n8n, --like-n8n-3, and --n8n-url go one at a time.');
}

/** One n8n after the other: what the first one fails does not hide how the next one fares. */
interface Trial {
	readonly name: string;
	open(): Promise<E2eSession>;
}

function trials(): Trial[] {
	if (url !== undefined) {
		const running = readRunningN8n(url);
		return [{ name: `The n8n at ${running.url}`, open: async () => await joinSession(running) }];
	}
	const release = N8N_RELEASES.get(n8n ?? '');
	const releases = likeN8n3 ? [CURRENT_N8N] : release === undefined ? REGULAR_RELEASES : [release];
	return releases.map((each) => ({
		name: `n8n ${each.version}${likeN8n3 ? ' with the settings of n8n 3' : ''}`,
		open: async () => await openSession(each, likeN8n3 ? LIKE_N8N_3 : {}, console.log),
	}));
}

const report = new Report(console.log);
const groups = groupsNamed(CHECKS, only);
for (const trial of trials()) if (!isShuttingDown()) await tryOut(trial);
console.log('');
const holds = report.finish();
await shutDown();
process.exit(holds ? 0 : 1);

async function tryOut({ name, open }: Trial): Promise<void> {
	console.log(`\n${name}\n`);
	let session: E2eSession | undefined;
	await report.check(`${name} starts with the package in it`, async () => {
		session = await open();
	});
	if (!session) return;
	await runGroups(groups, session, report);
	await session.close();
}
