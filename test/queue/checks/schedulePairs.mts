import { setTimeout as sleep } from 'node:timers/promises';
import { type CheckGroup, expect, expectEqual } from '../../../harness/checks/checks.mts';
import { at, excerpt } from '../../../harness/outsideData.mts';
import { newCustomer } from '../customer.mts';
import { RENEW_IF_EXPIRING } from '../operations.mts';
import type { QueueSession } from '../session.mts';
import { serve, type RunAnswer } from '../webhook.mts';
import { startedBy } from '../workerLog.mts';

const PAIRS = 500;
/** As many executions as two workers run at once. */
const AT_ONCE = 10;
const MOST_APART_MS = 50;

/** What became of two executions that renew one order at the same moment. */
interface Pair {
	readonly apartMs: number;
	readonly payments: number;
	readonly answers: readonly RunAnswer[];
}

/** One account with a share of the orders, which it renews one after the other. */
async function renewShare(session: QueueSession): Promise<Pair[]> {
	const customer = await newCustomer(session, PAIRS / AT_ONCE);
	const { name, credential, tunnels } = customer;
	const webhook = await serve(session, `${name} pairs`, RENEW_IF_EXPIRING, credential);
	const pairs: Pair[] = [];
	for (const [index, { orderId: orderid }] of tunnels.entries()) {
		const apartMs = index % (MOST_APART_MS + 1);
		const call = async () => await webhook.call({ orderid });
		const answers = await Promise.all([call(), sleep(apartMs).then(call)]);
		const paid = session.sandbox.ledger.entries('renew');
		const payments = paid.filter(({ orderId }) => orderId === orderid).length;
		pairs.push({ apartMs, payments, answers });
	}
	return pairs;
}

/** Two schedules that renew one expiring order, each on whichever worker is free. */
export const schedulePairs: CheckGroup<QueueSession> = {
	name: 'Two schedules, one order',
	async run(session, check) {
		const { workers } = session;
		const startedBefore = workers.map((worker) => startedBy(worker).length);
		const shares = Array.from({ length: AT_ONCE }, async () => await renewShare(session));
		const pairs = (await Promise.all(shares)).flat();
		const tookPart = workers.filter(
			(worker, index) => startedBy(worker).length > (startedBefore[index] ?? 0),
		);
		await check(
			`${PAIRS} pairs of schedules, 0 to ${MOST_APART_MS} ms apart, pay once each`,
			() => {
				expect(tookPart.length > 1, 'one worker did everything, so nothing is proved');
				const wrong = pairs.filter(({ payments }) => payments !== 1);
				expectEqual(wrong.length, 0, `pairs that did not pay once (${excerpt(wrong)})`);
			},
		);
		await check(
			'One of a pair says that it renewed the order, the other one that it did not',
			() => {
				for (const { answers } of pairs) {
					const renewed = answers.map(({ items }) => at(items, 0, 'renewed'));
					expectEqual(renewed.filter((is) => is === true).length, 1, `(${excerpt(answers)})`);
				}
			},
		);
	},
};
