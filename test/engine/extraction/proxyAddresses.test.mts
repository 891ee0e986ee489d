import type { IDataObject } from 'n8n-workflow';

import { entryOf } from '../../../sandbox/extraction/openRequest.mts';
import type { OrderKind } from '../../operations/world.mts';
import { API } from '../support/api.mts';
import { Customer } from '../support/customer.mts';
import { type ScriptedAnswer, success } from '../support/scriptedService.mts';
import { list, LOGIN, openShop } from '../support/scriptedShop.mts';
import { sleep } from '../support/sleep.mts';
import type { Extraction, OpenProxy, PlanName } from '../support/testBed.mts';
import { itWithOwnBed, useWorkbench } from '../support/workbench.mts';

const { bed } = useWorkbench({ catalogueSize: 600, seed: 7 });

interface Case {
	signType: 'hmacsha1' | 'token';
	plan: PlanName;
	format: 'text' | 'json' | 'xml';
}

/** `test/operations/proxy.mts` has each format with the extra fields. */
const CASES: readonly Case[] = [
	{ signType: 'hmacsha1', plan: 'regular', format: 'text' },
	{ signType: 'token', plan: 'vip', format: 'xml' },
	{ signType: 'hmacsha1', plan: 'svip', format: 'json' },
];

/** As the next node gets it, where nothing but the address was asked for. */
function record({ address, port }: OpenProxy) {
	return {
		proxyUrl: `http://${address}:${port}`,
		address: `${address}:${port}`,
		host: address,
		port,
	};
}

describe.each(CASES)('with sign type $signType and plan $plan, as $format', (each) => {
	const { signType, plan, format } = each;

	it('gives an item for each proxy, with exactly the promised fields', async () => {
		const options = plan === 'regular' ? {} : { format };
		const { items, errorItems, error, hints, status } = await bed().extract({
			plan,
			num: 7,
			options,
			credential: { signType },
		});

		expect(error).toBeUndefined();
		expect(status).toBe('success');
		expect(hints).toEqual([]);
		expect(errorItems).toEqual([]);
		expect(items).toHaveLength(7);
		for (const item of items) {
			const json = record(bed().proxyOf(item));
			expect(item).toStrictEqual({ json, pairedItem: { item: 0 } });
		}
		expect(new Set(items.map(({ json }) => json.address)).size).toBe(7);
	});

	it('sends the number and the format, signed in the chosen way, to the host of the plan', async () => {
		const order = bed().newOrder(plan);
		const options = plan === 'regular' ? {} : { format };
		const credentialId = bed().addCredential(order.keys, { signType });
		await bed().extract({ plan, num: 3, options, credentialId });

		const [request, ...more] = bed().extractions;
		expect(more).toEqual([]);
		expect(request).toMatchObject({
			method: 'GET',
			host: plan === 'svip' ? 'svip' : 'base',
			code: 0,
		});
		expect(bed().lastSent).toEqual(plan === 'regular' ? { num: '3' } : { num: '3', format });
		expect(request.parameters).toMatchObject({
			secret_id: order.keys.secretId,
			sign_type: signType,
			signature: expect.stringMatching(/./),
		});
		const isSigned = signType === 'hmacsha1';
		expect('nonce' in request.parameters).toBe(isSigned);
		expect('timestamp' in request.parameters).toBe(isSigned);
		expect(bed().sandbox.log.count(API.get_secret_token)).toBe(isSigned ? 0 : 1);
	});
});

it('extracts ten proxies of a regular order where only the product is filled in', async () => {
	const { items, error } = await bed().engine.run({
		credentialId: bed().addCredential(bed().newOrder('regular').keys),
		parameters: { resource: 'proxy', product: 'OPS' },
	});
	expect(error).toBeUndefined();
	expect(items).toHaveLength(10);
	expect(bed().lastSent).toEqual({ num: '10' });
});

