import type { IDataObject } from 'n8n-workflow';

import type { OrderKind } from '../../operations/world.mts';
import { uniqueName } from '../../uniqueName.mts';
import { until } from '../../virtualTime.mts';
import { API } from '../support/api.mts';
import { Customer } from '../support/customer.mts';
import { Engine } from '../support/engine.mts';
import { n8nLogger } from '../support/n8nLogger.mts';
import { CONTINUE_WITH_ERRORS, RETRY } from '../support/runSettings.mts';
import { refusal, success } from '../support/scriptedService.mts';
import { list, openShop, privateEntries, supply } from '../support/scriptedShop.mts';
import { sleep } from '../support/sleep.mts';
import { eachTest, useWorkbench } from '../support/workbench.mts';

const { bed } = useWorkbench();

const owner = (kind: OrderKind) => new Customer(bed(), { kind });

const me = eachTest(() => owner('dpsPerIp'));

describe('quota', () => {
	it('is not used at all by a run that another item will stop', async () => {
		const fields = { product: 'DPS', num: '={{ $json.num }}' };
		const items = [{ num: 2 }, { num: 'many' }];
		const stopped = await me.extract(fields, { items });
		expect(stopped.error?.message).toMatch(/'Number of Proxies' can't be "many".*\[item 1\]/);
		expect(me.extracted).toBe(0);
		const went = await me.extract(fields, { items, settings: CONTINUE_WITH_ERRORS });
		expect(went.items).toHaveLength(2);
		expect(went.errorItems).toHaveLength(1);
		expect(me.extracted).toBe(2);
	});

	it.each([{ area: 'Shanghai' }, { areaEx: 'Shanghai' }, { carrier: 2 }])(
		'is not used for what a prepaid order ignores: %j',
		async (filters) => {
			const me = owner('dps');
			const messageWith = async (options: IDataObject) =>
				(await me.extract({ product: 'DPS', num: 2, filters, options })).error?.message;
			const refusal = /^'Areas' and 'Carrier' work with pay-per-IP orders only/;
			expect(await messageWith({})).toMatch(refusal);
			expect(me.extracted).toBe(0);
		},
	);

	it('of all items together is kept to the limit of the run', async () => {
		const fields = { product: 'DPS', num: 4, options: { maxExtractionsPerRun: 10 } };
		const items = [{}, {}, {}];
		const stopped = await me.extract(fields, { items });
		expect(stopped.error?.message).toMatch(
			/'Max Extractions per Execution' allows only 10.*\[item 2\]/,
		);
		expect(stopped.error?.description).toMatch(
			/^More proxies are needed, and this node has already asked for 8 in this execution\. Raise the limit/,
		);
		expect(me.extracted).toBe(0);
		const went = await me.extract(fields, { items, settings: CONTINUE_WITH_ERRORS });
		expect(went.items).toHaveLength(8);
		expect(went.errorItems).toHaveLength(1);
		expect(me.extracted).toBe(8);
	});

	it.each(['={{ undefined }}', '={{ null }}', "={{ '' }}", ''])(
		'is not used where its limit is %j',
		async (maxExtractionsPerRun) => {
			const fields = { product: 'DPS', num: 1, options: { maxExtractionsPerRun } };
			const { error } = await me.extract(fields);
			expect(error?.message).toMatch(/'Max Extractions per Execution' (?:is empty|can't be )/);
			expect(me.extracted).toBe(0);
		},
	);

	it('of groups of items is kept to the limit, which 0 switches off', async () => {
		const fields = {
			product: 'DPS',
			output: 'forEachInput',
			filters: { carrier: '={{ $json.carrier }}' },
		};
		const items = [1, 2, 1, 2, 1].map((carrier) => ({ carrier }));
		const run = async (maxExtractionsPerRun: number) =>
			await me.extract({ ...fields, options: { maxExtractionsPerRun } }, { items });
		expect((await run(4)).error?.message).toMatch(/\[item 1\]/);
		expect(me.extracted).toBe(0);
		expect((await run(5)).items).toHaveLength(5);
		expect((await run(0)).items).toHaveLength(5);
		expect(me.extracted).toBe(10);
	});

	it('that was refused does not count for the limit, what is unclear does', async () => {
		const answers = [refusal(-4), refusal(3), { status: 502, body: '' }];
		const shop = await openShop(
			bed().engine,
			({ index, parameters }) =>
				answers[index] ?? list(privateEntries(index, Number(parameters.num))),
		);
		const options = { maxExtractionsPerRun: 5 };
		const { items, errorItems } = await shop.run(
			{ product: 'DPS', num: 3, login: 'none', options },
			{ items: [{}, {}, {}, {}], settings: CONTINUE_WITH_ERRORS },
		);
		// Refused, none found, unclear, beyond the limit
		expect([items, errorItems].map(({ length }) => length)).toEqual([0, 3]);
		expect(shop.nums).toEqual(['3', '3', '3']);
		expect(errorItems[2].json.error).toMatch(/'Max Extractions per Execution' allows only 5/);
	});

	it('is not used again for items that went well when Retry On Fail asks for the others', async () => {
		const give = supply();
		let refusals = 0;
		const shop = await openShop(bed().engine, (call) =>
			call.parameters.num === '3' && ++refusals < 3 ? refusal(-4) : give(call),
		);
		const { items, error } = await shop.run(
			{ product: 'DPS', num: '={{ $json.num }}' },
			{ items: [{ num: 2 }, { num: 3 }], settings: RETRY },
		);
		expect(error).toBeUndefined();
		expect(items).toHaveLength(5);
		expect(shop.nums).toEqual(['2', '3', '3', '3']);
	});

	it('is used again by each turn of a loop, with one limit for all turns', async () => {
		const fields = { product: 'DPS', num: 2 };
		const limited = await me.extract(
			{ ...fields, options: { maxExtractionsPerRun: 8 } },
			{ runs: 3 },
		);
		expect(limited.error?.message).toMatch(/'Max Extractions per Execution' allows only 8/);
		expect(limited.error?.description).toMatch(/already asked for 8/);
		expect(me.extracted).toBe(6);
		const { itemsOfRuns } = await me.extract(
			{ ...fields, options: { maxExtractionsPerRun: 14 } },
			{ runs: 3 },
		);
		expect(itemsOfRuns.map(({ length }) => length)).toEqual([2, 4, 8]);
		expect(new Set(itemsOfRuns.flat().map(({ json }) => json.address)).size).toBe(14);
	});

	it('keeps its limit in an execution that has waited, and has a new one where that is retried', async () => {
		const fields = { product: 'DPS', num: 2, options: { maxExtractionsPerRun: 8 } };
		const executionId = uniqueName('execution');
		const { saved } = await me.extract(fields, { runs: 3, executionId });
		expect(me.extracted).toBe(6);
		const goOn = async (id: string) =>
			await me.extract(fields, { runs: 3, retryOf: saved, executionId: id });
		const waited = await goOn(executionId);
		expect(waited.error?.message).toMatch(/'Max Extractions per Execution' allows only 8/);
		expect(me.extracted).toBe(6);
		expect((await goOn(uniqueName('execution'))).error).toBeUndefined();
		expect(me.extracted).toBe(14);
	});

	it('is not lost with a later call that fails, for many proxies or many items', async () => {
		for (const fields of [{ num: 150 }, { output: 'forEachInput' }]) {
			const answers = [list(privateEntries(0, 100)), refusal(1)];
			const shop = await openShop(bed().engine, (call) => answers[call.index - 1] ?? refusal(-1));
			const items = Array.from({ length: 'num' in fields ? 1 : 150 }, () => ({}));
			const run = await shop.run({ product: 'DPS', ...fields }, { items });
			expect(run.error).toBeUndefined();
			expect(new Set(run.items.map(({ json }) => json.proxyUrl)).size).toBe(100);
			expect(run.hints[0].message).toMatch(
				/100 of 150 proxies were found before a call failed.*Today's quota/,
			);
		}
	});

	it('is told where the service counts proxies that its response does not contain', async () => {
		const answers = [list([], { count: 5 }), list(privateEntries(0, 1), { count: 5 })];
		const shop = await openShop(bed().engine, ({ index }) => answers[index] ?? refusal(-1));
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
	});

	it('is not used twice where n8n would sign a broken 401 again', async () => {
		const shop = await openShop(bed().engine, () => ({
			status: 401,
			headers: { 'content-encoding': 'gzip' },
			body: 'not gzip',
		}));
		const { error } = await shop.run({ product: 'DPS', num: 1 });
		expect(error?.description).toMatch(/counted all the same/);
		expect(shop.extractions).toHaveLength(1);
	});
});

describe('reuse', () => {
	const REUSE = { product: 'DPS', reuse: true };

	it('goes by the clock that an accepted signature proves, whatever the Date header says', async () => {
		const date = new Date(Date.now() + 3_600_000).toUTCString();
		const shop = await openShop(bed().engine, () => ({
			...list(privateEntries(0, 1)),
			headers: { date },
		}));
		const { items } = await shop.run({ ...REUSE, num: 1 });
		const expiresAt = Date.parse(String(items[0].json.expiresAt));
		expect(Math.abs(expiresAt - (Date.now() + 60_000))).toBeLessThan(1500);
		expect((await shop.run({ ...REUSE, num: 1 })).items[0].json.secondsLeft).toBeGreaterThan(55);
		expect(shop.nums).toEqual(['1']);
	});

	it('goes by the clock of the service where this machine is refused for its own', async () => {
		const date = new Date(Date.now() + 3_600_000).toUTCString();
		const shop = await openShop(bed().engine, ({ index }) =>
			index === 1 ? { ...refusal(-112), headers: { date } } : list(privateEntries(0, 1)),
		);
		const { items } = await shop.run({ ...REUSE, num: 1 });
		const expiresAt = Date.parse(String(items[0].json.expiresAt));
		expect(Math.abs(expiresAt - (Date.parse(date) + 60_000))).toBeLessThan(1500);
		expect(shop.nums).toEqual(['1', '1']);
	});

	it('does not mind the format, and does mind the extra fields', async () => {
		await me.extract({ ...REUSE, num: 2 });
		await me.extract({ ...REUSE, num: 2, options: { format: 'text', sep: 2 } });
		expect(bed().sandbox.log.count(API.getdps)).toBe(1);
		const { items } = await me.extract({ ...REUSE, num: 2, extraFields: { fLoc: true } });
		expect(items[0].json).toHaveProperty('region');
		expect(bed().sandbox.log.count(API.getdps)).toBe(2);
	});

	it.each(['={{ undefined }}', '={{ null }}', "={{ '' }}"])(
		'whose expression has no value is an error: %s',
		async (reuse) => {
			const { error } = await me.extract({ ...REUSE, num: 1, reuse });
			expect(error?.message).toMatch(/^'Reuse Proxies' (?:is empty|can't be )/);
			expect(me.extracted).toBe(0);
		},
	);

	it('keeps to the limit of the run for what is missing only', async () => {
		const options = { maxExtractionsPerRun: 3 };
		await me.extract({ ...REUSE, num: 3, options });
		const { items } = await me.extract({ ...REUSE, num: 5, options });
		expect(items).toHaveLength(5);
		const { error } = await me.extract({ ...REUSE, num: 9, options });
		expect(error?.description).toMatch(/^4 proxies are needed\. Raise the limit/);
		expect(me.extracted).toBe(5);
	});
});

/* Quota is used once, and what it brought arrives, when the service's answers are untidy. */

const engine = new Engine();

const AS_TOOL = { type: 'kuaidailiTool' };

describe('Proxy: Extract', () => {
	it('keeps the proxies of an answer of which another entry cannot be read', async () => {
		const entries = [...privateEntries(0, 4), 'temporarily unavailable'];
		const shop = await openShop(engine, () => list(entries));
		const run = await shop.run({ product: 'DPS', num: 5 });
		expect(run.error).toBeUndefined();
		expect(run.items).toHaveLength(4);
		expect(run.hints.map(({ message }) => message).join()).toMatch(
			/Only 4 of 5 proxies were found before a call failed.*not a proxy address.*shows how many are left/,
		);
		expect(shop.nums).toEqual(['5']);
	});

	it('keeps private proxies whose region cannot be read, and gives the entry as it came', async () => {
		const entry = '113.120.61.166:22989,\uFFFD\uFFFD,300';
		const shop = await openShop(engine, () => list([entry]));
		const run = await shop.run({ product: 'DPS', num: 1, extraFields: { fLoc: true } });
		expect(run.error).toBeUndefined();
		expect(run.items).toHaveLength(1);
		expect(run.items[0].json).toMatchObject({ address: '113.120.61.166:22989', raw: entry });
		expect(run.items[0].json).not.toHaveProperty('region');
		expect(shop.nums).toEqual(['1']);
	});

	it.each<[string, IDataObject, object]>([
		['where logins are not wanted', { login: 'none' }, {}],
		['for a model', {}, AS_TOOL],
	])('shows no login of a list with commas %s', async (_, fields, settings) => {
		const shop = await openShop(engine, () => list(['113.120.61.166:22989,user,secretword,US']));
		const run = await shop.run({ product: 'SFPS', ...fields }, { settings });
		expect(run.error).toBeUndefined();
		expect(run.saved).not.toContain('secretword');
	});

	it('says how many may be counted of a run that ends with the error of another item', async () => {
		const give = supply();
		const shop = await openShop(engine, (call) =>
			call.parameters.num === '3' ? refusal(-4) : give(call),
		);
		const fields = { product: 'DPS', num: '={{ $json.num }}' };
		const both = await shop.run(fields, { items: [{ num: 2 }, { num: 3 }] });
		expect(both.error?.description).toMatch(
			/ Up to 2 proxies of this run may have been extracted and counted\. .*'On Error'.*'Continue'\.$/,
		);
		const alone = await shop.run(fields, { items: [{ num: 3 }, { num: 2 }] });
		expect(alone.error?.description).not.toContain('may have been extracted');
	});

	it('says in the log how many proxies may be counted of a run that is cancelled', async () => {
		const give = supply();
		const log = jest.spyOn(n8nLogger, 'warn').mockReturnValue();
		const shop = await openShop(engine, async (call) => {
			// The third call hangs, and may have been carried out
			if (call.index === 3) await sleep(20_000);
			return give(call);
		});
		const cancelWhen = until(() => shop.nums.length === 3).then(() => sleep(100));
		const { status } = await shop.run({ product: 'DPS', num: 500 }, { cancelWhen });
		expect(status).toBe('canceled');
		expect(shop.nums).toEqual(['100', '100', '100']);
		const logged = log.mock.calls.map(([text]) => text);
		log.mockRestore();
		expect(logged).toEqual([
			"'Kuaidaili' was canceled. Up to 300 proxies of this run may have been extracted and counted, and its output is lost.",
		]);
	});

	it('is asked once more for twenty runs that share proxies when the one that asks is cancelled', async () => {
		const give = supply();
		const log = jest.spyOn(n8nLogger, 'warn').mockReturnValue();
		const shop = await openShop(engine, async (call) => {
			if (call.index === 1) await sleep(20_000);
			return give(call);
		});
		const cancelWhen = until(() => shop.nums.length === 1).then(() => sleep(500));
		const settings = { items: [{}, {}, {}], settings: RETRY };
		const fields = { product: 'DPS', reuse: true, output: 'forEachInput' };
		const [cancelled, ...others] = await Promise.all([
			shop.run(fields, { ...settings, cancelWhen }),
			...Array.from({ length: 19 }, () => shop.run(fields, settings)),
		]);
		expect(cancelled.status).toBe('canceled');
		expect(others.map(({ items }) => items.length)).toEqual(others.map(() => 3));
		const urls = others.flatMap(({ items }) => items.map(({ json }) => json.proxyUrl));
		expect(new Set(urls).size).toBe(3);
		expect(shop.nums).toEqual(['3', '3']);
		log.mockRestore();
	});

	it('is waited for no longer by a run that is cancelled while another one extracts', async () => {
		const give = supply();
		const shop = await openShop(engine, async (call) => {
			await sleep(20_000);
			return give(call);
		});
		const fields = { product: 'DPS', reuse: true, output: 'forEachInput' };
		const extracting = shop.run(fields, { items: [{}, {}, {}] });
		await until(() => shop.nums.length === 1);
		const begin = performance.now();
		const { status } = await shop.run(fields, { items: [{}], cancelWhen: sleep(1000) });
		expect(status).toBe('canceled');
		expect(performance.now() - begin).toBeLessThan(2000);
		const { items } = await extracting;
		expect(items).toHaveLength(3);
		expect(shop.nums).toEqual(['3']);
	});

	it('keeps proxies of a service whose clock is beyond all dates', async () => {
		const date = 'Sat, 13 Sep 275760 00:00:00 GMT';
		const shop = await openShop(engine, ({ index }) =>
			index === 1 ? { ...refusal(-112), headers: { date } } : list(privateEntries(0, 1)),
		);
		const { items } = await shop.run({ product: 'DPS', num: 1 });
		expect(shop.nums).toEqual(['1', '1']);
		expect(items.map(({ json }) => json.secondsLeft)).toEqual([60]);
		expect(items[0].json).not.toHaveProperty('expiresAt');
	});

	it.each([
		['with an address that is none', '113.120.61.166:99999:user:secretword,300'],
		['in front of an address that is none', 'user:secretword@somewhere,300'],
		['as an object', { ip: '113.120.61.166', password: 'secretword' }],
	])('shows no login of an entry %s', async (_, entry) => {
		const shop = await openShop(engine, () =>
			success({ proxy_list: [...privateEntries(0, 1), entry] }),
		);
		const run = await shop.run({ product: 'DPS', num: 2, login: 'none' });
		expect(run.items).toHaveLength(1);
		expect(run.hints[0].message).toContain('an entry that is not a proxy address');
		expect(run.saved).not.toContain('secretword');
	});
});
