import { type Fault, type KeyPair, type Sandbox, startSandbox } from '../../../sandbox/sandbox.mts';
import { call, get, type Parameters, post, type Reply, signed } from '../client.mts';
import {
	accountOf,
	ask,
	CREATE,
	field,
	ORDERS,
	type PurchaseKind,
	PURCHASES,
	requestOf,
	startShop,
} from '../ordering.mts';

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startShop();
});

afterEach(() => sandbox.close());

type SignType = 'token' | 'hmacsha1';

function buy(kind: PurchaseKind, signType: SignType): Promise<Reply> {
	const { path, keys, parameters } = requestOf(sandbox, kind);
	const withToken = () => ({
		...parameters,
		secret_id: keys.secretId,
		signature: sandbox.tokens.obtain(keys.secretId).value,
	});
	const sent = signType === 'token' ? withToken() : signed(keys, 'GET', path, parameters);
	return get(sandbox.hosts.baseUrl + path, sent);
}

const createdFirst = () => sandbox.ledger.entries()[0]?.orderId;
const createdLast = () => sandbox.ledger.entries().at(-1)?.orderId;
const outcomes = () => sandbox.log.entries().map(({ delivery, outcome }) => [delivery, outcome]);

describe.each(PURCHASES)('%s', (kind) => {
	it('with a token is paid twice for one request', async () => {
		const before = accountOf(sandbox).balanceInFen;
		sandbox.faults.add({ kind: 'twice', times: 1 });
		expect((await buy(kind, 'token')).json.code).toBe(0);
		expect(sandbox.ledger.count(kind)).toBe(2);
		expect(before - accountOf(sandbox).balanceInFen).toBe(sandbox.ledger.total());
		expect(outcomes()).toEqual([
			[1, 'dropped'],
			[2, 'answered'],
		]);
	});

	it('with hmacsha1 is paid once, and the caller is told of a replay', async () => {
		sandbox.faults.add({ kind: 'twice', times: 1 });
		expect((await buy(kind, 'hmacsha1')).json.code).toBe(-114);
		expect(sandbox.ledger.count(kind)).toBe(1);
		expect(sandbox.log.entries().map(({ code, workDone }) => [code, workDone])).toEqual([
			[0, true],
			[-114, false],
		]);
	});

	it.each<[signType: SignType, code: number, payments: number]>([
		['token', 0, 2],
		['hmacsha1', -114, 1],
	])('by %s after the first connection was cut gets %i', async (signType, code, payments) => {
		sandbox.faults.add({ kind: 'twice', cutFirst: 'after', times: 1 });
		expect((await buy(kind, signType)).json.code).toBe(code);
		expect(sandbox.ledger.count(kind)).toBe(payments);
		expect(sandbox.log.entries()).toMatchObject([
			{ delivery: 1, outcome: 'cut', fault: 'cut', workDone: true, code: 0, status: undefined },
			{ delivery: 2, outcome: 'answered', fault: undefined, workDone: code === 0, status: 200 },
		]);
	});

	it.each<SignType>(['token', 'hmacsha1'])(
		'by %s is paid once when the first delivery never came to anything',
		async (signType) => {
			sandbox.faults.add({ kind: 'twice', cutFirst: 'before', times: 1 });
			expect((await buy(kind, signType)).json.code).toBe(0);
			expect(sandbox.ledger.count(kind)).toBe(1);
			expect(sandbox.log.entries().map(({ workDone }) => workDone)).toEqual([false, true]);
		},
	);
});

describe('which answer', () => {
	it.each([
		[undefined, createdLast],
		['last', createdLast],
		['first', createdFirst],
	] as const)('%s', async (answer, expected) => {
		sandbox.faults.add({ kind: 'twice', answer, times: 1 });
		const { json } = await buy('create', 'token');
		expect(createdFirst()).not.toBe(createdLast());
		expect(field(json.data, 'orderid')).toBe(expected());
	});
});

it('once, or always', async () => {
	sandbox.faults.add({ kind: 'twice', times: 1 });
	await buy('create', 'token');
	await buy('create', 'token');
	expect(outcomes().map(([delivery]) => delivery)).toEqual([1, 2, 1]);

	sandbox.faults.add({ kind: 'twice' });
	await buy('create', 'token');
	await buy('create', 'token');
	expect(outcomes().map(([delivery]) => delivery)).toEqual([1, 2, 1, 1, 2, 1, 2]);
	expect(sandbox.ledger.count()).toBe(7);
});

