import { randomBytes } from 'node:crypto';

import { credentialData } from '../../harness/credentials.mts';
import {
	newOpenProxyOrder,
	newPrivateProxyOrder,
	type Order,
	type Sandbox,
	type SandboxOptions,
} from '../../sandbox/sandbox.mts';
import type { EngineNode } from '../engine.mts';
import type { Measure, Measured } from '../measure.mts';
import { quickSandbox } from '../quickSandbox.mts';
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
	readonly intervalMs: number;
	readonly parts: readonly Part[];
	readonly pace?: Pick<SandboxOptions, 'rateLimitJitterMs'>;
	readonly orderOf?: (sandbox: Sandbox, name: string) => Order;
	readonly parameters?: EngineNode['parameters'];
}

const READ = { resource: 'proxy', operation: 'extract', product: 'OPS', plan: 'vip', num: 1 };

const vipOrder = ({ store, keys, clock }: Sandbox, name: string): Order =>
	store.addOrder(
		newOpenProxyOrder(name, store.account(keys.account.secretId), clock.now(), { plan: 'VIP' }),
	);

const privateOrder = ({ store, keys, clock }: Sandbox, name: string): Order =>
	store.addOrder(newPrivateProxyOrder(name, store.account(keys.account.secretId), clock.now()));

const pause = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));

/** All parts at once; the time from the first call to the last answer, beside what the limit forces. */
function sharedKey(scene: Scene): Measure {
	const { name, compares, goal, intervalMs, parts, orderOf = vipOrder } = scene;
	return {
		name,
		compares,
		goal,
		async measure(): Promise<Measured> {
			const sandbox = await quickSandbox(scene.pace ?? {});
			const { keys } = orderOf(sandbox, `shared-${randomBytes(4).toString('hex')}`);
			const credential = credentialData(sandbox.hosts, keys, 'order');
			const readers = await startReaders(parts.length);
			const runs = await Promise.all(
				parts.map(async ({ calls, after = 0 }, index): Promise<ReaderRun> => {
					await pause(after);
					const parameters = scene.parameters ?? READ;
					return await readers[index]!.run({ parameters, credential, itemCount: calls });
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
				...ratioOf([{ ours: end - begin, other: (calls - 1) * intervalMs }]),
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
			intervalMs: 1000,
			parts: processes(count, 20),
		}),
	),
	sharedKey({
		name: 'beside-a-loop',
		compares: `Eight processes with a single call each, beside one with 120 calls / ${FORCED}. One failed item is a failure.`,
		goal: 1.2,
		intervalMs: 1000,
		parts: [
			{ calls: 120 },
			...Array.from({ length: 8 }, (_, index) => ({ calls: 1, after: 5000 + index * 1500 })),
		],
	}),
	sharedKey({
		name: 'private-per-minute',
		compares:
			'Two processes that extract private proxies for 100 items each, one by one / the time that the limit of 120 calls per minute forces. One failed item is a failure.',
		goal: 1.35,
		intervalMs: 500,
		parts: processes(2, 100),
		orderOf: privateOrder,
		parameters: { resource: 'proxy', operation: 'extract', product: 'DPS', num: 1 },
	}),
	sharedKey({
		name: 'jitter-5-per-second',
		compares:
			'100 calls in one process, five per second, whose arrivals the network moves by up to 20 ms / the time that the limit forces.',
		goal: 1.4,
		intervalMs: 200,
		parts: [{ calls: 100 }],
		pace: { rateLimitJitterMs: 20 },
		orderOf: ({ store, keys, clock }, name) =>
			store.addOrder(
				newOpenProxyOrder(name, store.account(keys.account.secretId), clock.now(), {
					plan: 'SVIP',
				}),
			),
		parameters: { ...READ, plan: 'svip' },
	}),
	sharedKey({
		name: 'jitter-10-per-second',
		compares: 'The same at ten per second, with Proxy: Get Login / the time that the limit forces.',
		goal: 1.4,
		intervalMs: 100,
		parts: [{ calls: 100 }],
		pace: { rateLimitJitterMs: 20 },
		orderOf: privateOrder,
		parameters: { resource: 'proxy', operation: 'getLogin' },
	}),
];
