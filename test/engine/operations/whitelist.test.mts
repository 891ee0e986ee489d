import type { IDataObject } from 'n8n-workflow';

import { API } from '../support/api.mts';
import { Customer, type CustomerRun, picked, typed } from '../support/customer.mts';
import { sleep } from '../support/sleep.mts';
import { eachTest, useWorkbench } from '../support/workbench.mts';

const [OFFICE, HOME, SERVER] = ['123.35.67.46', '223.57.8.100', '58.251.132.181'];

const { bed } = useWorkbench();

/** Somebody with a private proxy order, who changes its whitelist. */
function owner() {
	const customer = new Customer(bed(), { kind: 'dps' });
	return {
		order: customer.theOrder,
		listed: () => [...bed().sandbox.whitelists.of(customer.theOrder)].sort(),
		run: async (operation: string, fields: IDataObject, settings?: CustomerRun) => {
			const startedAt = performance.now();
			const result = await customer.run({ resource: 'whitelist', operation, ...fields }, settings);
			return { ...result, tookMs: performance.now() - startedAt };
		},
	};
}

const me = eachTest(owner);

function count(path?: string): number {
	return bed().sandbox.log.count(path);
}

/** By the clock of the test. */
function arrivals(path: string): number[] {
	return bed()
		.sandbox.log.entries(path)
		.map(({ arrival }) => arrival);
}

/** Moves the clock of the sandbox along with the one of the test. */
async function letTimePass<T>(work: Promise<T>): Promise<T> {
	let isDone = false;
	const done = work.finally(() => {
		isDone = true;
	});
	while (!isDone) {
		await Promise.race([done.catch(() => undefined), sleep(1000)]);
		bed().sandbox.clock.advance(1000);
	}
	return await done;
}

describe('a change', () => {
	it('says that the list was changed when it cannot be read afterwards', async () => {
		bed().sandbox.faults.add({ kind: 'code', code: -109, msg: '', path: API.getipwhitelist });
		const { error } = await me.run('add', { iplist: OFFICE });
		expect(error?.description).toContain(
			"The whitelist was changed. Check it with 'Whitelist: Get'",
		);
		expect(me.listed()).toEqual([OFFICE]);
		expect(count(API.addwhiteip)).toBe(1);
	});
});

describe('a replacement while an earlier change is being applied', () => {
	it('is repeated until Kuaidaili accepts it', async () => {
		bed().sandbox.settings.whitelistWhileChanging = 'refuse';
		bed().sandbox.whitelists.replace(me.order, [OFFICE]);
		const { items, error } = await letTimePass(me.run('replace', { iplist: HOME }));
		bed().sandbox.settings.whitelistWhileChanging = 'accept';
		expect(error).toBeUndefined();
		expect(items[0].json.ipwhitelist).toEqual([HOME]);
		expect(me.listed()).toEqual([HOME]);
		expect(count(API.setipwhitelist)).toBeGreaterThan(1);
	});

	it('is given up after a minute, and the message says what to do', async () => {
		bed().sandbox.faults.add({ kind: 'code', code: -1, msg: '正在生效', path: API.setipwhitelist });
		const { error, tookMs } = await me.run('replace', { iplist: HOME });
		expect(error?.message).toMatch(/still applying an earlier change/);
		expect(error?.description).toMatch(/Wait a minute, then run this item again.*code -1/);
		expect(tookMs).toBeGreaterThan(60_000);
		expect(tookMs).toBeLessThan(75_000);
		const [first, ...others] = arrivals(API.setipwhitelist);
		expect(others.length).toBeGreaterThan(1);
		expect((others.at(-1) ?? 0) - first).toBeLessThanOrEqual(70_000);
	});
});

it('a second replacement for the same order is refused, as it would undo the first one', async () => {
	const items = [{ ip: HOME }, { ip: SERVER }];
	const settings = { onError: 'continueErrorOutput' } as const;
	const result = await me.run('replace', { iplist: '={{ $json.ip }}' }, { items, settings });
	expect(result.items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }]);
	expect(result.errorItems.map(({ json }) => json.error)).toEqual([
		expect.stringMatching(/^Item 0 is for the same order.*Put all addresses into one item/),
	]);
	expect(me.listed()).toEqual([HOME]);
});

