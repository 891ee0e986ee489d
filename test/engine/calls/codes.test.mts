import { shareOf } from '../../fullMatrices.mts';
import { isRepeatable } from '../../operations/effects.mts';
import {
	type Codes,
	COMMON_CODES,
	ENDPOINT_ROWS,
	type EndpointRow,
	type Told,
} from '../../operations/index.mts';
import { Customer, picked } from '../support/customer.mts';
import { failOn, type Failure, routeTo, worldOn } from '../support/routes.mts';
import type { PlanName } from '../support/testBed.mts';
import { useWorkbench } from '../support/workbench.mts';

const MSG = '原因在此';

const { bed } = useWorkbench();

/** How long a call is tried again that the service says was too fast, and how far apart the tries are. */
const TOO_FAST_MS = 180_000;
const LONGEST_PAUSE_MS = 8000;

/** Endpoints that refuse a call with a code as "not yet": of an order that is new, or that too many IPs call. */
const NOT_YET: ReadonlyMap<number, readonly string[]> = new Map([
	[-2, ['getdps', 'getfps', 'getfpsip', 'getkps', 'getkpsbyid', 'getsfps', 'gettps', 'gettpspro']],
	[
		-51,
		[
			...['getdps', 'getfps', 'getfpsip', 'getkps', 'getkpsbyid', 'getproxy', 'getsfps', 'gettps'],
			'gettpspro',
		],
	],
]);

const SHARES = 10;
const OWN_SHARES = 3;
const UNKNOWN_CODES = [1, -6, -61, -999];

/**
 * Some codes of the endpoint, and of the common ones, which one function resolves: what each of them says, the unit tests
 * of the endpoints go through. What a purchase makes of a code differs, so that purchases have all.
 */
function codesOf({ path, codes }: EndpointRow, index: number): Array<[code: number, told: Told]> {
	const [common, own] = [COMMON_CODES, codes].map((each: Codes) => Object.entries(each));
	const tried = routeTo(path).buys
		? [...common, ...own]
		: [
				...shareOf(common, SHARES, index),
				...shareOf(own, OWN_SHARES, index),
				...own.filter(
					([, told]) => told instanceof RegExp && told.source.includes('may have been'),
				),
			];
	const all: Codes = Object.fromEntries(tried);
	return Object.entries(all).map(([code, told]) => [Number(code), told]);
}

function saidIn({ message, description }: Failure): string {
	return `${message} ${description}`;
}

/** Calls the endpoint, which answers with that code. */
async function refused({ path }: EndpointRow, code: number) {
	const route = routeTo(path);
	const world = worldOn(route, bed());
	for (const secretId of new Set([world.account.keys.secretId, world.order?.keys.secretId])) {
		bed().sandbox.faults.add({ kind: 'code', code, msg: MSG, path, secretId });
	}
	const failure = await failOn(route, world, bed());
	const { payments } = world;
	const arrivals = world.requests(path).map(({ arrival }) => arrival);
	const lastTryAfterMs = arrivals[arrivals.length - 1] - arrivals[0];
	return { ...route, failure, tries: arrivals.length, lastTryAfterMs, paid: payments.length };
}

describe.each(ENDPOINT_ROWS.map((row, index) => ({ ...row, index })))('a code of $path', (row) => {
	const told = codesOf(row, row.index).flatMap(
		([code, words]): Array<[number, RegExp]> => (words instanceof RegExp ? [[code, words]] : []),
	);
	const { outcomeUnknown = [] } = row;

	it.each(told)(
		'%i is told with what happened, what to do and what Kuaidaili said',
		async (code, words) => {
			const { failure, tries, buys, paid } = await refused(row, code);
			expect(saidIn(failure)).toMatch(words);
			expect(failure.description).toMatch(/\w{4}.*\.$/);
			const isOpen = buys && [...outcomeUnknown, -109].includes(code);
			// What proves that nothing was bought is sent again by n8n's second try
			const isSentAgain = buys && !isOpen;
			const isAskedAgain = code === -109 && isRepeatable(row.path);
			// What is refused as "not yet" is tried again for a minute
			const isNotYet = NOT_YET.get(code)?.includes(row.path.replace('/api/', '')) === true;
			if (isNotYet) expect(tries).toBeGreaterThan(3);
			else expect(tries).toBe(isAskedAgain ? 3 : isSentAgain ? 2 : 1);
			expect(paid).toBe(0);
			expect(failure.message.includes('may have been')).toBe(isOpen);
			if (isOpen) {
				expect(failure.description).toContain('member center');
			} else {
				expect(failure.description).toContain(`${MSG} (code ${code})`);
				expect(failure.httpCode).toBe(String(code));
			}
		},
	);

	const unknown = UNKNOWN_CODES.filter((code) => !(code in row.codes));

	it.each(shareOf(unknown, unknown.length, row.index))(
		'%i, which is not known, is told as it is',
		async (code) => {
			const { failure, tries, buys, paid } = await refused(row, code);
			expect(saidIn(failure)).toContain(`Kuaidaili refused the request with code ${code}: ${MSG}`);
			// A look shows that nothing was bought
			expect(tries).toBe(buys ? 2 : 1);
			expect(paid).toBe(0);
		},
	);
});

