import { type CheckGroup, expect, expectEqual } from '../../../harness/checks/checks.mts';
import { at, excerpt } from '../../../harness/outsideData.mts';
import { newCustomer } from '../customer.mts';
import { RENEW_IF_EXPIRING } from '../operations.mts';
import type { QueueSession } from '../session.mts';
import { serve, type RunAnswer } from '../webhook.mts';
import { startedBy } from '../workerLog.mts';

const TRIALS = 6;
const AT_ONCE = 4;

/** Both workers have asked for the expiry before one of them can have renewed. */
const LATE_EXPIRY_MS = 1_500;

/** Several executions on different workers that all want to renew the same order, if it is expiring. */
export const sameOrder: CheckGroup<QueueSession> = {
	name: 'One order, several workers',
	async run(session, check) {
		const { sandbox, workers } = session;
		const customer = await newCustomer(session, TRIALS);
		const { name, credential, tunnels } = customer;
		const webhook = await serve(session, `${name} same order`, RENEW_IF_EXPIRING, credential);
		const startedBefore = workers.map((worker) => startedBy(worker).length);
		const answers: Array<{ orderid: string; ofOrder: readonly RunAnswer[] }> = [];
		for (const { orderId: orderid } of tunnels) {
			sandbox.faults.clear();
			sandbox.faults.add({
				kind: 'delay',
				ms: LATE_EXPIRY_MS,
				when: 'after',
				path: '/api/getorderexpiretime',
				times: workers.length,
			});
			const calls = Array.from({ length: AT_ONCE }, async () => await webhook.call({ orderid }));
			answers.push({ orderid, ofOrder: await Promise.all(calls) });
		}
		sandbox.faults.clear();
		const tookPart = workers.filter(
			(worker, index) => startedBy(worker).length > (startedBefore[index] ?? 0),
		);
		await check(
			`${AT_ONCE} runs on two workers that renew the same expiring order at the same time pay once`,
			() => {
				expect(tookPart.length > 1, 'one worker did everything, so nothing is proved');
				const paid = answers.map(
					({ orderid }) =>
						sandbox.ledger.entries('renew').filter(({ orderId }) => orderId === orderid).length,
				);
				expectEqual(paid.join(), paid.map(() => 1).join(), 'the payments of each order');
				for (const { ofOrder } of answers) {
					const renewed = ofOrder.filter(({ items }) => at(items, 0, 'renewed') === true);
					expectEqual(renewed.length, 1, 'how many say that they renewed it');
					const others = ofOrder.filter(({ items }) => at(items, 0, 'renewed') === false);
					expectEqual(others.length, AT_ONCE - 1, `the others (${excerpt(ofOrder)})`);
				}
			},
		);
	},
};
