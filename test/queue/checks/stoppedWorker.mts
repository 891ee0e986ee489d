import { setTimeout as sleep } from 'node:timers/promises';
import { type CheckGroup, expect, expectEqual } from '../../../harness/checks/checks.mts';
import { readString } from '../../../harness/outsideData.mts';
import { newCustomer, seenByService } from '../customer.mts';
import { CREATE, RENEW_IF_EXPIRING } from '../operations.mts';
import { oneWorker, type QueueSession } from '../session.mts';
import { serve } from '../webhook.mts';
import { runningOn } from '../workerLog.mts';

const HOLD_MS = 6_000;
const ARRIVAL_LIMIT_MS = 60_000;
const LOOK_EVERY_MS = 50;

/** n8n's own limit is 30 seconds. */
const STOP_LIMIT_MS = 40_000;

/** An order and a renewal, each with the money taken before and after the long wait. */
const PURCHASES = (
	[
		['order', '/api/createorder', CREATE],
		['renewal', '/api/reneworder', RENEW_IF_EXPIRING],
	] as const
).flatMap(([kind, path, parameters]) =>
	(['first', 'last'] as const).map((moneyTaken) => ({ kind, path, parameters, moneyTaken })),
);

/** Calls the workflow of a new customer, and waits until the purchase has arrived at the service. */
async function buyAndHold(
	session: QueueSession,
	{ kind, path, parameters, moneyTaken }: (typeof PURCHASES)[number],
) {
	const { faults, log } = session.sandbox;
	const customer = await newCustomer(session, 1);
	const name = `${kind}, money taken ${moneyTaken}`;
	const webhook = await serve(session, `Stopped ${name}`, parameters, customer.credential);
	const orderid = kind === 'renewal' ? customer.tunnels[0]?.orderId : undefined;
	const before = log.count(path);
	const when = moneyTaken === 'first' ? 'after' : 'before';
	faults.add({ kind: 'delay', ms: HOLD_MS, when, path, times: 1 });
	const answer = webhook.call({ orderid });
	// Whoever waits for it may come later than it fails
	answer.catch(() => undefined);
	const giveUpAt = Date.now() + ARRIVAL_LIMIT_MS;
	while (log.count(path) === before) {
		if (Date.now() > giveUpAt) throw new Error(`No request to ${path} arrived`);
		await sleep(LOOK_EVERY_MS);
	}
	return { name, path, customer, answer };
}

/** A worker that is asked to end, as for an update, while its purchases are under way. */
export const stoppedWorker: CheckGroup<QueueSession> = {
	name: 'A worker that is stopped',
	async run(session, check) {
		const worker = await oneWorker(session);
		const held: Array<Awaited<ReturnType<typeof buyAndHold>>> = [];
		for (const purchase of PURCHASES) held.push(await buyAndHold(session, purchase));
		const interrupted = runningOn(worker).length;
		await worker.stop(STOP_LIMIT_MS);

		await check(
			`A worker that is stopped during ${held.length} purchases ends them first`,
			async () => {
				expect(interrupted > 0, 'all had ended before, so nothing is proved');
				for (const { name, path, customer, answer } of held) {
					const { status, items } = await answer;
					expectEqual(status, 200, `the answer (${name})`);
					readString(items, 0, 'orderid');
					const { payments, requests } = seenByService(session, customer, path);
					expectEqual(payments, 1, `the number of payments (${name})`);
					expectEqual(requests, 1, `the number of requests (${name})`);
				}
			},
		);
	},
};
