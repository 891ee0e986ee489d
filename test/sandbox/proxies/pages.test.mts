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