it('puts all proxies in one item on request', async () => {
	const { items } = await bed().extract({ num: 4, output: 'allInOne' });
	expect(items).toEqual([
		{ json: { count: 4, proxies: expect.any(Array) }, pairedItem: { item: 0 } },
	]);
	const { proxies } = items[0].json;
	if (!Array.isArray(proxies)) throw new Error('There is no list');
	expect(proxies).toHaveLength(4);
	for (const json of proxies) expect(json).toStrictEqual(record(bed().proxyOf({ json })));
});

/** One call for everything there is: what comes back is then decided by the filter alone. */
async function everything(extraction: Extraction): Promise<OpenProxy[]> {
	const { items, error } = await bed().extract({ num: 2000, ...extraction });
	expect(error).toBeUndefined();
	return items.map((item) => bed().proxyOf(item));
}

function byAddress(proxies: readonly OpenProxy[]): string[] {
	return proxies.map(({ address }) => address).sort();
}

type Filter = [
	name: string,
	filters: object,
	sent: Record<string, string>,
	fits: (proxy: OpenProxy) => boolean,
];

function region(...names: string[]) {
	return (proxy: OpenProxy) => {
		const { country, province, city } = proxy.region;
		return [country, province, city].some((name) => names.includes(name));
	};
}

function port(...ports: number[]) {
	return (proxy: OpenProxy) => ports.includes(proxy.port);
}

describe('a filter', () => {
	it.each<Filter>([
		[
			'area, with a Chinese comma and spaces',
			{ area: '北京市， 杭州市' },
			{ area: '北京市,杭州市' },
			region('北京市', '杭州市'),
		],
		[
			'area, as a list from an expression',
			{ area: '={{ ["美国", "日本"] }}' },
			{ area: '美国,日本' },
			region('美国', '日本'),
		],
		[
			'area, in English',
			{ area: 'Beijing, hangzhou, 日本' },
			{ area: '北京,杭州,日本' },
			region('北京市', '杭州市', '日本'),
		],
		[
			'port, as a list of numbers from an expression',
			{ port: '={{ [9999, 8123] }}' },
			{ port: '9999,8123' },
			port(9999, 8123),
		],
		[
			'an_an and an_tr together',
			{ anAn: true, anTr: true, anHa: false },
			{ an_an: '1', an_tr: '1' },
			({ anonymity }) => anonymity !== 'high',
		],
		[
			'all of them at once',
			{ areaEx: '美国', portEx: '3128', ipstart: '127.', anHa: true, carrier: 1, quality: 1 },
			{
				area_ex: '美国',
				port_ex: '3128',
				ipstart: '127.',
				an_ha: '1',
				carrier: '1',
				quality: '1',
			},
			(proxy) =>
				proxy.region.country !== '美国' &&
				proxy.port !== 3128 &&
				proxy.anonymity === 'high' &&
				proxy.carrier === 1 &&
				proxy.quality >= 1,
		],
	])("%s reaches Kuaidaili by Kuaidaili's name, and filters", async (...each) => {
		const [, filters, sent, fits] = each;
		const found = await everything({ filters });
		expect(bed().lastSent).toEqual({ num: '2000', format: 'json', ...sent });
		const fitting = bed().sandbox.catalogue.filter(fits);
		expect(fitting.length).toBeGreaterThan(0);
		expect(byAddress(found)).toEqual(byAddress(fitting));
	});

	it('is not sent when it is off or empty', async () => {
		const filters = { port: ' , ', anHa: false, dedup: false, ipstart: [] };
		await bed().extract({ filters });
		expect(bed().lastSent).toEqual({ num: '1', format: 'json' });
	});
});

