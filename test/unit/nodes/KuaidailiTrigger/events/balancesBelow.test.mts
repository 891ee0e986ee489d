import fc from 'fast-check';

import { emitCrossings } from '../../../../../nodes/KuaidailiTrigger/events/balancesBelow.ts';
import type { PollResult } from '../../../../../nodes/KuaidailiTrigger/events/event.ts';
import { expectSame, SOME_RUNS } from '../../../support/properties.mts';
import { deepFreeze } from '../../../support/frozen.mts';

type State = PollResult['state'] | undefined;

const THRESHOLD = 100;

/** One look with nothing beside it. */
function fetchSnapshot(
	value: number,
	state: State,
	changes: { subject?: string[]; threshold?: number } = {},
) {
	const record = { value };
	const watched = { subject: ['id'], value, threshold: THRESHOLD, record, ...changes };
	const stored = deepFreeze(state);
	return emitCrossings([watched], { before: stored, stored });
}

it.each([
	[99, true],
	[99.99, true],
	[-1, true],
	[100, false],
	[100.01, false],
])('takes %d for below the threshold: %p', (value, isTold) => {
	expect(fetchSnapshot(value, undefined).records).toEqual(isTold ? [{ value }] : []);
});

it('tells each fall below the threshold once', () => {
	let state: State;
	const emitted = [150, 90, 80, 100, 99, 120, 99, 99].map((value) => {
		const news = fetchSnapshot(value, state);
		state = JSON.parse(JSON.stringify(news.state));
		return news.records.length;
	});
	expect(emitted).toEqual([0, 1, 0, 0, 1, 0, 1, 0]);
});

it('tells as often as a value falls, whatever the values', () => {
	const values = fc.array(fc.integer({ min: 90, max: 110 }), { maxLength: 30 });
	fc.assert(
		fc.property(values, (all) => {
			let state: State;
			const emitted = all.filter((value) => {
				const news = fetchSnapshot(value, state);
				state = news.state;
				return news.records.length > 0;
			});
			const falls = all.filter(
				(value, index) => value < THRESHOLD && (index === 0 || all[index - 1] >= THRESHOLD),
			);
			expectSame(emitted, falls);
		}),
		SOME_RUNS,
	);
});

it.each([
	['another threshold', { threshold: 95 }],
	['another subject', { subject: ['other'] }],
	['more of a subject', { subject: ['id', ''] }],
])('tells again for %s', (_name, changes) => {
	const { state } = fetchSnapshot(50, undefined);
	expect(fetchSnapshot(50, state).records).toEqual([]);
	expect(fetchSnapshot(50, state, changes).records).toEqual([{ value: 50 }]);
});

it.each([{}, { below: true }, { process: 5, below: ['id'] }])(
	'takes the state %j for none',
	(state) => {
		expect(fetchSnapshot(50, state).records).toEqual([{ value: 50 }]);
	},
);

it('does not contain what is watched', () => {
	const { state } = fetchSnapshot(50, undefined, { subject: ['o1fjh1re9o28876h7c08'] });
	expect(JSON.stringify(state)).not.toContain('o1fjh1re9o28876h7c08');
});

describe('looks that overlap', () => {
	const above = fetchSnapshot(150, undefined).state;
	const below = fetchSnapshot(50, undefined).state;

	function overlapped(value: number, before: State, stored: State) {
		const watched = { subject: ['id'], value, threshold: THRESHOLD, record: { value } };
		const { records, state } = emitCrossings([watched], { before, stored });
		const isBelow = Array.isArray(state.below) && state.below.length > 0;
		return { emitted: records.length, isBelow };
	}

	it('tell once what both have seen', () => {
		expect(overlapped(50, above, below)).toEqual({ emitted: 0, isBelow: true });
		expect(overlapped(50, undefined, below)).toEqual({ emitted: 0, isBelow: true });
	});

	it('do not take back what was emitted meanwhile, because of an older value', () => {
		expect(overlapped(150, above, below)).toEqual({ emitted: 0, isBelow: true });
		expect(overlapped(150, undefined, below)).toEqual({ emitted: 0, isBelow: true });
	});

	it('see that the value is above again', () => {
		expect(overlapped(150, below, below)).toEqual({ emitted: 0, isBelow: false });
		expect(overlapped(150, below, above)).toEqual({ emitted: 0, isBelow: false });
		expect(overlapped(50, below, above)).toEqual({ emitted: 1, isBelow: true });
	});
});
