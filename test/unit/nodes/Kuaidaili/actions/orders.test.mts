import fc from 'fast-check';

import { readOtherRenewal } from '../../../../../nodes/Kuaidaili/actions/order/renew/fields.ts';
import { at } from '../../../../../harness/outsideData.mts';
import {
	findNewOrder,
	refuseMoreIpsThanLeft,
} from '../../../../../nodes/Kuaidaili/actions/order/create.operation.ts';
import {
	movedByTerm,
	skipUnlessExpiring,
	stateOfExpiry,
} from '../../../../../nodes/Kuaidaili/actions/order/renew/renewal.ts';
import { InvalidFieldError } from '../../../../../nodes/shared/fields/field.ts';
import {
	endOfTerm,
	type OrderTerm,
	shortestMs,
} from '../../../../../nodes/Kuaidaili/purchase/term.ts';
import type { TimeWindow } from '../../../../../nodes/shared/orders/orderField.ts';
import { localTimeIn } from '../../../../../nodes/shared/service/chinaTime.ts';
import { runQuery } from '../../../../../nodes/shared/api/call.ts';
import { addTerm, chinaTime, type TimeUnit } from '../../../../../sandbox/time/chinaTime.mts';
import { DAY, HOUR } from '../../../../durations.mts';
import { describedOperation, shownFields, type Values } from '../../../../operations/described.mts';
import { fakeCaller, reply } from '../../../support/fakeCaller.mts';
import { expectSame, SOME_RUNS } from '../../../support/properties.mts';

/* What somebody reads while choosing, before anything is bought. */

const { menus, properties } = describedOperation({ resource: 'order', operation: 'create' });

function shown(given: Values) {
	return shownFields(properties, { ...menus, ...given }).map(({ property }) => property);
}

function field(name: string, given: Values) {
	return shown(given).find((property) => property.name === name);
}

const PREPAID_PRIVATE = { product: 'DPS', payType: 'PRE_PAY' };

describe('Extraction', () => {
	it.each([
		[1, ['3 to 5 Minutes', '10 to 30 Minutes', '30 to 60 Minutes', '3 to 4 Hours']],
		[
			2,
			[
				'1 to 5 Minutes',
				'5 to 10 Minutes',
				'10 to 20 Minutes',
				'20 to 30 Minutes',
				'30 to 60 Minutes',
				'2 to 4 Hours',
			],
		],
	])('%i: names every lifetime that it offers', (dpsFetchType, lifetimes) => {
		const offered = field('dpsPeriod', { ...PREPAID_PRIVATE, dpsFetchType })?.options ?? [];
		expect(offered.map(({ name }) => name)).toEqual(lifetimes);
		const choices = field('dpsFetchType', PREPAID_PRIVATE)?.options ?? [];
		const chosen = choices.find((choice) => 'value' in choice && choice.value === dpsFetchType);
		const [, inShort] = String(at(chosen, 'description')).split('lifetimes: ');
		const withoutUnit = (lifetime: string) => lifetime.replace(/ (minutes|hours)$/i, '');
		expect(inShort.split(', ').map(withoutUnit)).toEqual(lifetimes.map(withoutUnit));
	});
});

describe('City', () => {
	const cityOf = (given: Values) => field('kpsCity', { product: 'KPS', ...given });

	it.each([{ kpsSerie: 2 }, { kpsSerie: 1, kpsModel: 'STA' }])(
		'is picked from the list of Kuaidaili with %j',
		(given) => {
			expect(cityOf(given)?.default).toEqual({ __rl: true, mode: 'list', value: '' });
		},
	);

	it('is typed for shared dynamic IPs, and one that was picked before can be left', () => {
		const city = cityOf({ kpsSerie: 1, kpsModel: 'DYN' });
		expect(city?.default).toEqual({ __rl: true, mode: 'code', value: '' });
		expect(city?.modes?.map(({ name }) => name)).toEqual(['list', 'code']);
	});
});

it("the number of IPs is called 'IPs per Day' where it is one, and nowhere else", () => {
	const labels = (given: Values) =>
		shown(given)
			.filter(({ name }) => name.endsWith('IpCount'))
			.map(({ displayName }) => displayName);
	for (const dpsFetchType of [1, 2]) {
		expect(labels({ ...PREPAID_PRIVATE, dpsFetchType })).toEqual(['IPs per Day']);
	}
	expect(labels({ product: 'DPS', payType: 'PRE_PAY_IP' })).toEqual(['Number of IPs']);
	expect(labels({ product: 'KPS' })).toEqual(['Number of IPs']);
});

