import type { IDataObject } from 'n8n-workflow';

import type { Order } from '../../../sandbox/sandbox.mts';
import { DAY } from '../../durations.mts';
import {
	CREATE,
	Customer,
	elsewhere,
	EXPIRY,
	LIST,
	records,
	RENEW,
	textOf,
	WEEK,
} from '../support/customer.mts';
import type { RunResult } from '../support/engine.mts';
import { sleep } from '../support/sleep.mts';
import { useTestBed } from '../support/testBed.mts';
import { MISSED, NO_LONGER_LATE_MS } from './guardedRenewals.mts';

/*
 * The service may show late what was bought, or carry a request out long after the node has given it up. A
 * purchase that depends on what the service shows must not be made again meanwhile.
 */

const bed = useTestBed();

interface Kind<OfKind extends Order = Order> {
	readonly fields: IDataObject;
	order(customer: Customer): OfKind;
}

const PREPAID = { fields: WEEK, order: (customer) => customer.tunnel(DAY) } satisfies Kind;
const PER_IP = {
	fields: { renewalOf: 'perIp', dpsIpCount: 1000 },
	order: (customer) => customer.perIp(20),
} satisfies Kind;
const TRAFFIC = {
	fields: { renewalOf: 'traffic', fpsFlow: 6 },
	order: (customer) => customer.overseas(100),
} satisfies Kind;

const KEY_PAIRS = ['order', 'account'] as const;

type KeyPair = (typeof KEY_PAIRS)[number];

/** A new order, and how it is renewed elsewhere with one key pair or the other. */
function setUp<OfKind extends Order>({ fields, order: orderOf }: Kind<OfKind>) {
	const customer = new Customer(bed());
	const order = orderOf(customer);
	const renew = async (keyPair: KeyPair, more: IDataObject = {}): Promise<RunResult> => {
		const all = { ...fields, ...more };
		return keyPair === 'order'
			? await customer.renew(order, all, elsewhere())
			: await customer.renewByNumber(order, all, elsewhere());
	};
	return { customer, order, renew };
}

describe.each<[string, Kind]>([
	['a prepaid order', PREPAID],
	['a pay-per-IP order', PER_IP],
	['an overseas order by traffic', TRAFFIC],
])('%s', (_kind, kind) => {
	it.each(KEY_PAIRS)(
		'is not renewed again while it may have been, with the key pair of the %s',
		async (keyPair) => {
			const { customer, renew } = setUp(kind);
			customer.sandbox.faults.add(MISSED);
			expect(textOf(await renew(keyPair))).toMatch(/ may have been (?:renewed|bought): /);
			for (const options of [{}, { dryRun: true }]) {
				const again = await renew(keyPair === 'order' ? 'account' : 'order', { options });
				expect(again.error?.message).toMatch(
					/ may have been (?:renewed|bought): .+\. Nothing was bought this time$/,
				);
				expect(again.error?.description).toMatch(/Until .+, it may still show up/);
			}
			expect(customer.requests(RENEW)).toHaveLength(1);

			await sleep(NO_LONGER_LATE_MS);
			expect(records(await renew(keyPair))).toMatchObject([{ renewed: true }]);
			expect(customer.paid).toBe(1);
		},
	);
});

it.each(KEY_PAIRS.flatMap((first) => KEY_PAIRS.map((then) => [first, then] as const)))(
	'a prepaid order is renewed once while Kuaidaili shows it late, first with the key pair of the %s, then of the %s',
	async (first, then) => {
		const { customer, renew } = setUp(PREPAID);
		customer.sandbox.faults.add({ kind: 'cache', path: EXPIRY }, { kind: 'cache', path: LIST });
		await customer.list();
		expect(records(await renew(first))).toMatchObject([{ renewed: true }]);
		const reason = expect.stringContaining('was renewed less than 10 minutes ago');
		expect(records(await renew(then))).toMatchObject([{ renewed: false, reason }]);
		const dry = { options: { dryRun: true } };
		expect(records(await renew(then, dry))).toMatchObject([{ wouldRenew: false, reason }]);
		expect(customer.paid).toBe(1);

		await sleep(NO_LONGER_LATE_MS);
		expect(records(await renew(then))).toMatchObject([{ renewed: true }]);
		expect(customer.paid).toBe(2);
		customer.sandbox.faults.clear();
	},
);

describe('when all that was bought is used up, and 10 minutes are over', () => {
	async function buyTwice<OfKind extends Order>(
		kind: Kind<OfKind>,
		useUp: (order: OfKind) => void,
	): Promise<Customer> {
		const { customer, order, renew } = setUp(kind);
		expect(records(await renew('order'))).toMatchObject([{ renewed: true }]);
		useUp(order);
		expect(records(await renew('account'))).toMatchObject([{ renewed: false }]);
		await sleep(NO_LONGER_LATE_MS);
		expect(records(await renew('account'))).toMatchObject([{ renewed: true }]);
		return customer;
	}

	it('IPs are bought again', async () => {
		const customer = await buyTwice(PER_IP, (order) => {
			order.ipBalance = 20;
		});
		expect(customer.paid).toBe(2);
	});

	it('traffic is bought again', async () => {
		const customer = await buyTwice(TRAFFIC, ({ flowUsedInMb }) => {
			flowUsedInMb['2026-01-02'] = 6 * 1024;
		});
		expect(customer.paid).toBe(2);
	});
});

it('a renewal that the service carries out after the node has given it up is not made again', async () => {
	const customer = new Customer(bed());
	const order = customer.tunnel(DAY);
	customer.sandbox.faults.add({ kind: 'delay', ms: 20_000, when: 'before', path: RENEW, times: 1 });
	const fields = { ...WEEK, options: { timeout: 3 } };
	const renew = async () => await customer.renew(order, fields, elsewhere());
	expect(textOf(await renew())).toContain('The order may have been renewed: ');
	expect(textOf(await renew())).toContain('Nothing was bought this time');
	await sleep(20_000);
	expect(records(await renew())).toMatchObject([{ renewed: false }]);
	expect(customer.paid).toBe(1);
});

describe('an order that may have been placed', () => {
	const FEWER = { createWhen: 'fewerThan', fewerThan: 1 };

	it('is not ordered again by a later execution for 10 minutes', async () => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add({ kind: 'cut', when: 'before', path: CREATE, times: 1 });
		const buy = async (fields: IDataObject = {}) =>
			await customer.buy({ ...FEWER, ...fields }, elsewhere());
		expect(textOf(await buy())).toContain('The order may have been placed: ');
		for (const options of [{}, { dryRun: true }]) {
			expect(textOf(await buy({ options }))).toContain('Nothing was bought this time');
		}
		expect(customer.requests(CREATE)).toHaveLength(1);

		await sleep(NO_LONGER_LATE_MS);
		expect(records(await buy())).toMatchObject([{ created: true }]);
		expect(customer.paid).toBe(1);
	});

	it('is not ordered again where the list shows it late', async () => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add(
			{ kind: 'status', status: 502, when: 'after', path: CREATE, times: 1 },
			{ kind: 'cache', path: LIST },
		);
		const runs = [1, 2].map(async () => await customer.buy(FEWER, elsewhere()));
		for (const result of await Promise.all(runs)) {
			expect(textOf(result)).toContain('The order may have been placed: ');
		}
		expect(customer.paid).toBe(1);
		customer.sandbox.faults.clear();
		expect(records(await customer.buy(FEWER, elsewhere()))).toMatchObject([{ created: false }]);
	});
});
