import {
	conclude,
	DELIVERIES,
	type Conclusion,
	type Evidence,
} from '../../../../../nodes/Kuaidaili/purchase/conclusion.ts';

const CHANGES = ['made', 'none', 'others', 'unexplained', 'unseen'] as const;

/** After the first snapshot and after the second one, for the changes in their order. */
const TABLE: Record<Evidence['delivery'], readonly [Conclusion[], Conclusion[]]> = {
	notSent: [
		['refused', 'refused', 'refused', 'refused', 'refused'],
		['refused', 'refused', 'refused', 'refused', 'refused'],
	],
	refusedItself: [
		['paid', 'refused', 'refused', 'unknown', 'refused'],
		['paid', 'refused', 'refused', 'unknown', 'refused'],
	],
	refusedOtherwise: [
		['paid', 'readAgain', 'readAgain', 'unknown', 'readAgain'],
		['paid', 'refused', 'refused', 'unknown', 'unknown'],
	],
	unclear: [
		['paid', 'readAgain', 'readAgain', 'readAgain', 'readAgain'],
		['paid', 'unknown', 'unknown', 'unknown', 'unknown'],
	],
};

const CASES = DELIVERIES.flatMap((delivery) =>
	([1, 2] as const).flatMap((snapshots) =>
		CHANGES.map((change, index): [Evidence, Conclusion] => [
			{ delivery, change, snapshots },
			TABLE[delivery][snapshots - 1][index],
		]),
	),
);

it('knows every combination', () => {
	expect(new Set(CASES.map(([evidence]) => JSON.stringify(evidence))).size).toBe(4 * 5 * 2);
});

it.each(CASES)('%j is %s', (evidence, conclusion) => {
	expect(conclude(evidence)).toBe(conclusion);
});