describe('with other faults', () => {
	it.each<[fault: Fault, firstOutcome: string]>([
		[{ kind: 'status', status: 502, when: 'after', times: 1 }, 'dropped'],
		[{ kind: 'hang', when: 'after', times: 1 }, 'hung'],
		[{ kind: 'halfBody', promise: 'full', times: 1 }, 'cut'],
	])('each delivery has its own: %j hits the first', async (fault, firstOutcome) => {
		sandbox.faults.add({ kind: 'twice', times: 1 }, fault);
		expect((await buy('create', 'token')).json.code).toBe(0);
		expect(outcomes()).toEqual([
			[1, firstOutcome],
			[2, 'answered'],
		]);
		expect(sandbox.ledger.count()).toBe(2);
	});
});

it('the rules of pace refuse the second one, unless it comes late enough', async () => {
	const limited = await startSandbox({ forwardProxies: false, rateLimits: { scale: 0.2 } });
	const { secretId } = limited.keys.account;
	const signature = limited.tokens.obtain(secretId).value;
	const send = async () => {
		const sent = { ...ORDERS.ops, secret_id: secretId, signature };
		return (await get(limited.hosts.baseUrl + CREATE, sent)).json.code;
	};
	limited.faults.add({ kind: 'twice', gapMs: 250, times: 1 });
	expect(await send()).toBe(0);
	expect(limited.ledger.count()).toBe(2);

	limited.limits.settings.scale = 20;
	limited.faults.add({ kind: 'twice', times: 1 });
	const late = limited.log.count();
	expect(await send()).toBe(-120);
	expect(limited.log.count()).toBe(late + 2);
	expect(limited.ledger.count()).toBe(2);
	await limited.close();
});

it('closing the sandbox does not wait for the second delivery', async () => {
	const other = await startSandbox({ rateLimits: false, forwardProxies: false });
	other.faults.add({ kind: 'twice', gapMs: 3_600_000 });
	const sent = signed(other.keys.account, 'GET', CREATE, ORDERS.ops);
	const failure = expect(get(other.hosts.baseUrl + CREATE, sent)).rejects.toThrow('fetch failed');
	while (other.ledger.count() === 0) await new Promise(setImmediate);
	await other.close();
	await failure;
	expect(other.ledger.count()).toBe(1);
});

const LIST = '/api/getaccountorders';

const list = async (parameters: Parameters = {}) =>
	(await call(sandbox.hosts.baseUrl, LIST, sandbox.keys.account, parameters)).json.data;

describe('A cache', () => {
	it('replays the answer of the first call, which later ones do not reach', async () => {
		const order = sandbox.store.order(sandbox.keys.tps.secretId);
		sandbox.faults.add({ kind: 'cache', path: LIST, times: 2 });
		const before = await list();
		order.status = 'OWING';
		expect(await list()).toEqual(before);
		expect(sandbox.log.entries().map(({ workDone }) => workDone)).toEqual([true, false]);
		expect(await list()).not.toEqual(before);
	});

	it('keeps the answers to other questions and keys apart', async () => {
		sandbox.faults.add({ kind: 'cache', path: LIST });
		const all = await list();
		expect(await list({ product: 'TPS' })).not.toEqual(all);
		sandbox.faults.clear();
		sandbox.faults.add({ kind: 'cache' });
		const [dps, kps] = [sandbox.keys.dps, sandbox.keys.kps].map((keys) =>
			call(sandbox.hosts.baseUrl, '/api/getorderinfo', keys),
		);
		expect((await dps)?.json.data).not.toEqual((await kps)?.json.data);
	});
});

it.each([-4, -5, -6, -120])('A second delivery can be refused by %i', async (code) => {
	const { path, keys, parameters } = requestOf(sandbox, 'create');
	const { value: signature } = sandbox.tokens.obtain(keys.secretId);
	sandbox.faults.add({ kind: 'twice', secondCode: code, times: 1 });
	const byToken = { ...parameters, secret_id: keys.secretId, signature };
	const { json } = await get(sandbox.hosts.baseUrl + path, byToken);
	expect([path, json.code]).toEqual([CREATE, code]);
	expect(sandbox.ledger.count('create')).toBe(1);
	expect(sandbox.log.entries().map(({ workDone }) => workDone)).toEqual([true, false]);
});

it('The Date header alone can be days off', async () => {
	const days = (seconds: number) => seconds * 24 * 3600;
	sandbox.faults.add({ kind: 'dateOffset', seconds: days(10), times: 1 });
	const { headers, json } = await call(sandbox.hosts.baseUrl, LIST, sandbox.keys.account);
	// Signed with the right time, and believed
	expect(json.code).toBe(0);
	const ahead = Date.parse(headers.get('date') ?? '') - sandbox.clock.milliseconds();
	expect(Math.abs(ahead / 1000 - days(10))).toBeLessThan(60);
});

