import { DAY, HOUR } from '../../durations.mts';
import { startScriptedService } from '../support/scriptedService.mts';
import {
	bed,
	EXPIRED,
	EXPIRING,
	jsonOf,
	logged,
	nextPoll,
	orderIds,
	pass,
	watching,
} from './watching.mts';

/* Codes in a list that are not as documented. */

function listed(orderid: string, changes: object = {}) {
	const expire_time = new Date(Date.now() + DAY).toISOString();
	return { orderid, pay_type: 'PRE_PAY', product: 'DPS', status: 'VALID', expire_time, ...changes };
}

/** A workflow that sees these active orders; in the list of all orders come the others as well. */
async function watchingLists(active: object[], others: object[], event: object = {}) {
	const service = await startScriptedService(({ parameters }) => {
		const data = parameters.status === 'ALL' ? [...active, ...others] : active;
		return { body: JSON.stringify({ code: 0, msg: '', data }) };
	});
	const parameters = { ...EXPIRING, ...event };
	return { poller: watching('account', bed().newAccount(), parameters, service.hosts), service };
}

it.each(['RENEWING', 'renewing', 'valid', ' Valid '])(
	'an order with the status %j in the list of active orders is in force',
	async (status) => {
		const { poller, service } = await watchingLists([listed('1', { status })], []);
		expect(orderIds(await poller.activate())).toEqual(['1']);
		const warning =
			"Kuaidaili Trigger: Order 1 has the status 'RENEWING', which this node doesn't know. The order is treated as active, because the service lists it so.";
		const isKnown = status.trim().toUpperCase() === 'VALID';
		expect(logged()).toEqual(isKnown ? [] : [warning]);
		await nextPoll(poller);
		expect(logged()).toHaveLength(isKnown ? 0 : 1);
		pass(DAY);
		await poller.poll();
		expect(logged()).toHaveLength(isKnown ? 0 : 2);
		await service.close();
	},
);

it('an order with an unknown status that only the list of all orders has is in force nowhere', async () => {
	const active = [listed('1'), listed('2', { status: 'RENEWING' })];
	const { poller, service } = await watchingLists(active, [
		listed('3', { status: 'REFUNDED' }),
		listed('4', { status: 'closed' }),
	]);
	await poller.activate();
	pass(2 * HOUR);
	// Asks for all orders, because something may have passed unseen
	expect(await poller.poll()).toBeNull();
	poller.settings.parameters = { ...EXPIRING, remindEvery: 1 };
	expect(orderIds(await poller.tryOut())).toEqual(['1', '2']);
	await service.close();
});

it('codes in lower case pass the filters and are named', async () => {
	const order = listed('1', { pay_type: 'pre_pay', product: 'dps', status: 'valid' });
	const filters = { products: ['DPS'], payTypes: ['PRE_PAY'] };
	const { poller, service } = await watchingLists([order], [], { filters });
	expect(jsonOf(await poller.activate())).toMatchObject([
		{ product: 'dps', productName: 'Private Proxy', payTypeName: 'Prepaid' },
	]);
	expect(logged()).toEqual([]);
	await service.close();
});

it('an order of unknown pay type and product is told of, and warned about', async () => {
	const order = listed('1', { pay_type: 'BARTER', product: 'XPS' });
	const { poller, service } = await watchingLists([order], []);
	expect(jsonOf(await poller.activate())[0].text).toMatch(/^XPS order 1 expires in /);
	expect(logged()).toEqual([
		expect.stringContaining("Order 1 has the pay type 'BARTER' and the product 'XPS', which"),
	]);
	await service.close();
});

it('an order that ended is told of once, although the list has it twice and in lower case', async () => {
	const ended = listed('1', {
		status: 'expired',
		expire_time: new Date(Date.now() + HOUR).toISOString(),
	});
	const others: object[] = [];
	const { poller, service } = await watchingLists([], others, EXPIRED);
	expect(await poller.activate()).toBeNull();
	pass(2 * HOUR);
	others.push(ended, { ...ended });
	expect(orderIds(await poller.poll())).toEqual(['1']);
	expect(await nextPoll(poller)).toBeNull();
	await service.close();
});
