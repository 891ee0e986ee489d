import { useTestBed } from '../support/testBed.mts';
import { linkedTo, links } from './itemLinks.mts';

const bed = useTestBed();

describe('several input items', () => {
	it('are worked through in their order, each with its own values', async () => {
		const { items, error, hints } = await bed().extract({
			num: '={{ $json.n }}',
			filters: { carrier: '={{ $json.carrier }}' },
			items: [
				{ n: 2, carrier: 1 },
				{ n: 1, carrier: 2 },
				{ n: 3, carrier: 3 },
			],
		});
		expect(error).toBeUndefined();
		expect(hints).toEqual([]);
		expect(bed().extractions.map(({ parameters }) => parameters.num)).toEqual(['2', '1', '3']);
		expect(links(items)).toEqual(linkedTo(0, 0, 1, 2, 2, 2));
		expect(items.map((item) => bed().proxyOf(item).carrier)).toEqual([1, 1, 2, 3, 3, 3]);
	});

	it('may each have another kind of output, with the plan from an expression too', async () => {
		const { items, error } = await bed().extract({
			plan: '={{ $json.plan }}',
			num: 2,
			output: '={{ $json.output }}',
			items: [
				{ plan: 'svip', output: 'allInOne' },
				{ plan: 'svip', output: 'eachProxy' },
			],
		});
		expect(error).toBeUndefined();
		expect(bed().extractions.map(({ host }) => host)).toEqual(['svip', 'svip']);
		expect(links(items)).toEqual(linkedTo(0, 1, 1));
	});
});

describe('when nothing matches', () => {
	const NOTHING = '火星';
	const UNUSED_PORT = '1';
	const nothingHint = "No proxies match. Relax or remove some of the 'Filters'.";

	it.each(['text', 'json', 'xml'])(
		'there are no items and a hint, in the format %s',
		async (format) => {
			const { items, errorItems, error, status, hints } = await bed().extract({
				filters: { area: NOTHING },
				options: { format },
			});
			expect(bed().extractions.map(({ code }) => code)).toEqual([3]);
			expect(status).toBe('success');
			expect(error).toBeUndefined();
			expect(items).toEqual([]);
			expect(errorItems).toEqual([]);
			expect(hints).toEqual([{ message: nothingHint, location: 'outputPane' }]);
		},
	);

	it('there is no item either when all are wanted in one', async () => {
		const { items, status, hints } = await bed().extract({
			output: 'allInOne',
			filters: { area: NOTHING },
		});
		expect(status).toBe('success');
		expect(items).toEqual([]);
		expect(hints).toHaveLength(1);
	});

	it('the hint names the items that it is about, and the others have their output', async () => {
		const { items, hints } = await bed().extract({
			filters: { port: '={{ $json.port }}' },
			items: [{ port: UNUSED_PORT }, { port: '' }, { port: UNUSED_PORT }],
		});
		expect(links(items)).toEqual(linkedTo(1));
		expect(hints.map(({ message }) => message)).toEqual([`Items 0, 2: ${nothingHint}`]);
	});

	it('a hint also tells how many are missing when there are fewer than asked for', async () => {
		const { items, hints } = await bed().extract({ num: 301 });
		expect(items).toHaveLength(300);
		expect(hints.map(({ message }) => message)).toEqual([
			'Only 300 of 301 proxies were found. No more match right now.',
		]);
	});

	it('different hints of several items stand side by side', async () => {
		const { hints } = await bed().extract({
			num: '={{ $json.n }}',
			filters: { port: '={{ $json.port }}' },
			items: [
				{ n: 400, port: '' },
				{ n: 1, port: UNUSED_PORT },
				{ n: 2, port: '' },
				{ n: 400, port: '' },
			],
		});
		expect(hints.map(({ message }) => message)).toEqual([
			'Items 0, 3: Only 300 of 400 proxies were found. No more match right now.',
			`Item 1: ${nothingHint}`,
		]);
	});
});

it.each(['__CUSTOM_API_CALL__', 'unknown'])(
	'%s as resource ends in an error that says what to use',
	async (resource) => {
		const { error } = await bed().engine.run({
			credentialId: bed().addCredential(bed().newOrder().keys),
			parameters: { resource, operation: resource },
		});
		expect(error?.message).toContain(`for '${resource}'`);
		expect(error?.description).toContain('HTTP Request node');
	},
);
