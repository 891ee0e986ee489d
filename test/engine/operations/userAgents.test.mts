import { Engine } from '../support/engine.mts';
import { inShop, success } from '../support/scriptedShop.mts';

const engine = new Engine();

const FIELDS = { resource: 'userAgent', operation: 'getAll', num: 4 };

function batch(names: readonly string[]) {
	return success({ count: names.length, ua_list: names });
}

it('goes on after a call that brings nothing new, because calls draw at random', async () => {
	const batches = [
		['a', 'b', 'c'],
		['a', 'c', 'b'],
		['b', 'd', 'a'],
	];
	await inShop(
		engine,
		({ index }) => batch(batches[index] ?? []),
		async (shop) => {
			const { items } = await shop.run(FIELDS);
			expect(items.map(({ json }) => json.userAgent)).toEqual(['a', 'b', 'c', 'd']);
		},
	);
});

it('stops when three calls in a row bring nothing new', async () => {
	await inShop(
		engine,
		() => batch(['a', 'b', 'c']),
		async (shop) => {
			expect((await shop.run(FIELDS)).items).toHaveLength(3);
			expect(shop.extractions).toHaveLength(4);
		},
	);
});