describe("'Keep Own IP'", () => {
	const FULL = Array.from({ length: 50 }, (_, index) => `10.0.0.${index}`);

	/** Production runs of one workflow, each from another address of this machine. */
	function workflow(listedBefore: string[]) {
		const { settings, whitelists } = bed().sandbox;
		whitelists.replaceNow(me.order, listedBefore);
		const staticData: IDataObject = {};
		const runFrom = async (address: string, run: CustomerRun = {}) => {
			settings.clientAddress = address;
			return await me
				.run('keepOwnIp', {}, { staticData, ...run })
				.finally(() => (settings.clientAddress = undefined));
		};
		return { order: me.order, listed: me.listed, runFrom };
	}

	it('adds the new address, removes its former one, and leaves the others', async () => {
		const { runFrom, listed } = workflow([OFFICE]);
		const [first] = (await runFrom(HOME)).items;
		expect(first.json).toMatchObject({ changed: true, ip: HOME, count: 2 });
		expect(first.json).not.toHaveProperty('formerIp');
		const [second] = (await runFrom(HOME)).items;
		expect(second.json).toMatchObject({ changed: false, ip: HOME, count: 2 });
		const [third] = (await runFrom(SERVER)).items;
		expect(third.json).toMatchObject({ changed: true, ip: SERVER, formerIp: HOME, count: 2 });
		expect(listed()).toEqual([OFFICE, SERVER].sort());
		expect([count(API.addwhiteip), count(API.delwhiteip)]).toEqual([2, 1]);
	});

	it('removes nothing that it does not remember, as in a manual run', async () => {
		const { runFrom, listed } = workflow([OFFICE]);
		await runFrom(HOME, { staticData: {} });
		await runFrom(SERVER, { staticData: {} });
		expect(listed()).toEqual([OFFICE, HOME, SERVER].sort());
		expect(count(API.delwhiteip)).toBe(0);
	});

	it('never removes an address that was on the list before', async () => {
		const { runFrom, listed } = workflow([OFFICE, HOME]);
		const [first] = (await runFrom(HOME)).items;
		expect(first.json).toMatchObject({ changed: false, ip: HOME });
		const [second] = (await runFrom(SERVER)).items;
		expect(second.json).toMatchObject({ changed: true, ip: SERVER });
		expect(second.json).not.toHaveProperty('formerIp');
		// Back at an address that was put there by hand, it removes its own one only
		const [third] = (await runFrom(HOME)).items;
		expect(third.json).toMatchObject({ changed: true, ip: HOME, formerIp: SERVER });
		await runFrom(SERVER);
		expect(listed()).toEqual([OFFICE, HOME, SERVER].sort());
	});

	it('removes an address that it added although the answer got lost', async () => {
		const { runFrom, listed } = workflow([]);
		bed().sandbox.faults.add({ kind: 'cut', when: 'after', path: API.addwhiteip });
		const { error } = await runFrom(HOME);
		expect(error).toBeDefined();
		expect(listed()).toEqual([HOME]);
		bed().sandbox.faults.clear();
		const [next] = (await runFrom(SERVER)).items;
		expect(next.json).toMatchObject({ changed: true, ip: SERVER, formerIp: HOME });
		expect(listed()).toEqual([SERVER]);
	});

	it('does not take a refused address for its own', async () => {
		const { runFrom, listed, order } = workflow([]);
		bed().sandbox.faults.add({ kind: 'code', code: -5, msg: '', path: API.addwhiteip, times: 1 });
		expect((await runFrom(HOME)).error?.message).toMatch(/more IP addresses than the order allows/);
		bed().sandbox.whitelists.replaceNow(order, [HOME]);
		await runFrom(SERVER);
		expect(listed()).toEqual([HOME, SERVER].sort());
	});

	it('removes the former address in the next run if that failed', async () => {
		const { runFrom, listed } = workflow([]);
		await runFrom(HOME);
		bed().sandbox.faults.add({ kind: 'code', code: -3, msg: '', path: API.delwhiteip, times: 1 });
		const { error } = await runFrom(SERVER);
		expect(error?.description).toMatch(/has 58\.251\.132\.181.*223\.57\.8\.100, is still on it/);
		const [next] = (await runFrom(SERVER)).items;
		expect(next.json).toMatchObject({ changed: true, ip: SERVER, formerIp: HOME });
		expect(listed()).toEqual([SERVER]);
	});

	it('makes room in a full list by its former address', async () => {
		const { runFrom, listed, order } = workflow([]);
		await runFrom(HOME);
		bed().sandbox.whitelists.replaceNow(order, [...FULL.slice(1), HOME]);
		const [{ json }] = (await runFrom(SERVER)).items;
		expect(json).toMatchObject({ changed: true, count: 50 });
		expect(listed()).toEqual([...FULL.slice(1), SERVER].sort());
	});

	it('says that its former address is gone if the new one is refused in its place', async () => {
		const { runFrom, listed, order } = workflow([]);
		await runFrom(HOME);
		bed().sandbox.whitelists.replaceNow(order, [...FULL.slice(1), HOME]);
		bed().sandbox.faults.add({ kind: 'code', code: -4, msg: '', path: API.addwhiteip, times: 1 });
		const { error } = await runFrom(SERVER);
		expect(error?.description).toMatch(
			/To make room for 58\.251\.132\.181, the former address, 223\.57\.8\.100, was taken off the whitelist/,
		);
		expect(error?.description).toContain('The next run adds 58.251.132.181 if it is missing.');
		expect(listed()).toEqual([...FULL.slice(1)].sort());
		const [next] = (await runFrom(SERVER)).items;
		expect(next.json).toMatchObject({ changed: true, ip: SERVER, count: 50 });
		expect(listed()).toEqual([...FULL.slice(1), SERVER].sort());
	});

	it('leaves a full list of others as it is', async () => {
		const { runFrom, listed } = workflow(FULL);
		const { error } = await runFrom(HOME);
		expect(error?.message).toMatch(/more IP addresses than the order allows/);
		expect(listed()).toEqual([...FULL].sort());
	});

	it('remembers each order for itself', async () => {
		const customer = new Customer(bed());
		const orders = [customer.addOrder('dps'), customer.addOrder('kps')];
		const staticData: IDataObject = {};
		for (const address of [HOME, SERVER]) {
			bed().sandbox.settings.clientAddress = address;
			await bed().engine.run({
				credentialId: customer.credentialId,
				parameters: {
					...{ resource: 'whitelist', operation: 'keepOwnIp' },
					orderid: typed('={{ $json.id }}'),
				},
				items: orders.map(({ orderId }) => ({ id: orderId })),
				staticData,
			});
		}
		bed().sandbox.settings.clientAddress = undefined;
		for (const order of orders) expect(bed().sandbox.whitelists.of(order)).toEqual([SERVER]);
		expect(JSON.stringify(staticData)).not.toMatch(/key/);
	});

	it("remembers the order of each order's key pair for itself", async () => {
		const owners = [owner(), owner()];
		const staticData: IDataObject = {};
		for (const address of [HOME, SERVER]) {
			bed().sandbox.settings.clientAddress = address;
			for (const { run } of owners) await run('keepOwnIp', {}, { staticData });
		}
		bed().sandbox.settings.clientAddress = undefined;
		expect(owners.map(({ listed }) => listed())).toEqual([[SERVER], [SERVER]]);
	});
});

