import type { IDataObject } from 'n8n-workflow';

import { type Fault, newTunnelProxyOrder, type Order } from '../../../sandbox/sandbox.mts';
import { DAY } from '../../durations.mts';
import { CASES, EVENT_WAYS, WAYS } from '../../operations/index.mts';
import {
	parametersOf,
	parametersOfEvent,
	proveEvent,
	proveOutcome,
	worldOf,
	worldOfEvent,
} from '../../operations/outcome.mts';
import { World } from '../../operations/world.mts';
import { uniqueName } from '../../uniqueName.mts';
import { API } from '../support/api.mts';
import { Customer, typed } from '../support/customer.mts';
import { Poller } from '../support/poller.mts';
import { RETRY } from '../support/runSettings.mts';
import { sleep } from '../support/sleep.mts';
import { untilWindowAge } from '../support/windowAge.mts';
import { useWorkbench } from '../support/workbench.mts';

const { bed } = useWorkbench({ withRecords: true });

const PURCHASES = new Set(['create', 'renew']);

function credentialOf({ by, keys }: World): string {
	return bed().addCredential(keys, { keyType: by });
}

it.each(WAYS)('$name', async (way) => {
	const world = worldOf(way, bed().sandbox);
	// A purchase that waits for a window reads less often, because its readings are newer
	if (PURCHASES.has(way.operation.operation)) await untilWindowAge(3000);
	const { error, items, errorItems, hints } = await bed().engine.run({
		settings: way.operation.settings,
		credentialId: credentialOf(world),
		parameters: parametersOf(way, world) as IDataObject,
	});
	expect(error).toBeUndefined();
	expect(errorItems).toEqual([]);
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual(items.map(() => ({ item: 0 })));
	proveOutcome(way, world, {
		records: items.map(({ json }) => json),
		hints: hints.map(({ message }) => message),
	});
});

const ON_ACCOUNTS = CASES.filter(({ operation }) => operation.key === 'account');

it.each(ON_ACCOUNTS)('$name: not with that of an order, and nothing is sent', async (way) => {
	const world = worldOf(
		{ ...way, by: 'order', theCase: { order: 'tps', ...way.theCase } },
		bed().sandbox,
	);
	const { error } = await bed().engine.run({
		credentialId: credentialOf(world),
		parameters: parametersOf(way, world) as IDataObject,
	});
	expect(error?.message).toContain("This operation needs the account's key pair");
	expect(error?.description).toContain("'Key Type' to 'Account'");
	expect(bed().sandbox.log.count()).toBe(0);
});

it.each(EVENT_WAYS)('$name, tried out by hand', async (way) => {
	const world = worldOfEvent(way, bed().sandbox);
	const parameters = parametersOfEvent(way, world) as IDataObject;
	const credentialId = credentialOf(world);
	const items = await new Poller(bed().engine, { parameters, credentialId }).tryOut();
	proveEvent(
		way,
		world,
		(items ?? []).map(({ json }) => json),
	);
});

const BY_ITEM = typed('={{ $json.id }}');

describe('Retry On Fail', () => {
	it('changes the IP of a tunnel once, though another tunnel fails', async () => {
		const customer = new Customer(bed());
		const tunnels = [customer.addOrder('tpsMinute'), customer.addOrder('tpsMinute')];
		const [, { keys }] = tunnels;
		const refused = { kind: 'code', code: -108, path: API.changetpsip } as const;
		bed().sandbox.faults.add({ ...refused, times: 2, ...keys });
		const ids = tunnels.map(({ orderId }) => orderId);
		const { items, error } = await bed().engine.run({
			credentialId: customer.credentialId,
			parameters: { resource: 'tunnel', operation: 'changeIp', orderid: BY_ITEM },
			items: ids.map((id) => ({ id })),
			settings: RETRY,
		});
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.orderid)).toEqual(ids);
		const changes = customer.requests(API.changetpsip);
		expect(changes.map(({ code }) => code)).toEqual([0, -108, -108, 0]);
	});

	it('does not change an IP again where it is unclear whether it was changed', async () => {
		const customer = new Customer(bed(), { kind: 'tpsMinute' });
		bed().sandbox.faults.add({ kind: 'cut', when: 'after', path: API.changetpsip });
		const { error } = await bed().engine.run({
			credentialId: customer.credentialId,
			parameters: { resource: 'tunnel', operation: 'changeIp' },
			settings: RETRY,
		});
		expect(error?.description).toMatch(/may have been changed anyway/);
		expect(customer.requests(API.changetpsip)).toHaveLength(1);
	});

	it('changes anew in each turn of a loop', async () => {
		const customer = new Customer(bed(), { kind: 'tpsMinute' });
		const { itemsOfRuns } = await bed().engine.run({
			credentialId: customer.credentialId,
			parameters: { resource: 'tunnel', operation: 'changeIp' },
			runs: 2,
		});
		expect(itemsOfRuns.map(({ length }) => length)).toEqual([1, 1]);
		expect(customer.requests(API.changetpsip)).toHaveLength(2);
	});
});

