import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { CHINESE_TEXTS } from '../../../sandbox/pages/chineseTexts.mts';
import {
	startSandbox,
	type OrderProxy,
	type PageFault,
	type Sandbox,
} from '../../../sandbox/sandbox.mts';
import { get } from '../client.mts';
import { open, type Opening } from './proxyClient.mts';

let sandbox: Sandbox;
let pages: { http: string; https: string };
let proxy: OrderProxy;
let login: string;

beforeEach(async () => {
	sandbox = await startSandbox({ rateLimits: false, catalogueSize: 10 });
	pages = await sandbox.pages.open();
	proxy = await handOut();
});

afterEach(() => sandbox.close());

async function handOut(): Promise<OrderProxy> {
	const order = sandbox.store.order(sandbox.keys.dps.secretId);
	if (!('login' in order)) throw new Error('A private proxy order has a login');
	const added = sandbox.orderProxies.add(order, () => 22_989, {});
	await sandbox.orderProxies.open(order, [added]);
	login = `${order.login.username}:${order.login.password}`;
	return added;
}

async function visit(url: string, opening: Opening = {}, through = proxy) {
	const at = { host: through.address, port: through.port };
	return await open(at, url, { login, ...opening });
}

const SCHEMES = ['http', 'https'] as const;

/** The page under one of the names that only the proxies know. */
const named = (scheme: 'http' | 'https', name: string, path: string) =>
	pages[scheme].replace('127.0.0.1', name) + path;

