import type { IDataObject } from 'n8n-workflow';

import { orderKeys } from '../support/orderKeys.mts';
import { bed, Customer, EXCLUSIVE, leave, ORDERS, SHARED } from './cityBuyer.mts';

function leaveNothingIn(province: string): void {
	for (const { code } of bed().sandbox.stock) {
		if (code.startsWith(province)) leave(code, 0, false);
	}
}

describe('more IPs than the city has left', () => {
	it('are refused with their number, and nothing is ordered', async () => {
		const customer = new Customer();
		const { error, items } = await customer.buy({ kpsCity: '3301', kpsIpCount: 13 });
		expect(items).toEqual([]);
		expect(error?.message).toBe("'Number of IPs' is 13, which cannot be used [item 0]");
		expect(error?.description).toMatch(/^Allowed: 12 at most, .* 杭州市 \(3301\)\./);
		expect(error?.description).toContain('Choose another city');
		expect(error?.description).toContain("'Skip Local Checks'");
		expect(customer.questions).toEqual([
			{ serie: '1', 'kps.max_bandwidth': '1', model: 'STA', city: '3301' },
		]);
		expect(customer.orders).toEqual([]);
		expect(customer.payments).toBe(0);
	});

	it('are counted for the bandwidth of the order', async () => {
		const customer = new Customer();
		const fields = { kpsCity: '3301', kpsMaxBandwidth: 4 };
		const { error } = await customer.buy({ ...fields, kpsIpCount: 4 });
		expect(error?.description).toMatch(/^Allowed: 3 at most/);
		expect((await customer.buy({ ...fields, kpsIpCount: 3 })).error).toBeUndefined();
		expect(customer.orders).toEqual([3]);
		expect(customer.payments).toBe(1);
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

	it('are refused when an earlier item has taken them', async () => {
		const customer = new Customer();
		const { error, items } = await customer.buy(
			{ kpsCity: '3301', kpsIpCount: '={{ $json.count }}' },
			{ items: [{ count: 8 }, { count: 8 }] },
		);
		expect(items).toEqual([]);
		expect(error?.message).toBe("'Number of IPs' is 8, which cannot be used [item 1]");
		expect(error?.description).toMatch(/^Allowed: 4 at most/);
		// The first one is paid, and must not be lost
		expect(error?.description).toMatch(/Bought and paid for in this run: order \d+/);
		expect(customer.orders).toEqual([8]);
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

it('exactly as many IPs as are left can be bought', async () => {
	const customer = new Customer();
	const { error, items } = await customer.buy({ kpsCity: '3301', kpsIpCount: 12 });
	expect(error).toBeUndefined();
	expect(items.map(({ json }) => json)).toEqual([
		expect.objectContaining({ product: 'KPS', orderid: expect.any(String) }),
	]);
	expect(customer.questions).toHaveLength(1);
	expect(customer.orders).toEqual([12]);
	expect(customer.payments).toBe(1);
});

describe('the code of a province', () => {
	beforeEach(() => leaveNothingIn('32'));

	it('stands for all its cities', async () => {
		leave('3201', 7);
		leave('3205', 3);
		const customer = new Customer();
		const { error } = await customer.buy({ kpsCity: '32', kpsIpCount: 11 });
		expect(error?.description).toMatch(/^Allowed: 10 at most, .* in the cities of 32\./);
		expect(customer.orders).toEqual([]);
		expect(customer.questions).toEqual([
			{ serie: '1', 'kps.max_bandwidth': '1', model: 'STA', city: '32' },
		]);
	});

	it('can be ordered from', async () => {
		leave('3205', 3);
		const customer = new Customer();
		const { error } = await customer.buy({ kpsCity: '32', kpsIpCount: 3 });
		expect(error).toBeUndefined();
		expect(customer.payments).toBe(1);
	});

	it('of which no city has any is refused', async () => {
		const customer = new Customer();
		const { error } = await customer.buy({ kpsCity: '32', kpsIpCount: 1 });
		expect(error?.message).toBe('\'City\' is "32", which cannot be used [item 0]');
		expect(customer.orders).toEqual([]);
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
		expect(error?.message).toBe('\'City\' is "3301", which cannot be used [item 0]');
		expect(error?.description).toContain('No such IPs are left there.');
		expect(error?.description).toContain("leave 'City' empty for any");
		expect(customer.orders).toEqual([]);
		expect(customer.payments).toBe(0);
	});

	it('that does not exist is refused too', async () => {
		const customer = new Customer();
		const { error } = await customer.buy({ kpsCity: '9999', kpsIpCount: 1 });
		expect(error?.message).toBe('\'City\' is "9999", which cannot be used [item 0]');
		expect(customer.orders).toEqual([]);
	});
});

it('the number of exclusive IPs is left to the service, which does not tell how many it has', async () => {
	const customer = new Customer();
	const { error } = await customer.buy({ ...EXCLUSIVE, kpsCity: '3301', kpsIpCount: 10 });
	expect(error).toBeUndefined();
	expect(customer.questions).toEqual([{ serie: '2', city: '3301' }]);
	expect(customer.orders).toEqual([10]);
});

it('two executions at once that want the last IPs place one order each at most', async () => {
	const customer = new Customer();
	const fields = { kpsCity: '3301', kpsIpCount: 12 };
	const runs = await Promise.all([customer.buy(fields), customer.buy(fields)]);
	expect(runs.filter(({ error }) => error === undefined)).toHaveLength(1);
	expect(customer.questions).toHaveLength(2);
	expect(customer.payments).toBe(1);
});

it('the key pair of an order buys nothing', async () => {
	const credentialId = bed().addCredential(orderKeys(bed(), 'dedicated-proxy'));
	const { error } = await new Customer().buy({ kpsCity: '3301', kpsIpCount: 1 }, { credentialId });
	expect(error?.message).toMatch(/needs the account's key pair/);
	expect(bed().sandbox.log.count(ORDERS)).toBe(0);
});
