import { asTheyAre, lessHelper, shares, takeRounds } from '../../bench/besideHelper.mts';

it('takes the samples of a round together, changes places, and does not count the warm-up', async () => {
	const order: string[] = [];
	const sample = (name: string) => async () => order.push(name);
	const rounds = await takeRounds({
		node: sample('node'),
		helper: sample('helper'),
		raw: sample('raw'),
		rounds: 2,
		warmUps: 1,
	});
	expect(order.join(' ')).toBe('node helper raw raw helper node node helper raw');
	expect(rounds).toEqual([
		{ raw: 4, helper: 5, node: 6 },
		{ node: 7, helper: 8, raw: 9 },
	]);
});

it("tells how much is n8n's and how much the node's", () => {
	const rounds = [
		{ node: 30, helper: 20, raw: 10 },
		{ node: 60, helper: 40, raw: 20 },
	];
	expect(asTheyAre(rounds)).toEqual([
		{ ours: 30, other: 10 },
		{ ours: 60, other: 20 },
	]);
	expect(lessHelper(rounds)).toEqual([
		{ ours: 20, other: 10 },
		{ ours: 40, other: 20 },
	]);
	expect(shares(rounds)).toEqual({
		nodeVsRaw: 3,
		n8nHelperVsRaw: 2,
		nodeVsN8nHelper: 1.5,
		lessN8nHelper: 2,
	});
});
