import { Agent } from 'node:http';
import type { TunnelOrder } from '../../../sandbox/forwarding/tunnels/tunnels.mts';
import { exitOf, open } from './proxyClient.mts';
import {
	entranceOf,
	exit,
	fps,
	loginTo,
	page,
	pro,
	sandbox,
	secure,
	start,
	statusOf,
	tps,
} from './enteringTunnels.mts';

const wherever = /^127\.255\.\d+\.\d+$/;

const PRODUCTS = [
	['a tunnel', tps],
	['a Pro tunnel', pro],
	['an overseas tunnel', fps],
] as const;

describe.each(PRODUCTS)('%s', (_name, newOrder) => {
	it('is entered at an address, with the documented port', () => {
		const order: TunnelOrder = newOrder();
		const port = order.product === 'FPS' ? '18866' : '15818';
		expect(order.entrance).toMatchObject({ host: expect.stringMatching(/^127\./), httpPort: port });
	});

	it('leaves from another address with every connection, to http and https pages', async () => {
		const order = newOrder();
		const exits = [
			await exit(order),
			await exit(order),
			await exit(order, { url: secure.url }),
			await exit(order, { url: secure.url }),
		];
		expect(new Set(exits).size).toBe(4);
		for (const each of exits) expect(each).toMatch(wherever);
	});

	it('leaves from the same address while the client keeps its connection', async () => {
		const order = newOrder();
		const agent = new Agent({ keepAlive: true, maxSockets: 1 });
		const first = await exit(order, { agent });
		expect(await exit(order, { agent })).toBe(first);
		expect(await exit(order, { agent })).toBe(first);
		agent.destroy();
		expect(await exit(order)).not.toBe(first);
	});

	it('wants a login or a client on the whitelist', async () => {
		const order = newOrder();
		const entrance = entranceOf(order);
		expect(await open(entrance, page())).toMatchObject({
			status: 407,
			body: 'White IP Failed: 127.0.0.1',
		});
		expect(await open(entrance, page(), { login: 'somebody:else' })).toMatchObject({
			status: 407,
			body: expect.stringMatching(/^Proxy Authentication Failed:/),
		});
		sandbox.whitelists.replaceNow(order, ['127.0.0.1']);
		expect(await exitOf(entrance, page())).toMatch(wherever);
		expect(await exitOf(entrance, secure.url)).toMatch(wherever);
	});

	it('answers 454 when the order is over, 503 when the target does not answer', async () => {
		const order = newOrder();
		const login = loginTo(order);
		const nobody = await open(entranceOf(order), 'http://127.0.0.1:1/', { login });
		expect(nobody).toMatchObject({ status: 503, body: 'Proxy Connect Error' });
		order.status = 'EXPIRED';
		expect(await statusOf(order, '')).toBe(454);
	});

	it('is logged with what was asked for', async () => {
		const order = newOrder();
		const address = await exit(order);
		expect(sandbox.proxyLog.last()).toMatchObject({
			proxy: `${order.entrance.host}:${order.entrance.httpPort}`,
			method: 'GET',
			target: new URL(sandbox.controlUrl).host,
			clientAddress: '127.0.0.1',
			username: order.login.username,
			orderId: order.orderId,
			refusedWith: undefined,
			exit: address,
		});
		await open(entranceOf(order), secure.url, { login: 'a:b' });
		expect(sandbox.proxyLog.last()).toMatchObject({
			method: 'CONNECT',
			username: 'a',
			orderId: undefined,
			refusedWith: 407,
			exit: undefined,
		});
	});
});

describe('441: a tunnel beyond its requests per second', () => {
	it.each([
		['a tunnel', () => tps({ maxRps: 5 })],
		['a Pro tunnel', pro],
	])('%s counts pages and connections of all its clients', async (_name, newOrder) => {
		await sandbox.close();
		// A second is 100 here, so that a busy machine does not spread the requests over two.
		await start({ rateLimits: { scale: 100 } });
		const order = newOrder();
		for (const url of [page(), secure.url, page(), secure.url, page()]) await exit(order, { url });
		const login = loginTo(order);
		for (const url of [page(), secure.url]) {
			const { status, body } = await open(entranceOf(order), url, { login });
			expect({ status, body }).toEqual({ status: 441, body: 'Request Rate Over Limit' });
		}
		expect(sandbox.proxyLog.last()).toMatchObject({ orderId: order.orderId, refusedWith: 441 });
		order.maxRps = 6;
		expect(await exit(order)).toMatch(wherever);
	});
});
