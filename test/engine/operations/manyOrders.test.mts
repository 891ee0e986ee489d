import { addManyOrders } from '../../../sandbox/sandbox.mts';
import { ORDER_KEYS, Owner, records, typed } from '../support/owner.mts';
import { ruledGap } from '../support/ruledGap.mts';
import { useTestBed } from '../support/testBed.mts';

const AUTO_RENEWAL = '/api/setautorenew';

const COUNT = 200;
/** The key pairs of an account's orders are handed out once per second. */
const FORCED_MS = (COUNT - 1) * 1000;
/** One turn is left free for others after 30 calls in a row. */
const FREE_TURNS = Math.floor((COUNT - 1) / 30);
const MOST_MS = (COUNT - 1 + FREE_TURNS) * ruledGap(1000);

const bed = useTestBed();

it('200 orders of one account take hardly longer in one run than the pace of the service forces', async () => {
	const me = new Owner(bed());
	const { store, clock } = bed().sandbox;
	const orders = addManyOrders(store, me.account, clock.now(), { count: COUNT, sorts: ['tps'] });
	const items = orders.map(({ orderId }) => ({ orderid: orderId }));

	const begin = performance.now();
	const run = await me.run(
		{ resource: 'autoRenewal', operation: 'enable', orderid: typed('={{ $json.orderid }}') },
		{ items },
	);
	const took = performance.now() - begin;

	expect(records(run).map(({ orderid, enabled }) => ({ orderid, enabled }))).toEqual(
		items.map(({ orderid }) => ({ orderid, enabled: true })),
	);
	expect(orders.map(({ autoRenewal }) => autoRenewal.enabled)).toEqual(orders.map(() => true));
	expect(bed().sandbox.log.count(ORDER_KEYS)).toBe(COUNT);
	expect(bed().sandbox.log.count(AUTO_RENEWAL)).toBe(COUNT);
	expect(bed().sandbox.log.count()).toBe(2 * COUNT);
	expect(bed().sandbox.log.refusals()).toEqual([]);
	expect(took).toBeGreaterThan(FORCED_MS - 1000);
	expect(took).toBeLessThanOrEqual(MOST_MS);
}, 300_000);
