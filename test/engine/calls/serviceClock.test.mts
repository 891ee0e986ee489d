import { HOUR } from '../../durations.mts';
import { Owner, records } from '../support/owner.mts';
import { useTestBed } from '../support/testBed.mts';

/* Calls that are signed with a time that the service refuses. */

const bed = useTestBed();
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
