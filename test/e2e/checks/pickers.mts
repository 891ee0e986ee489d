import type { CheckGroup } from '../../../harness/checks/checkGroup.mts';
import { expect, expectEqual } from '../../../harness/checks/expectations.mts';
import { useCredential } from '../../../harness/credentials.mts';
import { excerpt, readList, readString } from '../../../harness/outsideData.mts';
import { nodeProperties } from '../../../nodes/Kuaidaili/actions/resources.ts';
import { triggerProperties } from '../../../nodes/KuaidailiTrigger/events/index.ts';
import { credentialOf, type KeyName } from '../keys.mts';
import type { E2eSession } from '../session.mts';

interface PickerCase {
	readonly nodes: readonly string[];
	readonly field: string;
	readonly method: string;
	readonly key: KeyName;
	readonly parameters: Readonly<Record<string, unknown>>;
	readonly typed: string;
	/** How the one entry that is found reads. */
	readonly found: RegExp;
}

/** Each list that a field of a node offers, by the same request that the editor makes. */
export const pickers: CheckGroup<E2eSession> = {
	name: 'Lists in the editor',
	async run({ n8n, sandbox: { store, keys } }, check) {
		const [tunnel, privateProxy] = [keys.tps, keys.dps].map(
			({ secretId }) => store.order(secretId).orderId,
		);
		const cases: PickerCase[] = [
			{
				nodes: ['kuaidaili', 'kuaidailiTool'],
				field: 'kpsCity',
				method: 'searchCitiesForOrder',
				key: 'account',
				parameters: {
					resource: 'order',
					operation: 'create',
					product: 'KPS',
					payType: 'PRE_PAY',
					kpsSerie: 1,
					kpsModel: 'STA',
					kpsMaxBandwidth: 1,
				},
				typed: 'hangzhou',
				found: /^Hangzhou 杭州.* \(3301\), \d+ left$/,
			},
			{
				nodes: ['kuaidaili', 'kuaidailiTool'],
				field: 'city',
				method: 'searchCities',
				key: 'account',
				parameters: { resource: 'city', operation: 'getAll', serie: 2 },
				typed: '杭州',
				found: /^Hangzhou 杭州.* \(3301\)/,
			},
			{
				nodes: ['kuaidaili', 'kuaidailiTool'],
				field: 'area',
				method: 'searchPrivateProxyAreas',
				key: 'dps',
				parameters: { resource: 'privateProxyResource', operation: 'getAll' },
				typed: '3301',
				found: /^Hangzhou 杭州.* \(3301\)/,
			},
			{
				nodes: ['kuaidaili', 'kuaidailiTool'],
				field: 'region',
				method: 'searchOverseasCountries',
				key: 'fps',
				parameters: { resource: 'area', operation: 'getAll', areasOf: 'overseasDynamicAreas' },
				typed: 'japan',
				found: /^Japan 日本 \(JP\)$/,
			},
			{
				nodes: ['kuaidaili', 'kuaidailiTool'],
				field: 'area',
				method: 'searchOverseasAreas',
				key: 'fps',
				parameters: { resource: 'proxy', operation: 'extract', product: 'FPS', region: 'US' },
				typed: 'texas',
				found: /^Texas$/,
			},
			{
				nodes: ['kuaidaili', 'kuaidailiTool'],
				field: 'prov',
				method: 'searchTunnelProvinces',
				key: 'tpsPro',
				parameters: { resource: 'area', operation: 'getAll', areasOf: 'tunnelProCities' },
				typed: 'zhejiang',
				found: /^Zhejiang 浙江.* \(33\)$/,
			},
			{
				nodes: ['kuaidaili', 'kuaidailiTool'],
				field: 'orderid',
				method: 'searchOrders',
				key: 'account',
				parameters: { resource: 'order', operation: 'renew', renewalOf: 'prepaid' },
				typed: tunnel,
				found: new RegExp(`^${tunnel}, Tunnel Proxy, to \\d{4}-\\d\\d-\\d\\d$`),
			},
			{
				nodes: ['kuaidailiTrigger'],
				field: 'orderid',
				method: 'searchOrders',
				key: 'account',
				parameters: { event: 'ipBalanceBelow' },
				typed: privateProxy,
				found: new RegExp(`^${privateProxy}, Private Proxy, to \\d{4}-\\d\\d-\\d\\d, Prepaid$`),
			},
		];
		await check('Every list of the editor is tried', () => {
			const tried = new Set(cases.map(({ field, method }) => `${field} ${method}`));
			const offered = new Set([...nodeProperties, ...triggerProperties].flatMap(listOf));
			expectEqual([...offered].sort().join(), [...tried].sort().join(), 'the lists');
		});
		for (const { nodes, typed, found, key, ...list } of cases) {
			await check(`'${list.field}' is picked from a list, in ${nodes.join(', ')}`, async () => {
				for (const node of nodes) {
					const asked = {
						...list,
						nodeType: `n8n-nodes-kuaidaili.${node}`,
						credentials: useCredential(credentialOf(key)),
					};
					const all = await n8n.pickFrom(asked);
					const [first, ...more] = await n8n.pickFrom(asked, typed);
					expect(all.length > 1, `the whole list has ${all.length} entries`);
					expectEqual(more.length, 0, `the number of further entries for '${typed}'`);
					expect(found.test(first ?? ''), `the entry for '${typed}' is ${excerpt(first)}`);
				}
			});
		}
	},
};

/** The field with its list, where it has one. */
function listOf(field: { name: string; type: string }): string[] {
	if (field.type !== 'resourceLocator') return [];
	return readList(field, 'modes')
		.filter((mode) => readString(mode, 'type') === 'list')
		.map((mode) => `${field.name} ${readString(mode, 'typeOptions', 'searchListMethod')}`);
}
