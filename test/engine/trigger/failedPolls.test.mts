import type { IDataObject } from 'n8n-workflow';

import type { Account, Fault } from '../../../sandbox/sandbox.mts';
import { DAY, HOUR, MINUTE } from '../../durations.mts';
import { typed } from '../support/customer.mts';
import { startScriptedService } from '../support/scriptedService.mts';
import {
	BALANCE_BELOW,
	bed,
	EXPIRED,
	EXPIRING,
	failureOf,
	IPS_BELOW,
	jsonOf,
	logged,
	nextPoll,
	orderFor,
	orderIds,
	pass,
	watching,
} from './watching.mts';

let account: Account;
beforeEach(() => {
	account = bed().newAccount();
});

describe('a look that fails', () => {
	type FaultCase = [name: string, fault: Fault, message: RegExp];

	const PASSING: FaultCase[] = [
		['a gateway', { kind: 'status', status: 502 }, /unavailable right now/],
		['a cut', { kind: 'cut' }, /was lost before the whole response/],
		['a fault of Kuaidaili', { kind: 'code', code: -109 }, /went wrong on Kuaidaili's side/],
	];

	const LASTING: FaultCase[] = [
		['half an answer', { kind: 'halfBody' }, /^Kuaidaili's response /],
		['a page', { kind: 'html' }, /is a web page/],
		['a wrong signature', { kind: 'code', code: -104 }, /Secret Key doesn't belong to Secret ID/],
		['an API whitelist', { kind: 'code', code: -108 }, /not on the account's API whitelist/],
	];

	it.each(LASTING)(
		'later because of %s is an execution that failed',
		async (_n, fault, message) => {
			const order = orderFor(account, 4 * DAY);
			const poller = watching('account', account, EXPIRING);
			expect(await poller.activate()).toBeNull();
			bed().sandbox.faults.add(fault);
			pass(2 * DAY);
			expect((await failureOf(poller.poll())).message).toMatch(message);
			expect(logged()).toEqual([]);
			bed().sandbox.faults.clear();
			expect(orderIds(await nextPoll(poller))).toEqual([order.orderId]);
		},
	);

	it('later because of a key pair of the wrong kind is an execution that failed', async () => {
		const account = bed().newAccount({ balanceInFen: 500_00 });
		const poller = watching('account', account, BALANCE_BELOW);
		expect(await poller.activate()).toBeNull();
		const { credentials } = bed().engine;
		credentials.edit(poller.settings.credentialId, { keyType: 'order' });
		expect((await failureOf(nextPoll(poller))).message).toMatch(/needs the account's key pair/);
	});

	it.each([...PASSING, ...LASTING])(
		'at first because of %s is loud',
		async (_name, fault, message) => {
			const order = orderFor(account, DAY);
			const poller = watching('account', account, EXPIRING);
			bed().sandbox.faults.add(fault);
			expect((await failureOf(poller.activate())).message).toMatch(message);
			expect(poller.isActive).toBe(false);
			expect(poller.state).toBe('{}');
			expect(logged()).toEqual([]);
			bed().sandbox.faults.clear();
			pass(MINUTE);
			expect(orderIds(await poller.activate())).toEqual([order.orderId]);
		},
	);

	it.each(PASSING)('later because of %s is logged and made good', async (_name, fault, message) => {
		const [first, second] = [4, 5].map((days) => orderFor(account, days * DAY));
		const poller = watching('account', account, EXPIRING);
		expect(await poller.activate()).toBeNull();
		const before = poller.state;
		bed().sandbox.faults.add(fault);
		pass(HOUR);
		expect(await poller.poll()).toBeNull();
		pass(HOUR);
		expect(await poller.poll()).toBeNull();
		expect(poller.state).toBe(before);
		expect(logged()).toEqual([expect.stringMatching(message), expect.stringMatching(message)]);
		expect(logged()[0]).toMatch(/\. Try again in a few minutes\./);
		bed().sandbox.faults.clear();
		pass(2 * DAY);
		expect(orderIds(await nextPoll(poller))).toEqual([first.orderId, second.orderId]);
	});

	it.each([EXPIRING, EXPIRED])(
		'for a day is an execution that failed every three hours; %j makes it good',
		async (event) => {
			orderFor(account, 30 * DAY);
			const ended = orderFor(account, 4 * DAY);
			const poller = watching('account', account, event);
			expect(await poller.activate()).toBeNull();
			bed().sandbox.faults.add({ kind: 'status', status: 503 });
			const failedAfter: number[] = [];
			for (let hour = 1; hour <= 8; hour += 1) {
				pass(HOUR);
				const failure = await poller.poll().then(
					() => undefined,
					(error: unknown) => error,
				);
				if (failure !== undefined) failedAfter.push(hour);
			}
			expect(failedAfter).toEqual([3, 6]);
			pass(5 * DAY);
			const { message, description } = await failureOf(poller.poll());
			expect(message).toMatch(/unavailable right now/);
			expect(description).toContain('has had no answer for hours.');
			bed().sandbox.faults.clear();
			// In the meantime, somebody has changed the key pair of the account
			const keys = bed().sandbox.store.changeKeyPair(account, 'both');
			bed().engine.credentials.edit(poller.settings.credentialId, { ...keys });
			const told = await nextPoll(poller);
			expect(orderIds(told)).toEqual([ended.orderId]);
			expect(jsonOf(told)[0].text).toMatch(/expired 1.3 days ago$/);
			expect(await nextPoll(poller)).toBeNull();
		},
	);

	it('keeps n8n from starting anew only before the first success', async () => {
		const poller = watching('account', account, EXPIRING);
		expect(await poller.activate()).toBeNull();
		poller.crash();
		bed().sandbox.faults.add({ kind: 'status', status: 503 });
		pass(MINUTE);
		expect(await poller.activate('init')).toBeNull();
		expect(poller.isActive).toBe(true);
		expect(logged()).toHaveLength(1);
	});
});

describe('wrong parameters', () => {
	it.each<[parameters: IDataObject, message: RegExp]>([
		[{ event: 'orderBought' }, /^'Event' can't be "orderBought"/],
		[{ event: 'toString' }, /^'Event' can't be "toString"/],
		[{ ...EXPIRING, expiringWithin: 0 }, /^'Expiring Within' can't be 0/],
		[{ ...EXPIRING, expiringWithin: '={{ "soon" }}' }, /^'Expiring Within' can't be "soon"/],
		[{ ...EXPIRING, expiringWithin: '={{ "" }}' }, /^'Expiring Within' is empty/],
		[{ ...EXPIRING, expiringWithinUnit: 'weeks' }, /^'Expiring Within Unit' can't be "weeks"/],
		[{ ...EXPIRING, filters: { products: '={{ "TPS" }}' } }, /^'Products' can't be "TPS"/],
		[{ ...BALANCE_BELOW, balanceBelow: 0 }, /^'Below \(Yuan\)' can't be 0/],
		[{ ...IPS_BELOW, orderid: typed('12') }, /^'Order' can't be "12"/],
		[
			{ ...IPS_BELOW, orderid: typed('965102959536478'), ipBalanceBelow: '={{ [] }}' },
			/^'Below \(IPs\)' can't be \[\]/,
		],
	])('%j are refused before anything is sent', async (parameters, message) => {
		const poller = watching('account', bed().newAccount(), parameters);
		for (const work of [() => poller.activate(), () => poller.tryOut()]) {
			const failure = await failureOf(work());
			expect(failure.message).toMatch(message);
			expect(failure.description).toMatch(/\.$/);
		}
		expect(bed().sandbox.log.count()).toBe(0);
		expect(poller.state).toBe('{}');
	});
});

it('goes by the clock of this machine, however the answers are dated', async () => {
	const [soon] = [DAY, 9 * DAY].map((left) => orderFor(account, left));
	const data = [soon].map(({ orderId, expiresAt }) => ({
		orderid: orderId,
		pay_type: 'PRE_PAY',
		product: 'KPS',
		status: 'VALID',
		expire_time: new Date(Number(expiresAt) + 8 * HOUR)
			.toISOString()
			.slice(0, 19)
			.replace('T', ' '),
	}));
	for (const days of [-10, 10]) {
		const date = new Date(Date.now() + days * DAY).toUTCString();
		const body = JSON.stringify({ code: 0, msg: '', data });
		const service = await startScriptedService(() => ({ headers: { date }, body }));
		const poller = watching('account', account, EXPIRING, service.hosts);
		expect(orderIds(await poller.activate())).toEqual([soon.orderId]);
	}
});

/* What a list that is not as documented leads to. */

/** A workflow that sees these active orders; in the list of all orders come the others as well. */
async function watchingLists(active: object[], others: object[] = [], event: object = {}) {
	const { hosts } = await startScriptedService(({ parameters }) => {
		const data = parameters.status === 'ALL' ? [...active, ...others] : active;
		return { body: JSON.stringify({ code: 0, msg: '', data }) };
	});
	return watching('account', bed().newAccount(), { ...EXPIRING, ...event }, hosts);
}

function listed(orderid: string, expire_time: unknown, changes: object = {}) {
	return { orderid, pay_type: 'PRE_PAY', product: 'DPS', status: 'VALID', expire_time, ...changes };
}

/** In China time. */
function inADay(): string {
	return new Date(Date.now() + DAY + 8 * HOUR).toISOString();
}

describe('an expiry that the service does not write as it documents', () => {
	it('keeps no other order from being told of', async () => {
		const poller = await watchingLists([listed('1', 'soon'), listed('2', inADay())]);
		expect(orderIds(await poller.activate())).toEqual(['2']);
		expect((await failureOf(nextPoll(poller))).message).toMatch(/expiry of order 1$/);
	});

	it.each([null, 'soon'])('fails a check every three hours where it is %j', async (expireTime) => {
		const payAsUsed = listed('2', '', { pay_type: 'POST_PAY' });
		const closed = listed('3', null, { status: 'CLOSED' });
		const orders = [listed('1', expireTime), payAsUsed, closed];
		const poller = await watchingLists(orders);
		// Or the workflow could not be published
		expect(await poller.activate()).toBeNull();
		const { message, description } = await failureOf(nextPoll(poller));
		expect(message).toBe("This node can't read the expiry of order 1");
		expect(description).toContain(`Kuaidaili gives it as ${JSON.stringify(expireTime)}.`);
		expect(await nextPoll(poller)).toBeNull();
		pass(3 * HOUR);
		expect((await failureOf(poller.poll())).message).toBe(message);
		expect((await failureOf(poller.tryOut())).message).toBe(message);
	});
});

/* Codes in a list that are not as documented. */

const inList = (orderid: string, changes: object = {}) =>
	listed(orderid, new Date(Date.now() + DAY).toISOString(), changes);

it.each(['RENEWING', 'renewing', 'valid', ' Valid '])(
	'an order with the status %j in the list of active orders is in force',
	async (status) => {
		const poller = await watchingLists([inList('1', { status })]);
		expect(orderIds(await poller.activate())).toEqual(['1']);
		const warning =
			"Kuaidaili Trigger: Kuaidaili gives orders the status 'RENEWING', which this node doesn't know. They are treated as active.";
		const isKnown = status.trim().toUpperCase() === 'VALID';
		expect(logged()).toEqual(isKnown ? [] : [warning]);
		await nextPoll(poller);
		expect(logged()).toHaveLength(isKnown ? 0 : 1);
		pass(DAY);
		await poller.poll();
		expect(logged()).toHaveLength(isKnown ? 0 : 2);
	},
);

it('orders with an unknown status that only the list of all orders has are in force, with one warning', async () => {
	const long = { status: 'REFUNDED', expire_time: '2020-01-01 00:00:00' };
	const others = [inList('3', { status: 'REFUNDED' }), inList('4', { status: 'closed' })];
	const poller = await watchingLists([inList('1')], [...others, inList('5', long)]);
	expect(orderIds(await poller.activate())).toEqual(['1', '3']);
	expect(logged()).toEqual([
		"Kuaidaili Trigger: Kuaidaili gives orders the status 'REFUNDED', which this node doesn't know. They are treated as active.",
	]);
});

it('codes in lower case pass the filters and are named', async () => {
	const order = inList('1', { pay_type: 'pre_pay', product: 'dps', status: 'valid' });
	const filters = { products: ['DPS'], payTypes: ['PRE_PAY'] };
	const poller = await watchingLists([order], [], { filters });
	expect(jsonOf(await poller.activate())).toMatchObject([
		{ product: 'dps', productName: 'Private Proxy', payTypeName: 'Prepaid' },
	]);
	expect(logged()).toEqual([]);
});

it('an order of unknown pay type and product is told of', async () => {
	const order = inList('1', { pay_type: 'BARTER', product: 'XPS' });
	const poller = await watchingLists([order]);
	expect(jsonOf(await poller.activate())[0].text).toMatch(/^XPS order 1 expires in /);
});

it('an order that ended is told of once, although the list has it twice and in lower case', async () => {
	const ended = inList('1', {
		status: 'expired',
		expire_time: new Date(Date.now() + HOUR).toISOString(),
	});
	const others: object[] = [];
	const poller = await watchingLists([], others, EXPIRED);
	expect(await poller.activate()).toBeNull();
	pass(2 * HOUR);
	others.push(ended, { ...ended });
	expect(orderIds(await poller.poll())).toEqual(['1']);
	expect(await nextPoll(poller)).toBeNull();
});
