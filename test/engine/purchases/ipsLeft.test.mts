import type { IDataObject } from 'n8n-workflow';

import type { Account } from '../../../sandbox/sandbox.mts';
import type { RunSettings } from '../support/engine.mts';
import { ownParameters } from '../support/ownParameters.mts';
import { sleep } from '../support/sleep.mts';
import { useTestBed } from '../support/testBed.mts';
import { until } from '../../virtualTime.mts';

const CITIES = '/api/querykpscity';
const ORDERS = '/api/createorder';

const bed = useTestBed();

const SHARED = {
	resource: 'order',
	operation: 'create',
	product: 'KPS',
	payType: 'PRE_PAY',
	prepayTimeType: 'MONTH',
	kpsSerie: 1,
	kpsModel: 'STA',
	kpsMaxBandwidth: 1,
	// The preset is 1
	options: { maxOrdersPerRun: 10 },
};
const EXCLUSIVE = { ...SHARED, kpsSerie: 2 };

/** An account of its own for each test, and what it asked and bought. */
class Customer {
	private readonly account: Account = bed().newAccount({ balanceInFen: 1_000_000_00 });

	readonly credentialId = bed().addCredential(this.account.keys, { keyType: 'account' });

	async buy(fields: IDataObject, settings: Partial<RunSettings> = {}) {
		return await bed().engine.run({
			credentialId: this.credentialId,
			...settings,
			parameters: { ...SHARED, ...fields },
		});
	}

	private sent(path: string) {
		return bed()
			.sandbox.log.entries(path)
			.filter(({ parameters }) => parameters.secret_id === this.account.keys.secretId);
	}

	get questions() {
		return this.sent(CITIES).map(ownParameters);
	}

	/** How many of each order were asked for. */
	get orders() {
		return this.sent(ORDERS).map((request) => Number(ownParameters(request)['kps.ip_count']));
	}

	get payments(): number {
		const { secretId } = this.account.keys;
		return bed()
			.sandbox.ledger.entries()
			.filter((each) => each.secretId === secretId).length;
	}
}

/** Sets what is left, and the same again for each test. */
function leave(code: string, sharedMegabits: number, hasExclusive = true): void {
	const city = bed().sandbox.stock.find((one) => one.code === code);
	if (city === undefined) throw new Error(`There is no city ${code}`);
	Object.assign(city, { sharedMegabits, hasExclusive });
}

beforeEach(() => {
	leave('3301', 12);
	leave('4403', 5);
});

describe('more IPs than the city has left', () => {
	it('are refused with their number, and nothing is ordered', async () => {
		const customer = new Customer();
		const { error, items } = await customer.buy({ kpsCity: '3301', kpsIpCount: 13 });
		expect(items).toEqual([]);
		expect(error?.message).toBe("'Number of IPs' can't be 13");
		expect(error?.description).toMatch(/^Allowed: 12 at most, .* 杭州市 \(3301\)\./);
		expect(error?.description).toContain('Choose another city');
		expect(error?.description).toContain("'Skip Validation'");
		expect(customer.questions).toEqual([
			{ serie: '1', 'kps.max_bandwidth': '1', model: 'STA', city: '3301' },
		]);
		expect(customer.orders).toEqual([]);
		expect(customer.payments).toBe(0);
	});

	it.each<[string, IDataObject[string]]>([
		['picked', { __rl: true, mode: 'list', value: '3301' }],
		['typed', { __rl: true, mode: 'code', value: '3301' }],
		['from an expression', '={{ 3301 }}'],
	])('are refused for a city that is %s', async (_how, kpsCity) => {
		const customer = new Customer();
		const { error } = await customer.buy({ kpsCity, kpsIpCount: '={{ 100 }}' });
		expect(error?.description).toMatch(/^Allowed: 12 at most/);
		expect(customer.orders).toEqual([]);
	});

	it('are refused by Kuaidaili when an earlier item has taken them', async () => {
		const customer = new Customer();
		const { error, items } = await customer.buy(
			{ kpsCity: '3301', kpsIpCount: '={{ $json.count }}' },
			{ items: [{ count: 8 }, { count: 8 }] },
		);
		expect(items).toEqual([]);
		expect(error?.message).toBe('Not enough IPs are available for this order [item 1]');
		// The first one is paid, and must not be lost
		expect(error?.description).toMatch(/Bought and paid for in this run: order \d+/);
		expect(customer.payments).toBe(1);
	});

	it('do not keep the other items from being bought, if the node is set so', async () => {
		const customer = new Customer();
		const run = await customer.buy(
			{ kpsCity: '={{ $json.city }}', kpsIpCount: 6 },
			{ items: [{ city: '4403' }, { city: '3301' }], settings: { onError: 'continueErrorOutput' } },
		);
		expect(run.errorItems.map(({ json }) => json.error)).toEqual([
			expect.stringMatching(/Allowed: 5 at most/),
		]);
		expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 1 }]);
		expect(customer.orders).toEqual([6]);
		expect(customer.payments).toBe(1);
	});
});