it.each(['10.1.2.3', '172.31.0.1', '192.168.1.7', '127.0.0.1', '169.254.0.9', '100.64.0.1'])(
	'%s, which nothing on the internet can see, is refused before anything is sent',
	async (inside) => {
		const { error } = await me.run('add', { iplist: `${OFFICE},${inside}` });
		expect(error?.message).toContain("'IP Addresses' can't be");
		expect(error?.description).toContain(`${inside} is an address inside a network`);
		expect(count()).toBe(0);
	},
);

describe('the own IP', () => {
	it.each(['add', 'keepOwnIp', 'remove', 'replace'])(
		"is not even asked for where 'Order' is empty with the account's key pair: %s",
		async (operation) => {
			const customer = new Customer(bed());
			const credentialId = customer.credentialId;
			const { error } = await me.run(operation, { addresses: 'ownIp' }, { credentialId });
			expect(error?.message).toMatch(/^'Order' is empty/);
			expect(count()).toBe(0);
		},
	);

	it("is not asked for where an order is chosen with an order's key pair", async () => {
		const orderid = picked('965102959536478');
		const { error } = await me.run('add', { addresses: 'ownIp', orderid });
		expect(error?.message).toMatch(/^'Order' (?:is empty|can't be )/);
		expect(count()).toBe(0);
	});

	it('is asked for once per run, however many items there are', async () => {
		const { items } = await me.run('add', { addresses: 'ownIp' }, { items: [{}, {}, {}] });
		expect(items).toHaveLength(3);
		expect(count(API.getmyip)).toBe(1);
	});

	it('is always sent, so that the list is never replaced by what the service takes for it', async () => {
		bed().sandbox.settings.clientAddress = SERVER;
		await me.run('add', { addresses: 'ownIp' });
		bed().sandbox.settings.clientAddress = undefined;
		expect(count(API.getmyip)).toBe(1);
		expect(bed().sandbox.log.last(API.addwhiteip)?.parameters.iplist).toBe(SERVER);
	});
});
