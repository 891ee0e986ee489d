import { inspect } from 'node:util';

import type { Fault } from '../../../sandbox/sandbox.mts';
import { ORDER_INFO, ORDER_KEYS, picked, records, typed } from '../support/owner.mts';
import { sleep } from '../support/sleep.mts';
import { TOKENS } from '../support/testBed.mts';
import { until } from '../../virtualTime.mts';
import { AUTO_RENEWAL, bed, ENABLE, owner } from './chosenOrder.mts';

describe('the key pair of an order', () => {
	it('is fetched once for all items with that order', async () => {
		const me = owner();
		const [first, second] = [me.tunnel(), me.tunnel()];
		const items = [first, second, first, second].map(({ orderId }) => ({ orderid: orderId }));
		const orderid = typed('={{ $json.orderid }}');
		const run = await me.run({ ...ENABLE, orderid }, { items });
		expect(records(run).map((record) => record.orderid)).toEqual(items.map((item) => item.orderid));
		expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual(
			items.map((_item, index) => ({ item: index })),
		);
		expect(bed().sandbox.log.count(ORDER_KEYS)).toBe(2);
	});

	it('is fetched once for executions that start at once, and again for a later one only after five minutes', async () => {
		const me = owner();
		const { orderId } = me.tunnel();
		const parameters = { resource: 'order', operation: 'get', orderid: picked(orderId) };
		const runs = await Promise.all(Array.from({ length: 10 }, () => me.run(parameters)));
		expect(runs.map((run) => records(run)[0].orderid)).toEqual(runs.map(() => orderId));
		expect(bed().sandbox.log.count(ORDER_KEYS)).toBe(1);
		const started = performance.now.bind(performance);
		const clock = jest.spyOn(performance, 'now').mockImplementation(() => started() + 301_000);
		try {
			await sleep(1100);
			records(await me.run(parameters));
		} finally {
			clock.mockRestore();
		}
		expect(bed().sandbox.log.count(ORDER_KEYS)).toBe(2);
	});

	it('is fetched at the pace of the service for executions with other orders', async () => {
		const me = owner();
		const orders = [me.tunnel(), me.tunnel(), me.tunnel()];
		const runs = await Promise.all(
			orders.map(({ orderId }) => me.run({ ...ENABLE, orderid: picked(orderId) })),
		);
		expect(runs.map((run) => records(run)[0].orderid)).toEqual(orders.map((one) => one.orderId));
		const times = bed()
			.sandbox.log.entries(ORDER_KEYS)
			.map(({ arrival }) => arrival);
		expect(times).toHaveLength(3);
		expect(times[2] - times[0]).toBeGreaterThan(1800);
	});

	it('that one account was given is given to no other credential', async () => {
		const me = owner();
		const { orderId } = me.tunnel();
		records(await me.run({ ...ENABLE, orderid: picked(orderId) }));
		const { error } = await owner().run({ ...ENABLE, orderid: picked(orderId) });
		expect(error).toMatchObject({ httpCode: '-2' });
		const wrong = bed().addCredential(
			{ ...me.account.keys, secretKey: 'wrong' },
			{ keyType: 'account' },
		);
		await sleep(1100);
		const run = await me.run({ ...ENABLE, orderid: picked(orderId) }, { credentialId: wrong });
		expect(run.error).toMatchObject({ httpCode: '-104' });
	});

	it('that one host gave is not used for another', async () => {
		const me = owner();
		const parameters = { ...ENABLE, orderid: picked(me.tunnel().orderId) };
		records(await me.run(parameters));
		const { dpsUrl } = bed().sandbox.hosts;
		const elsewhere = bed().addCredential(me.account.keys, {
			keyType: 'account',
			dpsUrl: `${dpsUrl}/`,
		});
		const another = bed().addCredential(me.account.keys, {
			keyType: 'account',
			dpsUrl: dpsUrl.replace('127.0.0.1', 'localhost'),
		});
		for (const credentialId of [elsewhere, another]) {
			await sleep(1100);
			records(await me.run(parameters, { credentialId }));
		}
		expect(bed().sandbox.log.count(ORDER_KEYS)).toBe(2);
	});

	it('is fetched anew by the others when the execution that fetches it is cancelled', async () => {
		const me = owner();
		const parameters = { ...ENABLE, orderid: picked(me.tunnel().orderId) };
		bed().sandbox.faults.add({ kind: 'hang', path: ORDER_KEYS, times: 1 });
		const isAsked = until(() => bed().sandbox.log.count(ORDER_KEYS) === 1);
		const first = me.run(parameters, { cancelWhen: isAsked.then(async () => await sleep(200)) });
		await isAsked;
		const second = me.run(parameters);
		const [cancelled, run] = await Promise.all([first, second]);
		expect(cancelled.status).not.toBe('success');
		expect(records(run)).toHaveLength(1);
		expect(bed().sandbox.log.count(ORDER_KEYS)).toBe(2);
		expect(bed().sandbox.log.count(AUTO_RENEWAL)).toBe(1);
	});

	it('is waited for no longer by an execution that is cancelled while another one fetches it', async () => {
		const me = owner();
		const parameters = { ...ENABLE, orderid: picked(me.tunnel().orderId) };
		bed().sandbox.faults.add({ kind: 'delay', ms: 2500, path: ORDER_KEYS, times: 1 });
		const first = me.run(parameters);
		await until(() => bed().sandbox.log.count(ORDER_KEYS) === 1);
		const begin = performance.now();
		const second = await me.run(parameters, { cancelWhen: sleep(200) });
		expect(performance.now() - begin).toBeLessThan(1000);
		expect(second.status).not.toBe('success');
		expect(records(await first)).toHaveLength(1);
		expect(bed().sandbox.log.count(AUTO_RENEWAL)).toBe(1);
	});

	it('with a token that the service no longer takes gets a new one', async () => {
		const me = owner({}, { signType: 'token' });
		const order = me.tunnel();
		const parameters = { resource: 'order', operation: 'get', orderid: picked(order.orderId) };
		records(await me.run(parameters));
		bed().sandbox.tokens.expireAll(order.keys.secretId);
		expect(records(await me.run(parameters))[0].orderid).toBe(order.orderId);
		const codes = bed()
			.sandbox.log.entries(ORDER_INFO)
			.map(({ code }) => code);
		expect(codes).toEqual([0, -107, 0]);
		expect(bed().sandbox.log.count(TOKENS)).toBe(3);
	});

	it('with a token is used by several executions at once, which fetch one token', async () => {
		const me = owner({}, { signType: 'token' });
		const parameters = {
			resource: 'order',
			operation: 'get',
			orderid: picked(me.tunnel().orderId),
		};
		const runs = await Promise.all(Array.from({ length: 5 }, () => me.run(parameters)));
		for (const run of runs) expect(records(run)).toHaveLength(1);
		expect(bed().sandbox.log.count(TOKENS)).toBe(2);
	});
});

