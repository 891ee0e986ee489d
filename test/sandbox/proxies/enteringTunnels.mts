import { startHttpsTarget, type HttpsTarget } from '../../../harness/httpsTarget.mts';
import {
	newOverseasProxyOrder,
	newTunnelProProxyOrder,
	newTunnelProxyOrder,
	startSandbox,
	type Sandbox,
	type SandboxOptions,
} from '../../../sandbox/sandbox.mts';
import type { OverseasProxyOrder, TunnelProxyOrder } from '../../../sandbox/accounts/order.mts';
import type { TunnelOrder } from '../../../sandbox/forwarding/tunnels/tunnels.mts';
import { accountOf } from '../ordering.mts';
import { exitOf, open, type Opening } from './proxyClient.mts';

export const SECOND = 1000;

export let sandbox: Sandbox;
export let secure: HttpsTarget;

beforeAll(async () => {
	secure = await startHttpsTarget();
});

afterAll(() => secure.close());

export async function start(options: SandboxOptions = {}): Promise<void> {
	sandbox = await startSandbox({ rateLimits: false, catalogueSize: 10, ...options });
}

beforeEach(() => start());

afterEach(() => sandbox.close());

export const page = () => `${sandbox.controlUrl}/ip`;

export const entranceOf = ({ entrance }: TunnelOrder) => ({
	host: entrance.host,
	port: Number(entrance.httpPort),
});

/** What a request through the tunnel says of itself, and what is added to user name and password. */
interface Asked extends Omit<Opening, 'login'> {
	suffix?: string;
	note?: string;
	url?: string;
}

export function loginTo({ login }: TunnelOrder, suffix = '', note = ''): string {
	return `${login.username}${suffix}:${login.password}${note}`;
}

export async function exit(order: TunnelOrder, asked: Asked = {}): Promise<string> {
	const { suffix, note, url = page(), ...opening } = asked;
	const login = loginTo(order, suffix, note);
	return await exitOf(entranceOf(order), url, { ...opening, login });
}

export async function statusOf(
	order: TunnelOrder,
	suffix: string,
	note = '',
): Promise<number | undefined> {
	const login = loginTo(order, suffix, note);
	const plain = await open(entranceOf(order), page(), { login });
	const tunneled = await open(entranceOf(order), secure.url, { login });
	expect(tunneled.status).toBe(plain.status);
	if (plain.status === 407) expect(plain.body).toMatch(/^Proxy Authentication Failed:/);
	return plain.status;
}

export function tps(settings: Partial<TunnelProxyOrder> = {}) {
	const order = newTunnelProxyOrder('tunnel', accountOf(sandbox), new Date(), settings);
	return sandbox.store.addOrder(order);
}

export function pro() {
	return sandbox.store.addOrder(newTunnelProProxyOrder('pro', accountOf(sandbox), new Date()));
}

export function fps(settings: Partial<OverseasProxyOrder> = {}) {
	const order = newOverseasProxyOrder('overseas', accountOf(sandbox), new Date(), settings);
	return sandbox.store.addOrder(order);
}