describe('several items for one order', () => {
	it('change the IP of its tunnel once: a second change would discard the first one', async () => {
		const customer = new Customer(bed(), { kind: 'tpsMinute' });
		const { items } = await bed().engine.run({
			credentialId: customer.credentialId,
			parameters: { resource: 'tunnel', operation: 'changeIp' },
			items: [{}, {}],
			settings: { onError: 'continueRegularOutput' },
		});
		expect(items.map(({ json }) => json.error)).toEqual([
			undefined,
			expect.stringMatching(/^Item 0 is for the same order, so nothing was changed/),
		]);
		expect(customer.requests(API.changetpsip)).toHaveLength(1);
	});
});

describe('a change whose answer is lost', () => {
	it.each(['enable', 'disable'])(
		'may have been made, and may be made again: %s',
		async (operation) => {
			const customer = new Customer(bed());
			const { keys } = customer.tunnel(DAY);
			bed().sandbox.faults.add({
				kind: 'status',
				status: 502,
				when: 'after',
				path: '/api/setautorenew',
			});
			const { error } = await bed().engine.run({
				credentialId: bed().addCredential(keys),
				parameters: { resource: 'autoRenewal', operation },
			});
			expect(error?.description).toContain(
				'The change may have been made all the same. Making it again does no harm.',
			);
		},
	);

	it('was not made where the service refuses it', async () => {
		const customer = new Customer(bed());
		const { keys } = customer.tunnel(DAY, { payType: 'POST_PAY' });
		bed().sandbox.faults.add({ kind: 'code', code: -3, path: API.closeorder });
		const { error } = await bed().engine.run({
			credentialId: bed().addCredential(keys),
			parameters: { resource: 'order', operation: 'close' },
		});
		expect(error?.message).toBeDefined();
		expect(error?.description).not.toContain('may have been made');
	});
});

/* The service allows two changes within the time that a tunnel keeps an IP, and none where that is short. */

const MINUTE = 60_000;

/** Somebody with a tunnel, and its key pair in a credential. */
function owner(period: number) {
	const { store, clock, keys } = bed().sandbox;
	const account = store.account(keys.account.secretId);
	return changerOf(
		store.addOrder(newTunnelProxyOrder(uniqueName('tunnel'), account, clock.now(), { period })),
	);
}

function changerOf(order: Order) {
	const credentialId = bed().addCredential(order.keys);
	const requests = (path: string) =>
		bed()
			.sandbox.log.entries(path)
			.filter(({ parameters }) => parameters.secret_id === order.keys.secretId);
	return {
		change: async () =>
			await bed().engine.run({
				credentialId,
				parameters: { resource: 'tunnel', operation: 'changeIp' },
			}),
		/** Codes of the changes that were sent. */
		codes: () => requests(API.changetpsip).map(({ code }) => code),
	};
}

describe('a third change', () => {
	it('within the period is refused by the service, and the error says when there may be another', async () => {
		const { change, codes } = owner(60);
		expect([(await change()).error, (await change()).error]).toEqual([undefined, undefined]);
		const { error } = await change();
		expect(error?.description).toContain(
			'Kuaidaili allows two changes within the time that a tunnel keeps an IP, and only where that is at least 60 seconds. If there were two already, try again when that time is over.',
		);
		expect(codes()).toEqual([0, 0, -5]);
		await sleep(MINUTE);
		expect((await change()).error).toBeUndefined();
	});

	it.each<[string, Fault]>([
		['got no answer', { kind: 'cut', when: 'after', path: API.changetpsip }],
		['may have been a duplicate', { kind: 'code', code: -114, path: API.changetpsip }],
	])('is not made by the node itself where the second one %s', async (_name, fault) => {
		const { change, codes } = owner(60);
		await change();
		bed().sandbox.faults.add(fault);
		expect((await change()).error?.description).toContain('The IP may have been changed anyway');
		expect(codes()).toHaveLength(2);
	});
});

describe('a tunnel whose IP cannot be changed', () => {
	it.each([
		[0, 'with every request'],
		[30, 'every 30 seconds'],
	])('because it keeps one for %d seconds fails before a change is sent', async (period, often) => {
		const { change, codes } = owner(period);
		const { error } = await change();
		expect(error?.message).toContain(`This tunnel changes its IP ${often}`);
		expect(error?.description).toContain('Nothing was changed.');
		expect(codes()).toEqual([]);
	});

	it('because the order is of another product fails before a change is sent', async () => {
		const { order } = new Customer(bed(), { kind: 'dps' });
		if (order === undefined) throw new Error('There is no order');
		const { change, codes } = changerOf(order);
		const { error } = await change();
		expect(error?.message).toMatch(/^The IP of this order \(Private Proxy\) can't be changed/);
		expect(codes()).toEqual([]);
	});
});
