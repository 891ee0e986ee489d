import { newTunnelProxyOrder, type Fault, type Order } from '../../../sandbox/sandbox.mts';
import { World } from '../../operations/world.mts';
import { uniqueName } from '../../uniqueName.mts';
import type { RunSettings } from '../support/engine.mts';
import { sleep } from '../support/sleep.mts';
import { useTestBed } from '../support/testBed.mts';
import { until } from '../../virtualTime.mts';

/* The service allows two changes within the time that a tunnel keeps an IP, and none where that is short. */

const bed = useTestBed();

const CHANGE = '/api/changetpsip';
const INFO = '/api/getorderinfo';
const MINUTE = 60_000;

type Settings = Partial<Omit<RunSettings, 'parameters'>>;

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
		change: async (run: Settings = {}) =>
			await bed().engine.run({
				credentialId,
				...run,
				parameters: { resource: 'tunnel', operation: 'changeIp' },
			}),
		/** Codes of the changes that were sent. */
		codes: () => requests(CHANGE).map(({ code }) => code),
		arrivals: () => requests(CHANGE).map(({ arrival }) => arrival),
		asked: async (count: number) => await until(() => requests(INFO).length >= count),
	};
}

describe('a third change', () => {
	it('waits until the first one is a period ago, and the fourth until the second one is', async () => {
		const { change, codes, arrivals } = owner(60);
		for (let run = 0; run < 4; run++) expect((await change()).error).toBeUndefined();
		expect(codes()).toEqual([0, 0, 0, 0]);
		const [first, second, third, fourth] = arrivals();
		expect(second - first).toBeLessThan(5000);
		expect(third - first).toBeGreaterThanOrEqual(MINUTE);
		expect(fourth - second).toBeGreaterThanOrEqual(MINUTE);
		expect(fourth - first).toBeLessThan(MINUTE + 5000);
	});

	it('waits in line with others that were started at once', async () => {
		const { change, codes, arrivals } = owner(60);
		const runs = await Promise.all([change(), change(), change()]);
		expect(runs.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
		expect(codes()).toEqual([0, 0, 0]);
		expect(arrivals()[2] - arrivals()[0]).toBeGreaterThanOrEqual(MINUTE);
	});

	it('fails where that would take longer than 90 seconds, and nothing is sent', async () => {
		const { change, codes } = owner(600);
		await change();
		await change();
		const { error } = await change();
		expect(error?.message).toMatch(
			/^The IP of this tunnel was already changed twice within 10 minutes/,
		);
		expect(error?.description).toMatch(/possible in 9 minutes \d+ seconds\. Nothing was changed\./);
		expect(codes()).toEqual([0, 0]);
	});

	it('does not wait where the second one was refused', async () => {
		const { change, codes, arrivals } = owner(60);
		await change();
		bed().sandbox.faults.add({ kind: 'code', code: -108, path: CHANGE, times: 1 });
		expect((await change()).error).toBeDefined();
		expect((await change()).error).toBeUndefined();
		expect(codes()).toEqual([0, -108, 0]);
		expect(arrivals()[2] - arrivals()[0]).toBeLessThan(10_000);
	});

	it.each<[string, Fault]>([
		['got no answer', { kind: 'cut', when: 'after', path: CHANGE }],
		['may have been a duplicate', { kind: 'code', code: -114, path: CHANGE }],
	])('waits where the second one %s, because it may have been made', async (_name, fault) => {
		const { change, arrivals } = owner(60);
		await change();
		bed().sandbox.faults.add(fault);
		expect((await change()).error?.description).toContain('The IP may have been changed anyway');
		bed().sandbox.faults.clear();
		const sent = arrivals();
		expect((await change()).error).toBeUndefined();
		expect((arrivals().at(-1) ?? 0) - sent[0]).toBeGreaterThanOrEqual(MINUTE);
	});

	it('leaves the line at once when it is cancelled, and is never sent', async () => {
		const { change, codes, asked } = owner(60);
		await change();
		await change();
		let cancelledAt = NaN;
		const cancelWhen = asked(3)
			.then(async () => await sleep(5000))
			.then(() => (cancelledAt = performance.now()));
		const { status } = await change({ cancelWhen });
		expect(performance.now() - cancelledAt).toBeLessThan(500);
		expect(status).toBe('canceled');
		await sleep(2 * MINUTE);
		expect(codes()).toEqual([0, 0]);
	});

	it('of another tunnel waits for nothing', async () => {
		const [one, other] = [owner(60), owner(60)];
		await one.change();
		await one.change();
		await other.change();
		expect(other.arrivals()[0] - one.arrivals()[1]).toBeLessThan(5000);
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
