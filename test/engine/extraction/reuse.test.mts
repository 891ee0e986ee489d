import type { OrderKind } from '../../operations/world.mts';
import { productOwner } from '../support/productOwner.mts';
import { inShop, list, privateEntries, refusal, supply } from '../support/scriptedShop.mts';
import { sleep } from '../support/sleep.mts';
import { useTestBed } from '../support/testBed.mts';

const bed = useTestBed();

const GET_DPS = '/api/getdps';

const owner = (kind: OrderKind) => productOwner(bed(), kind);

describe('reuse', () => {
	const REUSE = { product: 'DPS', reuse: true };

	it('makes one call for six runs within the life of the proxies', async () => {
		const me = owner('dpsPerIp');
		const outputs: unknown[] = [];
		for (let run = 0; run < 6; run += 1) {
			const { items } = await me.run({ ...REUSE, num: 1, minimumSecondsLeft: 0 });
			outputs.push(items[0].json.address);
			await sleep(5000);
		}
		expect(new Set(outputs).size).toBe(1);
		expect(bed().sandbox.log.count(GET_DPS)).toBe(1);
	});

	it('counts down what is left, and extracts anew what lives too shortly', async () => {
		const give = supply();
		await inShop(bed().engine, give, async (shop) => {
			const run = async () => (await shop.run({ ...REUSE, num: 1 })).items[0].json;
			const first = await run();
			await sleep(20_000);
			const again = await run();
			expect(again).toMatchObject({ address: first.address, expiresAt: first.expiresAt });
			expect([38, 39, 40]).toContain(again.secondsLeft);
			await sleep(11_000);
			expect((await run()).address).not.toBe(first.address);
			expect(shop.nums).toEqual(['1', '1']);
		});
	});

	it('goes by the clock that an accepted signature proves, whatever the Date header says', async () => {
		const date = new Date(Date.now() + 3_600_000).toUTCString();
		await inShop(
			bed().engine,
			() => ({ ...list(privateEntries(0, 1)), headers: { date } }),
			async (shop) => {
				const { items } = await shop.run({ ...REUSE, num: 1 });
				const expiresAt = Date.parse(String(items[0].json.expiresAt));
				expect(Math.abs(expiresAt - (Date.now() + 60_000))).toBeLessThan(1500);
				expect((await shop.run({ ...REUSE, num: 1 })).items[0].json.secondsLeft).toBeGreaterThan(
					55,
				);
				expect(shop.nums).toEqual(['1']);
			},
		);
	});

	it('goes by the clock of the service where this machine is refused for its own', async () => {
		const date = new Date(Date.now() + 3_600_000).toUTCString();
		await inShop(
			bed().engine,
			({ index }) =>
				index === 1 ? { ...refusal(-112), headers: { date } } : list(privateEntries(0, 1)),
			async (shop) => {
				const { items } = await shop.run({ ...REUSE, num: 1 });
				const expiresAt = Date.parse(String(items[0].json.expiresAt));
				expect(Math.abs(expiresAt - (Date.parse(date) + 60_000))).toBeLessThan(1500);
				expect(shop.nums).toEqual(['1', '1']);
			},
		);
	});

	it('does not mind the format, and does mind the extra fields', async () => {
		const me = owner('dpsPerIp');
		await me.run({ ...REUSE, num: 2 });
		await me.run({ ...REUSE, num: 2, options: { format: 'text', sep: 2 } });
		expect(bed().sandbox.log.count(GET_DPS)).toBe(1);
		const { items } = await me.run({ ...REUSE, num: 2, extraFields: { fLoc: true } });
		expect(items[0].json).toHaveProperty('region');
		expect(bed().sandbox.log.count(GET_DPS)).toBe(2);
	});

	it('says so when the service gives one again that is there already', async () => {
		await inShop(
			bed().engine,
			({ parameters }) => list(privateEntries(0, Number(parameters.num))),
			async (shop) => {
				await shop.run({ ...REUSE, num: 2 });
				const { items, hints } = await shop.run({ ...REUSE, num: 3 });
				expect(shop.nums).toEqual(['2', '1']);
				expect(items).toHaveLength(2);
				expect(hints[0].message).toMatch(/^Only 2 of 3 proxies were found/);
			},
		);
	});

	it('does not make one run wait for ever for another that is cancelled', async () => {
		const give = supply();
		await inShop(
			bed().engine,
			async (call) => {
				if (call.index === 1) await sleep(20_000);
				return give(call);
			},
			async (shop) => {
				const cancelWhen = sleep(2000);
				const [cancelled, other] = await Promise.all([
					shop.run({ ...REUSE, num: 1 }, { cancelWhen }),
					sleep(500).then(async () => await shop.run({ ...REUSE, num: 1 })),
				]);
				expect(cancelled.status).toBe('canceled');
				expect(other.items).toHaveLength(1);
				expect(shop.nums).toEqual(['1', '1']);
			},
		);
	});

	it.each(['={{ undefined }}', '={{ null }}', "={{ '' }}"])(
		'whose expression has no value is an error: %s',
		async (reuse) => {
			const me = owner('dpsPerIp');
			const { error } = await me.run({ ...REUSE, num: 1, reuse });
			expect(error?.message).toMatch(/^'Reuse Proxies' (?:is empty|can't be )/);
			expect(me.used()).toBe(0);
		},
	);

	it('keeps to the limit of the run for what is missing only', async () => {
		const me = owner('dpsPerIp');
		const options = { maxExtractionsPerRun: 3 };
		await me.run({ ...REUSE, num: 3, options });
		const { items } = await me.run({ ...REUSE, num: 5, options });
		expect(items).toHaveLength(5);
		const { error } = await me.run({ ...REUSE, num: 9, options });
		expect(error?.description).toMatch(/^4 proxies are needed\. Use fewer/);
		expect(me.used()).toBe(5);
	});

	it('is shared by runs at once, for input items as well', async () => {
		const me = owner('dpsPerIp');
		const items = Array.from({ length: 5 }, () => ({}));
		const fields = { ...REUSE, output: 'forEachInput' };
		const runs = await Promise.all([me.run(fields, { items }), me.run(fields, { items })]);
		for (const run of runs) {
			expect(new Set(run.items.map(({ json }) => json.proxyUrl)).size).toBe(5);
		}
		expect(me.used()).toBe(5);
	});
});
