import { setTimeout as sleep } from 'node:timers/promises';
import type { CheckGroup } from '../../../harness/checks/checkGroup.mts';
import { expect, expectEqual } from '../../../harness/checks/expectations.mts';
import { at, excerpt } from '../../../harness/outsideData.mts';
import type { FinishedRun } from '../../../harness/realN8n/index.mts';
import {
	buyAndHold,
	prepareHeldPurchases,
	seenByService,
	type HeldPurchase,
} from '../heldPurchases.mts';
import { oneWorker, STALLED_FOUND_MS, type QueueSession } from '../session.mts';
import { runningOn, startedBy } from '../workerLog.mts';

const HOLD_MS = 12_000;

/** A worker that is gone without a word in the middle of its purchases; another one takes its place. */
export const killedWorker: CheckGroup<QueueSession> = {
	name: 'A worker that is killed',
	async run(session, check) {
		const { n8n, workers } = session;
		const purchases = await prepareHeldPurchases(session, 'Killed');
		const worker = await oneWorker(session);
		for (const purchase of purchases) await buyAndHold(session, purchase, HOLD_MS);
		const interrupted = runningOn(worker);
		await worker.kill();
		const killedAt = Date.now();
		const successor = await session.startWorker();
		const runs = new Map<HeldPurchase, FinishedRun>();
		for (const purchase of purchases) {
			const [run] = await n8n.runsOf(purchase.webhook.workflowId, 1);
			if (run) runs.set(purchase, run);
		}
		// Whoever would begin the runs again has had the time for it
		await sleep(Math.max(0, killedAt + 2 * STALLED_FOUND_MS - Date.now()));

		await check(
			`A worker is killed during ${purchases.length} purchases: each is paid once`,
			() => {
				expectEqual(interrupted.length, purchases.length, 'the number of runs that it left behind');
				for (const purchase of purchases) {
					const { payments, requests } = seenByService(session, purchase);
					expectEqual(payments, 1, `the number of payments (${purchase.name})`);
					expectEqual(requests, 1, `the number of requests (${purchase.name})`);
				}
			},
		);
		await check('n8n ends its runs as failed, and no other worker begins them again', () => {
			for (const purchase of purchases) {
				const status = runs.get(purchase)?.status;
				expect(
					status === 'error' || status === 'crashed',
					`${purchase.name} ended with ${excerpt(status)}`,
				);
			}
			const begun = workers.flatMap(startedBy);
			for (const id of interrupted) {
				expectEqual(begun.filter((each) => each === id).length, 1, `how often run ${id} was begun`);
			}
			expect(
				!interrupted.some((id) => startedBy(successor).includes(id)),
				'the next worker took one over',
			);
		});
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
