import type { IDataObject } from 'n8n-workflow';

import type { OrderKind } from '../../operations/world.mts';
import { Customer } from '../support/customer.mts';
import { type ScriptedAnswer, success } from '../support/scriptedService.mts';
import { list, LOGIN, openShop } from '../support/scriptedShop.mts';
import type { Extraction } from '../support/testBed.mts';
import { useWorkbench } from '../support/workbench.mts';

const { bed } = useWorkbench();

it('extracts ten proxies of a regular order where only the product is filled in', async () => {
	const { items, error } = await bed().engine.run({
		credentialId: bed().addCredential(bed().newOrder('regular').keys),
		parameters: { resource: 'proxy', product: 'OPS' },
	});
	expect(error).toBeUndefined();
	expect(items).toHaveLength(10);
	expect(bed().lastSent).toEqual({ num: '10' });
});

it.each([
	['vip', 'base'],
	['svip', 'svip'],
] as const)('Skip Already Extracted asks the host of the plan %s', async (plan, host) => {
	const { items, error } = await bed().extract({ plan, num: 1, filters: { dedup: true } });
	expect(error).toBeUndefined();
	expect(items).toHaveLength(1);
	expect(bed().extractions.map((request) => request.host)).toEqual([host]);
});

describe('the separator of the text format', () => {
	it.each<[sep: number, Extraction]>([
		[3, { extraFields: { fLoc: true, fSp: true } }],
		[4, { plan: 'regular' }],
	])('%i separates proxies, with %j', async (sep, extraction) => {
		const options = { sep, format: 'text' };
		const { items, error } = await bed().extract({ num: 30, ...extraction, options });
		expect(error).toBeUndefined();
		expect(bed().lastSent).toMatchObject({ num: '30', sep: String(sep) });
		expect(items).toHaveLength(30);
		for (const item of items) {
			const { responseSeconds } = bed().proxyOf(item);
			const { plan } = extraction;
			expect(item.json.responseTime).toBe(plan ? undefined : responseSeconds.toFixed(2));
			expect(item.json).not.toHaveProperty('raw');
		}
	});

	it('is not sent with a format that has none', async () => {
		await bed().extract({ options: { sep: 4, format: 'xml' } });
		expect(bed().lastSent).toEqual({ num: '1', format: 'xml' });
	});
});

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

	it.each([
		['DPS', 'json', { num: 3 }, ',60'],
		['KPS', 'text', {}, ''],
		['FPS', 'xml', { connection: 'extraction', num: 3 }, ''],
		['SFPS', 'text', {}, ':u1:p1:US'],
	] as const)('of %s may be IPv6 or a name, as %s', async (product, format, fields, behind) => {
		const entries = ADDRESSES.map((address) => `${address}${behind}`);
		const shop = await openShop(bed().engine, () => written(format, entries));
		const { items, error } = await shop.run({ product, ...fields, options: { format } });
		expect(error).toBeUndefined();
		const login = product === 'SFPS' ? 'u1:p1' : 'd1:p%3Aa%40ss';
		expect(items.map(({ json }) => json.proxyUrl)).toEqual(
			ADDRESSES.map((address) => `http://${login}@${address}`),
		);
		expect(items.map(({ json }) => json.host)).toEqual([
			'113.120.61.166',
			'2001:db8::1',
			'us.x000.kdlfps.com',
		]);
	});

	it.each(['TPS', 'TPS_PRO', 'FPS'])('of the tunnel %s may be IPv6', async (product) => {
		const shop = await openShop(bed().engine, () => list(['[2001:db8::1]:15818']));
		const { items } = await shop.run({ product });
		expect(items[0].json).toMatchObject({ ...LOGIN, host: '2001:db8::1', port: 15_818 });
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
		const shop = await openShop(bed().engine, () => answer);
		const { items, error } = await shop.run({ product: 'KPS', kpsBy: 'id', fId: 'lrps-1' });
		expect(error).toBeUndefined();
		expect(items[0].json).toMatchObject({ ...LOGIN, ...expected });
	});
});