describe('a code after which the node tries again', () => {
	/** What is not clear after a purchase is a matter of its own. */
	const failAll = async (code: number) => {
		const reads = ENDPOINT_ROWS.filter(
			({ path, codes }) => !routeTo(path).buys && !(code in codes),
		);
		const rows = shareOf(reads, SHARES, -code);
		return await Promise.all(rows.map(async (row) => ({ row, ...(await refused(row, code)) })));
	};

	it.each([
		[-112, /signature too old.*clock/, 2],
		[-114, /duplicate.*new signature/, 2],
	])(
		'%i is told in the same way for reads and settings when it stays',
		async (code, words, most) => {
			for (const { row, failure, tries } of await failAll(code)) {
				expect([row.path, saidIn(failure)]).toEqual([row.path, expect.stringMatching(words)]);
				expect([row.path, tries]).toEqual([row.path, most]);
			}
		},
		30_000,
	);

	it('-120 is told in the same way for reads and settings when it stays for three minutes', async () => {
		for (const { row, failure, lastTryAfterMs } of await failAll(-120)) {
			expect([row.path, saidIn(failure)]).toEqual([
				row.path,
				expect.stringMatching(/called too often.*same key/),
			]);
			expect(lastTryAfterMs).toBeGreaterThan(TOO_FAST_MS - LONGEST_PAUSE_MS);
			expect(lastTryAfterMs).toBeLessThan(TOO_FAST_MS + LONGEST_PAUSE_MS);
		}
	}, 200_000); // Three minutes of virtual time
});

describe('a common code in the format of the call', () => {
	const { bed } = useWorkbench({ commonErrorFormat: 'format' });

	it.each(['text', 'json', 'xml'])('is understood as %s', async (format) => {
		const order = bed().newOrder();
		const { error } = await bed().extract({
			options: { format },
			credential: { secretId: order.keys.secretId, secretKey: 'wrong' },
		});
		expect(error?.message).toBe("Secret Key doesn't belong to Secret ID");
		expect(error).toMatchObject({ httpCode: '-104' });
	});
});

describe('what really happens at the service', () => {
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
			'This order is a private proxy order',
			'This order is a dedicated proxy order',
			'This order is a tunnel proxy order',
			"This operation doesn't accept this kind of key pair",
			'This order has expired',
		]);
	});

	it('is told with the number of an order that was chosen', async () => {
		const me = new Customer(bed());
		const { orderId } = me.privateProxy();
		const orderid = picked(orderId);
		const { error } = await me.run({
			resource: 'proxy',
			operation: 'extract',
			product: 'OPS',
			orderid,
		});
		expect(error?.message).toBe(`Order ${orderId} is a private proxy order`);
		expect(error?.description).toMatch(
			/^Set 'Product' to 'Private Proxy \(DPS\)', or choose an open proxy order in 'Order'\./,
		);
	});

	it("is told with the order's end where only the list of the account knows the order", async () => {
		const me = new Customer(bed());
		const ended = me.privateProxy({ expiresAt: me.inDays(-2) });
		const gone = me.privateProxy({ expiresAt: me.inDays(-40) });
		const refusal = { kind: 'code', code: -102, path: '/api/getdps', times: 2 } as const;
		for (const [order, days] of [
			[ended, 2],
			[gone, 40],
		] as const) {
			bed().sandbox.faults.add(refusal);
			const orderid = picked(order.orderId);
			const extract = { resource: 'proxy', operation: 'extract', product: 'DPS', orderid };
			const { error } = await me.run(extract);
			expect(error?.message).toBe(
				`Order ${order.orderId} or its key pair does not exist or has expired`,
			);
			expect(error?.description).toMatch(
				RegExp(`Order ${order.orderId} expired ${days} days ago \\(20\\S+\\+08:00\\)\\.`, 'i'),
			);
		}
		// One list is enough for both
		expect(bed().sandbox.log.count('/api/getaccountorders')).toBe(1);
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
