import { countedCost } from '../../../../../nodes/Kuaidaili/purchase/spending.ts';

it.each([
	['what the balance shows where that is more', { cost: 58.5, expectedCost: 40 }, 58.5],
	['the expected cost where the balance shows less', { cost: 38.5, expectedCost: 40 }, 40],
	['the expected cost where the balance shows none', { expectedCost: 40 }, 40],
	['what the next purchase is expected to cost where nobody knows', {}, 30],
])('a purchase counts with %s', (_what, purchase, counted) => {
	expect(countedCost([purchase], 30)).toBe(counted);
});
