import { type OrderProxy, type Sandbox, startSandbox } from '../../../sandbox/sandbox.mts';
import { open, type Opening } from './proxyClient.mts';

let sandbox: Sandbox;
let pages: { http: string; https: string };
let proxy: OrderProxy;

beforeEach(async () => {
	sandbox = await startSandbox({ rateLimits: false, catalogueSize: 10 });
	pages = await sandbox.pages.open();
	proxy = await handOut();
});

afterEach(() => sandbox.close());

async function handOut(): Promise<OrderProxy> {
	const order = sandbox.store.order(sandbox.keys.dps.secretId);
	if (!('login' in order)) throw new Error('It has no login');
	const added = sandbox.orderProxies.add(order, () => 22_989, {});
	await sandbox.orderProxies.open(order, [added]);
	return added;
}

async function visit(url: string, opening: Opening = {}, through = proxy) {
	const { address, port, login } = through;
	const own = `${login.username}:${login.password}`;
	return await open({ host: address, port }, url, { login: own, ...opening });
}

const SCHEMES = ['http', 'https'] as const;

/** The page under one of the names that only the proxies know. */
const named = (scheme: 'http' | 'https', name: string, path: string) =>
	pages[scheme].replace('127.0.0.1', name) + path;

it.each(
	SCHEMES.flatMap((scheme) =>
		['shop.localhost', 'www.shop.localhost', 'news.localhost'].map(
			(name) => [scheme, name] as const,
		),
	),
)('over %s, the proxies know the site %s', async (scheme, name) => {
	expect((await visit(named(scheme, name, '/json'))).body).toContain('Möwe');
	expect(sandbox.pages.visits.last()?.url).toBe(named(scheme, name, '/json'));
});

it('visits at the same time are counted', async () => {
	const other = await handOut();
	const slow = `${pages.http}/slow?ms=1000`;
	await Promise.all([visit(slow), visit(slow), visit(slow, {}, other)]);
	await visit(slow);
	const { visits } = sandbox.pages;
	expect(visits.mostAtOnce()).toBe(3);
	const ofOther = visits
		.entries('/slow')
		.filter(({ through }) => through?.proxy === `${other.address}:${other.port}`);
	expect(visits.mostAtOnce(ofOther)).toBe(1);
	visits.clear();
	expect(visits.mostAtOnce()).toBe(0);
});

it('the front page links to every page', async () => {
	const { body } = await visit(`${pages.http}/`);
	for (const path of ['/shop', '/api/products', '/news', '/app', '/status/404', '/hang']) {
		expect(body).toContain(`<a href="${path}">`);
	}
});

it('an API gives its products page by page, some without a price', async () => {
	const items: Array<{ price?: number }> = [];
	let next: string | null = '/api/products';
	for (let asked = 0; next !== null && asked < 9; asked += 1) {
		const answer = JSON.parse((await visit(`${pages.http}${next}`)).body);
		items.push(...answer.items);
		next = answer.next;
	}
	expect(items).toHaveLength(30);
	expect(items.filter(({ price }) => price === undefined)).toHaveLength(4);
});

it('an article has what surrounds articles, and a page of a script has nothing without it', async () => {
	const { body } = await visit(`${pages.http}/news`);
	for (const part of ['cookie-banner', '<nav>', '<aside>', '<footer>', 'The harbor of']) {
		expect(body).toContain(part);
	}
	expect((await visit(`${pages.http}/app`)).body).not.toContain('Lamp 01');
	expect((await visit(`${pages.http}/app/data.json`)).body).toContain('Lamp 01');
});

describe('A block', () => {
	// What a visitor then gets is tried with the node, in test/engine/pages
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
		faults.add({ kind: 'status', status: 429, exit });
		if (sandbox.addressPlan === 'own addresses')
			expect(await statuses()).toEqual([429, 200, 429, 429]);
		faults.clear();
		faults.add({ kind: 'status', status: 429, proxy: `${other.address}:${other.port}` });
		expect(await statuses()).toEqual([200, 429, 200, 200]);
		faults.clear();
		faults.add({ kind: 'status', status: 429, host: 'news.localhost' });
		expect(await statuses()).toEqual([200, 200, 429, 200]);
		faults.clear();
		faults.add({ kind: 'status', status: 429, path: '/json' });
		expect(await statuses()).toEqual([200, 200, 200, 429]);
	});
});
