import {
	costInWords,
	countsInWords,
	endInWords,
	failedCheck,
	firstTen,
	heldBackBeforeItsEnd,
	keyIsUnclear,
	keyWasUsed,
	lapsingHint,
	limitHint,
	LimitReachedError,
	maxOrdersReached,
	mayBeOf,
	noPricesHint,
	notBought,
	renewedFromThisEnd,
	runTooLarge,
	unmovedBeforeItsEnd,
	unmovedHint,
} from '../../../../../nodes/Kuaidaili/purchase/texts.ts';
import { spentInWords } from '../../../../../nodes/Kuaidaili/purchase/spending.ts';
import type { PurchaseOutput } from '../../../../../nodes/Kuaidaili/purchase/types.ts';
import {
	ApiError,
	CallError,
	CancelledError,
	failureOf,
	HttpStatusError,
	NetworkError,
	WrongKeyTypeError,
} from '../../../../../nodes/shared/api/errors.ts';
import { CREATE_ORDER } from '../../../../../nodes/shared/service/endpoints/purchase.ts';
import { localTimeIn } from '../../../../../nodes/shared/service/chinaTime.ts';
import { many } from '../../../../many.mts';

/* What somebody reads of purchases, with one and several, and where something isn't known. */

const UTC = localTimeIn('UTC');
const NOON = Date.UTC(2026, 10, 30, 12);

const order = (orderid: string | undefined, endsAt?: number, limit?: string): PurchaseOutput => ({
	...{ record: orderid === undefined ? {} : { orderid }, endsAt, limit },
});

function said(error: CallError): string {
	const { message, description } = error.describe();
	return `${message}. ${description}`;
}

const LIMIT = new LimitReachedError('The limit is 5', 'Raise it.');

it.each<[string, string]>([
	[
		limitHint([order('7', NOON, 'Too dear')], UTC),
		'1 order was not renewed because of a limit (7): Too dear. Order 7 ends at ',
	],
	[
		limitHint([order('7', NOON, 'Too dear'), order('8', NOON - 1)], UTC),
		'2 orders were not renewed because of a limit (7, 8): Too dear. Order 8 ends at ',
	],
	[
		limitHint([order('7', undefined, 'Too dear'), order('8', NOON)], UTC),
		'(7, 8): Too dear. Order 8 ends at ',
	],
	[
		limitHint([order(undefined, NOON, 'Too dear')], UTC),
		'because of a limit: Too dear. One of them ends at ',
	],
	[`${limitHint([order('7', undefined, 'Too dear')], UTC)}|`, '(7): Too dear.|'],
	[
		unmovedHint([order('7', NOON)], UTC),
		'1 order was renewed and still ends as before (7). Order 7 ends at ',
	],
	[
		unmovedHint([order('7'), order('8')], UTC),
		'2 orders were renewed and still end as before (7, 8). Kuaidaili confirmed it; look up',
	],
	[
		lapsingHint([order('7', NOON)], UTC),
		'1 order ends within a day and is not due yet. Order 7 ends at ',
	],
	[
		lapsingHint([order('7', NOON), order('8')], UTC),
		'2 orders end within a day and are not due yet. Order 7 ends at ',
	],
	[said(unmovedBeforeItsEnd('7', 'noon')), 'Order 7 was renewed, and still ends at noon. '],
	[
		said(unmovedBeforeItsEnd(undefined, undefined)),
		'The order was renewed, and still ends at a time that nobody can read. ',
	],
	[
		said(heldBackBeforeItsEnd('7', 'noon', LIMIT)),
		'Order 7 ends at noon, and was not renewed because of a limit. The limit is 5. Raise it. Run the workflow again before the order ends.',
	],
	[
		said(heldBackBeforeItsEnd(undefined, undefined, LIMIT)),
		'The order may end soon, and was not renewed because of a limit. ',
	],
	[
		said(maxOrdersReached(1000, 1000, false)),
		"allows 1,000, and this execution has made 1,000. Nothing was bought for this item. To allow more, raise the option in 'Options'.",
	],
	[said(maxOrdersReached(2, 2, true)), 'allows 2, and this execution would have made 2. '],
	[
		said(runTooLarge(0, 4, 3)),
		"This run would make 4 purchases, and 'Max Orders per Execution' allows 3. Nothing was bought in this run. Each input item is one purchase. Give",
	],
	[
		said(runTooLarge(3, 1, 3)),
		"would make 4 purchases, and 'Max Orders per Execution' allows 3. Nothing more was bought. Each input item is one purchase, and this execution has made 3 of them before. Give",
	],
	[keyWasUsed('7'), 'This node bought it for the same key before (order 7), so nothing was bought'],
	[keyWasUsed(undefined), 'This node bought it for the same key before, so nothing was bought'],
	[
		said(keyIsUnclear('a tunnel')),
		'nothing shows what came of it: a tunnel. Nothing was bought this time. ',
	],
	[renewedFromThisEnd('noon'), 'from this end already, at noon, and Kuaidaili may show that late'],
	[renewedFromThisEnd(), 'from this end already, and Kuaidaili may show that late'],
	[`${mayBeOf([])}|`, '|'],
	[mayBeOf(['7', '8']), "what may be this order (7, 8), but it may also be somebody else's."],
	[costInWords({ cost: 1058 }), ' for 1,058 yuan'],
	[costInWords({ cost: 58, expectedCost: 40 }), ' for 58 yuan (expected: 40)'],
	[costInWords({ cost: 58, probableCost: 40 }), ' for 58 yuan'],
	[costInWords({ probableCost: 40 }), ', probably for 40 yuan'],
	[`${costInWords({ expectedCost: 40 })}|`, '|'],
	[endInWords('2026-12-30T12:00:00+08:00'), ', until 2026-12-30'],
	[`${endInWords(undefined)}|`, '|'],
	[noPricesHint(1737.5), ' has them. The account balance is 1,737.5 yuan.'],
	[`${noPricesHint(undefined)}|`, ' has them.|'],
	[spentInWords([{ cost: 5.5 }, { expectedCost: 6 }], 12), '11.5 (counted as 12)'],
	[spentInWords([{ cost: 5.5 }, { cost: 5.5, expectedCost: 5 }], 11), '11'],
	[spentInWords([{}], 0), '0'],
	[`${firstTen(many(10, (n) => n))}|`, '0, 1, 2, 3, 4, 5, 6, 7, 8, 9|'],
	[
		firstTen(
			many(1011, (n) => n),
			'; ',
		),
		'8; 9 and 1,001 more',
	],
])('%s', (text, expected) => {
	expect(text).toContain(expected);
});

