import type { OrderKind } from '../../operations/world.mts';
import { CONTINUE_WITH_ERRORS } from '../support/nodeSettings.mts';
import { productOwner } from '../support/productOwner.mts';
import { sleep } from '../support/sleep.mts';
import { useTestBed } from '../support/testBed.mts';

const bed = useTestBed();

const GET_DPS = '/api/getdps';

const owner = (kind: OrderKind) => productOwner(bed(), kind);

describe('a new order', () => {
	/** The order can be used after so many seconds. */
	function newOwner(seconds: number) {
		bed().sandbox.settings.newOrdersWaitSeconds = seconds;
		const me = owner('dpsPerIp');
		me.order.createdAt = bed().sandbox.clock.now();
		return me;
	}

	afterEach(() => {
		bed().sandbox.settings.newOrdersWaitSeconds = 0;
	});

	const WAIT = { product: 'DPS', num: 1, options: { waitForNewOrder: true } };

	it('is waited for until it can be used', async () => {
		const me = newOwner(50);
		const begin = performance.now();
		const { items, error } = await me.run(WAIT);
		expect(error).toBeUndefined();
		expect(items).toHaveLength(1);
		expect((performance.now() - begin) / 1000).toBeLessThan(66);
		expect(me.used()).toBe(1);
	});

	it('is let go of at once when the run is cancelled meanwhile', async () => {
		const me = newOwner(600);
		let cancelledAt = NaN;
		const cancelWhen = sleep(20_000).then(() => (cancelledAt = performance.now()));
		const { status } = await me.run(WAIT, { cancelWhen });
		expect(status).toBe('canceled');
		expect(performance.now() - cancelledAt).toBeLessThan(1000);
		const calls = bed().sandbox.log.count(GET_DPS);
		await sleep(60_000);
		expect(bed().sandbox.log.count(GET_DPS)).toBe(calls);
	});

	it('is waited for once, however many items there are', async () => {
		const me = newOwner(100_000);
		const begin = performance.now();
		const { errorItems } = await me.run(WAIT, {
			items: Array.from({ length: 5 }, () => ({})),
			settings: CONTINUE_WITH_ERRORS,
		});
		expect(errorItems).toHaveLength(5);
		expect((performance.now() - begin) / 1000).toBeLessThan(75);
	});
});
