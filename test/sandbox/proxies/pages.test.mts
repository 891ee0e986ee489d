import { setTimeout as sleep } from 'node:timers/promises';
import {
	type OrderProxy,
	type PageFault,
	type Sandbox,
	startSandbox,
} from '../../../sandbox/sandbox.mts';
import { get } from '../client.mts';
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

const nameOf = ({ address, port }: OrderProxy) => `${address}:${port}`;
/** The name of the error, or the status. */
const endOf = async (through: OrderProxy, url: string) =>
	await visit(url, {}, through).then(
		({ status }) => status,
		(error: Error) => ('code' in error ? error.code : error.message),
	);

describe.each(SCHEMES)('On the way to an %s page', (scheme) => {
	const page = () => `${pages[scheme]}/bytes/200000`;

	it('a proxy that refuses does not listen any more', async () => {
		const proxy = await handOut();
		expect(await endOf(proxy, page())).toBe(200);
		sandbox.proxyFaults.add({ dies: 'refuse', proxy: nameOf(proxy) });
		expect(await endOf(proxy, page())).toBe('ECONNREFUSED');
		expect(await endOf(await handOut(), page())).toBe(200);
	});

	it.each(['reset', 'close'] as const)('a proxy can %s in place of an answer', async (dies) => {
		const proxy = await handOut();
		sandbox.proxyFaults.add({ dies, times: 1 });
		expect(await endOf(proxy, page())).toBe('ECONNRESET');
		expect(sandbox.proxyLog.last()).toMatchObject({
			orderId: orderOf('dps').orderId,
			died: dies,
			exit: undefined,
		});
		expect(sandbox.pages.visits.entries()).toEqual([]);
		expect(await endOf(proxy, page())).toBe(200);
		expect(sandbox.proxyLog.last()?.died).toBeUndefined();
	});

	it('a silent proxy accepts, and never answers', async () => {
		const proxy = await handOut();
		sandbox.proxyFaults.add({ dies: 'silent' });
		const waiting = endOf(proxy, page());
		expect(await Promise.race([waiting, sleep(200, 'late')])).toBe('late');
		expect(sandbox.pages.visits.entries()).toEqual([]);
		await sandbox.close();
		expect(await waiting).toBe('ECONNRESET');
	});

	it('a proxy can stall in the middle of a body', async () => {
		const proxy = await handOut();
		sandbox.proxyFaults.add({ dies: 'stall', afterBytes: 50_000 });
		const waiting = endOf(proxy, page());
		expect(await Promise.race([waiting, sleep(200, 'late')])).toBe('late');
		expect(sandbox.pages.visits.last()?.status ?? 200).toBe(200);
		await sandbox.close();
		expect(['aborted', 'ECONNRESET']).toContain(await waiting);
	});

	it('a proxy can cut a body off', async () => {
		const proxy = await handOut();
		sandbox.proxyFaults.add({ dies: 'cut', afterBytes: 50_000 });
		expect(['aborted', 'ECONNRESET']).toContain(await endOf(proxy, page()));
		expect(sandbox.proxyLog.last()?.died).toBe('cut');
		expect(sandbox.pages.visits.entries()).toHaveLength(1);
	});

	it.each([407, 454, 502, 517] as const)('a proxy can refuse with %i', async (status) => {
		const proxy = await handOut();
		sandbox.proxyFaults.add({ status, proxy: nameOf(proxy), times: 1 });
		expect(await endOf(proxy, page())).toBe(status);
		expect(await endOf(proxy, page())).toBe(200);
	});
});

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

it('the control port takes deaths as well', async () => {
	const send = async (fault: unknown) =>
		(
			await fetch(`${sandbox.controlUrl}/proxy-faults`, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify(fault),
			})
		).status;
	expect(await send({ dies: 'stall', afterBytes: 10, everyNth: 10 })).toBe(200);
	expect(sandbox.proxyFaults.list()).toMatchObject([
		{ dies: 'stall', afterBytes: 10, everyNth: 10 },
	]);
	for (const wrong of [{}, { dies: 'x' }, { dies: 'cut', status: 454 }, { status: 200 }]) {
		expect(await send(wrong)).toBe(400);
	}
});
