import type { OrderKind } from '../../operations/world.mts';
import { CONTINUE_WITH_ERRORS, RETRY } from '../support/nodeSettings.mts';
import { productOwner } from '../support/productOwner.mts';
import { inShop, list, privateEntries, refusal, supply } from '../support/scriptedShop.mts';
import { useTestBed } from '../support/testBed.mts';

const bed = useTestBed();

const owner = (kind: OrderKind) => productOwner(bed(), kind);

describe('quota', () => {
	it('is not used at all by a run that another item will stop', async () => {
		const me = owner('dpsPerIp');
		const fields = { product: 'DPS', num: '={{ $json.num }}' };
		const items = [{ num: 2 }, { num: 'many' }];
		const stopped = await me.run(fields, { items });
		expect(stopped.error?.message).toMatch(/'Number of Proxies' can't be "many".*\[item 1\]/);
		expect(me.used()).toBe(0);
		const went = await me.run(fields, { items, settings: CONTINUE_WITH_ERRORS });
		expect(went.items).toHaveLength(2);
		expect(went.errorItems).toHaveLength(1);
		expect(me.used()).toBe(2);
	});

	it('of all items together is kept to the limit of the run', async () => {
		const me = owner('dpsPerIp');
		const fields = { product: 'DPS', num: 4, options: { maxExtractionsPerRun: 10 } };
		const items = [{}, {}, {}];
		const stopped = await me.run(fields, { items });
		expect(stopped.error?.message).toMatch(
			/'Max Extractions per Execution' allows only 10.*\[item 2\]/,
		);
		expect(stopped.error?.description).toMatch(
			/^4 more proxies are needed, and this node has already asked for 8 in this execution\. Use fewer/,
		);
		expect(me.used()).toBe(0);
		const went = await me.run(fields, { items, settings: CONTINUE_WITH_ERRORS });
		expect(went.items).toHaveLength(8);
		expect(went.errorItems).toHaveLength(1);
		expect(me.used()).toBe(8);
	});

	it.each(['={{ undefined }}', '={{ null }}', "={{ '' }}", ''])(
		'is not used where its limit is %j',
		async (maxExtractionsPerRun) => {
			const me = owner('dpsPerIp');
			const fields = { product: 'DPS', num: 1, options: { maxExtractionsPerRun } };
			const { error } = await me.run(fields);
			expect(error?.message).toMatch(/'Max Extractions per Execution' (?:is empty|can't be )/);
			expect(me.used()).toBe(0);
		},
	);

	it('of groups of items is kept to the limit, which 0 switches off', async () => {
		const me = owner('dpsPerIp');
		const fields = {
			product: 'DPS',
			output: 'forEachInput',
			filters: { carrier: '={{ $json.carrier }}' },
		};
		const items = [1, 2, 1, 2, 1].map((carrier) => ({ carrier }));
		const run = async (maxExtractionsPerRun: number) =>
			await me.run({ ...fields, options: { maxExtractionsPerRun } }, { items });
		expect((await run(4)).error?.message).toMatch(/\[item 1\]/);
		expect(me.used()).toBe(0);
		expect((await run(5)).items).toHaveLength(5);
		expect((await run(0)).items).toHaveLength(5);
		expect(me.used()).toBe(10);
	});

	it('that was refused does not count for the limit, what is unclear does', async () => {
		const answers = [refusal(-4), refusal(3), { status: 502, body: '' }];
		await inShop(
			bed().engine,
			({ index, parameters }) =>
				answers[index] ?? list(privateEntries(index, Number(parameters.num))),
			async (shop) => {
				const options = { maxExtractionsPerRun: 5 };
				const { items, errorItems } = await shop.run(
					{ product: 'DPS', num: 3, login: 'none', options },
					{ items: [{}, {}, {}, {}], settings: CONTINUE_WITH_ERRORS },
				);
				// Refused, none found, unclear, beyond the limit
				expect([items, errorItems].map(({ length }) => length)).toEqual([0, 3]);
				expect(shop.nums).toEqual(['3', '3', '3']);
				expect(errorItems[2].json.error).toMatch(/'Max Extractions per Execution' allows only 5/);
			},
		);
	});

	it('is not used again for items that went well when Retry On Fail asks for the others', async () => {
		const give = supply();
		let refusals = 0;
		await inShop(
			bed().engine,
			(call) => (call.parameters.num === '3' && ++refusals < 3 ? refusal(-4) : give(call)),
			async (shop) => {
				const { items, error } = await shop.run(
					{ product: 'DPS', num: '={{ $json.num }}' },
					{ items: [{ num: 2 }, { num: 3 }], settings: RETRY },
				);
				expect(error).toBeUndefined();
				expect(items).toHaveLength(5);
				expect(shop.nums).toEqual(['2', '3', '3', '3']);
			},
		);
	});

	it('is used again by each turn of a loop, with one limit for all turns', async () => {
		const me = owner('dpsPerIp');
		const fields = { product: 'DPS', num: 2 };
		const limited = await me.run({ ...fields, options: { maxExtractionsPerRun: 8 } }, { runs: 3 });
		expect(limited.error?.message).toMatch(/'Max Extractions per Execution' allows only 8/);
		expect(limited.error?.description).toMatch(/already asked for 8/);
		expect(me.used()).toBe(6);
		const { itemsOfRuns } = await me.run(
			{ ...fields, options: { maxExtractionsPerRun: 14 } },
			{ runs: 3 },
		);
		expect(itemsOfRuns.map(({ length }) => length)).toEqual([2, 4, 8]);
		expect(new Set(itemsOfRuns.flat().map(({ json }) => json.address)).size).toBe(14);
	});

	it('is not used for more than was asked for where some come twice', async () => {
		await inShop(
			bed().engine,
			({ parameters }) => list(privateEntries(0, Number(parameters.num))),
			async (shop) => {
				const { items, hints } = await shop.run({ product: 'DPS', num: 250 });
				expect(shop.nums).toEqual(['100', '100', '50']);
				expect(items).toHaveLength(100);
				expect(hints[0].message).toBe(
					'Only 100 of 250 proxies were found. Kuaidaili handed out some of them twice.',
				);
			},
		);
	});

	it('is not lost with a later call that fails, for many proxies or many items', async () => {
		for (const fields of [{ num: 150 }, { output: 'forEachInput' }]) {
			const answers = [list(privateEntries(0, 100)), refusal(1)];
			await inShop(
				bed().engine,
				(call) => answers[call.index - 1] ?? refusal(-1),
				async (shop) => {
					const items = Array.from({ length: 'num' in fields ? 1 : 150 }, () => ({}));
					const run = await shop.run({ product: 'DPS', ...fields }, { items });
					expect(run.error).toBeUndefined();
					expect(new Set(run.items.map(({ json }) => json.proxyUrl)).size).toBe(100);
					expect(run.hints[0].message).toMatch(
						/100 of 150 proxies were found before a call failed.*Today's quota/,
					);
				},
			);
		}
	});

	it('is told where the service counts proxies that its response does not contain', async () => {
		const answers = [list([], { count: 5 }), list(privateEntries(0, 1), { count: 5 })];
		await inShop(
			bed().engine,
			({ index }) => answers[index] ?? refusal(-1),
			async (shop) => {
				const fields = { product: 'DPS', num: 5, reuse: false, login: 'none' };
				const none = await shop.run(fields);
				expect(none.items).toEqual([]);
				expect(none.error?.message).toMatch(/has a count of 5 proxies, and contains none/);
				expect(none.error?.description).toMatch(/may have been extracted and counted/);
				const some = await shop.run(fields);
				expect(some.items).toHaveLength(1);
				expect(some.hints[0].message).toMatch(
					/^Only 1 of 5 proxies were found.*has a count of 5 proxies, and contains only 1.*may have been extracted and counted/s,
				);
				expect(shop.nums).toEqual(['5', '5']);
			},
		);
	});

	it('is not used twice where n8n would sign a broken 401 again', async () => {
		await inShop(
			bed().engine,
			() => ({ status: 401, headers: { 'content-encoding': 'gzip' }, body: 'not gzip' }),
			async (shop) => {
				const { error } = await shop.run({ product: 'DPS', num: 1 });
				expect(error?.description).toMatch(/counted all the same/);
				expect(shop.extractions).toHaveLength(1);
			},
		);
	});
});
