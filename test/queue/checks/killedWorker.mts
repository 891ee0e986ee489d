import { setTimeout as sleep } from 'node:timers/promises';
import type { CheckGroup } from '../../../harness/checks/checkGroup.mts';
import { expect, expectEqual } from '../../../harness/checks/expectations.mts';
import { at, excerpt, readString } from '../../../harness/outsideData.mts';
import { itemsOf, type FinishedRun } from '../../../harness/realN8n/index.mts';
import {
	buyAndHold,
	prepareHeldPurchases,
	seenByService,
	type HeldPurchase,
} from '../heldPurchases.mts';
import { STALLED_FOUND_MS, twoWorkers, type QueueSession } from '../session.mts';
import { KUAIDAILI_NODE } from '../webhook.mts';
import { runningOn, startedBy } from '../workerLog.mts';

const HOLD_MS = 12_000;

/** A worker that is gone without a word in the middle of its purchases, while another one works on. */
export const killedWorker: CheckGroup<QueueSession> = {
	name: 'A worker that is killed',
	async run(session, check) {
		const { beginsAgain, n8n, workers } = session;
		const purchases = [
			...(await prepareHeldPurchases(session, 'Killed')),
			...(await prepareHeldPurchases(session, 'Killed too')),
		];
		const [one, other] = await twoWorkers(session);
		for (const purchase of purchases) await buyAndHold(session, purchase, HOLD_MS);
		const victim = runningOn(one).length >= runningOn(other).length ? one : other;
		const survivor = victim === one ? other : one;
		const interrupted = runningOn(victim);
		await victim.kill();
		const killedAt = Date.now();
		const runs = new Map<HeldPurchase, FinishedRun>();
		for (const purchase of purchases) {
			const [run] = await n8n.runsOf(purchase.webhook.workflowId, 1);
			if (run) runs.set(purchase, run);
		}
		// Whoever would begin the runs again has had the time for it
		await sleep(Math.max(0, killedAt + 2 * STALLED_FOUND_MS - Date.now()));

		await check(
			`A worker is killed during ${interrupted.length} purchases: each is paid once`,
			() => {
				expect(interrupted.length > 1, `it had only ${interrupted.length}`);
				for (const purchase of purchases) {
					const { payments, requests } = seenByService(session, purchase);
					expectEqual(payments, 1, `the number of payments (${purchase.name})`);
					expectEqual(requests, 1, `the number of requests (${purchase.name})`);
				}
			},
		);
		await check(
			beginsAgain
				? 'n8n begins its runs again on the other worker, where they find what was bought'
				: 'n8n ends its runs as failed, and the other worker does not begin them again',
			() => {
				for (const purchase of purchases) {
					const run = runs.get(purchase);
					const { id = '', status } = run ?? {};
					const isFailed = status === 'error' || status === 'crashed';
					const mustFail = !beginsAgain && interrupted.includes(id);
					expect(
						mustFail ? isFailed : status === 'success',
						`${purchase.name} ended with ${excerpt(status)}`,
					);
					if (mustFail || run === undefined) continue;
					const [item] = itemsOf(run, KUAIDAILI_NODE);
					const { orderid = readString(item, 'json', 'orderid') } = purchase;
					expectEqual(at(item, 'json', 'orderid'), orderid, `the order (${purchase.name})`);
					const done = purchase.orderid === undefined ? 'created' : 'renewed';
					expectEqual(at(item, 'json', done), true, `'${done}' (${purchase.name})`);
				}
				const begun = workers.flatMap(startedBy);
				for (const id of interrupted) {
					expectEqual(
						begun.filter((each) => each === id).length,
						beginsAgain ? 2 : 1,
						`how often run ${id} was begun`,
					);
				}
				expect(survivor.isRunning(), 'the other worker is gone as well');
			},
		);
		await check(
			"A renewal with 'Only If Expiring Within' that is started anew sees that it is paid",
			async () => {
				const renewals = purchases.filter(({ orderid }) => orderid !== undefined);
				expect(renewals.length > 0, 'there is none');
				for (const purchase of renewals) {
					const { items } = await purchase.webhook.call({ orderid: purchase.orderid });
					expectEqual(at(items, 0, 'renewed'), false, `'renewed' (${purchase.name})`);
					expectEqual(seenByService(session, purchase).payments, 1, 'the number of payments');
				}
			},
		);
	},
};
