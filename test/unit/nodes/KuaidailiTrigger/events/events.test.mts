import {
	newEnds,
	orderFilters,
	readOrderFilters,
	remind,
} from '../../../../../nodes/KuaidailiTrigger/events/orderExpiry.ts';
import { InvalidFieldError } from '../../../../../nodes/shared/fields/field.ts';
import { PRODUCT_LABELS } from '../../../../../nodes/shared/service/products.ts';
import { DAY, HOUR, MINUTE } from '../../../../durations.mts';

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
			const seen = { subject: secretId, polledAt: now };
			const { orders, state: next } = newEnds(ended, state, seen, isWanted);
			// As n8n saves it with the workflow
			state = JSON.parse(JSON.stringify(next));
			return orders.map(({ orderid }) => orderid);
		},
		size: () => JSON.stringify(state).length,
	};
}

describe('an account with more orders that have ended than are remembered', () => {
	const now = START + 12_000 * HOUR;

	it.each([
		['the oldest first', endedOrders(0, 12_000)],
		['the latest first', endedOrders(0, 12_000).reverse()],
	])('is told of none twice, where the list has %s', (_, ended) => {
		const { poll, size } = watch();
		expect(poll(ended, now)).toEqual([]);
		expect(poll(ended, now)).toEqual([]);
		const [next] = endedOrders(12_000, 1);
		expect(poll([next, ...ended], now)).toEqual([next.orderid]);
		expect(poll([...ended, next], now)).toEqual([]);
		expect(size()).toBeLessThan(10_000);
	});

	it('is told of each new end while time goes on', () => {
		const { poll } = watch();
		poll(endedOrders(0, 4900), START + 4900 * HOUR);
		const told = [100, 200, 300, 400].flatMap((more) =>
			poll(endedOrders(0, 4900 + more), START + (4900 + more) * HOUR),
		);
		expect(told).toEqual(endedOrders(4900, 400).map(({ orderid }) => orderid));
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
		expect(poll(ended, AT + (hours + 1) * HOUR)).toEqual([]);
	});

	it('is told once where the list does not say when it was', () => {
		const { poll } = watch();
		poll([]);
		const [{ orderid }] = endedOrders(0, 1);
		const ended = [{ orderid, expire_time: '' }];
		expect(poll(ended, START + 60 * DAYS * HOUR)).toEqual([orderid]);
		expect(poll(ended, START + 61 * DAYS * HOUR)).toEqual([]);
	});
});

const NOW = Date.parse('2026-06-18T04:00:00Z');
const ORDER = {
	orderid: '965102959536478',
	status: 'VALID',
	pay_type: 'PRE_PAY',
	expire_time: '2026-06-20 12:00:00',
};

/** Of an order that ends two days after NOW. */
function reminded(
	now: number,
	state?: ReturnType<typeof remind>['state'],
	{ order = {}, windowMs = 3 * DAY, every = 24 } = {},
) {
	const poll = { polledAt: now, subject: 'account' };
	const { orders, state: next } = remind([{ ...ORDER, ...order }], state, poll, windowMs, every);
	// As n8n saves it with the workflow
	const saved: typeof next = JSON.parse(JSON.stringify(next));
	return { orders, state: saved };
}