const AS_TOOL = { type: 'kuaidailiTool' };

const owner = (kind: OrderKind) => new Customer(bed(), { kind });

describe('a login', () => {
	it.each<[string, OrderKind, IDataObject]>([
		['DPS', 'dps', { num: 2 }],
		['KPS', 'kps', {}],
		['TPS', 'tps', { session: 'abc' }],
		['SFPS', 'sfps', {}],
	])('of %s does not reach the model of an agent', async (product, kind, fields) => {
		const me = owner(kind);
		const { items, hints, error } = await me.extract(
			{ product, ...fields },
			{ settings: AS_TOOL, executionId: kind },
		);
		expect(error).toBeUndefined();
		expect(items.length).toBeGreaterThan(0);
		for (const { json } of items) {
			expect(json.proxyUrl).toBe(`http://${String(json.address)}`);
			expect(json).not.toHaveProperty('password');
			expect(json).not.toHaveProperty('username');
		}
		expect(hints.map(({ message }) => message).join()).toContain("'Include Secrets'");
	});

	it('does not reach a model through another item that shares the extraction', async () => {
		const me = owner('dps');
		const { items } = await me.extract(
			{
				product: 'DPS',
				output: 'forEachInput',
				options: { includeSecrets: '={{ $json.mayRead }}' },
			},
			{ settings: AS_TOOL, items: [{ mayRead: true }, { mayRead: false }] },
		);
		const [first, second] = items.map(({ json }) => json);
		expect(first.proxyDetails).toHaveProperty('password');
		expect(second.proxyDetails).not.toHaveProperty('password');
		expect(second.proxyUrl).not.toContain('@');
	});

	it('that came in an unknown layout is put out only where logins are wanted', async () => {
		const entry = '113.120.61.166:22989,user:secretword,1200';
		const shop = await openShop(bed().engine, () => list([entry]));
		const hidden = await shop.run({ product: 'DPS', num: 1, login: 'none' });
		expect(hidden.error).toBeUndefined();
		expect(hidden.saved).not.toContain('secretword');
		const shown = await shop.run({ product: 'DPS', num: 1 });
		expect(shown.items[0].json.raw).toBe(entry);
	});

	it('that the order has none of is blamed on the product first', async () => {
		const { error } = await owner('opsSvip').extract({ product: 'DPS' });
		expect(error?.description).toMatch(
			/^Check the product of the order, which 'Order: Get' shows, and 'Product'/,
		);
	});

	it.each([
		['getsfps', { product: 'SFPS' }, list(['garbage:user:secretword:US'])],
		['getsfps as text', { product: 'SFPS' }, { body: '1.2.3.4:80\ngarbage user:secretword' }],
		[
			'getdps as text',
			{ product: 'DPS', num: 1 },
			{ body: 'ERROR: 1.2.3.4:80:user:secretword <br>' },
		],
		['gettps', { product: 'TPS' }, success({ proxy_list: { user: 'secretword' } })],
		['getfpsip', { product: 'FPS', connection: 'extraction', num: 1 }, list(['x:secretword'])],
	])('is in no error about an answer of %s that cannot be read', async (_, fields, answer) => {
		const shop = await openShop(bed().engine, () => answer);
		const { error, saved } = await shop.run(fields);
		expect(error?.message).toMatch(/^Kuaidaili's response contains/);
		expect(saved).not.toContain('secretword');
	});

	it('is not put out with open proxies, which have none', async () => {
		const shop = await openShop(bed().engine, () =>
			list(['user:secretword@1.2.3.4:80', '1.2.3.5:80:user:secretword']),
		);
		const { items, saved } = await shop.run({ product: 'OPS', num: 2 });
		expect(items.map(({ json }) => json)).toEqual([
			{ proxyUrl: 'http://1.2.3.4:80', address: '1.2.3.4:80', host: '1.2.3.4', port: 80 },
			{ proxyUrl: 'http://1.2.3.5:80', address: '1.2.3.5:80', host: '1.2.3.5', port: 80 },
		]);
		expect(saved).not.toContain('secretword');
	});
});
