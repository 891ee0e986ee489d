import type { IDataObject } from 'n8n-workflow';

import { Engine } from '../support/engine.mts';
import { n8nLogger } from '../support/n8nLogger.mts';
import { RETRY } from '../support/nodeSettings.mts';
import {
	inShop,
	list,
	privateEntries,
	refusal,
	success,
	supply,
} from '../support/scriptedShop.mts';
import { sleep } from '../support/sleep.mts';
import { until } from '../../virtualTime.mts';

/* Quota is used once, and what it brought arrives, when the service's answers are untidy. */

const engine = new Engine();

const AS_TOOL = { type: 'kuaidailiTool' };

describe('Proxy: Extract', () => {
	it('keeps the proxies of an answer of which another entry cannot be read', async () => {
		const entries = [...privateEntries(0, 4), 'temporarily unavailable'];
		await inShop(
			engine,
			() => list(entries),
			async (shop) => {
				const run = await shop.run({ product: 'DPS', num: 5 });
				expect(run.error).toBeUndefined();
				expect(run.items).toHaveLength(4);
				expect(run.hints.map(({ message }) => message).join()).toMatch(
					/Only 4 of 5 proxies were found before a call failed.*not a proxy address.*shows how many are left/,
				);
				expect(shop.nums).toEqual(['5']);
			},
		);
	});

	it('keeps private proxies whose region cannot be read, and gives the entry as it came', async () => {
		const entry = '113.120.61.166:22989,\uFFFD\uFFFD,300';
		await inShop(
			engine,
			() => list([entry]),
			async (shop) => {
				const run = await shop.run({ product: 'DPS', num: 1, extraFields: { fLoc: true } });
				expect(run.error).toBeUndefined();
				expect(run.items).toHaveLength(1);
				expect(run.items[0].json).toMatchObject({ address: '113.120.61.166:22989', raw: entry });
				expect(run.items[0].json).not.toHaveProperty('region');
				expect(shop.nums).toEqual(['1']);
			},
		);
	});

	it.each<[string, IDataObject, object]>([
		['where logins are not wanted', { login: 'none' }, {}],
		['for a model', {}, AS_TOOL],
	])('shows no login of a list with commas %s', async (_, fields, settings) => {
		await inShop(
			engine,
			() => list(['113.120.61.166:22989,user,secretword,US']),
			async (shop) => {
				const run = await shop.run({ product: 'SFPS', ...fields }, { settings });
				expect(run.error).toBeUndefined();
				expect(run.saved).not.toContain('secretword');
			},
		);
	});

	it('does not extract again for items that went well, though their proxies live too shortly to be reused', async () => {
		const give = supply();
		let refusals = 0;
		await inShop(
			engine,
			(call) => (call.parameters.num === '3' && ++refusals < 3 ? refusal(-4) : give(call)),
			async (shop) => {
				const { items, error } = await shop.run(
					{ product: 'DPS', num: '={{ $json.num }}', reuse: true, minimumSecondsLeft: 3600 },
					{ items: [{ num: 2 }, { num: 3 }], settings: RETRY },
				);
				expect(error).toBeUndefined();
				expect(items).toHaveLength(5);
				expect(shop.nums).toEqual(['2', '3', '3', '3']);
			},
		);
	});

	it('says how many may be counted of a run that ends with the error of another item', async () => {
		const give = supply();
		await inShop(
			engine,
			(call) => (call.parameters.num === '3' ? refusal(-4) : give(call)),
			async (shop) => {
				const fields = { product: 'DPS', num: '={{ $json.num }}' };
				const both = await shop.run(fields, { items: [{ num: 2 }, { num: 3 }] });
				expect(both.error?.description).toMatch(
					/ Up to 2 proxies of this run may have been extracted and counted\. .*'On Error'.*'Continue'\.$/,
				);
				const alone = await shop.run(fields, { items: [{ num: 3 }, { num: 2 }] });
				expect(alone.error?.description).not.toContain('may have been extracted');
			},
		);
	});

	it('says in the log how many proxies may be counted of a run that is cancelled', async () => {
		const give = supply();
		const log = jest.spyOn(n8nLogger, 'warn').mockReturnValue();
		await inShop(
			engine,
			async (call) => {
				// The third call hangs, and may have been carried out
				if (call.index === 3) await sleep(20_000);
				return give(call);
			},
			async (shop) => {
				const cancelWhen = until(() => shop.nums.length === 3).then(() => sleep(100));
				const { status } = await shop.run({ product: 'DPS', num: 500 }, { cancelWhen });
				expect(status).toBe('canceled');
				expect(shop.nums).toEqual(['100', '100', '100']);
			},
		);
		const logged = log.mock.calls.map(([text]) => text);
		log.mockRestore();
		expect(logged).toEqual([
			"'Kuaidaili' was cancelled. Up to 300 proxies of this run may have been extracted and counted, and its output is lost.",
		]);
	});

	it('is asked once more for twenty runs that share proxies when the one that asks is cancelled', async () => {
		const give = supply();
		const log = jest.spyOn(n8nLogger, 'warn').mockReturnValue();
		await inShop(
			engine,
			async (call) => {
				if (call.index === 1) await sleep(20_000);
				return give(call);
			},
			async (shop) => {
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
			},
		);
		log.mockRestore();
	});

	it('keeps proxies of a service whose clock is beyond all dates', async () => {
		const date = 'Sat, 13 Sep 275760 00:00:00 GMT';
		await inShop(
			engine,
			// What is signed again goes by the clock of the service
			({ index }) =>
				index === 1 ? { ...refusal(-112), headers: { date } } : list(privateEntries(0, 1)),
			async (shop) => {
				const { items } = await shop.run({ product: 'DPS', num: 1 });
				expect(shop.nums).toEqual(['1', '1']);
				expect(items.map(({ json }) => json.secondsLeft)).toEqual([60]);
				expect(items[0].json).not.toHaveProperty('expiresAt');
			},
		);
	});

	it.each([
		['with an address that is none', '113.120.61.166:99999:user:secretword,300'],
		['in front of an address that is none', 'user:secretword@somewhere,300'],
		['as an object', { ip: '113.120.61.166', password: 'secretword' }],
	])('shows no login of an entry %s', async (_, entry) => {
		await inShop(
			engine,
			() => success({ proxy_list: [...privateEntries(0, 1), entry] }),
			async (shop) => {
				const run = await shop.run({ product: 'DPS', num: 2, login: 'none' });
				expect(run.items).toHaveLength(1);
				expect(run.hints[0].message).toContain('an entry that is not a proxy address');
				expect(run.saved).not.toContain('secretword');
			},
		);
	});
});
