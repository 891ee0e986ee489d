import { SharedSigning } from '../../../../../nodes/Kuaidaili/purchase/sharedSigning.ts';

const WINDOW = 1_795_838_400_000;
const WINDOW_MS = 10_000;

/** A purchase whose window began at `WINDOW`, and so many milliseconds later. */
function signingAt(ageMs: number, isRetry?: boolean) {
	const clock = { now: WINDOW + ageMs };
	const signing = new SharedSigning(() => {
		const age = clock.now % WINDOW_MS;
		return { signedAt: clock.now - age, ageMs: age };
	}, isRetry);
	return { clock, signing };
}

it.each([
	[0, 2000],
	[1999, 1],
	[2000, 0],
	[9999, 0],
])('%i ms after a window began, a shared request waits for %i ms', (ageMs, expected) => {
	const { signing } = signingAt(ageMs);
	expect(signing.msUntilSettled).toBe(expected);
	expect(signing.choose(`waits ${ageMs}`)).toBe(expected);
	const signature = { seed: `waits ${ageMs}`, signedAt: WINDOW };
	expect(signing.signature).toEqual(expected === 0 ? signature : undefined);
});

it('A retry signs a second later than the clicks that wait for the same window', () => {
	const { signing } = signingAt(500, true);
	expect(signing.msUntilSettled).toBe(2500);
	expect(signing.choose('retry')).toBe(2500);
});

it('A request that no other process sends waits for nothing, and is signed as it comes', () => {
	const { signing } = signingAt(0);
	expect(signing.choose(undefined)).toBe(0);
	expect(signing.signature).toBeUndefined();
});

it.each([
	[9000, 1500, WINDOW],
	[9000, 2199, WINDOW],
	[9000, 2200, undefined],
	[9000, 3000, WINDOW + WINDOW_MS],
])(
	'Where the readings began %i ms after a window and took %i ms, it is signed in the window %p',
	(ageMs, tookMs, signedAt) => {
		const { clock, signing } = signingAt(ageMs);
		signing.begin();
		clock.now += tookMs;
		signing.choose(`reads ${tookMs}`);
		expect(signing.signature?.signedAt).toBe(signedAt);
	},
);

it('is never signed again in a window in which it was refused, by whichever purchase of the process', () => {
	const { clock, signing } = signingAt(9500);
	signing.begin();
	signing.choose('refused');
	signing.noteRefused();
	const other = signingAt(9500);
	other.signing.begin();
	expect(other.signing.choose('refused')).toBe(2500);
	expect(other.signing.choose('another')).toBe(0);
	clock.now += 700;
	expect(signing.choose('refused')).toBe(1800);
	clock.now += 1800;
	expect(signing.choose('refused')).toBe(0);
	expect(signing.signature).toEqual({ seed: 'refused', signedAt: WINDOW + WINDOW_MS });
});
