import { startSandbox, type KeyPair, type Sandbox } from '../../sandbox/sandbox.mts';
import { call, type Parameters, type Reply } from './client.mts';

export const CREATE = '/api/createorder';
export const RENEW = '/api/reneworder';

const PLENTY_IN_FEN = 1_000_000_000_00;

/** No pace and no real proxies, and an account that can pay whatever is asked for. */
export async function startShop(): Promise<Sandbox> {
	const sandbox = await startSandbox({
		rateLimits: false,
		forwardProxies: false,
		catalogueSize: 200,
	});
	accountOf(sandbox).balanceInFen = PLENTY_IN_FEN;
	return sandbox;
}

export function accountOf(sandbox: Sandbox) {
	return sandbox.store.account(sandbox.keys.account.secretId);
}

/** Signed at the time of the sandbox, which a test may have moved. */
export async function ask(
	sandbox: Sandbox,
	path: string,
	keys: KeyPair,
	parameters: Parameters,
): Promise<Reply['json']> {
	const { baseUrl } = sandbox.hosts;
	return (await call(baseUrl, path, keys, parameters, sandbox.clock.now())).json;
}

export function create(sandbox: Sandbox, parameters: Parameters): Promise<Reply['json']> {
	return ask(sandbox, CREATE, sandbox.keys.account, parameters);
}

/** The order that a successful createorder speaks of. */
export function orderOf(sandbox: Sandbox, { code, msg, data }: Reply['json']) {
	expect({ code, msg }).toEqual({ code: 0, msg: 'create order success' });
	return sandbox.store.orderNumbered(field(data, 'orderid'));
}

export function field(data: unknown, name: string): string {
	return String(Object(data)[name]);
}

const DAY = { pay_type: 'PRE_PAY', 'prepay.time_type': 'DAY' };

const ADDRESSES = { 'dps.period': 'M_1_5', 'dps.ip_count': '1000' };

/** The shortest order of every sort: nothing in it can be left out. */
export const ORDERS = {
	tps: { product: 'TPS', ...DAY, 'tps.period': '0' },
	tpsPayAsUsed: { product: 'TPS', pay_type: 'POST_PAY', 'tps.period': '60' },
	dpsEven: {
		product: 'DPS',
		...DAY,
		'dps.fetch_type': '1',
		'dps.period': 'M_3_5',
		'dps.ip_count': '2500',
	},
	dpsConcentrated: { product: 'DPS', ...DAY, 'dps.fetch_type': '2', ...ADDRESSES },
	dpsPerIp: { product: 'DPS', pay_type: 'PRE_PAY_IP', ...ADDRESSES },
	kpsStatic: {
		product: 'KPS',
		...DAY,
		'kps.serie': '1',
		'kps.model': 'STA',
		'kps.max_bandwidth': '1',
		'kps.ip_count': '1',
	},
	kpsDynamic: {
		product: 'KPS',
		...DAY,
		'kps.serie': '1',
		'kps.model': 'DYN',
		'kps.max_bandwidth': '1',
		'kps.ip_count': '1',
	},
	kpsExclusive: {
		product: 'KPS',
		pay_type: 'PRE_PAY',
		'prepay.time_type': 'MONTH',
		'kps.serie': '2',
		'kps.max_bandwidth': '1',
		'kps.ip_count': '1',
	},
	ops: { product: 'OPS', ...DAY, 'ops.plan': '2' },
} satisfies Record<string, Parameters>;

export type OrderName = keyof typeof ORDERS;

/** The two ways to spend money. */
export const PURCHASES = ['create', 'renew'] as const;

export type PurchaseKind = (typeof PURCHASES)[number];

export function requestOf({ keys }: Sandbox, kind: PurchaseKind) {
	return kind === 'create'
		? { path: CREATE, keys: keys.account, parameters: ORDERS.ops }
		: { path: RENEW, keys: keys.opsVip, parameters: { time_type: 'DAY', time_number: '1' } };
}
