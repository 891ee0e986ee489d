import { setTimeout as sleep } from 'node:timers/promises';
import { startSandbox, type OrderProxy, type Sandbox } from '../../../sandbox/sandbox.mts';
import { open, type ProxyAddress } from './proxyClient.mts';

let sandbox: Sandbox;
let pages: { http: string; https: string };

beforeEach(async () => {
	sandbox = await startSandbox({ rateLimits: false, catalogueSize: 10 });
	pages = await sandbox.pages.open();
});

afterEach(() => sandbox.close());

function orderOf(name: 'dps' | 'kps' | 'tps') {
	const order = sandbox.store.order(sandbox.keys[name].secretId);
	if (!('login' in order)) throw new Error(`${name} has no login`);
	return order;
}

async function handOut(name: 'dps' | 'kps' = 'dps'): Promise<OrderProxy> {
	const proxy = sandbox.orderProxies.add(orderOf(name), () => 22_989, {});
	await sandbox.orderProxies.open(orderOf(name), [proxy]);
	return proxy;
}

const nameOf = ({ address, port }: OrderProxy) => `${address}:${port}`;
const placeOf = ({ address, port }: OrderProxy): ProxyAddress => ({ host: address, port });

async function visit(proxy: OrderProxy, url: string, name: 'dps' | 'kps' = 'dps') {
	const { username, password } = orderOf(name).login;
	return await open(placeOf(proxy), url, { login: `${username}:${password}` });
}

/** The name of the error, or the status. */
const endOf = async (...asked: Parameters<typeof visit>) =>
	await visit(...asked).then(
		({ status }) => status,
		(error: Error) => ('code' in error ? error.code : error.message),
	);

describe.each(['http', 'https'] as const)('On the way to an %s page', (scheme) => {
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
	for (let count = 0; count < 6; count += 1) {
		ends.push(await endOf(await handOut(), `${pages.http}/json`));
	}
	expect(ends).toEqual([200, 200, 'ECONNREFUSED', 200, 200, 'ECONNREFUSED']);
});

it('the proxies of one order die, and so many of them as is said', async () => {
	const [dps, other, kps] = [await handOut(), await handOut(), await handOut('kps')];
	const ends = async () => [
		await endOf(dps, `${pages.http}/json`),
		await endOf(other, `${pages.http}/json`),
		await endOf(kps, `${pages.http}/json`, 'kps'),
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
