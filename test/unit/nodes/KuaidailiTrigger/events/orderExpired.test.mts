import { newEnds } from '../../../../../nodes/KuaidailiTrigger/events/orderExpired';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 1);

/** Orders that ended one after the other, an hour apart, as the service lists them. */
function endedOrders(from: number, count: number) {
	return Array.from({ length: count }, (_, index) => {
		const number = from + index;
		const expireTime = new Date(START + number * HOUR).toISOString().slice(0, 19).replace('T', ' ');
		return { orderid: String(900_000_000_000_000 + number), expire_time: expireTime };
	});
}

function watch(secretId = 'account') {
	let state: ReturnType<typeof newEnds>['state'] | undefined;
	return {
		/** The numbers of the orders that are told. */
		poll(ended: ReturnType<typeof endedOrders>, now = START, isWanted = () => true): string[] {
			const { orders, state: next } = newEnds(ended, state, {
				secretId,
				isWanted,
				now,
			});
			// As n8n saves it with the workflow
			state = JSON.parse(JSON.stringify(next));
			return orders.map(({ orderid }) => orderid);
		},
		size: () => JSON.stringify(state).length,
	};
}

describe('an account with more orders that have ended than are remembered', () => {
	it.each([
		['the oldest first', endedOrders(0, 12_000)],
		['the latest first', endedOrders(0, 12_000).reverse()],
	])('is told of none twice, where the list has %s', (_, ended) => {
		const { poll } = watch();
		expect(poll(ended)).toEqual([]);
		expect(poll(ended)).toEqual([]);
		const [next] = endedOrders(12_000, 1);
		expect(poll([next, ...ended])).toEqual([next.orderid]);
		expect(poll([...ended, next])).toEqual([]);
	});

	it('is told of each new end while their number grows beyond it', () => {
		const { poll, size } = watch();
		poll(endedOrders(0, 4900));
		const told = [1, 2, 3, 4].flatMap((step) => poll(endedOrders(0, 4900 + step * 100)));
		expect(told).toEqual(endedOrders(4900, 400).map(({ orderid }) => orderid));
		expect(size()).toBeLessThan(100_000);
	});
});

describe('an end of long ago', () => {
	const DAYS = 24;
	/** China is eight hours ahead. */
	const AT = START - 8 * HOUR;

	it.each([
		[7 * DAYS, 1],
		[7 * DAYS + 1, 0],
	])('found %d hours later is told %d times, and not afterwards', (hours, times) => {
		const { poll } = watch();
		poll([]);
		const ended = endedOrders(0, 1);
		expect(poll(ended, AT + hours * HOUR)).toHaveLength(times);
		expect(poll(ended, AT + HOUR)).toEqual([]);
	});

	it('is told where the list does not say when it was', () => {
		const { poll } = watch();
		poll([]);
		const [{ orderid }] = endedOrders(0, 1);
		expect(poll([{ orderid, expire_time: '' }], START + 60 * DAYS * HOUR)).toEqual([orderid]);
	});
});
