import { randomBytes } from 'node:crypto';

import { credentialData } from '../../harness/credentials.mts';
import { openSandbox } from '../../harness/realN8n/index.mts';
import { newOpenProxyOrder, type Order, type Sandbox } from '../../sandbox/sandbox.mts';
import type { Measure, Measured } from '../measure.mts';
import { startReaders } from '../readers.mts';
import { ratioOf } from '../statistics.mts';

const PROCESSES = 8;
const CALLS_OF_EACH = 20;

const READ = { resource: 'proxy', operation: 'extract', product: 'OPS', plan: 'vip', num: 1 };

const vipOrder = ({ store, keys, clock }: Sandbox, name: string): Order =>
	store.addOrder(
		newOpenProxyOrder(name, store.account(keys.account.secretId), clock.now(), { plan: 'VIP' }),
	);

/** That of a VIP order. */
const INTERVAL_MS = 1000;

/** All processes at once; the time from the first call to the last answer, beside what the limit forces. */
export const sharedKey: Measure = {
	name: `processes-${PROCESSES}`,
	compares: `${PROCESSES} processes with one key, ${CALLS_OF_EACH} calls of Proxy: Extract each / the time that the limit of one call per second forces on all of them together. One failed item is a failure.`,
	goal: 1.25,
	async measure(): Promise<Measured> {
		const sandbox = await openSandbox({ forwardProxies: false, catalogueSize: 3_000 });
		const { keys } = vipOrder(sandbox, `shared-${randomBytes(4).toString('hex')}`);
		const credential = credentialData(sandbox.hosts, keys, 'order');
		const readers = await startReaders(PROCESSES);
		const node = { parameters: READ, credential, itemCount: CALLS_OF_EACH };
		const runs = await Promise.all(readers.map(async (reader) => await reader.run(node)));
		for (const reader of readers) reader.end();
		const failures = runs.flatMap(({ failure }) => failure ?? []);
		if (failures.length > 0) {
			throw new Error(`${failures.length} of ${runs.length} runs failed: ${failures[0]}`);
		}
		const begin = Math.min(...runs.map((run) => run.begin));
		const end = Math.max(...runs.map((run) => run.end));
		const calls = PROCESSES * CALLS_OF_EACH;
		return {
			...ratioOf([{ ours: end - begin, other: (calls - 1) * INTERVAL_MS }]),
			failed: 0,
			calls,
			refused: sandbox.log.refusals().length,
		};
	},
};
