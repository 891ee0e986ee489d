import { newTunnelProxyOrder, type Fault, type Order } from '../../../sandbox/sandbox.mts';
import { World } from '../../operations/world.mts';
import { uniqueName } from '../../uniqueName.mts';
import { sleep } from '../support/sleep.mts';
import { useTestBed } from '../support/testBed.mts';

/* The service allows two changes within the time that a tunnel keeps an IP, and none where that is short. */

const bed = useTestBed();

const CHANGE = '/api/changetpsip';
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
		codes: () => requests(CHANGE).map(({ code }) => code),
	};
}

describe('a third change', () => {
	it('within the period is refused by the service, and the error says when there may be another', async () => {
		const { change, codes } = owner(60);
		expect([(await change()).error, (await change()).error]).toEqual([undefined, undefined]);
		const { error } = await change();
		expect(error?.description).toContain(
			'Kuaidaili allows two changes within the time that a tunnel keeps an IP, here 1 minute. If there were two already, try again when that time is over.',
		);
		expect(codes()).toEqual([0, 0, -5]);
		await sleep(MINUTE);
		expect((await change()).error).toBeUndefined();
	});

	it.each<[string, Fault]>([
		['got no answer', { kind: 'cut', when: 'after', path: CHANGE }],
		['may have been a duplicate', { kind: 'code', code: -114, path: CHANGE }],
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
		const { order } = new World(bed().sandbox, 'order', 'dps');
		if (order === undefined) throw new Error('There is no order');
		const { change, codes } = changerOf(order);
		const { error } = await change();
		expect(error?.message).toMatch(/^The IP of this order \(Private Proxy\) can't be changed/);
		expect(codes()).toEqual([]);
	});
});
