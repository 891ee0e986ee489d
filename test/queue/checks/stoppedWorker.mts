import type { CheckGroup } from '../../../harness/checks/checkGroup.mts';
import { expect, expectEqual } from '../../../harness/checks/expectations.mts';
import { readString } from '../../../harness/outsideData.mts';
import {
	buyAndHold,
	prepareHeldPurchases,
	seenByService,
	type HeldPurchase,
} from '../heldPurchases.mts';
import type { WebhookAnswer } from '../webhook.mts';
import { oneWorker, type QueueSession } from '../session.mts';
import { runningOn } from '../workerLog.mts';

const HOLD_MS = 6_000;

/** n8n's own limit is 30 seconds. */
const STOP_LIMIT_MS = 40_000;

/** A worker that is asked to end, as for an update, while its purchases are under way. */
export const stoppedWorker: CheckGroup<QueueSession> = {
	name: 'A worker that is stopped',
	async run(session, check) {
		const purchases = await prepareHeldPurchases(session, 'Stopped');
		const worker = await oneWorker(session);
		const held: Array<{ purchase: HeldPurchase; answer: Promise<WebhookAnswer> }> = [];
		for (const purchase of purchases) {
			held.push({ purchase, ...(await buyAndHold(session, purchase, HOLD_MS)) });
		}
		const interrupted = runningOn(worker).length;
		await worker.stop(STOP_LIMIT_MS);

		await check(
			`A worker that is stopped during ${purchases.length} purchases ends them first`,
			async () => {
				expect(interrupted > 0, 'all had ended before, so nothing is proved');
				for (const { purchase, answer } of held) {
					const { status, items } = await answer;
					expectEqual(status, 200, `the answer (${purchase.name})`);
					readString(items, 0, 'orderid');
					const { payments, requests } = seenByService(session, purchase);
					expectEqual(payments, 1, `the number of payments (${purchase.name})`);
					expectEqual(requests, 1, `the number of requests (${purchase.name})`);
				}
			},
		);
	},
};
