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

function orderOf(name: 'dps' | 'kps') {
	const order = sandbox.store.order(sandbox.keys[name].secretId);
	if (!('login' in order)) throw new Error(`${name} has no login`);
	return order;
}

async function handOut(name: 'dps' | 'kps' = 'dps'): Promise<OrderProxy> {
	const added = sandbox.orderProxies.add(orderOf(name), () => 22_989, {});
	await sandbox.orderProxies.open(orderOf(name), [added]);
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
});

/** The name of the error, or the status. */
const endOf = async (through: OrderProxy, url: string) =>
	await visit(url, {}, through).then(
		({ status }) => status,
		(error: Error) => ('code' in error ? error.code : error.message),
	);

it.each([
	['of any order', () => ({})],
	['of one order', () => ({ orderId: orderOf('dps').orderId })],
])('every third proxy %s that is handed out can be a dead one', async (_whose, target) => {
	sandbox.proxyFaults.add({ dies: 'refuse', everyNth: 3, ...target() });
	const ends: unknown[] = [];
	for (let count = 1; count <= 6; count += 1) {
		ends.push(await endOf(count === 1 ? proxy : await handOut(), `${pages.http}/json`));
	}
	expect(ends).toEqual([200, 200, 'ECONNREFUSED', 200, 200, 'ECONNREFUSED']);
});

it('the proxies of one order die, and so many of them as is said', async () => {
	const [dps, other, kps] = [proxy, await handOut(), await handOut('kps')];
	const ends = async () => [
		await endOf(dps, `${pages.http}/json`),
		await endOf(other, `${pages.http}/json`),
		await endOf(kps, `${pages.http}/json`),
	];
	const { orderId } = orderOf('dps');
	sandbox.proxyFaults.add({ dies: 'close', orderId });
	expect(await ends()).toEqual(['ECONNRESET', 'ECONNRESET', 200]);
	sandbox.proxyFaults.clear();
	sandbox.proxyFaults.add({ dies: 'refuse', orderId, times: 1 });
	expect(await ends()).toEqual(['ECONNREFUSED', 200, 200]);
	expect(sandbox.proxyFaults.list()).toEqual([]);
});
