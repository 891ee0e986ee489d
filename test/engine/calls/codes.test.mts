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
import { useWorkbench } from '../support/workbench.mts';

const MSG = '原因在此';

const { bed } = useWorkbench();

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
	return { ...route, failure, tries: world.requests(path).length, paid: payments.length };
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
			const isNotYet = /has (?:waited|tried again)/.test(words.source);
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

describe('what really happens at the service', () => {
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
});
