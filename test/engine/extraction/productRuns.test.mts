import type { IDataObject } from 'n8n-workflow';

import type { Extraction } from '../support/testBed.mts';
import { bed, GET_DPS, loginOf, owner } from './productExtraction.mts';

describe('a tunnel', () => {
	it('takes a lock or a channel behind the password', async () => {
		const me = owner('tps');
		const { username, password } = loginOf(me);
		const { items } = await me.run({ product: 'TPS', session: 'abc' });
		expect(items[0].json).toMatchObject({ username, password: `${password}:abc` });
		expect(items[0].json.proxyUrl).toContain(`:${password}%3Aabc@`);
	});

	it('Pro takes period, session, region and suffix behind the user name', async () => {
		const me = owner('tpsPro');
		const { username } = loginOf(me);
		const fields = { sessionMinutes: 0.5, session: 's01', region: 'NC', suffix: 'type-std' };
		const { items } = await me.run({ product: 'TPS_PRO', ...fields });
		expect(items[0].json.username).toBe(`${username}-period-0.5-sid-s01-area-NC-type-std`);
	});

	it('overseas takes country, area and period, and tells the service the country', async () => {
		const me = owner('fps');
		const { username } = loginOf(me);
		const fields = { region: 'US', area: 'New York', sessionMinutes: 1 };
		const { items } = await me.run({ product: 'FPS', ...fields });
		expect(items[0].json.username).toBe(`${username}-region-US-area-New York-period-1`);
		expect(items[0].json.proxyUrl).toContain('-area-New%20York-');
		expect(me.world.requests.at(-1)?.parameters).toMatchObject({ region: 'US' });
	});

	it('refuses a session without a login, before anything is sent', async () => {
		const me = owner('tps');
		const { error } = await me.run({ product: 'TPS', session: 'abc', login: 'none' });
		expect(error?.message).toMatch(/'Login' can't be "None"/);
		expect(me.paths()).toEqual([]);
	});

	it('is spoken to over SOCKS where that is wanted', async () => {
		const me = owner('tps');
		if (!('entrance' in me.order)) throw new Error('No entrance');
		me.order.entrance.socksPort = '20818';
		const { items } = await me.run({ product: 'TPS', pt: 2 });
		expect(items[0].json.proxyUrl).toMatch(/^socks5:\/\//);
	});
});

describe('a list for each of several input items', () => {
	const LISTS =
		/^3 input items: 2 proxies each, and .* set 'Output' to 'One Proxy for Each Input Item'\.$/;
	const three: Extraction = { plan: 'svip', num: 2, items: [{}, {}, {}] };

	it.each(['eachProxy', 'allInOne'])(
		'comes with a hint how to get one each, as %s',
		async (output) => {
			const { hints } = await bed().extract({ ...three, output });
			expect(hints.map(({ message }) => message)).toEqual([expect.stringMatching(LISTS)]);
		},
	);

	it('comes without it for one item, and where each item gets one', async () => {
		for (const settings of [{ items: [{}] }, { output: 'forEachInput' }]) {
			expect((await bed().extract({ ...three, ...settings })).hints).toEqual([]);
		}
	});
});

describe('one proxy for each input item', () => {
	const items = Array.from({ length: 7 }, (_, n) => ({ n, url: `https://example.com/${n}` }));

	it('lets several items share a proxy, in the field that was chosen', async () => {
		const me = owner('dpsPerIp');
		const run = await me.run(
			{ product: 'DPS', output: 'forEachInput', itemsPerProxy: 3, proxyField: 'via' },
			{ items },
		);
		const used = run.items.map(({ json }) => json.via);
		expect(new Set(used).size).toBe(3);
		expect(new Set(used.slice(0, 3)).size).toBe(1);
		expect(bed().sandbox.log.entries(GET_DPS)[0].parameters.num).toBe('3');
	});

	it('lets items take turns when fewer came, and says so', async () => {
		const me = owner('dpsPerIp');
		if (!('ipBalance' in me.order)) throw new Error('No balance');
		me.order.ipBalance = 2;
		const run = await me.run({ product: 'DPS', output: 'forEachInput' }, { items });
		expect(new Set(run.items.map(({ json }) => json.proxyUrl)).size).toBe(2);
		expect(run.hints.map(({ message }) => message).join()).toMatch(/7 items take turns with 2/);
	});

	it('gives each item a session of its own on request', async () => {
		const me = owner('tpsPro');
		const run = await me.run(
			{ product: 'TPS_PRO', output: 'forEachInput', sessionPerItem: true, sessionMinutes: 1 },
			{ items },
		);
		const names = run.items.map(({ json }) => (json.proxyDetails as IDataObject).username);
		expect(new Set(names).size).toBe(7);
		for (const name of names) expect(name).toMatch(/-period-1-sid-[a-z0-9]{6}$/);
		expect(bed().sandbox.log.count('/api/gettpspro')).toBe(1);
		expect(run.hints).toEqual([]);
	});

	it('works with open proxies as well', async () => {
		const me = owner('opsSvip');
		const run = await me.run({ plan: 'svip', output: 'forEachInput' }, { items });
		expect(run.error).toBeUndefined();
		expect(run.items).toHaveLength(7);
		expect(run.items[0].json.proxyUrl).toMatch(/^http:\/\/[\d.]+:\d+$/);
	});
});