describe('a city without such IPs', () => {
	it.each<[string, IDataObject, [number, boolean]]>([
		['shared', SHARED, [0, true]],
		['exclusive', EXCLUSIVE, [12, false]],
		['shared with so much bandwidth', { ...SHARED, kpsMaxBandwidth: 10 }, [9, true]],
	])('(%s) is refused, and nothing is ordered', async (_which, fields, stock) => {
		leave('3301', ...stock);
		const customer = new Customer();
		const { error } = await customer.buy({ ...fields, kpsCity: '3301', kpsIpCount: 1 });
		expect(error?.message).toBe("'City' can't be \"3301\"");
		expect(error?.description).toContain('No such IPs are left there.');
		expect(error?.description).toContain("leave 'City' empty for any");
		expect(customer.orders).toEqual([]);
		expect(customer.payments).toBe(0);
	});
});

it('two executions at once that want the last IPs place one order each at most', async () => {
	const customer = new Customer();
	const fields = { kpsCity: '3301', kpsIpCount: 12 };
	const runs = await Promise.all([customer.buy(fields), customer.buy(fields)]);
	expect(runs.filter(({ error }) => error === undefined)).toHaveLength(1);
	expect(customer.questions).toHaveLength(2);
	expect(customer.payments).toBe(1);
});

const SKIP = { skipLocalChecks: true };

describe('nothing is asked', () => {
	const picked = (value: string) => ({ __rl: true, mode: 'list', value });
	it.each<[string, IDataObject]>([
		['without a city', {}],
		['for dynamic IPs', { kpsModel: 'DYN', kpsCity: picked('3301') }],
		['when the product is an expression', { product: '={{ "OPS" }}', kpsCity: '3301' }],
	])('%s', async (_when, fields) => {
		const customer = new Customer();
		const { error } = await customer.buy(fields);
		expect(error).toBeUndefined();
		expect(customer.questions).toEqual([]);
		expect(customer.payments).toBe(1);
	});

	it("with 'Skip Validation', and the service decides", async () => {
		const customer = new Customer();
		const { error } = await customer.buy({ kpsCity: '3301', kpsIpCount: 13, options: SKIP });
		expect(customer.questions).toEqual([]);
		expect(customer.orders).toEqual([13]);
		expect(error).toMatchObject({ httpCode: '-62' });
		expect(customer.payments).toBe(0);
	});
});

describe('a question that fails', () => {
	const order = { kpsCity: '3301', kpsIpCount: 1 };

	it.each([
		['a refusal', { kind: 'code', code: -109, msg: '系统繁忙' }, /went wrong on Kuaidaili's side/],
		['a gateway', { kind: 'status', status: 502 }, /HTTP status 502/],
		['an answer without a list', { kind: 'raw', body: '{"code":0,"msg":"","data":""}' }, /no list/],
	] as const)('(%s) buys nothing, and says why', async (_how, fault, message) => {
		bed().sandbox.faults.add({ ...fault, path: CITIES });
		const customer = new Customer();
		const { error, items } = await customer.buy(order);
		expect(items).toEqual([]);
		expect(error?.message).toMatch(message);
		expect(error?.message).not.toContain('[item');
		expect(error?.message).not.toContain('may have been placed');
		expect(error?.description).not.toBe('');
		expect(customer.orders).toEqual([]);
		expect(customer.payments).toBe(0);
	});

	it('for being too early is asked again, and then the order is placed', async () => {
		bed().sandbox.faults.add({ kind: 'code', code: -120, path: CITIES, times: 1 });
		const customer = new Customer();
		expect((await customer.buy(order)).error).toBeUndefined();
		expect(customer.questions).toHaveLength(2);
		expect(customer.payments).toBe(1);
	});
});

it('an execution that is cancelled while it asks orders nothing', async () => {
	bed().sandbox.faults.add({ kind: 'delay', ms: 300, path: CITIES });
	const customer = new Customer();
	const cancelWhen = until(() => bed().sandbox.log.count(CITIES) > 0);
	await customer.buy({ kpsCity: '3301', kpsIpCount: 1 }, { cancelWhen });
	await sleep(500);
	expect(customer.questions).toHaveLength(1);
	expect(customer.orders).toEqual([]);
	expect(customer.payments).toBe(0);
});