describe('sorting', () => {
	it.each<[name: string, sort: number, value: (proxy: OpenProxy) => number]>([
		['the fastest first', 1, ({ responseSeconds }) => responseSeconds],
		['the most recently checked first', 2, ({ checkedSecondsAgo }) => checkedSecondsAgo],
	])('puts %s, and keeps that order', async (_name, sort, value) => {
		const found = await everything({ options: { sort } });
		expect(bed().lastSent).toEqual({ num: '2000', format: 'json', sort: String(sort) });
		const values = found.map(value);
		expect(values).toHaveLength(600);
		expect(values).toEqual([...values].sort((a, b) => a - b));
	});
});

itWithOwnBed(
	{
		'Skip Already Extracted gives what the order did not get today, at the slower pace of it':
			async ({ bed: ownBed }) => {
				const credentialId = ownBed.addCredential(ownBed.newOrder().keys);
				const extraction: Extraction = { num: 590, credentialId, filters: { dedup: true } };
				const first = await ownBed.extract(extraction);
				const second = await ownBed.extract(extraction);

				expect(ownBed.lastSent).toEqual({ num: '590', format: 'json', dedup: '1' });
				expect(first.items).toHaveLength(590);
				expect(second.items).toHaveLength(10);
				const proxies = [...first.items, ...second.items].map(({ json }) => json.address);
				expect(new Set(proxies).size).toBe(600);
				const [one, two] = ownBed.extractions;
				// By the plan alone it would be 0.2 seconds
				expect(two.arrival - one.arrival).toBeGreaterThanOrEqual(5000);
			},
	},
	{ catalogueSize: 600 },
);

it.each([
	['vip', 'base'],
	['svip', 'svip'],
] as const)('Skip Already Extracted asks the host of the plan %s', async (plan, host) => {
	const { items, error } = await bed().extract({ plan, num: 1, filters: { dedup: true } });
	expect(error).toBeUndefined();
	expect(items).toHaveLength(1);
	expect(bed().extractions.map((request) => request.host)).toEqual([host]);
});

describe('extra fields', () => {
	const ALL = { fLoc: true, fAn: true, fPr: true, fSp: true };
	const everyField = { region: true, anonymity: true, protocol: true, speed: true };

	it('are all there', async () => {
		const { items } = await bed().extract({ num: 40, extraFields: ALL });
		expect(bed().lastSent).toEqual({
			num: '40',
			format: 'json',
			f_loc: '1',
			f_an: '1',
			f_pr: '1',
			f_sp: '1',
		});
		expect(items).toHaveLength(40);
		for (const { json } of items) {
			const known = bed().proxyOf({ json });
			const [address, region, anonymity, protocol, responseTime] = entryOf(known, everyField).split(
				',',
			);
			expect(json).toStrictEqual({
				proxyUrl: `http://${address}`,
				address,
				host: known.address,
				port: known.port,
				region,
				anonymity,
				protocol,
				responseTime,
			});
		}
	});

	it('are in the list of the one item as well', async () => {
		const { items } = await bed().extract({
			num: 2,
			output: 'allInOne',
			extraFields: { fLoc: true },
		});
		expect(items).toEqual([
			{
				json: {
					count: 2,
					proxies: [
						expect.objectContaining({ region: expect.stringMatching(/./) }),
						expect.objectContaining({ region: expect.stringMatching(/./) }),
					],
				},
				pairedItem: { item: 0 },
			},
		]);
	});
});

describe('the separator of the text format', () => {
	it.each<[sep: number, Extraction]>([
		[1, { extraFields: { fLoc: true, fSp: true } }],
		[2, { plan: 'regular' }],
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

	it('that two runs wait for still comes to one when the other is cancelled', async () => {
		const me = owner('tps');
		bed().sandbox.faults.add({ kind: 'delay', ms: 3000, path: '/api/getproxyauthorization' });
		const cancelWhen = sleep(1000);
		const [cancelled, other] = await Promise.all([
			me.extract({ product: 'TPS' }, { cancelWhen }),
			me.extract({ product: 'TPS' }),
		]);
		expect(cancelled.status).toBe('canceled');
		expect(other.error).toBeUndefined();
		expect(other.items).toHaveLength(1);
	});
});
