import { expect, expectEqual } from '../../../harness/checks/expectations.mts';
import { at, excerpt, readList, readString } from '../../../harness/outsideData.mts';
import type { Sandbox } from '../../../sandbox/sandbox.mts';
import type { OperationCase } from './operationCase.mts';

const EXTRAS = ['region', 'anonymity', 'protocol', 'responseTime'];

/** Extracting open proxies, with each plan and in each form of the answer. */
export function proxyCases({ catalogue, hosts }: Sandbox): OperationCase[] {
	const addresses = new Set(catalogue.map(({ address }) => address));
	const expectProxies = (proxies: readonly unknown[], count: number, extras: readonly string[]) => {
		expectEqual(proxies.length, count, 'the number of proxies');
		const different = new Set(proxies.map((proxy) => at(proxy, 'proxy')));
		expectEqual(different.size, count, 'the number of different proxies');
		for (const proxy of proxies) {
			const host = readString(proxy, 'host');
			expect(addresses.has(host), `the sandbox has no proxy with the address ${host}`);
			expectEqual(at(proxy, 'proxyUrl'), `http://${host}:${String(at(proxy, 'port'))}`, 'proxyUrl');
			const shown = Object.keys(Object(proxy)).slice(4);
			expectEqual(shown.join(), extras.join(), `the extra fields of ${excerpt(proxy)}`);
		}
	};
	const extract = { resource: 'proxy', operation: 'extract', path: '/api/getproxy' } as const;
	const everyExtra = { fLoc: true, fAn: true, fPr: true, fSp: true };
	return [
		{
			...extract,
			what: 'with the plan Regular',
			key: 'opsRegular',
			parameters: { plan: 'regular', num: 7 },
			prove({ records, request }) {
				expectProxies(records, 7, []);
				expectEqual(request.parameters.format, undefined, "the parameter 'format'");
			},
		},
		...['json', 'text', 'xml'].map(
			(format): OperationCase => ({
				...extract,
				what: `with the plan VIP and the extra fields, as ${format}`,
				key: 'opsVip',
				parameters: { plan: 'vip', num: 20, extraFields: everyExtra, options: { format } },
				prove({ records, request }) {
					expectProxies(records, 20, EXTRAS);
					expectEqual(request.parameters.format ?? 'text', format, "the parameter 'format'");
				},
			}),
		),
		{
			...extract,
			what: 'with the plan SVIP and a filter, all in one item',
			key: 'opsSvip',
			parameters: {
				plan: 'svip',
				num: 15,
				output: 'allInOne',
				filters: { anHa: true },
				extraFields: { fAn: true },
			},
			prove({ records, request }) {
				expectEqual(records.length, 1, 'the number of records');
				expectEqual(at(records[0], 'count'), 15, "'count'");
				expectProxies(readList(records[0], 'proxies'), 15, ['anonymity']);
				expectEqual(request.parameters.an_ha, '1', "the parameter 'an_ha'");
				expectEqual(request.host, 'svip', `the host (of ${hosts.svipUrl})`);
			},
		},
		{
			...extract,
			what: "with the account's key pair",
			key: 'account',
			order: 'opsVip',
			parameters: { plan: 'vip', num: 3 },
			prove({ records }) {
				expectProxies(records, 3, []);
			},
		},
	];
}