describe('an answer that contains no key pair for the order', () => {
	const KEY = 'the-key-of-the-order';

	it.each<[string, Fault, RegExp]>([
		[
			'has no Secret ID',
			{ kind: 'raw', body: JSON.stringify({ code: 0, data: { secret_key: KEY } }) },
			/contains no key pair for order \d+/,
		],
		[
			'has an empty Secret ID',
			{ kind: 'raw', body: JSON.stringify({ code: 0, data: { secret_id: '', secret_key: KEY } }) },
			/contains no key pair for order \d+/,
		],
		[
			'is a list',
			{ kind: 'raw', body: JSON.stringify({ code: 0, data: [KEY] }) },
			/contains no key pair for order \d+/,
		],
		['is half of one', { kind: 'raw', body: `{"code":0,"data":{"secret_key":"${KEY}"` }, /JSON/],
		['is a text', { kind: 'raw', body: KEY }, /not a Kuaidaili response/],
		['is a page', { kind: 'html', body: `<html>${KEY}</html>` }, /web page/],
		['has no code', { kind: 'raw', body: JSON.stringify({ secret_key: KEY }) }, /has no code/],
		['is that of a gateway', { kind: 'status', status: 502, body: KEY }, /HTTP status 502/],
		['is not there', { kind: 'cut' }, /was lost before the whole response arrived/],
	])('because it %s is told without its beginning', async (_what, fault, message) => {
		const me = owner();
		bed().sandbox.faults.add({ ...fault, path: ORDER_KEYS });
		const { orderId } = me.tunnel();
		const run = await me.run({ ...ENABLE, orderid: picked(orderId) });
		expect(run.error?.message).toMatch(message);
		const told = `${run.error?.message} ${run.error?.description}`;
		expect(told).toMatch(new RegExp(`key pair (?:for|of) order ${orderId}\\b`));
		expect(run.error?.description).not.toContain('began with');
		expect(run.saved + inspect(run, { depth: 12, showHidden: true })).not.toContain(KEY);
		expect(bed().sandbox.log.count(AUTO_RENEWAL)).toBe(0);
	});
});