it('pay-as-you-go comes with the notice that it is charged by use and runs until it is closed', () => {
	const notices = (given: Values) =>
		shown(given)
			.filter(({ type }) => type === 'notice')
			.map(({ displayName }) => displayName);
	const [common, ...more] = notices({ product: 'TPS', payType: 'POST_PAY' });
	expect(common).toContain('charged to the account balance');
	expect(common).toContain("Prices are on Kuaidaili's website only");
	expect(more).toEqual([expect.stringMatching(/charged by use, and runs until you close it/)]);
	for (const given of [{ product: 'TPS' }, PREPAID_PRIVATE, { product: 'KPS' }]) {
		expect(notices(given)).toEqual([common]);
	}
});

describe('a new order', () => {
	/* Which new order is taken for the one whose answer was lost. */

	const NOW = Date.UTC(2026, 10, 1);

	function tunnel(days: number, orderid: string) {
		const expireTime = chinaTime(new Date(NOW + days * DAY));
		const kind = { product: 'TPS', pay_type: 'PRE_PAY', status: 'VALID' };
		return { orderid, ...kind, expire_time: expireTime };
	}

	function listOf(...lifetimesInDays: readonly number[]) {
		const orders = lifetimesInDays.map((days, index) => tunnel(days, `other ${index}`));
		return { orders, answeredAt: NOW };
	}

	const ofWeek = { product: 'TPS', payType: 'PRE_PAY', localTime: localTimeIn('UTC') };

	function found(timeType: string, ...days: number[]): string {
		const term = { timeType, timeNumber: 1 };
		return findNewOrder({ ...ofWeek, term }, '', listOf(...days), []).kind;
	}

	it.each([
		['WEEK', 7, 'made'],
		['WEEK', 8, 'unexplained'],
		['WEEK', 6, 'unexplained'],
		['MONTH', 28, 'made'],
		['MONTH', 31, 'made'],
		['MONTH', 32, 'unexplained'],
		['YEAR', 366, 'made'],
	])('for a %s, one that ends in %i days: %s', (unit, days, expected) => {
		expect(found(unit, days)).toBe(expected);
	});

	it('one of several is found by its end, and none where two would do', () => {
		expect(found('WEEK', 1, 7, 30)).toBe('made');
		expect(found('WEEK', 7, 7)).toBe('unexplained');
		expect(found('WEEK')).toBe('none');
	});

	const NEW = tunnel(7, 'new');
	const NOT_LISTED = 'The node checked the order list afterwards and found no new order like this';

	it.each<[string, ReadonlyArray<Partial<typeof NEW>>, string, string]>([
		[
			'beside one of an unknown kind',
			[{}, { orderid: 'other', product: 'TPS_VIP' }],
			'made',
			'(new).',
		],
		[
			'of another product',
			[{ product: 'DPS' }],
			'others',
			'There are new orders of another kind: new.',
		],
		['of another pay type', [{ pay_type: 'POST_PAY' }], 'others', 'of another kind: new.'],
		[
			'of an unknown product',
			[{ product: 'TPS_VIP' }],
			'unexplained',
			'(new), but without a known',
		],
		['of an unknown pay type', [{ pay_type: 'PRE' }], 'unexplained', '(new), but without a known'],
		['that was there before', [{ orderid: 'old' }], 'none', NOT_LISTED],
		['that was placed for another item', [{ orderid: 'placed' }], 'none', NOT_LISTED],
		['without an end', [{ expire_time: '' }], 'unexplained', 'without an expiry that could be'],
		[
			'with another end',
			[tunnel(8, 'new')],
			'unexplained',
			'(new), but it ends at 2026-11-09 00:00',
		],
		['that nobody has paid', [{ status: 'WAIT_PAY' }], 'unexplained', 'its status is "WAIT_PAY"'],
		['that is being set up', [{ status: 'OPENING' }], 'made', '(new).'],
	])('one %s', (_which, orders, kind, text) => {
		const term = { timeType: 'WEEK', timeNumber: 1 };
		const after = { orders: orders.map((order) => ({ ...NEW, ...order })), answeredAt: NOW };
		const placed = [{ orderid: 'placed', isOfKind: true }];
		const change = findNewOrder({ ...ofWeek, term }, 'older,old', after, placed);
		expect([change.kind, change.text]).toEqual([kind, expect.stringContaining(text)]);
		expect(change.text.includes('of another kind')).toBe(kind === 'others');
		expect(change.record).toEqual(kind === 'made' ? { orderid: 'new' } : undefined);
	});

	it('of a pay type without a term is found whatever it says of its end', () => {
		const order = { ...NEW, pay_type: 'POST_PAY', expire_time: '' };
		const wanted = { ...ofWeek, payType: 'POST_PAY', term: undefined };
		const change = findNewOrder(wanted, '', { orders: [order], answeredAt: NOW }, []);
		expect(change).toMatchObject({ kind: 'made', record: { orderid: 'new' } });
	});

	it('is not found by an end where the term is not known', () => {
		const after = { orders: [NEW], answeredAt: NOW };
		expect(findNewOrder({ ...ofWeek, term: undefined }, '', after, []).kind).toBe('unexplained');
	});
});

