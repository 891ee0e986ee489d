import type { IDataObject } from 'n8n-workflow';

import { inShop, list, LOGIN, success } from '../support/scriptedShop.mts';
import type { ScriptedAnswer } from '../support/scriptedService.mts';
import { useTestBed } from '../support/testBed.mts';

const bed = useTestBed();

describe('an address', () => {
	const ADDRESSES = ['113.120.61.166:22989', '[2001:db8::1]:8080', 'us.x000.kdlfps.com:18866'];

	/** The same list as the service writes it in that format. */
	function written(format: string, entries: readonly string[]): ScriptedAnswer {
		if (format === 'json') return list(entries);
		if (format === 'text') return { body: entries.join('\r\n') };
		const proxies = entries.map((entry) => `<proxy>${entry}</proxy>`).join('');
		return {
			body: `<result><code>0</code><msg></msg><data><count>${entries.length}</count><proxy_list>${proxies}</proxy_list></data></result>`,
		};
	}

	it.each(
		['json', 'text', 'xml'].flatMap((format) =>
			(
				[
					[{ product: 'DPS', num: 3 }, ',60'],
					[{ product: 'KPS' }, ''],
					[{ product: 'FPS', connection: 'extraction', num: 3 }, ''],
					[{ product: 'SFPS' }, ':u1:p1:US'],
				] as const
			).map(([fields, behind]) => [fields.product, format, fields, behind] as const),
		),
	)('of %s may be IPv6 or a name, as %s', async (_, format, fields, behind) => {
		const entries = ADDRESSES.map((address) => `${address}${behind}`);
		await inShop(
			bed().engine,
			() => written(format, entries),
			async (shop) => {
				const { items, error } = await shop.run({ ...fields, options: { format } });
				expect(error).toBeUndefined();
				const login = fields.product === 'SFPS' ? 'u1:p1' : 'd1:p%3Aa%40ss';
				expect(items.map(({ json }) => json.proxyUrl)).toEqual(
					ADDRESSES.map((address) => `http://${login}@${address}`),
				);
				expect(items.map(({ json }) => json.host)).toEqual([
					'113.120.61.166',
					'2001:db8::1',
					'us.x000.kdlfps.com',
				]);
			},
		);
	});

	it.each(['TPS', 'TPS_PRO', 'FPS'])('of the tunnel %s may be IPv6', async (product) => {
		for (const format of ['json', 'text', 'xml']) {
			await inShop(
				bed().engine,
				() => written(format, ['[2001:db8::1]:15818']),
				async (shop) => {
					const { items } = await shop.run({ product, options: { format } });
					expect(items[0].json).toMatchObject({ ...LOGIN, host: '2001:db8::1', port: 15_818 });
				},
			);
		}
	});

	it.each<[string, ScriptedAnswer, IDataObject]>([
		['JSON', success({ ip: '218.95.37.135', port: '10272' }), { host: '218.95.37.135' }],
		['IPv6', success({ ip: '2001:db8::1', port: 10_272 }), { address: '[2001:db8::1]:10272' }],
		[
			'an exit of its own',
			success({ ip: '218.95.37.135', port: '10272', public_ip: '175.160.149.129' }),
			{ publicIp: '175.160.149.129' },
		],
		['text', { body: '218.95.37.135:10272' }, { host: '218.95.37.135', port: 10_272 }],
		[
			'XML',
			{
				body: '<result><code>0</code><msg></msg><data><ip>218.95.37.135</ip><port>10272</port></data></result>',
			},
			{ port: 10_272 },
		],
	])('of a dedicated proxy by its ID is read from %s', async (_, answer, expected) => {
		await inShop(
			bed().engine,
			() => answer,
			async (shop) => {
				const { items, error } = await shop.run({ product: 'KPS', kpsBy: 'id', fId: 'lrps-1' });
				expect(error).toBeUndefined();
				expect(items[0].json).toMatchObject({ ...LOGIN, ...expected });
			},
		);
	});
});
