import type { IDataObject } from 'n8n-workflow';
import { Engine } from '../support/engine.mts';
import { refusalMessage } from '../support/refusalMessage.mts';
import { openShop, supply } from '../support/scriptedShop.mts';
import { type Extraction, useTestBed } from '../support/testBed.mts';

const bed = useTestBed();

const HIDDEN_PLAN = '={{ "regular" }}';

/** The second item: a number in the message that is always 0 would prove nothing. */
const SECOND: IDataObject[] = [{ first: true }, { first: false }];

/** A value for the second item only; the first one gets what is always allowed. */
function forSecond(expression: string, otherwise: string): string {
	return `={{ $json.first ? ${otherwise} : ${expression} }}`;
}

describe('the number of proxies', () => {
	it.each<[shown: string, expression: string]>([
		['0', '0'],
		['-1', '-1'],
		['1.5', '1.5'],
		['100001', '100001'],
		['"abc"', '"abc"'],
		['"1e3"', '"1e3"'],
		['empty', '""'],
		['true', 'true'],
		['{"a":1}', '{ a: 1 }'],
		['[1]', '[1]'],
	])(
		'%s is refused, with what is allowed, and nothing is sent for it',
		async (shown, expression) => {
			const { error, status } = await bed().extract({
				num: forSecond(expression, '2'),
				items: SECOND,
			});
			expect(status).toBe('error');
			expect(error?.message).toBe(refusalMessage('Number of Proxies', shown, 1));
			expect(error?.description).toMatch(/^Allowed: a whole number.*1 to 100,000\.$/);
			// Not even for the item before, whose proxies would be lost with the run
			expect(bed().extractions).toEqual([]);
		},
	);

	it.each([
		['NaN', 'NaN'],
		['Infinity', 'Infinity'],
		['undefined', 'empty'],
		['null', 'empty'],
	])('%s from an expression is refused before anything is sent', async (expression, shown) => {
		const { error } = await bed().extract({ num: `={{ ${expression} }}` });
		expect(error?.message).toBe(refusalMessage('Number of Proxies', shown));
		expect(bed().extractions).toEqual([]);
	});
});

describe('a value from an expression', () => {
	it('of an option is refused before the key pair of the order is asked for', async () => {
		const order = bed().newOrder();
		const { error } = await bed().engine.run({
			credentialId: bed().addCredential(order.account.keys, { keyType: 'account' }),
			parameters: {
				resource: 'proxy',
				operation: 'extract',
				product: 'OPS',
				plan: 'svip',
				orderid: { __rl: true, mode: 'code', value: order.orderId },
				options: { waitForCallers: '={{ "perhaps" }}' },
			},
		});
		expect(error?.message).toBe(`'Wait on Caller Limit' can't be "perhaps"`);
		expect(bed().sandbox.log.entries()).toEqual([]);
	});
});

it.each<[label: string, shown: string, needed: string, extraction: Extraction]>([
	['Region', 'true', 'VIP or SVIP', { plan: HIDDEN_PLAN, extraFields: { fLoc: true } }],
	[
		'Response Time',
		'"1"',
		'VIP or SVIP',
		{ plan: HIDDEN_PLAN, extraFields: { fSp: '={{ "1" }}' } },
	],
	['Sort', '2', 'VIP or SVIP', { plan: HIDDEN_PLAN, options: { sort: 2 } }],
	['Stability', '2', 'SVIP', { plan: '={{ "vip" }}', filters: { quality: 2 } }],
])('%s is refused for a plan that does not have it', async (label, shown, needed, extraction) => {
	const { error } = await bed().extract(extraction);
	expect(error?.message).toBe(`'${label}' can't be ${shown}`);
	expect(error?.description).toContain(`only when 'Plan' is ${needed}, but 'Plan' is `);
	expect(bed().extractions).toEqual([]);
});

describe('Skip Validation', () => {
	const options = { skipLocalChecks: true };

	it.each<[name: string, extraction: Extraction, sent: Record<string, string>]>([
		['a port', { filters: { port: '80,http' } }, { port: '80,http' }],
		['a prefix', { filters: { ipstart: '999.' } }, { ipstart: '999.' }],
		['a carrier', { filters: { carrier: '={{ 9 }}' } }, { carrier: '9' }],
		['a number of proxies', { num: 1.5 }, { num: '1.5' }],
	])('sends %s as it is', async (_name, extraction, sent) => {
		const { error } = await bed().extract({ options, ...extraction });
		expect(bed().lastSent).toEqual({ num: '1', format: 'json', ...sent });
		expect(error).toMatchObject({ httpCode: '-3' });
	});

	it('sends what the plan does not have', async () => {
		const { error } = await bed().extract({
			plan: HIDDEN_PLAN,
			filters: { quality: 2 },
			options,
			credentialId: bed().addCredential(bed().newOrder('regular').keys),
		});
		expect(bed().lastSent).toEqual({ num: '1', quality: '2' });
		expect(error).toMatchObject({ httpCode: '-32' });
	});

	it('still refuses what has no text to send', async () => {
		const { error } = await bed().extract({ options, filters: { port: '={{ { a: 1 } }}' } });
		expect(error?.message).toBe(`'Ports' can't be {"a":1}`);
		expect(bed().extractions).toEqual([]);
	});
});

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
		const shop = await openShop(engine, supply());
		const { error } = await shop.run({ num: 1, ...fieldsFor(expression) });
		expect(error?.message).toMatch(new RegExp(`^'${label}' is empty`));
		expect(shop.extractions).toHaveLength(0);
	});
});

it.each(['Areas', 'Areas to Exclude'])('%s is refused where it is empty', async (label) => {
	const shop = await openShop(engine, supply());
	const name = label === 'Areas' ? 'area' : 'areaEx';
	const { error } = await shop.run({ product: 'DPS', num: 1, filters: { [name]: '' } });
	expect(error?.message).toMatch(new RegExp(`^'${label}' is empty`));
	expect(shop.extractions).toHaveLength(0);
});
