import { countedCost, spendableYuan } from '../../../../../nodes/Kuaidaili/purchase/spending.ts';

it.each([
	['what the balance shows where that is more', { cost: 58.5, expectedCost: 40 }, 58.5],
	['the expected cost where the balance shows less', { cost: 38.5, expectedCost: 40 }, 40],
	['the expected cost where the balance shows none', { expectedCost: 40 }, 40],
	['what the next purchase is expected to cost where nobody knows', {}, 30],
])('a purchase counts with %s', (_what, purchase, counted) => {
	expect(countedCost([purchase], 30)).toBe(counted);
});

describe('an account can spend', () => {
	const shown = (balanceBefore: number) => ({ balanceBefore, cost: 40, expectedCost: 40 });
	const late = (balanceBefore?: number) => ({ balanceBefore, expectedCost: 40 });

	it.each<[string, number, Parameters<typeof spendableYuan>[1], number]>([
		['its balance where nothing was bought', 100, [], 100],
		['its balance where that shows all purchases', 20, [shown(100), shown(60)], 20],
		['less than its balance where that shows none', 100, [late(100), late(100)], 20],
		['less than its balance where that shows some', 60, [late(100), late(100)], 20],
		['nothing twice where the balance shows them meanwhile', 20, [late(100), late(100)], 20],
		['less where somebody else has bought', 5, [late(100)], 5],
		['what was topped up before the next purchase', 120, [shown(100), shown(160)], 120],
		['what was topped up after the last one', 560, [shown(100)], 560],
		['no top-up while a purchase does not show', 600, [late(100)], 60],
		['less than its balance where no reading was made before', 100, [late()], 60],
		['no shown one less where no reading was made before the first', 60, [late(), shown(100)], 20],
		['less where both is so', 60, [late(), shown(140), late(100)], 20],
	])('%s', (_what, balance, purchases, spendable) => {
		expect(spendableYuan(balance, purchases, 40)).toBe(spendable);
	});

	it('its balance where nobody has said what a purchase costs', () => {
		expect(spendableYuan(100, [{}])).toBe(100);
		expect(spendableYuan(100, [{ balanceBefore: 100 }])).toBe(100);
	});
});