describe.each(SCHEMES)('Over %s', (scheme) => {
	it('a page is there, and knows through which proxy its visitor came', async () => {
		const { status, body } = await visit(`${pages[scheme]}/article/7`);
		expect(status).toBe(200);
		expect(body).toContain('<h1>Article 7</h1>');
		expect(sandbox.pages.visits.last()).toMatchObject({
			method: 'GET',
			url: `${pages[scheme]}/article/7`,
			through: {
				proxy: `${proxy.address}:${proxy.port}`,
				exit: JSON.parse((await visit(`${pages[scheme]}/ip`)).body).address,
				orderId: sandbox.store.order(sandbox.keys.dps.secretId).orderId,
			},
			status: 200,
			outcome: 'answered',
		});
		expect(sandbox.pages.visits.direct()).toEqual([]);
	});

	it.each(['shop.localhost', 'www.shop.localhost', 'news.localhost'])(
		'the proxies know the site %s',
		async (name) => {
			expect((await visit(named(scheme, name, '/json'))).body).toContain('Möwe');
			expect(sandbox.pages.visits.last()?.url).toBe(named(scheme, name, '/json'));
		},
	);

	it.each(['gbk', 'gb18030', 'big5', 'utf-8'] as const)('Chinese comes in %s', async (charset) => {
		const texts: string[] = [];
		const types: Array<string | undefined> = [];
		for (const by of ['header', 'meta', 'nothing']) {
			const { bytes, headers } = await visit(`${pages[scheme]}/charset/${charset}?by=${by}`);
			texts.push(new TextDecoder(charset).decode(bytes));
			types.push(headers['content-type']);
		}
		for (const text of texts) expect(text).toContain(`<p>${CHINESE_TEXTS[charset].text}</p>`);
		expect(texts.map((text) => text.includes(`<meta charset="${charset}">`))).toEqual([
			false,
			true,
			false,
		]);
		expect(types).toEqual([`text/html; charset=${charset}`, 'text/html', 'text/html']);
	});

	it('a login lasts as long as its cookies and its address', async () => {
		const at = (path: string) => named(scheme, 'shop.localhost', path);
		const form = { user: 'demo', password: 'demo' };
		expect((await visit(at('/account'))).headers.location).toBe('/login');
		expect((await visit(at('/login'))).body).toContain('<form method="post" action="/login">');
		expect((await visit(at('/login'), { form: { ...form, user: 'x' } })).status).toBe(401);

		const entered = await visit(at('/login'), { form });
		expect([entered.status, entered.headers.location]).toEqual([303, '/account']);
		const cookie = (entered.headers['set-cookie'] ?? [])
			.map((each) => each.split(';')[0])
			.join('; ');
		expect(cookie).toMatch(/^session=\w+; theme=dark$/);
		const pageHeaders = { cookie };
		expect((await visit(at('/account'), { pageHeaders })).body).toContain('Welcome, demo.');
		const elsewhere = await visit(at('/account'), { pageHeaders }, await handOut());
		expect(elsewhere.headers.location).toBe('/login');
	});

	it('cookies get through a wall that is a loop without them', async () => {
		const wall = `${pages[scheme]}/cookies/wall`;
		const { status, headers } = await visit(wall);
		expect([status, headers.location]).toEqual([302, '/cookies/wall']);
		expect(headers['set-cookie']).toEqual(['wall=1; Path=/']);
		expect((await visit(wall, { pageHeaders: { cookie: 'wall=1' } })).status).toBe(200);
		const set = await visit(
			`${pages[scheme]}/cookies/set?cookie=a%3D1%3B%20Max-Age%3D9&cookie=b%3D2`,
		);
		expect(set.headers['set-cookie']).toEqual(['a=1; Max-Age=9', 'b=2']);
		const seen = await visit(`${pages[scheme]}/cookies`, { pageHeaders: { cookie: 'a=1; b=2=3' } });
		expect(JSON.parse(seen.body)).toEqual({ a: '1', b: '2=3' });
	});

	it('redirects lead on, so many times, elsewhere, or in a circle', async () => {
		const next = async (path: string) => {
			const { status, headers } = await visit(pages[scheme] + path);
			return [status, headers.location];
		};
		expect(await next('/redirect/2?status=301')).toEqual([301, '/redirect/1?status=301']);
		expect(await next('/redirect/1')).toEqual([302, '/article']);
		expect(await next('/redirect/1?to=http%3A%2F%2Fnews.localhost%2F')).toEqual([
			302,
			'http://news.localhost/',
		]);
		expect(await next('/loop')).toEqual([302, '/loop']);
	});

	it('a body can be large, packed, of unknown length, or a picture', async () => {
		const large = await visit(`${pages[scheme]}/bytes/300000`);
		expect([large.bytes.length, large.headers['content-length']]).toEqual([300_000, '300000']);
		const unknown = await visit(`${pages[scheme]}/bytes/300000?length=none`);
		expect([unknown.bytes.length, unknown.headers['content-length']]).toEqual([300_000, undefined]);
		const packed = await visit(`${pages[scheme]}/bytes/300000?gzip=1`);
		expect(packed.bytes.length).toBeLessThan(10_000);
		expect(gunzipSync(packed.bytes)).toHaveLength(300_000);
		const { bytes, headers } = await visit(`${pages[scheme]}/picture`);
		expect([headers['content-type'], bytes.subarray(1, 4).toString()]).toEqual([
			'image/png',
			'PNG',
		]);
	});

	it.each(['/cut', '/reset'])('%s ends the connection', async (path) => {
		await expect(visit(pages[scheme] + path)).rejects.toThrow(/aborted|reset|socket hang up/);
	});

	it.each([
		['/hang', undefined],
		['/stall', 200],
		['/endless', 200],
	])('%s has no end', async (path, status) => {
		const waiting = visit(pages[scheme] + path);
		while (sandbox.pages.visits.last()?.outcome !== 'open') await sleep(10);
		const late = Symbol('late');
		const ended = await Promise.race([waiting.catch(() => 'failed'), sleep(200, late)]);
		expect(ended).toBe(late);
		expect(sandbox.pages.visits.last()?.outcome).toBe('open');
		await sandbox.close();
		await waiting.catch(() => undefined);
		while (sandbox.pages.visits.last()?.outcome === 'open') await sleep(10);
		expect(sandbox.pages.visits.last()).toMatchObject({ outcome: 'left', status });
	});

	it.each(['/slow?ms=150', '/drip?ms=10'])('%s takes its time', async (path) => {
		const startedAt = performance.now();
		expect((await visit(pages[scheme] + path)).body.length).toBeGreaterThan(10);
		expect(performance.now() - startedAt).toBeGreaterThan(145);
	});
});

