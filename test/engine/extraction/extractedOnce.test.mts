import type { IDataObject } from 'n8n-workflow';

import { Engine } from '../support/engine.mts';
import { RETRY } from '../support/nodeSettings.mts';
import { inShop, list, privateEntries, refusal, supply } from '../support/scriptedShop.mts';

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
					/Only 4 of 5 proxies were found before a call failed.*not a proxy address.*tells how many are left/,
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
});
