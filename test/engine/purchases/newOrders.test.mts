import type { IDataObject } from 'n8n-workflow';

import { credentialData } from '../../../harness/credentials.mts';
import { until } from '../../virtualTime.mts';
import { API } from '../support/api.mts';
import { Customer, NEW_TUNNEL, typed } from '../support/customer.mts';
import { n8nLogger } from '../support/n8nLogger.mts';
import { records } from '../support/results.mts';
import { CONTINUE, RETRY } from '../support/runSettings.mts';
import { eachTest, useWorkbench } from '../support/workbench.mts';

const { bed } = useWorkbench();

const items = (count: number): IDataObject[] =>
	Array.from({ length: count }, (_none, n) => ({ n }));

const BY_UNIT = { prepayTimeType: '={{ $json.unit }}' };

async function buy(
	fields: IDataObject = {},
	settings: Parameters<Customer['buy']>[1] = {},
	customer = new Customer(bed()),
) {
	const result = await customer.buy(fields, settings);
	const { payments } = customer;
	return {
		result,
		payments,
		requests: customer.requests(),
		orders: customer.requests(API.createorder),
	};
}

describe('Order: Create', () => {
	it('hints that several items were several purchases, and links each', async () => {
		const { result, payments } = await buy({}, { items: items(3) });
		expect(payments).toHaveLength(3);
		expect(result.items.map(({ json }) => json.orderid)).toEqual(
			payments.map((each) => each.orderId),
		);
		expect(result.items.map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
			{ item: 2 },
		]);
		expect(result.hints.map(({ message }) => message)).toEqual(['3 ordered (16.5 yuan).']);
	});

	it('says of a single purchase what was bought, for how much, and until when', async () => {
		const { result } = await buy();
		const [record] = records(result);
		const said = new RegExp(
			`^Ordered 1 Tunnel Proxy order \\(${String(record.orderid)}\\) for [\\d.]+ yuan, until ${String(record.expiresAt).slice(0, 10)}$`,
		);
		expect(record.text).toMatch(said);
		expect(Object.keys(record)[0]).toBe('text');
		expect(result.hints).toEqual([expect.objectContaining({ message: `${String(record.text)}.` })]);
	});

	it.each([
		['1 by itself', 2, {}, 1],
		['as many as the option says', 3, { maxOrdersPerRun: 2 }, 2],
	])(
		'allows %s, and refuses a larger run before any request',
		async (_name, count, options, max) => {
			const { result, requests } = await buy({ options }, { items: items(count) });
			expect(requests).toEqual([]);
			expect(result.error?.message).toContain(
				`would make ${count} purchases, and 'Max Orders per Execution' allows ${max}`,
			);
			expect(result.error?.description).toMatch(/^Nothing was bought in this run\. /);
			expect(result.error?.description).not.toContain('for this item');
			expect(result.error?.description?.match(/Nothing was bought/g)).toHaveLength(1);
		},
	);

	it('buys anew in every run of a loop, and counts them all for the limit', async () => {
		const { result, payments } = await buy({ options: { maxOrdersPerRun: 3 } }, { runs: 4 });
		expect(payments).toHaveLength(3);
		const shown = result.itemsOfRuns.slice(0, 3).map(([item]) => item.json.orderid);
		expect(shown).toEqual(payments.map(({ orderId }) => orderId));
		expect(result.error?.message).toContain(
			"would make 4 purchases, and 'Max Orders per Execution' allows 3",
		);
		expect(result.error?.description).toContain('this execution has made 3 of them before');
	});

	it('checks all items before it buys for the first one', async () => {
		const units = [...Array.from({ length: 9 }, () => 'DAY'), 'CENTURY'];
		const { result, requests } = await buy(BY_UNIT, { items: units.map((unit) => ({ unit })) });
		expect(requests).toEqual([]);
		expect(result.error?.message).toContain('CENTURY');
		expect(result.error?.context?.itemIndex).toBe(9);
		expect(result.error?.description).toContain('Nothing was bought in this run.');
	});

	it('fails only the wrong items with the setting "continue"', async () => {
		const { result, payments } = await buy(BY_UNIT, {
			items: [{ unit: 'CENTURY' }, { unit: 'DAY' }, { unit: 'AGE' }],
			settings: CONTINUE,
		});
		expect(payments).toHaveLength(1);
		expect(result.items.map(({ json }) => json)).toEqual([
			expect.objectContaining({ error: expect.stringContaining('CENTURY'), created: false }),
			expect.objectContaining({ orderid: payments[0].orderId }),
			expect.objectContaining({ error: expect.stringContaining('AGE'), created: false }),
		]);
	});

	/** The service refuses what comes after so many purchases. */
	async function refusedAfter(customer: Customer, count: number): Promise<void> {
		await until(() => customer.paid === count);
		customer.sandbox.faults.add({ kind: 'code', code: -4, path: API.createorder, times: 1 });
	}

	it('names the purchases before the item that stops the run', async () => {
		const customer = new Customer(bed());
		void refusedAfter(customer, 2);
		const { result, payments } = await buy({}, { items: items(3) }, customer);
		expect(payments).toHaveLength(2);
		expect(result.error?.description).toContain('(code -4)');
		const [first, second] = payments.map(({ orderId }) => orderId);
		expect(result.error?.description).toContain(
			`Bought and paid for in this run: order ${first}, Tunnel Proxy (TPS), Prepaid (item 0); order ${second}, Tunnel Proxy (TPS), Prepaid (item 1).`,
		);
	});

	it('keeps all digits of an order number that comes as a number', async () => {
		bed().sandbox.settings.orderNumbers = 'unsafe number';
		const { result, payments } = await buy();
		expect(payments[0].orderId).toMatch(/^\d{16}$/);
		expect(result.items[0].json.orderid).toBe(payments[0].orderId);
	});

	it('passes on the warning about a coupon', async () => {
		const { result } = await buy({ options: { isCoupon: true } });
		expect(result.items[0].json.warning).toBe('no available coupon');
	});

	it('says of a balance that is too low how low it is', async () => {
		const { result } = await buy({}, {}, new Customer(bed(), { balanceInFen: 1 }));
		expect(result.error?.message).toBe('The account balance is too low for the order');
		expect(result.error?.description).toContain('(code -4)');
		expect(result.error?.description).toContain('It has 0.01 yuan.');
	});

	it('says how to order for longer than a unit allows', async () => {
		const { result, requests } = await buy({ prepayTimeType: 'MONTH', prepayTimeNumber: 12 });
		expect(requests).toEqual([]);
		expect(result.error?.description).toContain("For longer, set 'Time Unit' to 'Year'.");
	});

	it('refuses to buy as a tool that n8n would call again', async () => {
		const { result, requests } = await buy({}, { settings: { ...RETRY, type: 'kuaidailiTool' } });
		expect(requests).toEqual([]);
		expect(result.error?.message).toContain("Turn off 'Retry On Fail'");
	});

	it('asks again for what was refused, when n8n runs the node again', async () => {
		bed().sandbox.faults.add({ kind: 'code', code: -61, path: API.createorder, times: 1 });
		const { result, orders, payments } = await buy({}, { settings: RETRY });
		expect(orders).toHaveLength(2);
		expect(payments).toHaveLength(1);
		expect(result.items.map(({ json }) => json.orderid)).toEqual([payments[0].orderId]);
	});

	it('gives what was bought even if its values have become wrong on the retry', async () => {
		const wrongFrom = Date.now() + 1500;
		const customer = new Customer(bed());
		void refusedAfter(customer, 1);
		const { result, payments } = await buy(
			{ prepayTimeType: `={{ $now.toMillis() > ${wrongFrom} ? 'GONE' : 'DAY' }}` },
			{ items: items(2), settings: { ...RETRY, maxTries: 2, waitBetweenTries: 3000 } },
			customer,
		);
		expect(payments).toHaveLength(1);
		expect(result.error?.context?.itemIndex).toBe(1);
		expect(result.error?.description).toContain(payments[0].orderId);
	});

	it('says which key is needed before any request, for a credential of the other kind', async () => {
		const { result, requests } = await buy({}, { credential: { keyType: 'order' } });
		expect(requests).toEqual([]);
		expect(result.error?.message).toContain("needs the account's key pair");
		expect(result.error?.description).toContain('API key management page');
	});

	it.each([
		['refused', 'http://127.0.0.1:1', '127.0.0.1:1 refused the connection'],
		// The system refuses to connect to a broadcast address
		['impossible', 'https://255.255.255.255', 'No connection to 255.255.255.255 could be made'],
	])(
		'connects again when the connection was %s, three times at most',
		async (_how, baseUrl, told) => {
			const { account, sandbox } = new Customer(bed());
			const hosts = { ...sandbox.hosts, baseUrl };
			const started = performance.now();
			const result = await bed().engine.run({
				credentialId: bed().engine.addCredential(credentialData(hosts, account.keys, 'account')),
				parameters: NEW_TUNNEL,
			});
			expect(performance.now() - started).toBeGreaterThan(5900);
			expect(result.error?.message).toContain(told);
			expect(result.error?.message).not.toContain('may have been');
		},
	);

	it('sends nothing more after a cancellation while items wait for the pace', async () => {
		const customer = new Customer(bed());
		// The answer has to be back; the second item then waits most of a second for its turn
		const firstAnswered = until(() => customer.paid === 1).then(
			async () => await new Promise((resolve) => setTimeout(resolve, 400)),
		);
		const log = jest.spyOn(n8nLogger, 'warn').mockReturnValue();
		const { payments, orders } = await buy(
			{},
			{ items: items(3), cancelWhen: firstAnswered },
			customer,
		);
		await new Promise((resolve) => setTimeout(resolve, 2500));
		const logged = log.mock.calls.map(([text]) => text).join('');
		log.mockRestore();
		expect(logged).toContain(`Bought and paid for in this run: order ${payments[0].orderId}`);
		expect(payments).toHaveLength(1);
		expect(orders).toHaveLength(1);
		expect(customer.paid).toBe(1);
	});
});

