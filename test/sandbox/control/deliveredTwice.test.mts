import { startSandbox, type Fault, type Sandbox } from '../../../sandbox/sandbox.mts';
import { get, signed, type Reply } from '../client.mts';
import {
	accountOf,
	CREATE,
	field,
	ORDERS,
	PURCHASES,
	requestOf,
	startShop,
	type PurchaseKind,
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
