import { startHttpsTarget, type HttpsTarget } from '../../../harness/httpsTarget.mts';
import type { ProxyOrder } from '../../../sandbox/accounts/order.mts';
import type { OrderProxy } from '../../../sandbox/extraction/orderProxies.mts';
import { startSandbox, type Sandbox } from '../../../sandbox/sandbox.mts';
import { open, type Opened, type Opening, type ProxyAddress } from './proxyClient.mts';

export let sandbox: Sandbox;
export let secure: HttpsTarget;

beforeAll(async () => {
	secure = await startHttpsTarget();
});

afterAll(() => secure.close());

beforeEach(async () => {
	sandbox = await startSandbox({ rateLimits: false, catalogueSize: 10 });
});

afterEach(() => sandbox.close());

type Details = Parameters<Sandbox['orderProxies']['add']>[2];

/** A proxy that was handed out to an order. */
export async function handOut(order: ProxyOrder, details: Details = {}) {
	const proxy = sandbox.orderProxies.add(order, () => 22_989, details);
	await sandbox.orderProxies.open(order, [proxy]);
	return { proxy, at: { host: proxy.address, port: proxy.port } };
}

export function orderOf(
	name: 'dps' | 'kps' | 'sfpsPackage' | 'tps' | 'tpsPro' | 'fps',
): ProxyOrder {
	const order = sandbox.store.order(sandbox.keys[name].secretId);
	if (!('login' in order)) throw new Error(`${name} has no login`);
	return order;
}

export const loginTo = ({ login }: { login: OrderProxy['login'] }) =>
	`${login.username}:${login.password}`;

const page = () => `${sandbox.controlUrl}/ip`;

/** What http and https clients get, which is the same. */
export async function openBoth(at: ProxyAddress, opening?: Opening): Promise<Opened> {
	const plain = await open(at, page(), opening);
	const tunneled = await open(at, secure.url, opening);
	const comparable = ({ status, body }: Opened) => ({ status, address: addressIn(body) ?? body });
	expect(comparable(tunneled)).toEqual(comparable(plain));
	return plain;
}

export function addressIn(body: string): unknown {
	return body.startsWith('{') ? JSON.parse(body).address : undefined;
}
