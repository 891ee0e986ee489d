import { takePairs } from '../../bench/pairs.mts';

it('takes both halves of a pair together, and lets each begin in turn', async () => {
	const order: string[] = [];
	const sample = (name: string) => async () => order.push(name);
	const pairs = await takePairs({ ours: sample('ours'), other: sample('other'), pairs: 3 });
	expect(order).toEqual(['ours', 'other', 'other', 'ours', 'ours', 'other']);
	expect(pairs).toEqual([
		{ ours: 1, other: 2 },
		{ ours: 4, other: 3 },
		{ ours: 5, other: 6 },
	]);
});

it('does not count the warm-up', async () => {
	let taken = 0;
	const sample = async () => (taken += 1);
	const pairs = await takePairs({ ours: sample, other: sample, pairs: 2, warmUps: 1 });
	expect(taken).toBe(6);
	expect(pairs.flatMap(({ ours, other }) => [ours, other]).sort()).toEqual([3, 4, 5, 6]);
});