describe('an order that is about to end is emitted', () => {
	const MONTH_LATER = { expire_time: '2026-07-20 12:00:00' };
	const HOUR_LATER = { expire_time: '2026-06-20 13:00:00' };
	const ENDED = { status: 'EXPIRED' };
	const FEW = { windowMs: DAY };
	const ONCE = { every: 0 };
	const HOURLY = { every: 1 };
	const [A_DAY, HALF_A_DAY] = [24 * HOUR - 10 * MINUTE, 12 * HOUR - 10 * MINUTE];

	/** Polls after NOW, how often each one emits it, and what is different then. */
	type Story = [string, { windowMs?: number; every?: number }, number[], number[], object[]?];

	it.each<Story>([
		['when it enters the window', {}, [-24 * HOUR - 1, -24 * HOUR], [0, 1]],
		['again after a day, which may begin early', {}, [0, A_DAY - 1, A_DAY], [1, 0, 1]],
		[
			'again after half of a window that is no longer than a day',
			FEW,
			[24 * HOUR, 24 * HOUR + HALF_A_DAY - 1, 24 * HOUR + HALF_A_DAY],
			[1, 0, 1],
		],
		['again after an hour', HOURLY, [0, 59 * MINUTE - 1, 59 * MINUTE], [1, 0, 1]],
		['once', ONCE, [0, 1, A_DAY], [1, 0, 0]],
		[
			'where it passed the window unseen',
			{},
			[-40 * DAY, 48 * HOUR, 50 * HOUR],
			[0, 1, 0],
			[{}, ENDED, ENDED],
		],
		['not where it ended before the first poll', {}, [49 * HOUR], [0], [ENDED]],
		['not at its end where it was before', {}, [0, 49 * HOUR], [1, 0], [{}, ENDED]],
		['not while nobody has paid it', {}, [0], [0], [{ status: 'WAIT_PAY' }]],
		['not while nobody can read its end', {}, [0, 1], [0, 1], [{ expire_time: '' }]],
		['not after a renewal', {}, [0, 25 * HOUR], [1, 0], [{}, MONTH_LATER]],
		[
			'again when it comes back into the window after a renewal',
			ONCE,
			[0, HOUR, 30 * DAY],
			[1, 0, 1],
			[{}, MONTH_LATER, MONTH_LATER],
		],
		['again where both was unseen', ONCE, [0, 30 * DAY], [1, 1], [{}, MONTH_LATER]],
		['not because its end moves within the window', {}, [0, HOUR], [1, 0], [{}, HOUR_LATER]],
		[
			'not until the end that it has now',
			ONCE,
			[0, HOUR, 48.2 * HOUR, 48.4 * HOUR],
			[1, 0, 0, 0],
			[{}, HOUR_LATER, HOUR_LATER, HOUR_LATER],
		],
	])('%s', (_when, settings, polls, times, orders = []) => {
		let state: ReturnType<typeof remind>['state'] | undefined;
		const emitted = polls.map((afterMs, index) => {
			const poll = reminded(NOW + afterMs, state, { ...settings, order: orders[index] });
			({ state } = poll);
			return poll.orders.length;
		});
		expect(emitted).toEqual(times);
	});
});

it('an end is told to another key pair, perhaps of another account, only where it came since the last poll', () => {
	const [before, after] = endedOrders(0, 2);
	const end = START - 8 * HOUR;
	const first = newEnds([], undefined, { subject: 'account', polledAt: end }, () => true);
	const told = (subject: string) =>
		newEnds([before, after], first.state, { subject, polledAt: end + DAY }, () => true).orders;
	expect(told('another')).toEqual([after]);
	expect(told('account')).toEqual([before, after]);
});

describe('after the clock of this machine was set back', () => {
	const { state } = reminded(NOW);

	it.each([
		[23, 0],
		[24, 1],
	])('an order that was emitted %d hours later is emitted %d times', (hours, times) => {
		const now = NOW - hours * HOUR;
		expect(reminded(now, state).orders).toHaveLength(times);
	});
});

const TUNNEL = { orderid: '1', product: 'TPS' };
const PRIVATE = { orderid: '2', product: 'DPS' };
const WITHOUT = { orderid: '3' };

function passing(value: unknown): string[] {
	const passes = readOrderFilters(value);
	return [TUNNEL, PRIVATE, WITHOUT].filter(passes).map(({ orderid }) => orderid);
}

it.each([
	[undefined],
	[null],
	[''],
	[{}],
	[{ products: [] }],
	[{ products: undefined }],
	[{ products: null }],
	[{ other: ['TPS'] }],
	[Object.create({ products: ['TPS'] })],
])('lets all pass with %j', (value) => {
	expect(passing(value)).toEqual(['1', '2', '3']);
});

it('lets the chosen products pass', () => {
	expect(passing({ products: ['TPS'] })).toEqual(['1']);
	expect(passing({ products: ['DPS', 'TPS'] })).toEqual(['1', '2']);
	expect(passing({ products: ['KPS'] })).toEqual([]);
});

it.each([['TPS'], [5], [true], [['TPS']]])('refuses %j in place of filters', (value) => {
	expect(() => readOrderFilters(value)).toThrow(InvalidFieldError);
	expect(() => readOrderFilters(value)).toThrow(/^'Filters' (?:is empty|can't be)/);
});

it.each([['TPS'], [''], [5], [false], [{ 0: 'TPS' }]])('refuses %j as products', (products) => {
	expect(() => readOrderFilters({ products })).toThrow(InvalidFieldError);
	expect(() => readOrderFilters({ products })).toThrow(/^'Products' (?:is empty|can't be)/);
});

it.each([
	['payTypes', { PRE_PAY: 'Prepaid', PRE_PAY_IP: 'Pay per IP' }],
	['products', PRODUCT_LABELS],
])('offers all %s that can expire, in the order of the names', (filter, known) => {
	const property = orderFilters.options?.find(({ name }) => name === filter);
	const options = property && 'options' in property ? (property.options ?? []) : [];
	const names = options.map(({ name }) => name);
	expect([...names].sort()).toEqual(Object.values(known).sort());
	expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b, 'en')));
});