describe('An expiry', () => {
	const FORMS = [
		['seconds', '2026-11-23 18:00:05'],
		['minutes', '2026-11-23 18:00'],
		['ISO', '2026-11-23T18:00:05+08:00'],
		['slashes', '2026/11/23 18:00:05'],
		['epoch', 1795428005],
		['words', '下周一'],
		['null', null],
	] as const;

	it.each(FORMS)('in the form %s is %s, for all orders or one', async (form, written) => {
		const { tps, dps } = sandbox.keys;
		const [order, other] = [tps, dps].map((keys) => sandbox.store.order(keys.secretId));
		if (!order || !other) throw new Error('They are there from the start');
		order.expiresAt = other.expiresAt = new Date('2026-11-23T10:00:05Z');
		sandbox.clock.set(new Date('2026-11-20T00:00:00Z'));
		const token = sandbox.tokens.obtain(sandbox.keys.account.secretId).value;
		const asked = { secret_id: sandbox.keys.account.secretId, signature: token };
		const expiries = async () => {
			const { json } = await get(sandbox.hosts.baseUrl + LIST, asked);
			if (!Array.isArray(json.data)) throw new Error('There is no list');
			const byNumber = new Map(json.data.map(({ orderid, expire_time }) => [orderid, expire_time]));
			return [byNumber.get(order.orderId), byNumber.get(other.orderId)];
		};
		order.expiryForm = form;
		expect(await expiries()).toEqual([written, '2026-11-23 18:00:05']);
		delete order.expiryForm;
		sandbox.settings.expiryForm = form;
		expect(await expiries()).toEqual([written, written]);
	});
});

const EXPIRY = '/api/getorderexpiretime';
const BALANCE = '/api/getaccountbalance';

async function obtain({ secretId, secretKey }: KeyPair) {
	const parameters = { secret_id: secretId, secret_key: secretKey };
	return (await post(`${sandbox.hosts.authUrl}/api/get_secret_token`, parameters)).json;
}

async function tokenOf(keys: KeyPair): Promise<string> {
	return field((await obtain(keys)).data, 'secret_token');
}

async function useToken({ secretId }: KeyPair, token: string, path = EXPIRY): Promise<number> {
	const parameters: Parameters = { secret_id: secretId, signature: token };
	return (await get(sandbox.hosts.baseUrl + path, parameters)).json.code;
}

async function useKeys(keys: KeyPair, path = EXPIRY): Promise<number> {
	return (await call(sandbox.hosts.baseUrl, path, keys)).json.code;
}

describe('a forgotten token', () => {
	it.each([-104, -107, -122] as const)(
		'gets %i from then on, and a new one works',
		async (code) => {
			const { opsVip } = sandbox.keys;
			const token = await tokenOf(opsVip);
			expect(await useToken(opsVip, token)).toBe(0);

			sandbox.faults.add({ kind: 'forgottenToken', code, times: 1 });
			expect(await useToken(opsVip, token)).toBe(code);
			expect(await useToken(opsVip, token)).toBe(code);
			expect(await useToken(opsVip, token, '/api/getorderinfo')).toBe(code);

			const another = await tokenOf(opsVip);
			expect(another).not.toBe(token);
			expect(await useToken(opsVip, another)).toBe(0);
			expect(await useToken(opsVip, token)).toBe(code);
		},
	);

	it.each([
		[-104, { code: -2, data: '' }],
		[-107, { code: -107, msg: 'expired', data: { expire: 0 } }],
		[-122, { code: -2, data: '' }],
	] as const)('is judged by check_secret_token as by the others: %i', async (code, expected) => {
		const { opsVip } = sandbox.keys;
		const token = await tokenOf(opsVip);
		sandbox.faults.add({ kind: 'forgottenToken', code });
		await useToken(opsVip, token);
		const parameters = { secret_id: opsVip.secretId, secret_token: token };
		const reply = await post(`${sandbox.hosts.authUrl}/api/check_secret_token`, parameters);
		expect(reply.json).toMatchObject(expected);
	});

	it('does nothing to calls without a good token, and waits for one', async () => {
		const { opsVip, opsSvip } = sandbox.keys;
		const ended = await tokenOf(opsSvip);
		sandbox.tokens.expireAll(opsSvip.secretId);
		const token = await tokenOf(opsVip);

		const fault: Fault = { kind: 'forgottenToken', code: -122, times: 1 };
		sandbox.faults.add(fault);
		expect(await useKeys(opsVip)).toBe(0);
		expect(await useToken(opsVip, 'mistyped')).toBe(-104);
		expect(await useToken(opsSvip, ended)).toBe(-107);
		await tokenOf(opsVip);
		expect(sandbox.faults.list()).toEqual([fault]);

		expect(await useToken(opsVip, token)).toBe(-122);
		expect(sandbox.faults.list()).toEqual([]);
	});

	it('can be that of one key, or of one path', async () => {
		const { opsVip, account } = sandbox.keys;
		const [orderToken, accountToken] = [await tokenOf(opsVip), await tokenOf(account)];
		sandbox.faults.add({ kind: 'forgottenToken', secretId: account.secretId });
		expect(await useToken(opsVip, orderToken)).toBe(0);
		expect(await useToken(account, accountToken, BALANCE)).toBe(-104);

		sandbox.faults.clear();
		sandbox.faults.add({ kind: 'forgottenToken', path: EXPIRY });
		expect(await useToken(opsVip, orderToken, '/api/getorderinfo')).toBe(0);
		expect(await useToken(opsVip, orderToken)).toBe(-104);
	});
});

