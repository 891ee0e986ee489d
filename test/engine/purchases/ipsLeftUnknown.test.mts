import type { IDataObject } from 'n8n-workflow';

import { RETRY } from '../support/nodeSettings.mts';
import { sleep } from '../support/sleep.mts';
import { until } from '../support/until.mts';
import { bed, CITIES, Customer, EXCLUSIVE, ORDERS } from './cityBuyer.mts';

const LIST = '/api/getaccountorders';

const SKIP = { skipLocalChecks: true };

describe('nothing is asked', () => {
	const picked = (value: string) => ({ __rl: true, mode: 'list', value });
	it.each<[string, IDataObject]>([
		['without a city', {}],
		['with an empty city', { kpsCity: '' }],
		['with an empty list field', { kpsCity: picked('') }],
		['with an expression that gives no city', { kpsCity: '={{ undefined }}' }],
		['for exclusive IPs without a city', { ...EXCLUSIVE, kpsCity: picked('') }],
		['for dynamic IPs', { kpsModel: 'DYN', kpsCity: picked('3301') }],
		['for another product', { product: 'OPS', kpsCity: '3301', kpsIpCount: 100 }],
		['when the product is an expression', { product: '={{ "OPS" }}', kpsCity: '3301' }],
	])('%s', async (_when, fields) => {
		const customer = new Customer();
		const { error } = await customer.buy(fields);
		expect(error).toBeUndefined();
		expect(customer.questions).toEqual([]);
		expect(customer.payments).toBe(1);
	});

	it("with 'Skip Local Checks', and the service decides", async () => {
		const customer = new Customer();
		const { error } = await customer.buy({ kpsCity: '3301', kpsIpCount: 13, options: SKIP });
		expect(customer.questions).toEqual([]);
		expect(customer.orders).toEqual([13]);
		expect(error).toMatchObject({ httpCode: '-62' });
		expect(customer.payments).toBe(0);
	});

	it('for a run that is larger than the user allows', async () => {
		const customer = new Customer();
		const fields = { kpsCity: '3301', options: { maxOrdersPerRun: 1 } };
		const { error } = await customer.buy(fields, { items: [{}, {}] });
		expect(error?.message).toContain("'Max Orders per Run' allows 1");
		expect(customer.questions).toEqual([]);
	});

	it('for values that are wrong in themselves', async () => {
		const customer = new Customer();
		const { error } = await customer.buy({ kpsCity: '3301', kpsIpCount: '={{ 1.5 }}' });
		expect(error?.message).toContain("'Number of IPs' is 1.5");
		expect(customer.questions).toEqual([]);
	});
});

describe('a question that fails', () => {
	const order = { kpsCity: '3301', kpsIpCount: 1 };

	it.each([
		['a refusal', { kind: 'code', code: -109, msg: '系统繁忙' }, /went wrong on Kuaidaili's side/],
		['a code that is not known', { kind: 'code', code: -77, msg: '原因' }, /code -77: 原因/],
		['a gateway', { kind: 'status', status: 502 }, /HTTP status 502/],
		['a cut connection', { kind: 'cut' }, /was lost before the whole response arrived/],
		['half an answer', { kind: 'halfBody' }, /^The service's response/],
		['an answer without a list', { kind: 'raw', body: '{"code":0,"msg":"","data":""}' }, /no list/],
	] as const)('(%s) buys nothing, and says why', async (_how, fault, message) => {
		bed().sandbox.faults.add({ ...fault, path: CITIES });
		const customer = new Customer();
		const { error, items } = await customer.buy(order);
		expect(items).toEqual([]);
		expect(error?.message).toMatch(message);
		expect(error?.message).toMatch(/ \[item 0\]$/);
		expect(error?.message).not.toContain('may have been placed');
		expect(error?.description).not.toBe('');
		expect(customer.orders).toEqual([]);
		expect(customer.payments).toBe(0);
	});

	it('(a time-out) buys nothing, and says why', async () => {
		bed().sandbox.faults.add({ kind: 'hang', path: CITIES });
		const customer = new Customer();
		const { error } = await customer.buy({ ...order, options: { timeout: 1 } });
		expect(error?.message).toMatch(/did not answer within 1 second \[item 0\]$/);
		expect(customer.orders).toEqual([]);
	});

	it('for being too early is asked again, and then the order is placed', async () => {
		bed().sandbox.faults.add({ kind: 'code', code: -120, path: CITIES, times: 1 });
		const customer = new Customer();
		expect((await customer.buy(order)).error).toBeUndefined();
		expect(customer.questions).toHaveLength(2);
		expect(customer.payments).toBe(1);
	});

	it('is asked again by Retry On Fail, which then buys once', async () => {
		bed().sandbox.faults.add({ kind: 'status', status: 502, path: CITIES, times: 1 });
		const customer = new Customer();
		const { error, items } = await customer.buy(order, { settings: RETRY });
		expect(error).toBeUndefined();
		expect(items).toHaveLength(1);
		expect(customer.questions).toHaveLength(2);
		expect(customer.orders).toEqual([1]);
		expect(customer.payments).toBe(1);
	});
});

it('a refusal stays one whatever Retry On Fail tries, and what was bought before is bought once', async () => {
	const customer = new Customer();
	const { error } = await customer.buy(
		{ kpsCity: '3301', kpsIpCount: '={{ $json.count }}' },
		{ items: [{ count: 2 }, { count: 50 }], settings: RETRY },
	);
	expect(error?.description).toMatch(/^Allowed: 10 at most/);
	// Once for what is bought, and with each try for what is not
	expect(customer.questions).toHaveLength(4);
	expect(customer.orders).toEqual([2]);
	expect(customer.payments).toBe(1);
});

it('an order whose answer is lost is neither asked about nor sent again by Retry On Fail', async () => {
	bed().sandbox.faults.add(
		{ kind: 'cut', when: 'after', path: ORDERS, times: 1 },
		{ kind: 'status', status: 503, path: LIST },
	);
	const customer = new Customer();
	const { error } = await customer.buy({ kpsCity: '3301', kpsIpCount: 12 }, { settings: RETRY });
	// All are gone now, but to say that would hide that they were bought
	expect(error?.message).toMatch(/^The order may have been placed: /);
	expect(customer.questions).toHaveLength(1);
	expect(customer.orders).toEqual([12]);
	expect(customer.payments).toBe(1);
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
