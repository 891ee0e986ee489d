import { type CheckGroup, expect, expectEqual } from '../../../harness/checks/checks.mts';
import { useCredential } from '../../../harness/credentials.mts';
import { excerpt } from '../../../harness/outsideData.mts';
import { credentialOf, type KeyName } from '../keys.mts';
import type { E2eSession } from '../session.mts';

/** A list in the editor, what is typed into it, and how the one entry that is found then reads. */
type PickerCase = readonly [
	field: string,
	method: string,
	key: KeyName,
	parameters: Readonly<Record<string, unknown>>,
	typed: string,
	found: RegExp,
];

/** By the same request that the editor makes: lists that depend on other fields, and of each node. All lists are the engine's. */
export const pickers: CheckGroup<E2eSession> = {
	name: 'Lists in the editor',
	async run({ n8n, sandbox: { store, keys } }, check) {
		const [tunnel, privateProxy] = [keys.tps, keys.dps].map(
			({ secretId }) => store.order(secretId).orderId,
		);
		const newOrder = {
			...{ resource: 'order', operation: 'create', product: 'KPS', payType: 'PRE_PAY' },
			...{ kpsSerie: 1, kpsModel: 'STA', kpsMaxBandwidth: 1 },
		};
		const hangzhou = /^Hangzhou 杭州.* \(3301\)(?:, \d+ left)?$/;
		const renew = { resource: 'order', operation: 'renew', renewalOf: 'prepaid' };
		const until = String.raw`, to \d{4}-\d\d-\d\d`;
		const ofTunnel = new RegExp(`^${tunnel}, Tunnel Proxy${until}$`);
		const left = '(?:, [0-9,]+ left(?: today)?)?';
		const ofProxies = new RegExp(`^${privateProxy}, Prepaid${left}${until}$`);
		const event = { event: 'ipBalanceBelow' };
		const cases: ReadonlyArray<readonly [node: string, ...PickerCase]> = [
			['kuaidaili', 'kpsCity', 'searchCitiesForOrder', 'account', newOrder, 'hangzhou', hangzhou],
			['kuaidailiTool', 'orderid', 'searchOrders', 'account', renew, tunnel, ofTunnel],
			['kuaidailiTrigger', 'orderid', 'searchOrders', 'account', event, privateProxy, ofProxies],
		];
		for (const [node, field, method, key, parameters, typed, found] of cases) {
			await check(`'${field}' is picked from a list, in ${node}`, async () => {
				const asked = {
					...{ field, method, parameters },
					nodeType: `n8n-nodes-kuaidaili.${node}`,
					credentials: useCredential(credentialOf(key)),
				};
				const all = await n8n.pickFrom(asked);
				const [first, ...more] = await n8n.pickFrom(asked, typed);
				expect(all.length > 1, `the whole list has ${all.length} entries`);
				expectEqual(more.length, 0, `the number of further entries for '${typed}'`);
				expect(found.test(first ?? ''), `the entry for '${typed}' is ${excerpt(first)}`);
			});
		}
	},
};
