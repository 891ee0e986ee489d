import { setTimeout as sleep } from 'node:timers/promises';

import { credentialData } from '../../harness/credentials.mts';
import {
	newAccount,
	newTunnelProxyOrder,
	type Account,
	type Sandbox,
} from '../../sandbox/sandbox.mts';
import type { Measure, Measured } from '../measure.mts';
import { quickSandbox } from '../quickSandbox.mts';
import { startReaders, type Reader } from '../readers.mts';
import { median } from '../statistics.mts';

const WARM_UP = 4;
const TRIALS = 20;
/** How many orders two runs with the account's key pair have in common. */
const ORDERS = 12;
/** Of the network, each way. */
const LATENCY_MS = 60;
/** How far a trial may miss the turn of the second. */
const SPREAD_MS = 120;
const DAY_MS = 86_400_000;

const RENEW = '/api/reneworder';

const PARAMETERS = {
	resource: 'order',
	operation: 'renew',
	renewalOf: 'prepaid',
	renewWhen: 'expiring',
	expiringWithin: 3,
	expiringWithinUnit: 'days',
	timeType: 'WEEK',
	timeNumber: 1,
};

function dueOrders({ clock, store }: Sandbox, account: Account, name: string, count: number) {
	const expiresAt = new Date(clock.now().getTime() + DAY_MS);
	return Array.from({ length: count }, (_none, index) =>
		store.addOrder(newTunnelProxyOrder(`${name}-${index}`, account, clock.now(), { expiresAt })),
	);
}

type Task = Parameters<Reader['run']>[0];

/** @throws Error if one of them fails */
async function runOnAll(workers: readonly Reader[], task: Task): Promise<void> {
	const runs = await Promise.all(workers.map(async (worker) => await worker.run(task)));
	const failure = runs.find((run) => run.failure !== undefined)?.failure;
	if (failure !== undefined) throw new Error(failure);
}

const paymentsOf = ({ ledger }: Sandbox, orderId: string): number =>
	ledger.entries().filter((entry) => entry.orderId === orderId).length;

/** One order with its own key pair, due for all at the same moment. */
async function renewOne(
	sandbox: Sandbox,
	account: Account,
	workers: readonly Reader[],
	name: string,
): Promise<{ paid: number; sentAfterMs: number }> {
	const [{ orderId, keys }] = dueOrders(sandbox, account, name, 1);
	const credential = credentialData(sandbox.hosts, keys, 'order');
	const begin = Date.now();
	await runOnAll(workers, { parameters: PARAMETERS, credential, itemCount: 1 });
	const [first] = sandbox.log
		.entries(RENEW)
		.filter(({ parameters }) => parameters.secret_id === keys.secretId);
	return {
		paid: paymentsOf(sandbox, orderId),
		sentAfterMs: first === undefined ? 0 : first.time.getTime() - begin,
	};
}

/** The same orders with the account's key pair. @returns the payments of each */
async function renewList(
	sandbox: Sandbox,
	account: Account,
	workers: readonly Reader[],
): Promise<number[]> {
	const orders = dueOrders(sandbox, account, 'listed', ORDERS);
	const numbers = JSON.stringify(orders.map(({ orderId }) => orderId));
	const orderid = { __rl: true, mode: 'code', value: `={{ ${numbers}[$itemIndex] }}` };
	const credential = credentialData(sandbox.hosts, account.keys, 'account');
	const options = { maxOrdersPerRun: ORDERS };
	const parameters = { ...PARAMETERS, orderid, options };
	await runOnAll(workers, { parameters, credential, itemCount: ORDERS });
	return orders.map(({ orderId }) => paymentsOf(sandbox, orderId));
}

/** Sleeps until a moment so long before the turn of a second. */
async function untilBeforeSecond(ms: number): Promise<void> {
	const earliest = Date.now() + ms;
	const turn = Math.ceil(earliest / 1000) * 1000;
	await sleep(turn - ms - Date.now());
}

/**
 * Two workers that find the same orders due at the same moment. The service refuses the second renewal
 * within a second, so the worst moment is the turn of one: the trials are aimed at it.
 */
export const twoWorkers: Measure = {
	name: 'two-workers',
	compares: `Payments for ${TRIALS + ORDERS} orders that two processes renew at the same moment with 'Only If Expiring Within', ${TRIALS} of them close to the turn of a second and ${ORDERS} as one list, at a service that counts seconds by the clock / one payment for each.`,
	goal: 1,
	async measure(): Promise<Measured> {
		const sandbox = await quickSandbox({ rateLimits: { byClock: true } });
		for (const when of ['before', 'after'] as const) {
			sandbox.faults.add({ kind: 'delay', ms: LATENCY_MS, when });
		}
		const account = sandbox.store.addAccount(
			newAccount('two-workers', { balanceInFen: 100_000_000_00 }),
		);
		const workers = await startReaders(2);
		const offsets: number[] = [];
		const trial = async (name: string) => {
			const { paid, sentAfterMs } = await renewOne(sandbox, account, workers, name);
			offsets.push(sentAfterMs);
			return paid;
		};
		for (let index = 0; index < WARM_UP; index++) await trial(`warm-up-${index}`);
		const payments: number[] = [];
		for (let index = 0; index < TRIALS; index++) {
			const miss = (index / (TRIALS - 1) - 0.5) * 2 * SPREAD_MS;
			await untilBeforeSecond(median(offsets.slice(-9)) + miss);
			payments.push(await trial(`trial-${index}`));
		}
		payments.push(...(await renewList(sandbox, account, workers)));
		for (const worker of workers) worker.end();
		const twice = payments.filter((paid) => paid > 1).length;
		const never = payments.filter((paid) => paid === 0).length;
		if (never > 0) throw new Error(`${never} orders were not renewed at all`);
		const ratio = payments.reduce((sum, paid) => sum + paid, 0) / payments.length;
		const pairs = payments.length;
		return { ratio, low: Math.min(...payments), high: Math.max(...payments), pairs, twice };
	},
};