it.each<[string, Parameters<typeof countsInWords>]>([
	[
		'4 renewed (585.5 yuan), 30 not due, 4 failed.',
		['renewed', [500, 85.5, 0, 0], [], { 'not due': 30, failed: 4, 'held back': 0 }],
	],
	['2 renewed.', ['renewed', [5, undefined], [], {}]],
	['0 renewed, 1 failed.', ['renewed', [], [], { failed: 1 }]],
	['4 would be renewed (probably 1,585 yuan).', ['renewed', [], [500, 1085, 0, 0], {}]],
	['2 would be ordered.', ['ordered', [], [5, undefined], {}]],
	['1 renewed (5 yuan), 1 would be renewed (probably 6 yuan).', ['renewed', [5], [6], {}]],
])('what became of all is counted: %s', (text, counted) => {
	expect(countsInWords(...counted)).toBe(text);
});

describe('a failed check before a purchase', () => {
	const NOTHING = 'This was only a check before the purchase; nothing was bought for this item.';
	const MAYBE = 'Another worker may have made the purchase for this item before it ended';
	const gateway = new HttpStatusError(502, '');
	const wrongKey = new WrongKeyTypeError('account');

	function thrownFor(error: unknown, mayBeBought: boolean): unknown {
		try {
			return failedCheck(mayBeBought)(error);
		} catch (thrown) {
			return thrown;
		}
	}

	it.each<[string, unknown, boolean, string]>([
		['says that nothing was bought', gateway, false, NOTHING],
		['says that another worker may have bought it', gateway, true, MAYBE],
		['of a limit says so as well where another worker may have', LIMIT, true, MAYBE],
		['of the key pair says so as well', wrongKey, true, MAYBE],
	])('%s', (_what, error, mayBeBought, note) => {
		const thrown = thrownFor(error, mayBeBought);
		expect(thrown instanceof CallError && said(thrown)).toContain(note);
	});

	it.each<[string, unknown, boolean]>([
		['a limit', LIMIT, false],
		['the wrong key pair', wrongKey, false],
		['a cancellation', new CancelledError(), false],
		['a cancellation, where another worker may have bought it', new CancelledError(), true],
		['a fault of this program', new TypeError('x'), true],
	])('stays as it is for %s', (_what, error, mayBeBought) => {
		expect(thrownFor(error, mayBeBought)).toBe(error);
	});
});

describe('a refused purchase', () => {
	const LOW = new ApiError(CREATE_ORDER, -4, '');
	const OTHER = new ApiError(CREATE_ORDER, -999, '');
	const OFFLINE = new NetworkError(failureOf('refused'), 'dev.kdlapi.com', 30_000);
	const BALANCE = 'It has 5.10 yuan.';
	const ABOUT = 'It was about order 7.';
	const NEVER_LEFT = 'The request never left this n8n, so nothing was bought for this item.';

	it.each([
		['a balance that is too low', LOW, { orderid: '7' }, '5.10', [BALANCE, ABOUT]],
		['one that nobody has read', LOW, {}, undefined, []],
		['something else', OTHER, { orderid: '7' }, '5.10', [ABOUT]],
		['no connection', OFFLINE, {}, '5.10', [NEVER_LEFT]],
	])('says what it was about: %s', (_why, failure, preview, balance, notes) => {
		const text = said(notBought(failure, preview, balance));
		const all = [BALANCE, ABOUT, NEVER_LEFT];
		expect(all.filter((note) => text.includes(note))).toEqual(notes);
	});

	it('stays a cancellation', () => {
		const cancelled = new CancelledError();
		expect(notBought(cancelled, { orderid: '7' }, '5.10')).toBe(cancelled);
	});
});
