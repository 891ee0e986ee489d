import assert from 'node:assert/strict';

import { EXTRACT_CASES, EXTRACT_ENDPOINTS } from './extractProducts.mts';
import { LOGIN_ANSWER } from './common.mts';
import { CHECK, CHECK_ENDPOINTS } from './proxyCheck.mts';
import type { Answer, Json, OperationCase, Outcome, ResourceRow } from './row.mts';
import type { World } from './world.mts';

const PROXIES = '/api/getproxy';
const LOGIN = '/api/getproxyauthorization';

const EXTRAS = { fLoc: true, fAn: true, fPr: true, fSp: true };
const EXTRAS_SENT = { f_loc: '1', f_an: '1', f_pr: '1', f_sp: '1' };

function isList(value: unknown): value is readonly Json[] {
	return Array.isArray(value);
}

/** Different ones of the sandbox, with these fields and no others. */
function expectProxies(
	proxies: readonly Json[],
	{ sandbox: { catalogue } }: World,
	count: number,
	extras: readonly string[] = [],
): void {
	assert.equal(new Set(proxies.map(({ address }) => address)).size, count);
	assert.equal(proxies.length, count);
	for (const { proxyUrl, address, host, port, ...more } of proxies) {
		assert.ok(catalogue.some((one) => one.address === host && one.port === port));
		assert.deepEqual([address, proxyUrl], [`${host}:${port}`, `http://${host}:${port}`]);
		assert.deepEqual(Object.keys(more), extras);
	}
}

const withProxies =
	(count: number, extras?: readonly string[]) =>
	({ records }: Outcome, world: World) =>
		expectProxies(records, world, count, extras);

const OF_EACH = ['proxyUrl', 'address', 'host', 'port', 'region', 'anonymity', 'raw'];

const plain: Answer = {
	data: { count: 3, proxy_list: ['113.120.61.166:22989', '122.4.44.132:21808', '10.0.0.1:80'] },
	shape: 'proxies',
	added: OF_EACH,
};
const withExtras: Answer = {
	data: {
		count: 2,
		proxy_list: ['113.120.61.166:22989,北京市 电信,高匿名', '122.4.44.132:21808,上海市,匿名'],
	},
	shape: 'proxies',
	added: OF_EACH,
};

/** The same with one of the plans in each form that its answers may have. */
function inFormat(format: 'json' | 'text' | 'xml', answer: Answer): OperationCase {
	return {
		what: `with the plan VIP and the extra fields, as ${format}`,
		order: 'opsVip',
		fields: {
			product: 'OPS',
			plan: 'vip',
			num: 20,
			options: { extraFields: EXTRAS, format },
		},
		sent: { num: '20', format, ...EXTRAS_SENT },
		prove: withProxies(20, ['region', 'anonymity', 'protocol', 'responseTime']),
		answers: { [PROXIES]: format === 'json' ? answer : { ...answer, format } },
	};
}

