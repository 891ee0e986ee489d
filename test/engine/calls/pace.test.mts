import { HOUR } from '../../durations.mts';
import { Owner, records } from '../support/owner.mts';
import { useTestBed } from '../support/testBed.mts';

const INTERVAL_MS = 200;

/** What the node leaves between two calls: 25 ms more, because the network moves arrivals. */
const GAP_MS = INTERVAL_MS + 25;

const bed = useTestBed();

function arrivals(secretId: string): number[] {
	return bed()
		.extractions.filter(({ parameters }) => parameters.secret_id === secretId)
		.map(({ arrival }) => arrival);
}

/** That calls came in a row, each one `gapMs` after the one before. */
function expectGaps(times: readonly number[], gapMs: number): void {
	for (const gap of times.slice(1).map((time, index) => time - times[index])) {
		expect(gap).toBeGreaterThanOrEqual(gapMs);
		// Timers end at whole milliseconds
		expect(gap).toBeLessThanOrEqual(gapMs + 1);
	}
}

describe('many executions at once with one key', () => {
	it('call in the order in which they came, each one interval and 25 ms after the other', async () => {
		const { keys } = bed().newOrder();
		// Two credentials with the same key, as two people may have them
		const ids = [bed().addCredential(keys), bed().addCredential(keys)];
		const runs = Array.from({ length: 20 }, (_, index) =>
			bed().extract({ credentialId: ids[index % 2], num: index + 1 }),
		);
		const results = await Promise.all(runs);

		expect(results.map(({ error }) => error)).toEqual(results.map(() => undefined));
		expect(results.map(({ items }) => items.length)).toEqual(
			Array.from({ length: 20 }, (_, index) => index + 1),
		);
		expect(bed().extractions.map(({ parameters }) => Number(parameters.num))).toEqual(
			Array.from({ length: 20 }, (_, index) => index + 1),
		);
		expectGaps(arrivals(keys.secretId), GAP_MS);
	});

	it('are all held back when the service says once that they are too fast', async () => {
		bed().sandbox.faults.add({ kind: 'code', code: -22, times: 1 });
		const { keys } = bed().newOrder();
		const credentialId = bed().addCredential(keys);
		const results = await Promise.all([1, 2, 3].map((num) => bed().extract({ credentialId, num })));
		expect(results.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
		const [first, second] = arrivals(keys.secretId);
		expect(second - first).toBeGreaterThanOrEqual(INTERVAL_MS);
		expect(bed().extractions.map(({ code }) => code)).toEqual([-22, 0, 0, 0]);
	});
});

it('different keys do not wait for each other', async () => {
	const orders = [bed().newOrder(), bed().newOrder(), bed().newOrder('vip')];
	const [one, other, vip] = orders.map(({ keys }) => bed().addCredential(keys));
	const runs = [
		...Array.from({ length: 6 }, () => [
			bed().extract({ credentialId: one }),
			bed().extract({ credentialId: other }),
		]).flat(),
		bed().extract({ plan: 'vip', credentialId: vip }),
		bed().extract({ plan: 'vip', credentialId: vip }),
	];
	const results = await Promise.all(runs);
	expect(results.map(({ error }) => error)).toEqual(results.map(() => undefined));
	const [first, second, ofVip] = orders.map(({ keys }) => arrivals(keys.secretId));
	expectGaps(first, GAP_MS);
	expectGaps(second, GAP_MS);
	expectGaps(ofVip, 1050);
	expect([first, second, ofVip].map((times) => times[0])).toEqual(Array(3).fill(first[0]));
});

/* Calls that are signed with a time that the service refuses. */

const BALANCE = { resource: 'account', operation: 'getBalance' };

/** What each call got. */
function codes(): Array<number | undefined> {
	return bed()
		.sandbox.log.entries('/api/getaccountbalance')
		.map(({ code }) => code);
}

it('a correction of the clock that failed is dropped: a gateway dates the answers wrongly', async () => {
	const me = new Owner(bed());
	bed().sandbox.faults.add({ kind: 'code', code: -112, times: 1 });
	bed().sandbox.faults.add({ kind: 'dateOffset', seconds: 10 * 24 * 3600 });
	expect((await me.run(BALANCE)).error).toMatchObject({ httpCode: '-112' });
	for (let run = 0; run < 2; run++) expect(records(await me.run(BALANCE))).toHaveLength(1);
	expect(codes()).toEqual([-112, -112, 0, 0]);
});

it('a correction is kept while it works, and dropped when the clocks agree again', async () => {
	const me = new Owner(bed());
	const { clock } = bed().sandbox;
	clock.advance(20 * HOUR);
	for (let run = 0; run < 2; run++) expect(records(await me.run(BALANCE))).toHaveLength(1);
	clock.advance(-20 * HOUR);
	for (let run = 0; run < 2; run++) expect(records(await me.run(BALANCE))).toHaveLength(1);
	expect(codes()).toEqual([-112, 0, 0, -112, 0, 0]);
});

it('of several calls at once, none drops what another one has learned', async () => {
	const owners = Array.from({ length: 5 }, () => new Owner(bed()));
	bed().sandbox.clock.advance(20 * HOUR);
	const runs = await Promise.all(owners.map(async (each) => await each.run(BALANCE)));
	for (const run of runs) expect(records(run)).toHaveLength(1);
	bed().sandbox.clock.reset();
	expect(records(await owners[0].run(BALANCE))).toHaveLength(1);
});

it('a machine 20 hours behind finds what is due by the clock of the service', async () => {
	const me = new Owner(bed());
	bed().sandbox.clock.advance(20 * HOUR);
	const due = me.tunnel({ expiresAt: me.inDays(0.4) });
	me.tunnel({ expiresAt: me.inDays(0.6) });
	const filters = { expiringWithinHours: 12 };
	const list = records(await me.run({ resource: 'order', operation: 'getAll', filters }));
	expect(list.map(({ orderid }) => orderid)).toEqual([due.orderId]);
	bed().sandbox.clock.reset();
	expect(records(await me.run(BALANCE))).toHaveLength(1);
});
