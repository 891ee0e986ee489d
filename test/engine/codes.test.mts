import type { RunResult } from './engine.mts';
import { orderKeys, type OrderKind } from './orderKeys.mts';
import {
	BALANCE,
	CLOSING,
	ORDER_EXPIRY,
	ORDER_INFO,
	ORDER_KEYS,
	ORDER_LIST,
	Owner,
	picked,
} from './owner.mts';
import { useTestBed, type PlanName, type TestBed } from './testBed.mts';

/** What has to be told: what happened, and what to do about it. */
type Told = [code: number, message: RegExp, description: RegExp];

const OWN_CODES: Told[] = [
	[2, /order.*expired/i, /renew/i],
	[-1, /request as invalid/i, /check the values/i],
	[-2, /order is invalid/i, /choose an open proxy order/i],
	[-3, /did not accept one of the values/i, /check the values/i],
	[-4, /could not extract/i, /try again/i],
	[-5, /is a dedicated proxy order/i, /choose an open proxy order/i],
	[-6, /is a private proxy order/i, /choose an open proxy order/i],
	[-7, /is a tunnel proxy order/i, /choose an open proxy order/i],
	[-11, /not been paid/i, /pay/i],
	[-12, /order is invalid/i, /choose an open proxy order/i],
	[-13, /order.*expired/i, /renew/i],
	[-14, /banned/i, /support/i],
	[-15, /order.*expired/i, /renew/i],
	[-16, /refunded/i, /choose an open proxy order/i],
	[-20, /too long/i, /smaller 'Number of Proxies'/i],
	[-23, /up to 500/, /'Plan' to 'Regular'/],
	[-24, /sorting needs a VIP or SVIP/i, /'Sort'/],
	[-25, /extra fields need a VIP or SVIP/i, /'Extra Fields'/],
	[-26, /not a VIP order/, /'Plan' to 'Regular'/],
	[-31, /stable proxies need a VIP or SVIP/i, /'Stability'/],
	[-32, /most stable proxies need an SVIP/i, /'Stability'/],
	[-33, /not an SVIP order/i, /'Plan'/],
	[-35, /up to 1,000/, /'Plan' to 'VIP'/],
	[-45, /up to 2,000/, /'Plan' to 'SVIP'/],
	[-51, /limit of proxies per minute/i, /'Wait for the Per-Minute Cap'/],
];

