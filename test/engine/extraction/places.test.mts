import type { IDataObject } from 'n8n-workflow';

import { inShop, supply } from '../support/scriptedShop.mts';
import { Engine } from '../support/engine.mts';

/* An expression that finds nothing must not pay for proxies of any other place. */

const engine = new Engine();

const NOTHING = ['={{ undefined }}', '={{ null }}', '={{ $json.area }}'];

const byList = (value: string) => ({ __rl: true, mode: 'list', value });

const PLACES: ReadonlyArray<[string, (value: string) => IDataObject]> = [
	['Areas', (area) => ({ product: 'DPS', filters: { area } })],
	['Areas to Exclude', (areaEx) => ({ product: 'DPS', filters: { areaEx } })],
	['Countries', (region) => ({ product: 'FPS', connection: 'extraction', region: byList(region) })],
	['Country', (region) => ({ product: 'FPS', connection: 'tunnel', region: byList(region) })],
	['Area', (area) => ({ product: 'FPS', connection: 'tunnel', area: byList(area) })],
	['Continent', (continent) => ({ product: 'FPS', connection: 'tunnel', continent })],
	['Region', (region) => ({ product: 'TPS_PRO', region })],
];

describe.each(PLACES)('%s', (label, fieldsFor) => {
	it.each(NOTHING)('is refused where the expression %s has no value', async (expression) => {
		await inShop(engine, supply(), async (shop) => {
			const { error } = await shop.run({ num: 1, ...fieldsFor(expression) });
			expect(error?.message).toMatch(new RegExp(`^'${label}' is empty`));
			expect(shop.extractions).toHaveLength(0);
		});
	});
});

it.each(['Areas', 'Areas to Exclude'])('%s is refused where it is empty', async (label) => {
	await inShop(engine, supply(), async (shop) => {
		const name = label === 'Areas' ? 'area' : 'areaEx';
		const { error } = await shop.run({ product: 'DPS', num: 1, filters: { [name]: '' } });
		expect(error?.message).toMatch(new RegExp(`^'${label}' is empty`));
		expect(shop.extractions).toHaveLength(0);
	});
});
