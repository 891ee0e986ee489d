import { randomBytes } from 'node:crypto';

import { credentialData } from '../../harness/credentials.mts';
import { openSandbox } from '../../harness/realN8n/index.mts';
import { newOpenProxyOrder, type Order, type Sandbox } from '../../sandbox/sandbox.mts';
import type { Measure, Measured } from '../measure.mts';
import type { ReaderRun } from '../reader.mts';
import { startReaders } from '../readers.mts';
import { ratioOf } from '../statistics.mts';

/** Calls that leave a process of their own, with the key that all share. */
interface Part {
	readonly calls: number;
	/** After the first calls of all have begun, in milliseconds. */
	readonly after?: number;
}

interface Scene {
	readonly name: string;
	readonly compares: string;
	readonly goal: number;
	readonly parts: readonly Part[];
}

const READ = { resource: 'proxy', operation: 'extract', product: 'OPS', plan: 'vip', num: 1 };

const vipOrder = ({ store, keys, clock }: Sandbox, name: string): Order =>
	store.addOrder(
		newOpenProxyOrder(name, store.account(keys.account.secretId), clock.now(), { plan: 'VIP' }),
	);

/** That of a VIP order. */
const INTERVAL_MS = 1000;

const pause = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));

/** All parts at once; the time from the first call to the last answer, beside what the limit forces. */
function sharedKey(scene: Scene): Measure {
	const { parts, ...measure } = scene;
	return {
		...measure,
		async measure(): Promise<Measured> {
			const sandbox = await openSandbox({ forwardProxies: false, catalogueSize: 3_000 });
			const { keys } = vipOrder(sandbox, `shared-${randomBytes(4).toString('hex')}`);
			const credential = credentialData(sandbox.hosts, keys, 'order');
			const readers = await startReaders(parts.length);
			const runs = await Promise.all(
				parts.map(async ({ calls, after = 0 }, index): Promise<ReaderRun> => {
					await pause(after);
					return await readers[index]!.run({ parameters: READ, credential, itemCount: calls });
				}),
			);
			for (const reader of readers) reader.end();
			const failures = runs.flatMap(({ failure }) => failure ?? []);
			if (failures.length > 0) {
				throw new Error(`${failures.length} of ${runs.length} runs failed: ${failures[0]}`);
			}
			const begin = Math.min(...runs.map((run) => run.begin));
			const end = Math.max(...runs.map((run) => run.end));
			const calls = parts.reduce((sum, part) => sum + part.calls, 0);
			return {
				...ratioOf([{ ours: end - begin, other: (calls - 1) * INTERVAL_MS }]),
				failed: 0,
				calls,
				refused: sandbox.log.refusals().length,
			};
		},
	};
}

const processes = (count: number, calls: number): Part[] =>
	Array.from({ length: count }, () => ({ calls }));

const FORCED = 'the time that the limit of one call per second forces on all of them together';

export const sharedKeyMeasures: readonly Measure[] = [
	...(
		[
			[2, 1.35],
			[4, 1.35],
			[8, 1.25],
		] as const
	).map(([count, goal]) =>
		sharedKey({
			name: `processes-${count}`,
			compares: `${count} processes with one key, 20 calls of Proxy: Extract each / ${FORCED}. One failed item is a failure.`,
			goal,
			parts: processes(count, 20),
		}),
	),
	sharedKey({
		name: 'beside-a-loop',
		compares: `Eight processes with a single call each, beside one with 120 calls / ${FORCED}. One failed item is a failure.`,
		goal: 1.2,
		parts: [
			{ calls: 120 },
			...Array.from({ length: 8 }, (_, index) => ({ calls: 1, after: 5000 + index * 1500 })),
		],
	}),
];
