import {
	newDedicatedProxyOrder,
	newPrivateProxyOrder,
	startSandbox,
	type Sandbox,
} from '../../../sandbox/sandbox.mts';
import { call, type Reply } from '../client.mts';
import { codeOf, entriesOf } from '../extracting.mts';
import {
	at,
	bought,
	entries,
	having,
	later,
	own,
	set,
	setting,
	tell,
	type Step,
	type Story,
} from '../stories.mts';

/* What is handed out of each product. */

const ADDRESS = /^127(\.\d+){3}:\d{5}$/;
const AT = String.raw`127[\d.]+:\d{5}`;

const login = (order: string) =>
	`sandbox-order-${order}-proxy-username:sandbox-order-${order}-proxy-password`;

/** What the sandbox knows about each address of a text. */
function proxiesOf(sandbox: Sandbox, reply: Reply) {
	return entriesOf(reply).map((entry) => {
		const [place = ''] = entry.split(',');
		const proxy = sandbox.orderProxies.find(place);
		if (!proxy) throw new Error(`"${place}" belongs to no order`);
		return proxy;
	});
}

/** The different areas and carriers of what an extraction hands out. */
const places =
	(asked: string, ...expected: string[]): Step =>
	async ({ ask, sandbox }) => {
		const found = proxiesOf(sandbox, await ask(asked)).map(
			({ area, carrier }) => `${area} ${carrier?.code}`,
		);
		expect([asked, [...new Set(found)].toSorted()]).toEqual([asked, expected.toSorted()]);
	};

function fewPlaces({ sandbox }: Story): void {
	sandbox.privateStock.linesEach = 200;
	sandbox.privateStock.clear();
	sandbox.privateStock.set('11', [1, 2]);
	sandbox.privateStock.set('2202', [1]);
	sandbox.privateStock.set('3301', [2, 3]);
	sandbox.privateStock.set('3302', [2]);
	sandbox.privateStock.set('4403', [3]);
}

function onePlace({ sandbox }: Story): void {
	sandbox.privateStock.linesEach = 200;
	sandbox.privateStock.clear();
	sandbox.privateStock.set('3301', [2]);
}

/** How many of the second extraction were in the first one too. */
const again =
	(first: string, second: string, expected: number): Step =>
	async ({ ask }) => {
		const [before, after] = [entriesOf(await ask(first)), entriesOf(await ask(second))];
		const seen = new Set(before);
		expect(new Set(after).size).toBe(after.length);
		expect([second, after.filter((each) => seen.has(each)).length]).toEqual([second, expected]);
	};

/** The least and the most seconds that addresses of 200 live. */
const lives =
	(asked: string, least: number, most: number): Step =>
	async ({ ask }) => {
		const seconds = entriesOf(await ask(`${asked}?num=200&f_et=1`)).map((entry) =>
			Number(entry.split(',')[1]),
		);
		expect(Math.max(...seconds)).toBeLessThanOrEqual(most);
		// A second may pass between the choice and the answer
		expect(Math.min(...seconds)).toBeGreaterThanOrEqual(least - 2);
		expect(new Set(seconds).size).toBeGreaterThan(least < most ? 50 : 0);
	};

const TRUTH = 'num=50&f_loc=1&f_citycode=1&f_et=1&f_carrier=1';

