/** `npm run test:queue`: the packed package in n8n's queue mode, with one main, up to four workers and Redis. */
import type { CheckGroup } from '../../harness/checks/checkGroup.mts';
import { noSecrets } from '../../harness/checks/noSecrets.mts';
import { runChecks } from '../../harness/checks/runChecks.mts';
import { CURRENT_N8N, N8N_RELEASES } from '../../harness/realN8n/index.mts';
import { shutDown } from '../../scripts/shutdown.mjs';
import { killedInTheMiddle } from './checks/killedInTheMiddle.mts';
import { killedWorker } from './checks/killedWorker.mts';
import { oneKey } from './checks/oneKey.mts';
import { reuse } from './checks/reuse.mts';
import { mixedLoad } from './checks/mixedLoad.mts';
import { sameOrder } from './checks/sameOrder.mts';
import { stoppedWorker } from './checks/stoppedWorker.mts';
import { openQueueSession, twoWorkers, type QueueSession } from './session.mts';

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

const ONLY = '--only=';
const args = process.argv.slice(2);
/** Of the groups of checks, those with this word in their name; empty for all. */
const only = args.find((arg) => arg.startsWith(ONLY))?.slice(ONLY.length) ?? '';
const [version = CURRENT_N8N.version] = args.filter((arg) => !arg.startsWith(ONLY));
const release = N8N_RELEASES.get(version);
if (release === undefined) {
	throw new Error(
		`Usage: npm run test:queue [-- ${[...N8N_RELEASES.keys()].join(' | ')} --only=<word>]`,
	);
}
const session = await openQueueSession(release, console.log);
await twoWorkers(session);
const groups = [
	...[mixedLoad, reuse, sameOrder, oneKey, stoppedWorker, killedWorker, killedInTheMiddle],
	secrets,
].filter(({ name }) => name.toLowerCase().includes(only.toLowerCase()));
const holds = await runChecks(groups, session, console.log);
await shutDown();
process.exit(holds ? 0 : 1);