const SHARED = {
	product: 'KPS',
	prepayTimeType: 'MONTH',
	kpsSerie: 1,
	kpsModel: 'STA',
	kpsMaxBandwidth: 1,
};

/** Who buys dedicated proxies. */
class Buyer extends Customer {
	override async buy(...[fields, settings]: Parameters<Customer['buy']>) {
		return await super.buy({ ...SHARED, ...fields }, settings);
	}

	get questions() {
		return this.sent(API.querykpscity);
	}

	/** How many of each order were asked for. */
	get counts() {
		return this.sent(API.createorder).map((sent) => Number(sent['kps.ip_count']));
	}
}

const customer = eachTest(() => new Buyer(bed()));
beforeEach(() => {
	const city = bed().sandbox.stock.find(({ code }) => code === '3301');
	Object.assign(city ?? {}, { sharedMegabits: 12 });
});

describe('more IPs than the city has left', () => {
	it('are refused with their number, and nothing is ordered', async () => {
		const { error, items } = await customer.buy({ kpsCity: '3301', kpsIpCount: 13 });
		expect(items).toEqual([]);
		expect(error?.message).toBe("'Number of IPs' can't be 13");
		expect(error?.description).toMatch(/^Allowed: 12 at most, .* 杭州市 \(3301\)\./);
		expect(error?.description).toContain('Choose another city');
		expect(customer.questions).toEqual([
			{ serie: '1', 'kps.max_bandwidth': '1', model: 'STA', city: '3301' },
		]);
		expect(customer.counts).toEqual([]);
		expect(customer.paid).toBe(0);
	});

	it('are refused by Kuaidaili when an earlier item has taken them', async () => {
		const { error, items } = await customer.buy(
			{ kpsCity: '3301', kpsIpCount: '={{ $json.count }}' },
			{ items: [{ count: 8 }, { count: 8 }] },
		);
		expect(items).toEqual([]);
		expect(error?.message).toBe('Not enough IPs are available for this order [item 1]');
		// The first one is paid, and must not be lost
		expect(error?.description).toMatch(/Bought and paid for in this run: order \d+/);
		expect(customer.paid).toBe(1);
	});
});

it('a question that fails buys nothing, and says why', async () => {
	bed().sandbox.faults.add({ kind: 'status', status: 502, path: API.querykpscity });
	const { error, items } = await customer.buy({ kpsCity: '3301', kpsIpCount: 1 });
	expect(items).toEqual([]);
	expect(error?.message).toMatch(/HTTP status 502/);
	expect(error?.message).not.toContain('[item');
	expect(error?.message).not.toContain('may have been placed');
	expect(customer.counts).toEqual([]);
	expect(customer.paid).toBe(0);
});

it.each([1, 2])(
	'a city whose expression finds nothing is no wish for any city, in series %i',
	async (kpsSerie) => {
		const customer = new Customer(bed());
		const kpsCity = typed('={{ $json.city }}');
		const model = kpsSerie === 1 ? { kpsModel: 'STA' } : {};
		const { error } = await customer.buy(
			{ product: 'KPS', payType: 'PRE_PAY', kpsSerie, ...model, kpsCity, prepayTimeType: 'MONTH' },
			{ items: [{ City: '3301' }] },
		);
		expect(error?.message).toMatch(/^'City' /);
		expect(customer.paid).toBe(0);
	},
);
