import type { INodeProperties } from 'n8n-workflow';

import { type CheckGroup, expect, expectEqual } from '../../../harness/checks/checks.mts';
import { useCredential } from '../../../harness/credentials.mts';
import { excerpt, readList, readString } from '../../../harness/outsideData.mts';
import { nodeProperties } from '../../../nodes/Kuaidaili/actions/resources.ts';
import { triggerProperties } from '../../../nodes/KuaidailiTrigger/events/index.ts';
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

/** Each list that a field of a node offers, by the same request that the editor makes. */
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
		const ofArea = (areasOf: string) => ({ resource: 'area', operation: 'getAll', areasOf });
		const many = (resource: string) => ({ resource, operation: 'getAll', serie: 2 });
		const fps = { resource: 'proxy', operation: 'extract', product: 'FPS' };
		const extract = { ...fps, options: { region: 'US', area: '' } };
		const renew = { resource: 'order', operation: 'renew', renewalOf: 'prepaid' };
		const until = String.raw`, to \d{4}-\d\d-\d\d`;
		const ofTunnel = new RegExp(`^${tunnel}, Tunnel Proxy${until}$`);
		const left = '(?:, [0-9,]+ left(?: today)?)?';
		const ofProxies = new RegExp(`^${privateProxy}, Prepaid${left}${until}$`);
		const areas = 'searchPrivateProxyAreas';
		const [countries, provinces] = ['searchOverseasCountries', 'searchTunnelProvinces'];
		const [dynamic, cities] = ['overseasDynamicAreas', 'tunnelProCities'].map(ofArea);
		const inNode: PickerCase[] = [
			['kpsCity', 'searchCitiesForOrder', 'account', newOrder, 'hangzhou', hangzhou],
			['city', 'searchCities', 'account', many('city'), '杭州', hangzhou],
			['area', areas, 'dps', many('privateProxyResource'), '3301', hangzhou],
			['region', countries, 'fps', dynamic, 'japan', /^Japan 日本 \(JP\)$/],
			['area', 'searchOverseasAreas', 'fps', extract, 'texas', /^Texas$/],
			['prov', provinces, 'tpsPro', cities, 'zhejiang', /^Zhejiang 浙江.* \(33\)$/],
			['orderid', 'searchOrders', 'account', renew, tunnel, ofTunnel],
		];
		const event = { event: 'ipBalanceBelow' };
		const inTrigger: PickerCase[] = [
			['orderid', 'searchOrders', 'account', event, privateProxy, ofProxies],
		];
		await check('Every list of the editor is tried', () => {
			const tried = new Set(inNode.map(([field, method]) => `${field} ${method}`));
			const offered = new Set([...nodeProperties, ...triggerProperties].flatMap(listOf));
			expectEqual([...offered].sort().join(), [...tried].sort().join(), 'the lists');
		});
		for (const [node, cases] of [
			['kuaidaili', inNode],
			['kuaidailiTool', inNode],
			['kuaidailiTrigger', inTrigger],
		] as const) {
			for (const [field, method, key, parameters, typed, found] of cases) {
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
		}
	},
};

/** Each field with its list, also of a collection. */
function listOf(field: INodeProperties): string[] {
	if (field.type === 'collection') {
		return (field.options ?? []).flatMap((each) => ('type' in each ? listOf(each) : []));
	}
	if (field.type !== 'resourceLocator') return [];
	return readList(field, 'modes')
		.filter((mode) => readString(mode, 'type') === 'list')
		.map((mode) => `${field.name} ${readString(mode, 'typeOptions', 'searchListMethod')}`);
}