tell({
	'getdps: extras come in a fixed sequence, and tell the truth': [
		...Object.entries({
			'num=500': '',
			'f_et=1': String.raw`,\d+`,
			'f_loc=1': String.raw`,\p{Script=Han}+`,
			'f_carrier=1&f_et=1&f_loc=1': String.raw`,\p{Script=Han}+,\d+,(联通|电信|移动)`,
			'f_auth=1': `,${login('dps')}`,
			'f_auth=1&f_et=1': String.raw`,${login('dps')},\d+`,
			'f_auth=1&generateType=1': `:${login('dps')}`,
			'f_auth=1&generateType=2': `@${login('dps')}`,
			'generateType=4': '',
			'pt=2': '',
		}).map(
			([query, end]): Step => [
				`dps getdps?num=2&${query}`,
				entries(query === 'num=500' ? 500 : 2, new RegExp(`^${AT}${end}$`, 'u')),
			],
		),
		...Object.entries({
			'generateType=3': `^${login('dps')}:${AT}$`,
			'generateType=4': `^${login('dps')}@${AT}$`,
			'generateType=4&f_et=1&f_loc=1': `^${login('dps')}@${AT},[^,]+,\\d+$`,
		}).map(
			([query, form]): Step => [`dps getdps?num=2&f_auth=1&${query}`, entries(2, new RegExp(form))],
		),
		async ({ ask, sandbox }) => {
			const reply = await ask(`dps getdps?${TRUTH}`);
			for (const [index, entry] of entriesOf(reply).entries()) {
				const [, region, code, seconds, carrier] = entry.split(',');
				const proxy = proxiesOf(sandbox, reply)[index];
				expect(region).toMatch(/^\p{Script=Han}+$/u);
				expect(proxy).toMatchObject({ area: code, carrier: { name: carrier } });
				const end = Number(proxy?.expiresAt) - sandbox.clock.milliseconds();
				expect(Math.abs(end / 1000 - Number(seconds))).toBeLessThan(5);
			}
		},
	],
	'getdps: how long an address lives, by the clock of the sandbox': [
		...(
			[
				[{ period: 'M_1_5' }, 60, 300],
				[{ period: 'H_2_4' }, 7200, 14_400],
				[{ fetchType: 1, period: 'M_3_5' }, 180, 300],
				[{ payType: 'PRE_PAY_IP', period: 'M_30_60' }, 1800, 3600],
				[{ payType: 'PRE_PAY_IP', period: 'M_7' }, 420, 420],
			] as const
		).flatMap(([settings, least, most]): Step[] => [
			own(newPrivateProxyOrder, settings),
			lives('own getdps', least, most),
		]),
		onePlace,
		own(newPrivateProxyOrder, { period: 'H_2_4', ipCount: 100_000 }),
		again('own getdps?num=200', 'own getdps?num=200', 200),
		later(5 * 3600_000),
		again('own getdps?num=200', 'own getdps?num=200', 200),
		// No two orders have the same address
		again('own getdps?num=200', 'dpsPerIp getdps?num=200', 0),
	],
	'getdps: areas and carriers of a pay-per-IP order': [
		fewPlaces,
		set('dpsPerIp', { ipBalance: 10_000 }),
		...Object.entries({
			'': '11 1,11 2,2202 1,3301 2,3301 3,3302 2,4403 3',
			'area=': '11 1,11 2,2202 1,3301 2,3301 3,3302 2,4403 3',
			'area=杭州市': '3301 2,3301 3',
			'area=杭州,Atlantis': '3301 2,3301 3',
			'area=浙江': '3301 2,3301 3,3302 2',
			'area=33': '3301 2,3301 3,3302 2',
			'area=330200': '3302 2',
			'area=110100': '11 1,11 2',
			'area=吉林': '2202 1',
			'area=杭州,北京&carrier=2': '11 2,3301 2',
			'carrier=3': '3301 3,4403 3',
			'carrier=0&area=44': '4403 3',
			'area_ex=浙江': '11 1,11 2,2202 1,4403 3',
			'area=浙江&area_ex=3301': '3302 2',
		}).map(([query, expected]) =>
			places(`dpsPerIp getdps?num=200&${query}`, ...expected.split(',')),
		),
		set('dpsPerIp', { ipBalance: 1000 }),
		...['area=上海', 'area=Atlantis', 'area=深圳&carrier=1', 'area=浙江&area_ex=33'].map(
			(query): Step => [`dpsPerIp getdps?num=1&${query}`, 3],
		),
		// Fewer come where there are not more, and only they are counted
		onePlace,
		['dpsPerIp getdps?num=300&format=json', having({ count: 200, order_left_count: 800 })],
		setting({ inapplicableParameters: 'ignore' }),
		fewPlaces,
		async ({ ask, sandbox }) => {
			const reply = await ask('dpsEven getdps?num=100&area=杭州&carrier=2');
			const areas = new Set(proxiesOf(sandbox, reply).map(({ area }) => area));
			expect(areas.size).toBeGreaterThan(3);
		},
	],
	'getdps: dedup leaves out what the order got on this day in China': [
		onePlace,
		at('2026-05-05T15:30:00Z'),
		own(newPrivateProxyOrder, { period: 'H_2_4', ipCount: 1000 }),
		again('own getdps?num=150&dedup=1', 'own getdps?num=150&dedup=1', 0),
		['own getdps?num=1&dedup=1', 3],
		['own getdps?num=200&format=json', having({ count: 200, dedup_count: 0 })],
		at('2026-05-05T16:10:00Z'),
		['own getdps?num=200&dedup=1&format=json', having({ count: 200, dedup_count: 200 })],
	],
	'getdps: what is left of a pay-per-IP order': [
		own(newPrivateProxyOrder, { payType: 'PRE_PAY_IP', ipCount: 1000, ipBalance: 5 }),
		[
			'own getdps?num=3&format=json',
			{
				...{ count: 3, dedup_count: 3, order_left_count: 2 },
				proxy_list: Array(3).fill(expect.stringMatching(ADDRESS)),
			},
		],
		['own getipbalance', { balance: 2 }],
		['own getdps?num=3&format=json', having({ count: 2, order_left_count: 0 })],
		['own getdps?num=1', 2],
		later(24 * 3600_000),
		['own getdps?num=1', 2],
		['own reneworder?dps.ip_count=1000', 0],
		['own getdps?num=1&format=json', having({ order_left_count: 999 })],
		set('own', { ipBalance: 25 }),
		async ({ ask, sandbox }) => {
			sandbox.extractions.clear();
			const replies = await Promise.all(Array.from({ length: 10 }, () => ask('own getdps?num=5')));
			expect(replies.filter(({ text }) => text.startsWith('ERROR(2)'))).toHaveLength(5);
			expect(sandbox.extractions.total()).toBe(25);
		},
		set('own', { ipBalance: 100 }),
		async ({ ask, order, sandbox }) => {
			sandbox.extractions.clear();
			sandbox.faults.add({ kind: 'cut', when: 'before', times: 1 });
			await expect(ask('own getdps?num=5')).rejects.toThrow();
			expect(order('own')).toMatchObject({ ipBalance: 100 });
			sandbox.faults.add({ kind: 'cut', when: 'after', times: 1 });
			await expect(ask('own getdps?num=5')).rejects.toThrow();
			expect(order('own')).toMatchObject({ ipBalance: 95 });
			expect(sandbox.extractions.entries()).toMatchObject([{ usedUp: 5 }]);
		},
	],
	'getdps: what is left of a day in China': [
		at('2026-05-05T15:59:00Z'),
		own(newPrivateProxyOrder, { ipCount: 1000, ipBalance: 4 }),
		['own getdps?num=3&format=json', having({ count: 3, today_left_count: 1 })],
		['own getdps?num=3&format=json', having({ count: 1, today_left_count: 0 })],
		['own getdps?num=1', 1],
		at('2026-05-05T16:00:00Z'),
		['own getipbalance', { balance: 1000 }],
		['own getdps?num=3&format=json', having({ today_left_count: 997 })],
		own(newPrivateProxyOrder, { fetchType: 1, period: 'M_3_5', ipCount: 2500 }),
		[
			'own getdps?num=2499&format=json',
			{ count: 2499, proxy_list: expect.any(Array), dedup_count: 2499 },
		],
		['own getdps?num=2', entries(1, ADDRESS)],
		['own getdps?num=1', 1],
		later(24 * 3600_000),
		['own getdps?num=2', entries(2, ADDRESS)],
	],
	'getdps: -2 for what was just bought, for as long as the setting says': [
		setting({ newOrdersWaitSeconds: 60 }),
		bought('dpsPerIp'),
		['own getdps?num=1', -2],
		['own getipbalance', { balance: 1000 }],
		later(60_000),
		['own getdps?num=1&format=json', having({ order_left_count: 999 })],
	],
	'checkdpsvalid, getdpsvalidtime, and checkopsvalid': [
		async ({ ask, sandbox }) => {
			const dataOf = async (text: string) => (await ask(text)).json.data;
			const reply = await ask('dps getdps?num=3&f_et=1');
			const [first, second] = proxiesOf(sandbox, reply);
			const told = entriesOf(reply).map((entry) => entry.split(','));
			const [one = '', two = '', three = ''] = told.map(([place = '']) => place);
			if (!first || !second) throw new Error('They were handed out');
			const times = Object(await dataOf(`dps getdpsvalidtime?proxy=${one}`));
			expect(Math.abs(times[one] - Number(told[0]?.[1]))).toBeLessThanOrEqual(2);

			second.works = false;
			const [other = ''] = entriesOf(await ask('dpsEven getdps?num=1'));
			const asked = [one, two, other, '203.0.113.1:80', 'x', ''].join(',');
			const none = { [other]: false, '203.0.113.1:80': false, x: false, '': false };
			const valid = { [one]: true, [two]: false, ...none };
			expect(await dataOf(`dps checkdpsvalid?proxy=${asked}`)).toEqual(valid);
			expect(await dataOf(`dps getdpsvalidtime?proxy=${other},x`)).toEqual({ [other]: 0, x: 0 });
			sandbox.clock.advance(301_000);
			expect(await dataOf(`dps checkdpsvalid?proxy=${three}`)).toEqual({ [three]: false });
			expect(await dataOf(`dps getdpsvalidtime?proxy=${three}`)).toEqual({ [three]: 0 });

			const [open, broken] = sandbox.catalogue;
			if (!open || !broken) throw new Error('The catalogue is too small');
			broken.works = false;
			const [good, bad] = [open, broken].map(({ address, port }) => `${address}:${port}`);
			const { data } = (await ask(`opsVip checkopsvalid?proxy=${good},${bad},x`)).json;
			expect(data).toEqual({ [`${good}`]: true, [`${bad}`]: false, x: false });
		},
	],
	'getkps: the machines of the order, which stay, in any sequence or a fixed one': [
		['kpsSeveral getkps?num=100', entries(5, ADDRESS)],
		['kps getkps?num=100', entries(1, ADDRESS)],
		again('kpsSeveral getkps?num=5&sort=1', 'kpsDynamic getkps?num=5', 0),
		async ({ ask, sandbox }) => {
			const fixed = async () => entriesOf(await ask('kpsSeveral getkps?num=5&sort=1'));
			const first = await fixed();
			const drawn = await Promise.all(
				Array.from({ length: 30 }, async () => entriesOf(await ask('kpsSeveral getkps?num=5'))),
			);
			expect(new Set(drawn.map((each) => each.join())).size).toBeGreaterThan(5);
			for (const each of drawn) expect(each.toSorted()).toEqual(first.toSorted());
			sandbox.clock.advance(7 * 24 * 3600_000);
			expect(await fixed()).toEqual(first);
		},
		[
			'kpsSeveral getkps?num=1&f_loc=1&f_citycode=1&f_et=1&f_carrier=1',
			/^127[\d.]+:\d{5},浙江省杭州市,3301,\d+,(联通|电信|移动)$/,
		],
		({ sandbox }) => expect(sandbox.extractions.entries().at(-1)).toMatchObject({ usedUp: 0 }),
		bought('kpsStatic', { 'kps.city': '3301', 'kps.ip_count': '3' }),
		['own getkps?num=10&f_citycode=1', entries(3, /,3301$/)],
		own(newDedicatedProxyOrder, { machineIds: [] }),
		['own getkps?num=1', 3],
	],
	'getkpsbyid: one machine of the order as JSON': [
		async ({ ask, order, sandbox }) => {
			const machines = order('kpsSeveral');
			if (machines.product !== 'KPS') throw new Error('It is dedicated');
			const listed = entriesOf(await ask('kpsSeveral getkps?num=5&sort=1'));
			for (const [index, machine] of machines.machineIds.entries()) {
				const [ip, port] = String(listed[index]).split(':');
				const { json } = await ask(`kpsSeveral getkpsbyid?f_id=${machine}&format=text`);
				expect(json).toEqual({ code: 0, msg: '', data: { ip, port } });
			}
			machines.machineIds.push('lrps-499941');
			const dynamic = order('kpsDynamic');
			if (dynamic.product !== 'KPS') throw new Error('It is dedicated');
			const [id = ''] = dynamic.machineIds;
			const { ip, port, public_ip } = Object(
				(await ask(`kpsDynamic getkpsbyid?f_id=${id}`)).json.data,
			);
			expect(public_ip).not.toBe(ip);
			expect(sandbox.orderProxies.find(`${ip}:${port}`)?.exitAddress).toBe(public_ip);
			expect(codeOf(await ask(`kpsSeveral getkpsbyid?f_id=${id}`))).toBe(3);
		},
		['kpsSeveral getkpsbyid?f_id=lrps-499941', having({ port: expect.any(String) })],
		['kpsSeveral getkpsbyid?f_id=lrps-999999', 3],
		['kpsSeveral getkpsbyid', /^ERROR\(-1\): /],
		['kpsSeveral getkpsbyid?f_id=-49994', /^ERROR\(-1\): /],
		['kpsSeveral getkpsbyid?f_id=lrps-49994,lrps-49995', /^ERROR\(-1\): /],
		['kpsSeveral getkpsbyid?format=json', /"code":-1,|"code":-1\}/],
		['dps getkpsbyid?f_id=lrps-1', -5],
		['account getkpsbyid?f_id=lrps-1', -102],
		set('kpsSeveral', { status: 'WAIT_PAY' }),
		['kpsSeveral getkpsbyid?f_id=lrps-499941', -11],
	],
	'gettps, gettpspro, and getfps: the entrance of a tunnel': [
		...(['tps gettps?num=1', 'tpsPro gettpspro?num=1', 'fps getfps?num=1'] as const).flatMap(
			(asked): Step[] => [
				set(asked.split(' ')[0] ?? '', {
					entrance: { host: 'h.example', httpPort: '15818', socksPort: '20818' },
				}),
				[asked, /^h\.example:15818$/],
				[`${asked}&pt=1`, /^h\.example:15818$/],
				[`${asked}&pt=2`, /^h\.example:20818$/],
				[`${asked}&pt=3`, -3],
			],
		),
		['fps getfps?region=JP', /^h\.example:15818$/],
		...Object.entries({
			'f_auth=1': `h.example:15818:${login('tps')}`,
			'generateType=1': `h.example:15818:${login('tps')}`,
			'generateType=2&f_auth=1': `h.example:15818@${login('tps')}`,
			'generateType=3': `${login('tps')}:h.example:15818`,
			'generateType=4': `${login('tps')}@h.example:15818`,
		}).map(([query, entry]): Step => [`tps gettps?num=1&${query}`, new RegExp(`^${entry}$`)]),
		set('tps', { entrance: { host: 'h.example', httpPort: '1', socksPort: '' } }),
		['tps gettps?num=1&pt=2', 3],
	],
	'getfpsip: addresses of the countries that are named, for so many minutes': [
		again('fps getfpsip?num=200&period=1', 'fps getfpsip?num=200&period=1', 0),
		async ({ ask, sandbox }) => {
			const proxies = async (query: string) =>
				proxiesOf(sandbox, await ask(`fps getfpsip?num=100&${query}`));
			for (const [region, countries] of Object.entries({
				JP: 'JP',
				'US,IN': 'IN,US',
				'US,XX': 'US',
			})) {
				const found = await proxies(`period=30&region=${region}`);
				expect([...new Set(found.map(({ area }) => area))].toSorted().join()).toBe(countries);
				const life = Number(found[0]?.expiresAt) - sandbox.clock.milliseconds();
				expect(Math.abs(life / 60_000 - 30)).toBeLessThan(0.2);
			}
			expect(new Set((await proxies('period=1')).map(({ area }) => area)).size).toBeGreaterThan(20);
		},
		...Object.entries({
			'f_auth=1': `^${AT}:${login('fps')}$`,
			'f_auth=1&gt=2': `^${AT}@${login('fps')}$`,
			'f_auth=1&gt=3': `^${login('fps')}:${AT}$`,
			'f_auth=1&gt=4': `^${login('fps')}@${AT}$`,
			'ut=2&f_ip=203.0.113.7': `^${AT}$`,
		}).map(
			([query, form]): Step => [
				`fps getfpsip?num=3&period=5&${query}`,
				entries(3, new RegExp(form)),
			],
		),
	],
	'getsfps: all of the order, those of retail with a login and an area each': [
		again('sfpsPackage getsfps', 'sfpsPackage getsfps', 3),
		async ({ ask, order, sandbox }) => {
			const retail = order('sfps');
			if (retail.product !== 'SFPS') throw new Error('It is overseas');
			const found = entriesOf(await ask('sfps getsfps'));
			expect(found.map((entry) => entry.split(':').slice(2))).toEqual(
				retail.proxies.map(({ area, login: of }) => [of?.username, of?.password, area]),
			);
			const [address, port] = String(found[1]).split(':');
			const known = { area: 'JP', login: retail.proxies[1]?.login };
			expect(sandbox.orderProxies.find(`${address}:${port}`)).toMatchObject(known);
			retail.proxies.push({ area: 'FR', login: { username: 'me', password: 'a:b@c' } });
		},
		['sfps getsfps', /\r\n127[\d.]+:\d{5}:me:a:b@c:FR$/],
		set('sfps', { proxies: [] }),
		['sfps getsfps', 3],
	],
	'getproxy: formats': [
		['opsVip getproxy?num=3', entries(3, /^127(\.\d+){3}:\d+$/)],
		['opsVip getproxy?num=3&sep=4', /^[\d.:]+\|[\d.:]+\|[\d.:]+$/],
		[
			'opsVip getproxy?num=2&format=json',
			{ count: 2, proxy_list: Array(2).fill(expect.stringMatching(/^127\./)) },
		],
		['opsVip getproxy?num=2&format=xml', /<count>2<\/count>\n<proxy_list>\n(<proxy>127.*\n){2}/],
		['opsVip getproxy?num=0', /^ERROR\(-3\): .+$/],
		['opsVip getproxy?num=0&format=json', /"code":-3/],
		['opsVip getproxy?num=0&format=xml', /<code>-3<\/code>\n<msg>.+<\/msg>\n<data><\/data>/],
		[
			'opsVip getproxy?num=200',
			({ headers }) => expect(headers.get('content-encoding')).toBe('gzip'),
		],
		[
			'opsVip getproxy?num=50&f_sp=1&f_pr=1&f_an=1&f_loc=1',
			entries(50, /^127[\d.]+:\d+,[^,]+,(高匿名|匿名|透明),(HTTP|HTTPS),\d+\.\d\d$/),
		],
		['opsVip getproxy?num=1&f_an=1&f_sp=1', /^[\d.:]+,(高匿名|匿名|透明),[\d.]+$/],
		({ order, sandbox }) => {
			const { orderId } = order('opsVip');
			const [first] = sandbox.extractions.entries();
			expect(first).toMatchObject({ product: 'OPS', orderId, count: 3, usedUp: 0 });
		},
	],
	'getproxy: each call draws anew, without doubles, and as many as match': [
		async ({ ask, sandbox }) => {
			const draw = async () => entriesOf(await ask('opsVip getproxy?num=100'));
			const [first, second] = [await draw(), await draw()];
			expect(new Set(first).size).toBe(100);
			const both = new Set([...first, ...second]).size;
			expect(both).toBeGreaterThan(110);
			expect(both).toBeLessThan(190);
			const [one] = sandbox.catalogue;
			const found = entriesOf(await ask(`opsVip getproxy?num=5&ipstart=${one?.address}`));
			expect(found).toEqual([`${one?.address}:${one?.port}`]);
		},
		['opsVip getproxy?num=1&area=火星', 3],
	],
	'getproxy: dedup leaves out what the order got on this day in China': [
		at('2026-03-01T12:00:00Z'),
		again('opsVip getproxy?num=100', 'opsVip getproxy?num=100&dedup=1', 0),
		['opsVip getproxy?num=1&dedup=1', 3],
		['opsSvip getproxy?num=200&dedup=1', 0],
		at('2026-03-01T15:59:00Z'),
		['opsVip getproxy?num=1&dedup=1', 3],
		at('2026-03-01T16:00:10Z'),
		['opsVip getproxy?num=200&dedup=1', entries(200, /^127/)],
	],
	'getproxy: the states of an order, and its end': [
		...Object.entries({
			...{ WAIT_PAY: -11, OPENING: -12, OWING: -12, CLOSED: -12 },
			...{ FORBIDDEN: -14, REFUNDED: -16, EXPIRED: 2 },
		}).flatMap(([status, code]): Step[] => [
			set('opsVip', { status }),
			['opsVip getproxy?num=1', code],
		]),
		later(31 * 24 * 3600_000),
		['opsSvip getproxy?num=1', 2],
	],
});

it('getproxy: the same seed draws the same of a large catalogue, of different addresses', async () => {
	const draw = async (seed: number) => {
		const options = { seed, catalogueSize: 20_000, forwardProxies: false };
		const sandbox = await startSandbox(options);
		const { hosts, keys } = sandbox;
		const { text } = await call(hosts.svipUrl, '/api/getproxy', keys.opsSvip, { num: '2000' });
		await sandbox.close();
		const addresses = new Set(sandbox.catalogue.map(({ address }) => address));
		const seconds = new Set([...addresses].map((address) => address.split('.')[1]));
		expect([addresses.size, seconds.size, seconds.has('0')]).toEqual([20_000, 254, false]);
		expect(new Set(text.split('\r\n')).size).toBe(2000);
		return text;
	};
	const first = await draw(1);
	expect(await draw(1)).toBe(first);
	expect(await draw(2)).not.toBe(first);
});
