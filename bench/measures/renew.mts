import { setTimeout as sleep } from 'node:timers/promises';
import { MANUAL_TRIGGER } from '../../harness/realN8n/manualWorkflow.mts';
import { addManyOrders, newAccount, type Order } from '../../sandbox/sandbox.mts';
import { durationOf, kuaidailiStep, openBenchN8n, requireItems, workflowOf } from '../inN8n.mts';
import type { Measure } from '../measure.mts';
import { quickSandbox } from '../quickSandbox.mts';
import { ratioOf, type Pair } from '../statistics.mts';

const ORDERS = 200;
const EXPIRING = 10;
/** Each with orders whose key pairs n8n has not seen yet, as on a new morning. */
const SAMPLES = 7;
const DAY_MS = 86_400_000;

/** Of the account's balance, which is read before the first renewal and after each one. */
const BALANCE_INTERVAL_MS = 1_000;
/** As the service documents it; every other limit leaves more room, that of the orders' key pairs one second. */
const FORCED_MS = EXPIRING * BALANCE_INTERVAL_MS;
const JITTER_MS = 20;

/** As in examples/renew-every-morning.json. */
const STEPS = [
	kuaidailiStep('Expiring Orders', {
		resource: 'order',
		operation: 'getAll',
		status: 'VALID',
		returnAll: true,
		filters: { expiringWithinDays: 3, payType: 'PRE_PAY' },
	}),
	kuaidailiStep('Renew', {
		resource: 'order',
		operation: 'renew',
		orderid: { __rl: true, mode: 'code', value: '={{ $json.orderid }}' },
		renewalOf: 'prepaid',
		renewWhen: 'expiring',
		expiringWithin: 3,
		expiringWithinUnit: 'days',
		timeType: 'MONTH',
		timeNumber: 1,
		options: { maxOrdersPerRun: 50 },
	}),
];

export const renew: Measure = {
	name: 'renew-200',
	compares: `In a real n8n, Order: Get Many and Order: Renew for an account with ${ORDERS} orders, ${EXPIRING} of which expire / the time that the limit of one read of the balance per second forces, with one before the first renewal and one after each. The sandbox judges arrivals with up to ${JITTER_MS} ms of jitter; one rejected call is a failure.`,
	goal: 1.1,
	async measure(say) {
		const sandbox = await quickSandbox({ rateLimitJitterMs: JITTER_MS });
		const { clock, ledger, log, store } = sandbox;
		const account = store.addAccount(newAccount('bench-renew', { balanceInFen: 100_000_000_00 }));
		const orders = addManyOrders(store, account, clock.now(), {
			count: ORDERS,
			fromDay: 10,
			sorts: ['tps', 'kpsShared', 'dpsConcentrated', 'ops'],
		});
		const n8n = await openBenchN8n(sandbox, 'account', account.keys, say);
		const id = await n8n.createWorkflow(workflowOf('Renew', STEPS));
		const sample = async (expiring: readonly Order[]): Promise<Pair> => {
			for (const order of expiring) order.expiresAt = new Date(clock.now().getTime() + DAY_MS);
			const run = await n8n.runWorkflow(id, MANUAL_TRIGGER);
			requireItems(run, STEPS, expiring.length);
			return { ours: durationOf(run, STEPS), other: FORCED_MS };
		};
		const pairs: Pair[] = [];
		for (let taken = 0; taken < SAMPLES; taken++) {
			// Else the first call of a run waits for the last one of the run before
			await sleep(2 * BALANCE_INTERVAL_MS);
			say(`  renew-200: sample ${taken + 1} of ${SAMPLES}`);
			pairs.push(await sample(orders.slice(taken * EXPIRING, (taken + 1) * EXPIRING)));
		}
		const refusals = log.refusals().length;
		if (refusals > 0) throw new Error(`The sandbox refused ${refusals} calls as too fast`);
		const paid = ledger.entries().length;
		if (paid !== SAMPLES * EXPIRING) throw new Error(`${paid} renewals were paid`);
		const paths = [...new Set(log.entries().map(({ path }) => path))];
		const callsPerRun = Object.fromEntries(
			paths.map((path) => [path.replace('/api/', ''), log.count(path) / SAMPLES]),
		);
		return { ...ratioOf(pairs), refusals, calls: log.count() / SAMPLES, callsPerRun };
	},
};
