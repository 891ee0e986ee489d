import { excerpt } from '../../harness/outsideData.mts';
import { type CheckGroup, expect, expectEqual } from '../../harness/checks/checks.mts';
import { newBuyer } from './purchases/buyer.mts';
import { gatherEvidence } from './purchases/evidence.mts';
import type { Session } from '../session.mts';

/** How the node keeps a run from buying more than somebody expects. */
export const purchaseLimits: CheckGroup<Session> = {
	name: 'Money and the number of items',
	async run(session, check) {
		const buy = async (itemCount: number) => {
			const buyer = await newBuyer(session, session.sandbox);
			return gatherEvidence(await buyer.buy({ itemCount }), buyer);
		};

		await check('Three items are three orders, and a hint says so', async () => {
			const { items, payments, hints } = await buy(3);
			expectEqual(items.length, 3, 'the number of items');
			expectEqual(payments.length, 3, 'the number of payments');
			const said = hints.join();
			expect(/^3 ordered \([\d.]+ yuan\)\.$/.test(said), `the hint is ${excerpt(said)}`);
		});
		await check(
			`'Max Orders per Execution' refuses 11 items before the first request`,
			async () => {
				const { status, requests, payments, errorText } = await buy(11);
				expectEqual(status, 'error', 'the end of the run');
				expectEqual(requests.length, 0, 'the number of requests');
				expectEqual(payments.length, 0, 'the number of payments');
				for (const part of ["'Max Orders per Execution' allows 10", 'would make 11 purchases']) {
					expect(errorText.includes(part), `the error lacks "${part}": ${excerpt(errorText)}`);
				}
			},
		);
	},
};