export const proxy: ResourceRow = {
	resource: 'proxy',
	label: 'Proxy',
	opensWith: 'extract',
	operations: [
		CHECK,
		{
			operation: 'extract',
			label: 'Extract',
			action: 'Extract proxies',
			labels: ['Product', 'Order', 'Output', 'Number of Proxies', 'Options'],
			key: 'order',
			path: PROXIES,
			everyChoiceOf: ['product', 'plan', 'output'],
			cases: [
				{
					what: 'with the plan SVIP, sorted',
					order: 'opsSvip',
					fields: { product: 'OPS', plan: 'svip', num: 15, options: { sort: 1 } },
					sent: { num: '15', format: 'json', sort: '1' },
					prove(outcome, world) {
						withProxies(15)(outcome, world);
						assert.equal(outcome.request.host, 'svip');
					},
					answers: { [PROXIES]: plain },
				},
				{
					what: 'with the plan Regular',
					order: 'opsRegular',
					fields: { product: 'OPS', plan: 'regular', num: 7 },
					sent: { num: '7' },
					prove: withProxies(7),
					answers: { [PROXIES]: { ...plain, format: 'text' } },
				},
				...(['json', 'text', 'xml'] as const).map((format) => inFormat(format, withExtras)),
				{
					what: 'all in one item, those with high anonymity',
					order: 'opsSvip',
					fields: {
						product: 'OPS',
						plan: 'svip',
						num: 4,
						output: 'allInOne',
						options: {
							filters: { anHa: true },
							extraFields: { fAn: true },
						},
					},
					sent: { num: '4', format: 'json', an_ha: '1', f_an: '1' },
					prove({ records: [record, ...others] }, world) {
						assert.deepEqual(others, []);
						assert.deepEqual(Object.keys(record), ['count', 'proxies']);
						assert.equal(record.count, 4);
						assert.ok(isList(record.proxies));
						expectProxies(record.proxies, world, 4, ['anonymity']);
					},
				},
				{
					what: 'with every filter, which no proxy passes',
					order: 'opsSvip',
					fields: {
						product: 'OPS',
						plan: 'svip',
						num: 5,
						options: {
							filters: {
								anAn: true,
								anTr: true,
								area: '火星',
								areaEx: '台湾',
								carrier: 1,
								dedup: true,
								ipstart: '120.52.',
								ipstartEx: '113.',
								method: 2,
								port: '8080,3128',
								portEx: '80',
								protocol: 2,
								quality: 2,
							},
							format: 'text',
							sep: 4,
						},
					},
					sent: {
						num: '5',
						an_an: '1',
						an_tr: '1',
						area: '火星',
						area_ex: '台湾',
						carrier: '1',
						dedup: '1',
						ipstart: '120.52.',
						ipstart_ex: '113.',
						method: '2',
						port: '8080,3128',
						port_ex: '80',
						protocol: '2',
						quality: '2',
						format: 'text',
						sep: '4',
					},
					code: 3,
					gives: () => [],
					prove: ({ hints }) => assert.match(hints[0], /^No proxies match/),
				},
				...EXTRACT_CASES,
			],
		},
		{
			operation: 'getLogin',
			label: 'Get Login',
			action: 'Get proxy login',
			labels: ['Order', 'Options'],
			key: 'order',
			path: LOGIN,
			cases: [
				{
					what: 'of a private proxy order',
					order: 'dps',
					fields: { options: { includeSecrets: true } },
					sent: { plaintext: '1' },
					gives({ chosen, theOrder }) {
						assert.ok('login' in theOrder);
						const { username, password } = theOrder.login;
						const credentials = Buffer.from(`${username}:${password}`).toString('base64');
						const proxyAuthorization = `Basic ${credentials}`;
						return [{ ...chosen, username, password, proxyAuthorization }];
					},
					answers: {
						[LOGIN]: { ...LOGIN_ANSWER, shape: 'object', added: ['proxyAuthorization'] },
					},
				},
			],
		},
	],
	endpoints: [
		{ path: LOGIN, codes: {} },
		{
			path: PROXIES,
			title: 'Proxy: Extract, open proxies',
			outcomeUnknownWithQuota: [-114],
			codes: {
				[3]: 'nothing found',
				[2]: /order.*expired.*renew/i,
				[-1]: /request as invalid.*check the values/i,
				[-2]: /order is invalid.*choose an open proxy order/i,
				[-3]: /did not accept one of the values.*check the values/i,
				[-4]: /could not extract.*try again/i,
				[-5]: /is a dedicated proxy order.*'Dedicated Proxy \(KPS\)'.*choose an open proxy order/i,
				[-6]: /is a private proxy order.*'Private Proxy \(DPS\)'.*choose an open proxy order/i,
				[-7]: /is a tunnel proxy order.*'Tunnel Proxy \(TPS\)'.*choose an open proxy order/i,
				[-11]: /not been paid.*pay/i,
				[-12]: /order is invalid.*choose an open proxy order/i,
				[-13]: /order.*expired.*renew/i,
				[-14]: /banned.*support/i,
				[-15]: /order.*expired.*renew/i,
				[-16]: /refunded.*choose an open proxy order/i,
				[-20]: /too long.*smaller 'Number of Proxies'/i,
				[-21]: 'tries again',
				[-22]: 'tries again',
				[-23]: /up to 500.*'Plan' to 'Regular'/,
				[-24]: /sorting needs a VIP or SVIP.*'Sort'/i,
				[-25]: /extra fields need a VIP or SVIP.*'Extra Fields'/i,
				[-26]: /not a VIP order.*'Plan' to 'Regular'/,
				[-31]: /stable proxies need a VIP or SVIP.*'Stability'/i,
				[-32]: /most stable proxies need an SVIP.*'Stability'/i,
				[-33]: /not an SVIP order.*'Plan'/i,
				[-35]: /up to 1,000.*'Plan' to 'VIP'/,
				[-45]: /up to 2,000.*'Plan' to 'SVIP'/,
				[-51]: /too many different IP addresses.*has tried again for a minute/i,
			},
		},
		...CHECK_ENDPOINTS,
		...EXTRACT_ENDPOINTS,
	],
};
