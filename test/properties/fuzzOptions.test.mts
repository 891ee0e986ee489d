import { FEWEST_FUZZED, readOptions } from './fuzzOptions.mts';

it('are a random seed and enough cases where nothing is said', () => {
	expect(readOptions([])).toEqual({ seed: undefined, cases: FEWEST_FUZZED });
	expect(readOptions(['--help'])).toBeUndefined();
});

it('repeat a run', () => {
	expect(readOptions(['--seed=7', '--cases', '30000'])).toEqual({ seed: 7, cases: 30_000 });
});

it.each([
	['--sed'],
	['--seed'],
	['--seed=x'],
	['--seed=-1'],
	['--seed=1000000000'],
	['--cases=19999'],
])('refuse %s', (option) => {
	expect(() => readOptions([option])).toThrow();
});