describe('a changed key pair', () => {
	const secretOf = async (orderid: string): Promise<KeyPair> => {
		const parameters = { orderid };
		const { data } = await ask(sandbox, '/api/getordersecret', sandbox.keys.account, parameters);
		return { secretId: field(data, 'secret_id'), secretKey: field(data, 'secret_key') };
	};

	it.each([-102, -104] as const)('the old one gets %i, the new one works', async (code) => {
		const old = sandbox.keys.opsVip;
		const { orderId } = sandbox.store.order(old.secretId);
		expect(await secretOf(orderId)).toEqual(old);

		sandbox.faults.add({ kind: 'changedKeyPair', code, times: 1 });
		expect(await useKeys(old)).toBe(code);
		expect(await useKeys(old)).toBe(code);

		const changed = await secretOf(orderId);
		expect(changed.secretKey).not.toBe(old.secretKey);
		expect(changed.secretId === old.secretId).toBe(code === -104);
		expect(changed).toEqual(sandbox.store.orderNumbered(orderId).keys);
		expect(await useKeys(changed)).toBe(0);
		expect(await useKeys(old)).toBe(code);
	});

	it.each([-102, -104] as const)('its tokens get %i, and it gets no more', async (code) => {
		const old = sandbox.keys.opsVip;
		const { orderId } = sandbox.store.order(old.secretId);
		const token = await tokenOf(old);
		sandbox.faults.add({ kind: 'changedKeyPair', code, times: 1 });
		expect(await useToken(old, token)).toBe(code);
		expect((await obtain(old)).code).toBe(-2);

		const changed = await secretOf(orderId);
		expect(await useToken(changed, await tokenOf(changed))).toBe(0);
	});

	it('buys nothing with the old one', async () => {
		const { orderId } = sandbox.store.order(sandbox.keys.opsVip.secretId);
		const old = sandbox.keys.opsVip;
		sandbox.faults.add({ kind: 'changedKeyPair', path: '/api/reneworder', times: 1 });
		const renewal = { time_type: 'DAY', time_number: '1' };
		expect((await ask(sandbox, '/api/reneworder', old, renewal)).code).toBe(-104);
		expect(sandbox.ledger.count()).toBe(0);
		const changed = await secretOf(orderId);
		expect((await ask(sandbox, '/api/reneworder', changed, renewal)).code).toBe(0);
	});

	it('is not that of the account', async () => {
		const { account } = sandbox.keys;
		sandbox.faults.add({ kind: 'changedKeyPair' });
		expect(await useKeys(account, BALANCE)).toBe(0);
		expect(sandbox.faults.list()).toHaveLength(1);
	});
});

it('an incident and a fault that decides the outcome can hit one call', async () => {
	const { opsVip } = sandbox.keys;
	sandbox.faults.add(
		{ kind: 'changedKeyPair', times: 1 },
		{ kind: 'cut', when: 'after', times: 1 },
	);
	const parameters = signed(opsVip, 'GET', EXPIRY);
	await expect(get(sandbox.hosts.baseUrl + EXPIRY, parameters)).rejects.toThrow('fetch failed');
	expect(sandbox.log.last()).toMatchObject({ code: -104, workDone: false, outcome: 'cut' });
});