describe('the IPs that are left', () => {
	const SHARED = {
		product: 'KPS',
		'kps.serie': '1',
		'kps.model': 'STA',
		'kps.max_bandwidth': '4',
		'kps.city': '3301',
		'kps.ip_count': '12',
	};
	const EXCLUSIVE = {
		product: 'KPS',
		'kps.serie': '2',
		'kps.max_bandwidth': '4',
		'kps.city': '3301',
		'kps.ip_count': '10',
	};
	const HANGZHOU = { code: '3301', name: '杭州市' };

	/** What becomes of an order when the service has these cities. */
	async function outcome(order: Record<string, string>, cities: unknown) {
		const caller = fakeCaller(() => reply({ code: 0, msg: '', data: cities }));
		const refusal = await refuseMoreIpsThanLeft(
			async (query, parameters) => await runQuery(caller, query, parameters),
			order,
		).then(
			() => undefined,
			(error: unknown) => error,
		);
		if (refusal !== undefined && !(refusal instanceof InvalidFieldError)) throw refusal;
		return { refusal, calls: caller.requests.length };
	}

	it.each([
		['of another product', { ...SHARED, product: 'DPS' }, 0],
		['of any city', { product: 'KPS', 'kps.serie': '2', 'kps.ip_count': '10' }, 0],
		['of dynamic IPs, of which the service has no list', { ...SHARED, 'kps.model': 'DYN' }, 0],
		['of a city', SHARED, 1],
	])('are asked for, or not, before an order %s', async (_which, order, calls) => {
		expect(await outcome(order, [{ ...HANGZHOU, count: 12 }])).toEqual({ calls });
	});

	it('adds up the cities of a province', async () => {
		const order = { ...SHARED, 'kps.city': '33' };
		const cities = [
			{ ...HANGZHOU, count: 1000 },
			{ code: '3302', name: '宁波市', count: 234 },
		];
		expect((await outcome({ ...order, 'kps.ip_count': '1234' }, cities)).refusal).toBeUndefined();
		const { refusal } = await outcome({ ...order, 'kps.ip_count': '1235' }, cities);
		expect(refusal?.description).toMatch(/^Allowed: 1,234 at most, .* in the cities of 33\./);
	});

	it('counts only what is in the chosen city, whatever else the answer holds', async () => {
		const cities = [
			{ code: '4403', name: '深圳市', count: 500 },
			{ ...HANGZHOU, count: 3 },
		];
		expect((await outcome(SHARED, cities)).refusal?.description).toMatch(/^Allowed: 3 at most/);
		const { refusal } = await outcome(SHARED, cities.slice(0, 1));
		expect(refusal?.message).toBe("'City' can't be \"3301\"");
	});

	it('leaves the number of exclusive IPs to the service, which does not tell how many are left', async () => {
		expect((await outcome(EXCLUSIVE, [HANGZHOU])).refusal).toBeUndefined();
	});

	it.each([
		['none', [HANGZHOU]],
		['none that is a number', [{ ...HANGZHOU, count: '3' }]],
		[
			'one for a part of the cities',
			[
				{ ...HANGZHOU, count: 1 },
				{ code: '33015', name: '某地' },
			],
		],
	])('leaves the number to Kuaidaili when the answer has %s', async (_what, cities) => {
		expect((await outcome(SHARED, cities)).refusal).toBeUndefined();
	});

	it('takes a code that is a number', async () => {
		const { refusal } = await outcome(SHARED, [{ code: 3301, name: '杭州市', count: 5 }]);
		expect(refusal?.description).toMatch(/^Allowed: 5 at most/);
	});
});

