import { itWithOwnBed } from '../support/itWithOwnBed.mts';
import { useTestBed, type Extraction, type OpenProxy } from '../support/testBed.mts';

const bed = useTestBed({ catalogueSize: 600, seed: 7 });

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
		['area', { area: '广东省' }, { area: '广东省' }, region('广东省')],
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
			{ area: 'Beijing, hangzhou, Japan' },
			{ area: '北京,杭州,日本' },
			region('北京市', '杭州市', '日本'),
		],
		['area_ex', { areaEx: '中国' }, { area_ex: '中国' }, (proxy) => !region('中国')(proxy)],
		['port', { port: '3128,8888' }, { port: '3128,8888' }, port(3128, 8888)],
		[
			'port, as a list of numbers from an expression',
			{ port: '={{ [9999, 8123] }}' },
			{ port: '9999,8123' },
			port(9999, 8123),
		],
		['port_ex', { portEx: '3128' }, { port_ex: '3128' }, (proxy) => proxy.port !== 3128],
		[
			'ipstart',
			{ ipstart: '127.1,127.2' },
			{ ipstart: '127.1,127.2' },
			({ address }) => /^127\.[12]/.test(address),
		],
		[
			'ipstart_ex',
			{ ipstartEx: '127.1' },
			{ ipstart_ex: '127.1' },
			({ address }) => !address.startsWith('127.1'),
		],
		['an_ha', { anHa: true }, { an_ha: '1' }, ({ anonymity }) => anonymity === 'high'],
		['an_an', { anAn: true }, { an_an: '1' }, ({ anonymity }) => anonymity === 'anonymous'],
		['an_tr', { anTr: true }, { an_tr: '1' }, ({ anonymity }) => anonymity === 'transparent'],
		[
			'an_an and an_tr together',
			{ anAn: true, anTr: true, anHa: false },
			{ an_an: '1', an_tr: '1' },
			({ anonymity }) => anonymity !== 'high',
		],
		['carrier', { carrier: 2 }, { carrier: '2' }, ({ carrier }) => carrier === 2],
		['carrier, all of them', { carrier: 0 }, { carrier: '0' }, () => true],
		['protocol', { protocol: 2 }, { protocol: '2' }, ({ supportsHttps }) => supportsHttps],
		['method', { method: 2 }, { method: '2' }, ({ supportsPost }) => supportsPost],
		['quality', { quality: 2 }, { quality: '2' }, ({ quality }) => quality === 2],
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
			async (ownBed) => {
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