it('visits are counted by exit, and at the same time', async () => {
	const other = await handOut();
	const slow = `${pages.http}/slow?ms=1000`;
	await Promise.all([visit(slow), visit(slow), visit(slow, {}, other)]);
	await visit(slow);
	const { visits } = sandbox.pages;
	expect([...visits.countByExit().values()].toSorted()).toEqual([1, 3]);
	expect(visits.mostAtOnce()).toBe(3);
	const ofOther = visits
		.entries('/slow')
		.filter(({ through }) => through?.proxy === `${other.address}:${other.port}`);
	expect(visits.mostAtOnce(ofOther)).toBe(1);
	visits.clear();
	expect(visits.mostAtOnce()).toBe(0);
});

describe('A block', () => {
	const blockOf = async (fault: PageFault) => {
		sandbox.pages.faults.add(fault);
		return await visit(`${pages.https}/article`);
	};

	it('can be a status, a captcha, a redirect to one, or an empty page', async () => {
		expect((await blockOf({ status: 403, times: 1 })).status).toBe(403);
		const captcha = await blockOf({ answer: 'captcha', times: 1 });
		expect([captcha.status, captcha.body.includes('captcha')]).toEqual([200, true]);
		expect((await blockOf({ answer: 'verify', times: 1 })).headers.location).toBe('/verify');
		expect((await blockOf({ answer: 'empty', times: 1 })).bytes).toHaveLength(0);
		expect((await visit(`${pages.https}/article`)).body).toContain('The harbor');
	});

	it('hits one exit, one proxy, one site, or one page only', async () => {
		const other = await handOut();
		const statuses = async () => [
			(await visit(`${pages.http}/article`)).status,
			(await visit(`${pages.http}/article`, {}, other)).status,
			(await visit(named('http', 'news.localhost', '/article'))).status,
			(await visit(`${pages.http}/json`)).status,
		];
		const exit = JSON.parse((await visit(`${pages.http}/ip`)).body).address;
		const { faults } = sandbox.pages;
		faults.add({ status: 429, exit });
		if (sandbox.addressPlan === 'own addresses')
			expect(await statuses()).toEqual([429, 200, 429, 429]);
		faults.clear();
		faults.add({ status: 429, proxy: `${other.address}:${other.port}` });
		expect(await statuses()).toEqual([200, 429, 200, 200]);
		faults.clear();
		faults.add({ status: 429, host: 'news.localhost' });
		expect(await statuses()).toEqual([200, 200, 429, 200]);
		faults.clear();
		faults.add({ status: 429, path: '/json' });
		expect(await statuses()).toEqual([200, 200, 200, 429]);
	});

	it('can be set on the control port, where the visits are, too', async () => {
		const at = `${sandbox.controlUrl}/page-faults`;
		const send = async (fault: unknown) =>
			await fetch(at, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify(fault),
			});
		expect((await send({ answer: 'captcha', path: '/json' })).status).toBe(200);
		expect((await get(at)).json).toEqual([{ answer: 'captcha', path: '/json' }]);
		expect((await visit(`${pages.http}/json`)).body).toContain('captcha');
		expect((await get(`${sandbox.controlUrl}/visits`)).json).toMatchObject([{ number: 1 }]);
		expect((await get(`${sandbox.controlUrl}/pages`)).json).toEqual(pages);
		await fetch(at, { method: 'DELETE' });
		await fetch(`${sandbox.controlUrl}/visits`, { method: 'DELETE' });
		expect(sandbox.pages.faults.list()).toEqual([]);
		expect(sandbox.pages.visits.entries()).toEqual([]);
		for (const wrong of [
			{},
			{ status: 403, answer: 'captcha' },
			{ answer: 'x' },
			{ status: 403, z: 1 },
		]) {
			expect((await send(wrong)).status).toBe(400);
		}
	});
});
