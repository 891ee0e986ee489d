import type { OpenProxy } from '../../../sandbox/catalogue/openProxies.mts';
import { startSandbox } from '../../../sandbox/sandbox.mts';
import { call, type Parameters } from '../client.mts';
import { ask, entries, type KeyName, PATH, sandbox } from './extractingOpen.mts';

/** What the sandbox knows about the addresses of an answer. */
async function proxies(parameters: Parameters, key: KeyName = 'opsVip'): Promise<OpenProxy[]> {
	const places = await entries(parameters, key);
	const catalogue = new Map(
		sandbox.catalogue.map((each) => [`${each.address}:${each.port}`, each]),
	);
	return places.map((place) => {
		const proxy = catalogue.get(place);
		if (!proxy) throw new Error(`"${place}" is not in the catalogue`);
		return proxy;
	});
}

describe('filters', () => {
	const NUM = '200';

	it.each<[parameters: Parameters, test: (proxy: OpenProxy) => boolean]>([
		[{ area: '浙江' }, ({ region }) => region.province === '浙江省'],
		[
			{ area: '广州市,美国' },
			({ region }) => region.city === '广州市' || region.country === '美国',
		],
		[{ area_ex: '中国' }, ({ region }) => region.country !== '中国'],
		[
			{ area: '浙江', area_ex: '杭州' },
			({ region }) => region.province === '浙江省' && region.city !== '杭州市',
		],
		[{ port: '3128,8118' }, ({ port }) => port === 3128 || port === 8118],
		[{ port_ex: '3128,8118' }, ({ port }) => port !== 3128 && port !== 8118],
		[{ carrier: '4' }, ({ carrier }) => carrier === 4],
		[{ protocol: '2' }, ({ supportsHttps }) => supportsHttps],
		[{ method: '2' }, ({ supportsPost }) => supportsPost],
		[{ quality: '1' }, ({ quality }) => quality >= 1],
		[{ an_ha: '1' }, ({ anonymity }) => anonymity === 'high'],
		[{ an_an: '1' }, ({ anonymity }) => anonymity === 'anonymous'],
		[{ an_ha: '1', an_tr: '1' }, ({ anonymity }) => anonymity !== 'anonymous'],
		[{ ipstart: '127.1' }, ({ address }) => address.startsWith('127.1')],
		[{ ipstart: '127.12.,127.13.' }, ({ address }) => /^127\.1[23]\./.test(address)],
		[{ ipstart_ex: '127.1,127.2' }, ({ address }) => !/^127\.[12]/.test(address)],
	])('%j', async (parameters, test) => {
		const matching = sandbox.catalogue.filter(test);
		const found = await proxies({ ...parameters, num: NUM });
		expect(found).toHaveLength(Math.min(Number(NUM), matching.length));
		expect(found.every(test)).toBe(true);
		expect(matching.length).toBeLessThan(sandbox.catalogue.length);
	});

	it.each([[{ protocol: '1' }], [{ method: '1' }], [{ carrier: '0' }], [{ area: '' }]])(
		'%j leaves nothing out',
		async (parameters) => {
			expect(await entries({ ...parameters, num: '1000' })).toHaveLength(1000);
		},
	);

	it('quality 2 is what SVIP gets', async () => {
		const found = await proxies({ quality: '2', num: '100' }, 'opsSvip');
		expect(found.every(({ quality }) => quality === 2)).toBe(true);
	});

	it('3: nothing matches', async () => {
		const reply = await ask({ num: '5', area: '火星', format: 'json' });
		expect(reply.json.code).toBe(3);
		expect(sandbox.log.last()).toMatchObject({ code: 3, workDone: false });
	});

	it('fewer than asked for, when fewer match', async () => {
		const [one] = sandbox.catalogue;
		const found = await proxies({ num: '5', ipstart: String(one?.address) });
		expect(found).toEqual([one]);
	});
});

describe('order of the entries', () => {
	it('each call draws anew, without doubles, and calls overlap', async () => {
		const first = await entries({ num: '1000' });
		const second = await entries({ num: '1000' });
		expect(new Set(first).size).toBe(1000);
		expect(second).not.toEqual(first);
		const both = new Set([...first, ...second]).size;
		expect(both).toBeGreaterThan(1500);
		expect(both).toBeLessThan(1950);
	});

	it('the same seed draws the same', async () => {
		const draw = async (seed: number) => {
			const other = await startSandbox({ seed, forwardProxies: false });
			const { text } = await call(other.hosts.baseUrl, PATH, other.keys.opsVip, { num: '10' });
			await other.close();
			return text;
		};
		expect(await draw(1)).toBe(await draw(1));
		expect(await draw(1)).not.toBe(await draw(2));
	});

	it('sort 1 gives the fastest first, sort 2 the last checked', async () => {
		const fastest = await proxies({ num: '50', sort: '1' });
		const speeds = sandbox.catalogue.map(({ responseSeconds }) => responseSeconds);
		expect(fastest.map(({ responseSeconds }) => responseSeconds)).toEqual(
			speeds.sort((left, right) => left - right).slice(0, 50),
		);

		const recent = await proxies({ num: '50', sort: '2' }, 'opsSvip');
		const ages = sandbox.catalogue.map(({ checkedSecondsAgo }) => checkedSecondsAgo);
		expect(recent.map(({ checkedSecondsAgo }) => checkedSecondsAgo)).toEqual(
			ages.sort((left, right) => left - right).slice(0, 50),
		);
	});
});

it('a large catalogue has different addresses, away from 127.0.0', async () => {
	const options = { catalogueSize: 20_000, forwardProxies: false, rateLimits: false };
	const other = await startSandbox(options);
	const { text } = await call(other.hosts.svipUrl, PATH, other.keys.opsSvip, { num: '2000' });
	await other.close();
	const addresses = new Set(other.catalogue.map(({ address }) => address));
	const seconds = new Set([...addresses].map((address) => address.split('.')[1]));
	expect([addresses.size, seconds.size, seconds.has('0')]).toEqual([20_000, 254, false]);
	expect(new Set(text.split('\r\n')).size).toBe(2000);
}, 30_000);
