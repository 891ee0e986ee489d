import { at } from '../../harness/outsideData.mts';
import { itemsOf } from '../../harness/realN8n/index.mts';
import { type CheckGroup, expect, expectEqual } from '../../harness/checks/checks.mts';
import { runAdapted, runExample } from './runExample.mts';
import type { Session } from '../session.mts';

/** Of the examples that buy, those that are started by hand. */
const BUYERS = ['order-a-tunnel-proxy', 'order-where-ips-are-left'] as const;

/** examples/what-was-spent.json, first in an n8n where nothing was bought. */
export const whatWasSpent: CheckGroup<Session> = {
	name: 'Example "what was spent"',
	async run(session, check) {
		await check('It works from the start, and says that nothing was bought', async () => {
			const items = itemsOf(await runExample(session, 'what-was-spent'), 'Result');
			expectEqual(items.length, 1, 'the number of rows');
			expectEqual(at(items, 0, 'json', 'product'), 'No purchase was noted', 'the product');
			expectEqual(at(items, 0, 'json', 'purchases'), 0, 'the number of purchases');
		});
		await check('Purchases of several examples are summed up by product', async () => {
			const { ledger } = session.sandbox;
			const before = ledger.count();
			// In copies: for ten minutes, a node that is started again by hand buys nothing
			for (const buyer of BUYERS) await runAdapted(session, buyer, {});
			const paid = ledger.entries().slice(before);
			const items = itemsOf(await runExample(session, 'what-was-spent'), 'Result');
			const products = items.map((item) => String(at(item, 'json', 'product'))).sort();
			expectEqual(products.join(), 'Dedicated Proxy,Tunnel Proxy', 'the products');
			const sum = items.reduce<number>(
				(total, item) => total + Number(at(item, 'json', 'yuan')),
				0,
			);
			const wanted = paid.reduce((total, { amountInFen }) => total + amountInFen, 0) / 100;
			expect(Math.abs(sum - wanted) < 0.005, `${sum} yuan are summed up, ${wanted} were paid`);
		});
	},
};
