/** `npm run test:queue`: the packed package in n8n's queue mode, with one main, up to four workers and Redis. */
import { type CheckGroup, groupsNamed, runChecks } from '../../harness/checks/checks.mts';
import { noSecrets } from '../../harness/checks/noSecrets.mts';
import { CURRENT_N8N, LIKE_N8N_3, N8N_RELEASES } from '../../harness/realN8n/index.mts';
import { endMisused, readCommandLine } from '../../scripts/commandLine.mts';
import { shutDown } from '../../scripts/shutdown.mjs';
import { clicks } from './checks/clicks.mts';
import { killedAndRepeated } from './checks/killedAndRepeated.mts';
import { oneKey } from './checks/oneKey.mts';
import { schedulePairs } from './checks/schedulePairs.mts';
import { stoppedWorker } from './checks/stoppedWorker.mts';
import { openQueueSession, runningWorkers, type QueueSession } from './session.mts';

/** At the end, when there is something to find. */
const secrets: CheckGroup<QueueSession> = {
	name: noSecrets.name,
	async run(session, check) {
		const alsoKept = new Map([
			['Redis', await session.redis.contents()],
			['PostgreSQL', await session.postgres.contents()],
		]);
		await noSecrets.run({ ...session, alsoKept }, check);
	},
};

const known = [...N8N_RELEASES.keys()].join(' | ');
const usage = `Usage: npm run test:queue [-- --n8n <${known}> --like-n8n-3 --only <word>]`;
const {
	n8n = CURRENT_N8N.version,
	only,
	'like-n8n-3': likeN8n3 = false,
} = readCommandLine(usage, {
	n8n: { type: 'string' },
	'like-n8n-3': { type: 'boolean' },
	only: { type: 'string' },
});
const release = N8N_RELEASES.get(n8n) ?? endMisused(usage, `'${n8n}' is not known.`);
const settings = likeN8n3 ? LIKE_N8N_3 : {};
const session = await openQueueSession(release, settings, console.log);
await runningWorkers(session, 2);
// Only there does n8n run manual executions on workers
const onWorkers = likeN8n3 ? [clicks] : [];
const groups = [
	...[oneKey, ...onWorkers, schedulePairs, stoppedWorker, secrets],
	// With more customers than their secrets can be looked for
	killedAndRepeated,
];
const holds = await runChecks(groupsNamed(groups, only), session, console.log);
await shutDown();
process.exit(holds ? 0 : 1);