describe('a renewal', () => {
	const THREE_DAYS: TimeWindow = { ms: 3 * DAY, inWords: '3 days' };
	const UNITS: readonly TimeUnit[] = ['DAY', 'WEEK', 'MONTH', 'YEAR'];
	const NOW = Date.parse('2026-06-18T04:01:43Z');

	const term = (timeType: string, timeNumber = 1): OrderTerm => ({ timeType, timeNumber });

	it.each([
		[term('DAY', 3), 3],
		[term('WEEK', 2), 14],
		[term('MONTH'), 28],
		[term('MONTH', 9), 252],
		[term('YEAR', 3), 1095],
		[term('QUARTER'), 0],
		[term(''), 0],
		[term('constructor'), 0],
	])('%j lasts %d days at least', (given, days) => {
		expect(shortestMs(given)).toBe(days * DAY);
	});

	/** A moment, a term from then on, and when the service says that it ends. */
	const anyTerm = fc
		.record({
			start: fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2032, 0, 1) }),
			unit: fc.constantFrom(...UNITS),
			number: fc.integer({ min: 1, max: 15 }),
		})
		.map(({ start, unit, number }) => ({
			start,
			given: term(unit, number),
			end: addTerm(new Date(start), { unit, number }).getTime(),
		}));

	it('any term ends when the service says', () => {
		fc.assert(
			fc.property(anyTerm, ({ start, given, end }) => expectSame(endOfTerm(start, given), end)),
			SOME_RUNS,
		);
	});

	describe('an expiry that moved', () => {
		it('by any term of the calendar is known, from any moment on', () => {
			fc.assert(
				fc.property(anyTerm, ({ start, given, end }) =>
					expectSame(movedByTerm(start, end, start - DAY, given), true),
				),
				SOME_RUNS,
			);
		});

		it('is known of an order that has ended, from its end or from the renewal on', () => {
			const ended = NOW - 5 * DAY;
			expect(movedByTerm(ended, NOW + 7 * DAY, NOW, term('WEEK'))).toBe(true);
			expect(movedByTerm(ended, ended + 7 * DAY, NOW, term('WEEK'))).toBe(true);
		});

		it.each<[string, number, OrderTerm]>([
			['by less than the term', 6 * DAY, term('WEEK')],
			['by more than the term', 8 * DAY, term('WEEK')],
			['by twice the term', 14 * DAY, term('WEEK')],
			['by twice the day', 2 * DAY, term('DAY')],
			['by a day instead of a month', DAY, term('MONTH')],
			['by two months instead of one', 60 * DAY, term('MONTH')],
			['not at all', 0, term('DAY')],
			['backwards', -7 * DAY, term('WEEK')],
			['by a term that is not known', DAY, term('QUARTER')],
		])('is not taken for the renewal where it moved %s', (_how, moved, given) => {
			const before = NOW + DAY;
			expect(movedByTerm(before, before + moved, NOW, given)).toBe(false);
		});

		it.each([
			[-2 * HOUR, true],
			[-2 * HOUR - 1, false],
			[2 * HOUR, true],
			[2 * HOUR + 1, false],
		])('may be %d ms off: %p', (off, isKnown) => {
			const before = NOW + DAY;
			expect(movedByTerm(before, before + 7 * DAY + off, NOW, term('WEEK'))).toBe(isKnown);
		});

		it('does not count from the renewal on while the order has not ended', () => {
			// It moved by a day only, though it now ends a week after the renewal
			expect(movedByTerm(NOW + 6 * DAY, NOW + 7 * DAY, NOW, term('WEEK'))).toBe(false);
		});
	});

	describe('an order', () => {
		const END = '2026-06-18 12:01:43';
		const localTime = localTimeIn('Asia/Shanghai');
		const at = (answeredAt: number) => {
			const expiry = { expireTime: END, expiresAt: NOW, answeredAt };
			return skipUnlessExpiring(stateOfExpiry(expiry), THREE_DAYS, localTime);
		};

		it.each([
			['with exactly as much time left', NOW - 3 * DAY],
			['with less time left', NOW - DAY],
			['that ends now', NOW],
			['that has just ended', NOW + DAY],
		])('%s is to be renewed', (_which, now) => {
			expect(at(now)).toBeUndefined();
		});

		it.each([
			['that ended more than a day ago', NOW + DAY + 1],
			['with more time left', NOW - 3 * DAY - 1],
		])('%s is let through', (_which, now) => {
			expect(at(now)?.record.renewed).toBe(false);
		});
	});
});

it('names a field that a section of renewals lacks', () => {
	const read = () => readOtherRenewal('traffic', () => ({ balanceBelow: 5 }));
	expect(read).toThrow("'Traffic to Add' is missing in 'Overseas Orders by Traffic'");
});
