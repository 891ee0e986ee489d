import { ACCOUNT_KEY, ORDER_KEY, useCredential } from '../../harness/credentials.mts';
import { excerpt } from '../../harness/outsideData.mts';
import type { CheckGroup } from '../../harness/checks/checkGroup.mts';
import { expect, expectEqual } from '../../harness/checks/expectations.mts';
import type { Session } from '../session.mts';

const CITY_OF_ORDER = {
	nodeType: 'n8n-nodes-kuaidaili.kuaidaili',
	field: 'kpsCity',
	method: 'searchCitiesForOrder',
	credentials: useCredential(ACCOUNT_KEY),
	parameters: {
		resource: 'order',
		operation: 'create',
		product: 'KPS',
		payType: 'PRE_PAY',
		kpsSerie: 1,
		kpsModel: 'STA',
		kpsMaxBandwidth: 1,
	},
};

const ORDER_TO_RENEW = {
	...CITY_OF_ORDER,
	field: 'orderid',
	method: 'searchOrders',
	parameters: { resource: 'order', operation: 'renew' },
};

/** The lists behind 'City' and 'Order', by the same request that the editor makes. */
export const pickers: CheckGroup<Session> = {
	name: 'Lists in the editor',
	async run({ n8n, sandbox }, check) {
		const leftInHangzhou = sandbox.stock.find(({ code }) => code === '3301')?.sharedMegabits;
		const hangzhou = `Hangzhou 杭州市 (3301), ${leftInHangzhou} left`;

		await check("'City' lists the cities with the IPs that are left", async () => {
			const all = await n8n.pickFrom(CITY_OF_ORDER);
			expect(all.includes(hangzhou), `"${hangzhou}" is not in the list`);
			expect(all.length > 100, `the list has ${all.length} cities only`);
		});
		await check('It is found by English and Chinese names and by its province', async () => {
			const asked = sandbox.log.count('/api/querykpscity');
			for (const typed of ['hangzhou', '杭州', '3301', 'Zhejiang', '浙江']) {
				const found = await n8n.pickFrom(CITY_OF_ORDER, typed);
				expect(found.includes(hangzhou), `"${typed}" does not find ${hangzhou}`);
			}
			expectEqual((await n8n.pickFrom(CITY_OF_ORDER, '杭州')).length, 1, 'the cities found');
			const more = sandbox.log.count('/api/querykpscity') - asked;
			expectEqual(more, 0, 'the number of further requests to the service');
		});
		await check(
			"'Order' lists the orders in force of the account, also for the trigger",
			async () => {
				const { store, keys } = sandbox;
				const { orderId } = store.order(keys.tps.secretId);
				for (const nodeType of ['kuaidaili', 'kuaidailiTrigger']) {
					const list = { ...ORDER_TO_RENEW, nodeType: `n8n-nodes-kuaidaili.${nodeType}` };
					const [found, ...more] = await n8n.pickFrom(list, orderId);
					expectEqual(more.length, 0, 'the number of further orders');
					const begin = 'Tunnel Proxy, to ';
					expect(found?.startsWith(begin) === true, `it shows ${excerpt(found)}`);
				}
			},
		);
		await check('A list that cannot load says why', async () => {
			const list = { ...CITY_OF_ORDER, credentials: useCredential(ORDER_KEY) };
			const reason = await n8n.pickFrom(list).then(
				(found) => `a list of ${found.length}`,
				(error: unknown) => String(error),
			);
			expect(reason.includes('not a dedicated proxy order'), `it says ${excerpt(reason)}`);
		});
	},
};