const COMMON_CODES: Told[] = [
	[-101, /no Secret ID/i, /'Secret ID'/],
	[-102, /does not exist or has expired/i, /member center/i],
	[-103, /without a signature/i, /report/i],
	[-104, /signature was not accepted/i, /'Secret ID' and 'Secret Key'/],
	[-105, /sign type/i, /report/i],
	[-106, /only POST/i, /report/i],
	[-107, /token has expired/i, /'HMAC-SHA1'/],
	[-108, /IP address is not on.*whitelist/i, /add the public IP address/i],
	[-109, /went wrong on Kuaidaili's side/i, /try again/i],
	[-110, /without a timestamp/i, /report/i],
	[-111, /timestamp/i, /report/i],
	[-113, /nonce/i, /report/i],
	[-121, /only signed requests/i, /'Sign Type'.*'HMAC-SHA1'/],
	[-122, /expected a secret token/i, /'Sign Type'.*'HMAC-SHA1'/],
	[-123, /this kind of key pair/i, /'Key Type'/],
];

describe('a code that the service answers', () => {
	const bed = useTestBed();

	it.each([...OWN_CODES, ...COMMON_CODES])(
		'%i is told with what happened, what to do and what the service said',
		async (code, message, description) => {
			bed().sandbox.faults.add({ kind: 'code', code, msg: '原因在此' });
			const { error, items, status } = await bed().extract({ plan: 'regular' });
			expect(status).toBe('error');
			expect(items).toEqual([]);
			expect(error?.message).toMatch(message);
			expect(error?.message).toMatch(/ \[item 0\]$/);
			expect(error?.description).toMatch(description);
			expect(error?.description).toContain(`原因在此 (code ${code})`);
			expect(error).toMatchObject({ name: 'NodeApiError', httpCode: String(code) });
			expect(bed().extractions).toHaveLength(1);
		},
	);

	it.each(['text', 'json', 'xml'])('is understood in the format %s', async (format) => {
		bed().sandbox.faults.add({ kind: 'code', code: -14, msg: 'a <b> & "c"' });
		const { error } = await bed().extract({ options: { format } });
		expect(error?.message).toBe('This order is banned [item 0]');
		expect(error?.description).toContain('The service said: a <b> & "c" (code -14).');
	});

	it('without a message is told with its number alone', async () => {
		bed().sandbox.faults.add({ kind: 'code', code: -14, msg: '' });
		const { error } = await bed().extract();
		expect(error?.description).toContain('The service answered with code -14.');
	});

	it.each([1, -9, -60, -999, 500])('%i, which is not known, is told as it is', async (code) => {
		bed().sandbox.faults.add({ kind: 'code', code, msg: '未知原因' });
		const { error, items } = await bed().extract();
		expect(items).toEqual([]);
		expect(error?.message).toBe(
			`The service refused the request with code ${code}: 未知原因 [item 0]`,
		);
		expect(error?.description).toContain('support of Kuaidaili');
		expect(error).toMatchObject({ httpCode: String(code) });
		expect(bed().extractions).toHaveLength(1);
	});

	it('has its text cleaned of control characters and cut at 500 characters', async () => {
		const msg = `one\r\n\u001b[31mtwo\u202e${'长'.repeat(2000)}`;
		bed().sandbox.faults.add({ kind: 'code', code: -14, msg });
		const { error } = await bed().extract();
		expect(error?.description).toContain('one [31mtwo');
		expect(error?.description).not.toMatch(/[\p{Cc}\p{Cf}]/u);
		expect(error?.description?.match(/长/g)?.length).toBeLessThanOrEqual(500);
		expect(error?.description?.match(/长/g)?.length).toBeGreaterThan(400);
	});
});

interface List {
	resource: string;
	path: string;
	order: OrderKind;
	codes: Told[];
}

const MISSING: Told = [-1, /missing a value/, /fill in all fields/i];

/** Of the queries about what can be ordered, as the service documents their codes. */
const LISTS: List[] = [
	{
		resource: 'city',
		path: '/api/querykpscity',
		order: 'dedicated-proxy',
		codes: [
			MISSING,
			[-2, /did not accept one of the values/, /'Series', 'Max Bandwidth', and 'City'/],
			[-3, /not a dedicated proxy order/, /account's key pair, or .*dedicated proxy order/],
		],
	},
	{
		resource: 'area',
		path: '/api/querysfpsarea',
		order: 'overseas static',
		codes: [
			MISSING,
			[-2, /did not accept the value of 'Series'/, /report/i],
			[
				-3,
				/not an overseas static residential order/,
				/account's key pair, or .*overseas static residential order/,
			],
		],
	},
	{
		resource: 'privateProxyResource',
		path: '/api/dpsresources',
		order: 'private-proxy',
		codes: [
			MISSING,
			[-3, /not a private proxy order/, /choose a private proxy order/i],
			[-4, /did not accept the value of 'Area'/, /region codes of 2 to 4 digits/],
			[-5, /did not accept the value of 'Carrier'/, /'Any'/],
		],
	},
];

async function getMany(bed: TestBed, { resource, order }: List): Promise<RunResult> {
	const credentialId = bed.addCredential(orderKeys(bed, order));
	return await bed.engine.run({ credentialId, parameters: { resource, operation: 'getAll' } });
}

describe.each(LISTS)('a code of $path', (list) => {
	const bed = useTestBed();
	const { path, codes } = list;

	it.each([...codes, ...COMMON_CODES])(
		'%i is told with what happened, what to do and what the service said',
		async (code, message, description) => {
			bed().sandbox.faults.add({ kind: 'code', code, msg: '原因在此', path });
			const { error, items, status } = await getMany(bed(), list);
			expect(status).toBe('error');
			expect(items).toEqual([]);
			expect(error?.message).toMatch(message);
			expect(error?.message).toMatch(/ \[item 0\]$/);
			expect(error?.description).toMatch(description);
			expect(error?.description).toContain(`原因在此 (code ${code})`);
			expect(error).toMatchObject({ name: 'NodeApiError', httpCode: String(code) });
			expect(bed().sandbox.log.count(path)).toBe(1);
		},
	);

	it.each([-6, -61, 1])('%i, which is not known, is told as it is', async (code) => {
		bed().sandbox.faults.add({ kind: 'code', code, msg: '未知原因', path });
		const { error, items } = await getMany(bed(), list);
		expect(items).toEqual([]);
		expect(error?.message).toBe(
			`The service refused the request with code ${code}: 未知原因 [item 0]`,
		);
	});
});

describe('a code of the three lists after which the node tries again', () => {
	const bed = useTestBed();

	it.each([
		[-112, /signature too old/, /clock/, 2],
		[-114, /duplicate/, /new signature/, 2],
		[-120, /called too often/, /same key/, 4],
	])(
		'%i is told in the same way when it stays',
		async (code, message, description, tries) => {
			bed().sandbox.faults.add({ kind: 'code', code, msg: '原因在此' });
			const runs = await Promise.all(LISTS.map(async (list) => await getMany(bed(), list)));
			for (const { error, items } of runs) {
				expect(items).toEqual([]);
				expect(error?.message).toMatch(message);
				expect(error?.description).toMatch(description);
				expect(error).toMatchObject({ httpCode: String(code) });
			}
			expect(LISTS.map(({ path }) => bed().sandbox.log.count(path))).toEqual(
				LISTS.map(() => tries),
			);
		},
		20_000,
	);
});

/** An operation on an account or an order, and which call of it is answered with a code. */
interface OrderCall {
	path: string;
	call(me: Owner): Promise<RunResult>;
	codes: Told[];
}

const ACCOUNT_KEY: Told = [-3, /account's key pair/, /Use a credential with the account's key/];

const ORDER_CALLS: OrderCall[] = [
	{
		path: BALANCE,
		call: async (me) => await me.run({ resource: 'account', operation: 'getBalance' }),
		codes: [ACCOUNT_KEY],
	},
	{
		path: ORDER_LIST,
		call: async (me) => await me.run({ resource: 'order', operation: 'getAll' }),
		codes: [],
	},
	{
		path: ORDER_KEYS,
		async call(me) {
			const orderid = picked(me.tunnel().orderId);
			return await me.run({ resource: 'autoRenewal', operation: 'disable', orderid });
		},
		codes: [
			[-1, /No order number reached the service/, /Fill in 'Order'/],
			[-2, /has no order with the number in 'Order'/, /belong to the account of the credential/],
			ACCOUNT_KEY,
		],
	},
	{
		path: ORDER_INFO,
		async call(me) {
			const orderid = picked(me.tunnel().orderId);
			return await me.run({ resource: 'order', operation: 'get', orderid });
		},
		codes: [],
	},
	{
		path: ORDER_EXPIRY,
		async call(me) {
			const orderid = picked(me.privateProxy({ payType: 'PRE_PAY_IP' }).orderId);
			return await me.run({ resource: 'order', operation: 'get', orderid });
		},
		codes: [[-1, /missing a parameter/, /report/i]],
	},
	{
		path: CLOSING,
		async call(me) {
			const orderid = picked(me.meteredTunnel().orderId);
			return await me.run({ resource: 'order', operation: 'close', orderid });
		},
		codes: [
			[-2, /cannot be closed in its current state/, /already closed/],
			[-3, /not a pay-as-you-go order/, /'Auto-Renewal: Disable'/],
			[-4, /order's own key pair/, /order's own key pair/],
		],
	},
];

describe.each(ORDER_CALLS)('a code of $path', ({ path, call, codes }) => {
	const bed = useTestBed();

	it.each([...codes, ...COMMON_CODES])(
		'%i is told with what happened, what to do and what the service said',
		async (code, message, description) => {
			bed().sandbox.faults.add({ kind: 'code', code, msg: '原因在此', path });
			const { error, items, status } = await call(new Owner(bed()));
			expect(status).toBe('error');
			expect(items).toEqual([]);
			expect(error?.message).toMatch(message);
			expect(error?.message).toMatch(/ \[item 0\]$/);
			expect(error?.description).toMatch(description);
			expect(error?.description).toContain(`原因在此 (code ${code})`);
			expect(error).toMatchObject({ name: 'NodeApiError', httpCode: String(code) });
			expect(bed().sandbox.log.count(path)).toBe(1);
		},
	);

	it.each([-6, -61, 1])('%i, which is not known, is told as it is', async (code) => {
		bed().sandbox.faults.add({ kind: 'code', code, msg: '未知原因', path });
		const { error, items } = await call(new Owner(bed()));
		expect(items).toEqual([]);
		expect(error?.message).toBe(
			`The service refused the request with code ${code}: 未知原因 [item 0]`,
		);
	});
});

describe('a code on accounts and orders after which the node tries again', () => {
	const bed = useTestBed();

	/** Whose answers do not depend on each other. */
	const GROUPS = [[BALANCE, ORDER_LIST, ORDER_KEYS], [ORDER_INFO], [ORDER_EXPIRY, CLOSING]];
	const STAYING: ReadonlyArray<[...told: Told, tries: number]> = [
		[-112, /signature too old/, /clock/, 2],
		[-114, /duplicate/, /new signature/, 2],
		[-120, /called too often/, /same key/, 4],
	];

	it.each(GROUPS.flatMap((paths) => STAYING.map((told) => [paths, ...told] as const)))(
		'of %j: %i is told in the same way when it stays',
		async (paths, code, message, description, tries) => {
			for (const path of paths) {
				bed().sandbox.faults.add({ kind: 'code', code, msg: '原因在此', path });
			}
			const calls = ORDER_CALLS.filter(({ path }) => paths.includes(path));
			const runs = await Promise.all(calls.map(async ({ call }) => await call(new Owner(bed()))));
			for (const { error, items } of runs) {
				expect(items).toEqual([]);
				expect(error?.message).toMatch(message);
				expect(error?.description).toMatch(description);
				expect(error).toMatchObject({ httpCode: String(code) });
			}
			expect(calls.map(({ path }) => bed().sandbox.log.count(path))).toEqual(
				calls.map(() => tries),
			);
		},
		20_000,
	);

	it.each([-112, -114, -120])(
		'%i does no harm when it passes',
		async (code) => {
			for (const { path } of ORDER_CALLS) {
				bed().sandbox.faults.add({ kind: 'code', code, path, times: 1 });
			}
			const runs = await Promise.all(
				ORDER_CALLS.map(async ({ call }) => await call(new Owner(bed()))),
			);
			expect(runs.map(({ error }) => error)).toEqual(runs.map(() => undefined));
		},
		20_000,
	);
});

describe('a common code in the format of the call', () => {
	const bed = useTestBed({ commonErrorFormat: 'format' });

	it.each(['text', 'json', 'xml'])('is understood as %s', async (format) => {
		const order = bed().newOrder();
		const { error } = await bed().extract({
			options: { format },
			credential: { secretId: order.keys.secretId, secretKey: 'wrong' },
		});
		expect(error?.message).toBe('The signature was not accepted [item 0]');
		expect(error).toMatchObject({ httpCode: '-104' });
	});
});

describe('what really happens at the service', () => {
	const bed = useTestBed();

	it('is told for the keys of orders and accounts that have no open proxies', async () => {
		const { keys } = bed().sandbox;
		const told: Array<string | undefined> = [];
		for (const pair of [keys.dps, keys.kps, keys.tps, keys.account, keys.opsExpired]) {
			const { error } = await bed().extract({
				plan: 'vip',
				credentialId: bed().addCredential(pair),
			});
			told.push(error?.message);
		}
		expect(told).toEqual([
			'This order is a private proxy order [item 0]',
			'This order is a dedicated proxy order [item 0]',
			'This order is a tunnel proxy order [item 0]',
			"This operation doesn't accept this kind of key pair [item 0]",
			'This order has expired [item 0]',
		]);
	});

	it.each<[plan: PlanName, order: PlanName, code: string]>([
		['svip', 'vip', '-33'],
		['vip', 'regular', '-26'],
	])('is told when the plan is %s and the order is %s', async (plan, order, httpCode) => {
		const credentialId = bed().addCredential(bed().newOrder(order).keys);
		const { error } = await bed().extract({ plan, credentialId });
		expect(error).toMatchObject({ httpCode });
		expect(error?.description).toContain("'Plan'");
	});

	it('is told when the address of this machine is not welcome', async () => {
		const account = bed().newAccount({ apiWhitelist: ['10.0.0.1'] });
		const order = bed().newOrder('svip', { account });
		const { error } = await bed().extract({ credentialId: bed().addCredential(order.keys) });
		expect(error).toMatchObject({ httpCode: '-108' });
	});

	it('is told when the account takes no tokens', async () => {
		const account = bed().newAccount({ requiresHmacSha1: true });
		const order = bed().newOrder('svip', { account });
		const credentialId = bed().addCredential(order.keys, { signType: 'token' });
		const { error } = await bed().extract({ credentialId });
		expect(error).toMatchObject({ httpCode: '-121' });
		expect(error?.description).toContain("'HMAC-SHA1'");
	});
});
