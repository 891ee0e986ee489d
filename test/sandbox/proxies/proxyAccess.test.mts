import type { ProxyOrder } from '../../../sandbox/accounts/order.mts';
import type { OrderProxy } from '../../../sandbox/extraction/orderProxies.mts';
import {
	newOverseasStaticProxyOrder,
	type Sandbox,
	startSandbox,
} from '../../../sandbox/sandbox.mts';
import { accountOf } from '../ordering.mts';
import { open, type Opened, type Opening, type ProxyAddress } from './proxyClient.mts';

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startSandbox({ rateLimits: false, catalogueSize: 10 });
});

afterEach(() => sandbox.close());

type Details = Parameters<Sandbox['orderProxies']['add']>[2];

/** A proxy that was handed out to an order. */
async function handOut(order: ProxyOrder, details: Details = {}) {
	const proxy = sandbox.orderProxies.add(order, () => 22_989, details);
	await sandbox.orderProxies.open(order, [proxy]);
	return { proxy, at: { host: proxy.address, port: proxy.port } };
}

function orderOf(name: 'dps' | 'kps' | 'sfpsPackage' | 'tps' | 'tpsPro' | 'fps'): ProxyOrder {
	const order = sandbox.store.order(sandbox.keys[name].secretId);
	if (!('login' in order)) throw new Error(`${name} has no login`);
	return order;
}

const loginTo = ({ login }: { login: OrderProxy['login'] }) =>
	`${login.username}:${login.password}`;

/** What http and https clients get, which is the same. */
async function openBoth(at: ProxyAddress, opening?: Opening): Promise<Opened> {
	const { http, https } = await sandbox.pages.open();
	const plain = await open(at, `${http}/ip`, opening);
	const tunneled = await open(at, `${https}/ip`, opening);
	const comparable = ({ status, body }: Opened) => ({ status, address: addressIn(body) ?? body });
	expect(comparable(tunneled)).toEqual(comparable(plain));
	return plain;
}

function addressIn(body: string): unknown {
	return body.startsWith('{') ? JSON.parse(body).address : undefined;
}

describe.each(['dps', 'kps', 'sfpsPackage'] as const)('a proxy of the order %s', (name) => {
	it('serves who knows the login of the order', async () => {
		const order = orderOf(name);
		const { at } = await handOut(order);
		const { status, body } = await openBoth(at, { login: loginTo(order) });
		expect({ status, address: addressIn(body) }).toEqual({ status: 200, address: at.host });
	});

	it.each([
		['a wrong password', 'sandbox-order-NAME-proxy-username:wrong'],
		['a wrong user name', 'somebody:sandbox-order-NAME-proxy-password'],
		[
			'more after the password',
			'sandbox-order-NAME-proxy-username:sandbox-order-NAME-proxy-password:a',
		],
		['the keys of the API', 'sandbox-order-NAME-id:sandbox-order-NAME-key'],
		['an empty one', ':'],
	])('refuses %s with 407', async (_name, login) => {
		const order = orderOf(name);
		const { at } = await handOut(order);
		const own = order.login.username.replace('-proxy-username', '');
		const wrong = login.replaceAll('sandbox-order-NAME', own);
		const { status, headers, body } = await openBoth(at, { login: wrong });
		expect(status).toBe(407);
		expect(headers['proxy-authenticate']).toMatch(/^Basic /);
		expect(body).toMatch(/^Proxy Authentication Failed:/);
		expect(sandbox.pages.visits.entries()).toEqual([]);
	});

	it('tells a client without a login that its address is not on the whitelist', async () => {
		const { at } = await handOut(orderOf(name));
		const { status, body } = await openBoth(at);
		expect({ status, body }).toEqual({ status: 407, body: 'White IP Failed: 127.0.0.1' });
	});

	it('serves a client on the whitelist without a login', async () => {
		const order = orderOf(name);
		const { at } = await handOut(order);
		sandbox.whitelists.replaceNow(order, ['127.0.0.1']);
		expect((await openBoth(at)).status).toBe(200);
		expect((await openBoth(at, { login: 'wrong:wrong' })).status).toBe(407);
	});
});

it('a change of the whitelist counts after a minute', async () => {
	const order = orderOf('dps');
	const { at } = await handOut(order);
	sandbox.whitelists.replace(order, ['127.0.0.1']);
	expect((await openBoth(at)).status).toBe(407);
	sandbox.clock.advance(60_000);
	expect((await openBoth(at)).status).toBe(200);
});

it('the address that counts is where the client calls from, or what a test makes of it', async () => {
	const order = orderOf('dps');
	const { at } = await handOut(order);
	sandbox.whitelists.replaceNow(order, ['192.0.2.8']);
	expect((await openBoth(at)).body).toBe('White IP Failed: 127.0.0.1');
	sandbox.settings.clientAddress = '192.0.2.8';
	expect((await openBoth(at)).status).toBe(200);
	sandbox.settings.clientAddress = '192.0.2.9';
	expect((await openBoth(at)).body).toBe('White IP Failed: 192.0.2.9');
});

it('each proxy of a retail order has a login of its own', async () => {
	const order = sandbox.store.addOrder(
		newOverseasStaticProxyOrder('retail', accountOf(sandbox), sandbox.clock.now()),
	);
	const login = { username: 'one', password: 'secret' };
	const { at } = await handOut(order, { login });
	expect((await openBoth(at, { login: 'one:secret' })).status).toBe(200);
	expect((await openBoth(at, { login: loginTo(order) })).status).toBe(407);
});

it('a login is read as it was sent, with colons, percent signs and letters of all kinds', async () => {
	const order = orderOf('dps');
	order.login = { username: 'ü %3A', password: 'a:b%@/快' };
	const { at } = await handOut(order);
	expect((await openBoth(at, { login: 'ü %3A:a:b%@/快' })).status).toBe(200);
	expect((await openBoth(at, { login: 'ü :a:b%@/快' })).status).toBe(407);
});

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
