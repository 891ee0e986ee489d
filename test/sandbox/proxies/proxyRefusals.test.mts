import { createServer } from 'node:net';
import { PROXY_STATUSES, STATUS_TEXTS } from '../../../sandbox/forwarding/statuses.mts';
import { open } from './proxyClient.mts';
import { handOut, loginTo, openBoth, orderOf, sandbox } from './openingProxies.mts';

describe('454', () => {
	const after = (seconds: number) => new Date(sandbox.clock.milliseconds() + seconds * 1000);

	it('when the extracted address has expired, by login and by whitelist', async () => {
		const order = orderOf('dps');
		const { at } = await handOut(order, { expiresAt: after(120) });
		const opening = { login: loginTo(order) };
		sandbox.whitelists.replaceNow(order, ['127.0.0.1']);
		sandbox.clock.advance(119_000);
		expect((await openBoth(at, opening)).status).toBe(200);
		sandbox.clock.advance(1000);
		const { status, body } = await openBoth(at, opening);
		expect({ status, body }).toEqual({ status: 454, body: 'Proxy Authentication Expired' });
		expect((await openBoth(at)).status).toBe(454);
		expect((await openBoth(at, { login: 'wrong:wrong' })).status).toBe(407);
	});

	it.each(['EXPIRED', 'CLOSED', 'FORBIDDEN'] as const)('when the order is %s', async (status) => {
		const order = orderOf('kps');
		const { at } = await handOut(order);
		order.status = status;
		expect((await openBoth(at, { login: loginTo(order) })).status).toBe(454);
	});
});

describe('503', () => {
	async function unusedPort(): Promise<number> {
		const server = createServer();
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const address = server.address();
		await new Promise((resolve) => server.close(resolve));
		return typeof address === 'object' && address ? address.port : 0;
	}

	it('when nobody listens at the target', async () => {
		const order = orderOf('dps');
		const { at } = await handOut(order);
		const port = await unusedPort();
		for (const protocol of ['http', 'https']) {
			const url = `${protocol}://127.0.0.1:${port}/`;
			const { status, body } = await open(at, url, { login: loginTo(order) });
			expect({ status, body }).toEqual({ status: 503, body: 'Proxy Connect Error' });
		}
	});

	it('when the proxy is broken', async () => {
		const order = orderOf('dps');
		const { at } = await handOut(order, { works: false });
		expect((await openBoth(at, { login: loginTo(order) })).status).toBe(503);
	});
});

describe('a refusal that a test asks for', () => {
	it.each(PROXY_STATUSES)('%d reaches clients of http and https with its words', async (status) => {
		const order = orderOf('dps');
		const { at } = await handOut(order);
		sandbox.proxyFaults.add({ status });
		const answer = await openBoth(at, { login: loginTo(order) });
		expect(answer).toMatchObject({ status, body: STATUS_TEXTS[status] });
	});
});
