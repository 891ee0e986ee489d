import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import {
	findOperation,
	nodeProperties,
	RESOURCES,
} from '../../../../../nodes/Kuaidaili/actions/resources.ts';
import { showHints } from '../../../../../nodes/Kuaidaili/run/router.ts';

const OPERATIONS = RESOURCES.flatMap(({ value, operations }) =>
	operations.map(({ option }) => [value, option.value] as const),
);

function isOf(resource: string, operation: string) {
	return ({ displayOptions }: INodeProperties): boolean => {
		const { show } = displayOptions ?? {};
		return (
			(show?.resource?.includes(resource) ?? false) &&
			(show?.operation?.includes(operation) ?? false)
		);
	};
}

const extractFields = nodeProperties.filter(isOf('proxy', 'extract'));

const extractOptions = (extractFields.find(({ name }) => name === 'options')?.options ??
	[]) as INodeProperties[];

/** A collection in 'Options' for open proxies. */
function extractCollection(name: string) {
	return extractOptions.find(
		(one) => one.name === name && one.displayOptions?.show?.['/product']?.includes('OPS') !== false,
	);
}

/** What is in a collection, with the conditions under which each is shown. */
function members({ options = [] }: Pick<INodeProperties, 'options'>): Array<[string, unknown]> {
	return options.map((option) => [option.name, Reflect.get(option, 'displayOptions')]);
}

const PRODUCTS = ['DPS', 'FPS', 'KPS', 'OPS', 'SFPS', 'TPS', 'TPS_PRO'];

/** Whether a field is shown with these values of fields at the top of the node. */
function isShown({ displayOptions }: INodeProperties, values: Record<string, string>): boolean {
	return Object.entries(values).every(
		([name, value]) => displayOptions?.show?.[`/${name}`]?.includes(value) !== false,
	);
}

describe('an operation', () => {
	it('order: close says that it cannot be undone, and spends nothing', () => {
		expect(findOperation('order', 'close')?.done).toBeUndefined();
		expect(nodeProperties.filter(isOf('order', 'close'))[0]).toMatchObject({
			type: 'notice',
			displayName: expect.stringContaining('cannot be reopened'),
		});
	});

	it.each(['create', 'renew'])('order: %s says that it spends money', (operation) => {
		const found = findOperation('order', operation);
		expect(found?.done).toBeDefined();
		expect(found?.option.description).toContain('charged to the account balance');
		expect(nodeProperties.filter(isOf('order', operation))[0]).toMatchObject({
			type: 'notice',
			displayName: expect.stringContaining('Each input item can be one purchase'),
		});
	});
});

describe('the menus', () => {
	const menus = nodeProperties.filter(({ noDataExpression }) => noDataExpression);

	it('stand first, and take no expression', () => {
		expect(menus.map(({ name }) => name)).toEqual([
			'resource',
			...RESOURCES.map(() => 'operation'),
		]);
		expect(nodeProperties.slice(0, menus.length)).toEqual(menus);
	});

	it('open no resource with an operation that spends money or cannot be undone', () => {
		expect(findOperation('order', 'create')?.done).toBeDefined();
		for (const { operations, defaultOperation: operation } of RESOURCES) {
			expect(operations).toContain(operation);
			expect(operation.done).toBeUndefined();
			expect(operation.option.value).not.toBe('close');
		}
	});
});

describe('the fields', () => {
	it('are each shown for one operation only', () => {
		const shown = OPERATIONS.flatMap(([resource, operation]) =>
			nodeProperties.filter(isOf(resource, operation)),
		);
		const fields = nodeProperties.filter(({ noDataExpression }) => noDataExpression !== true);
		expect(new Set(shown)).toEqual(new Set(fields));
		expect(shown).toHaveLength(fields.length);
	});

	it('of the same name in one operation are never shown together', () => {
		for (const [resource, operation] of OPERATIONS) {
			const seen = new Set<string>();
			for (const { name, displayOptions } of nodeProperties.filter(isOf(resource, operation))) {
				for (const combination of combinations(displayOptions?.show ?? {})) {
					const key = `${name} ${combination}`;
					expect(seen.has(key)).toBe(false);
					seen.add(key);
				}
			}
		}
	});

	it.each(['create', 'renew'])(
		'order: %s changes no number, and says below it what is sold',
		(operation) => {
			const numbers = nodeProperties
				.filter(isOf('order', operation))
				.filter(({ type, name }) => type === 'number' && name !== 'expiringWithin');
			expect(numbers.length).toBeGreaterThan(5);
			for (const { typeOptions, hint } of numbers) {
				// The editor would replace what is beyond them without a word
				expect(typeOptions).toBeUndefined();
				expect(hint).toMatch(/^[\d,]+ (to [\d,]+|(Mb\/s )?only|or more)/);
			}
		},
	);

	it('let choose an order, or leave it to the key pair', () => {
		for (const { displayName, type, default: preset, required } of nodeProperties.filter(
			({ name }) => name === 'orderid',
		)) {
			expect({ displayName, type, preset, required }).toEqual({
				displayName: 'Order',
				type: 'resourceLocator',
				preset: { __rl: true, mode: 'list', value: '' },
				required: undefined,
			});
		}
	});

	it('hide from a regular order what it cannot use', () => {
		const open = { '/product': ['OPS'] };
		const paid = { show: { ...open, '/plan': ['vip', 'svip'] } };
		const all = [
			...members(extractCollection('filters') ?? {}),
			...members({ options: extractOptions }),
		];
		const hidden = all.filter(([, display]) => JSON.stringify(display)?.includes('/plan'));
		expect(hidden).toEqual([
			['quality', paid],
			['sort', paid],
			['extraFields', paid],
		]);
	});

	it('in a collection are never shown twice, and are in the order of their labels', () => {
		const collections = nodeProperties.filter(({ type }) => type === 'collection');
		expect(collections.length).toBeGreaterThan(5);
		for (const { options = [] } of collections) {
			const shown = PRODUCTS.flatMap((product) =>
				['tunnel', 'extraction'].flatMap((connection) =>
					(options as INodeProperties[])
						.filter((one) => isShown(one, { product, connection }))
						.map(({ name }) => `${name} of ${product}, ${connection}`),
				),
			);
			expect(shown).toEqual([...new Set(shown)]);
			// Those of pages and extractions stand by what they are about
			if (options.some(({ name }) => ['retryIf', 'reuse'].includes(name))) continue;
			const labels = options.map((option) => String(Reflect.get(option, 'displayName')));
			expect(labels).toEqual([...labels].sort((a, b) => a.localeCompare(b, 'en')));
		}
	});
});

/** Every combination of single values under which a field is shown, as text. */
function combinations(show: object): string[] {
	return Object.entries(show)
		.filter(([name]) => name !== 'resource' && name !== 'operation')
		.sort(([a], [b]) => (a < b ? -1 : 1))
		.reduce<string[]>(
			(texts, [name, values]) =>
				texts.flatMap((text) =>
					(Array.isArray(values) ? values : [values]).map(
						(value) => `${text} ${name}=${String(value)}`,
					),
				),
			[''],
		);
}

describe('the hints of a run', () => {
	type HintsOfItems = Readonly<Record<string, readonly number[]>>;

	function show(context: object, hints: HintsOfItems, itemCount: number, ofRun?: string[]): void {
		const itemsOfHint = Object.entries(hints).map(
			([hint, items]) => [hint, new Set(items)] as const,
		);
		showHints(context as unknown as IExecuteFunctions, itemCount, new Map(itemsOfHint), ofRun);
	}

	function shown(...hints: [HintsOfItems, number, string[]?]): unknown[] {
		const all: unknown[] = [];
		// The one method that hints need of n8n
		const context = { addExecutionHints: (...given: unknown[]) => all.push(...given) };
		show(context, ...hints);
		return all;
	}

	it.each([
		[10, 'Items 0, 1, 2, 3, 4, 5, 6, 7, 8, 9: Hint.'],
		[11, 'Items 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 1 more: Hint.'],
		[1000, 'Items 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 990 more: Hint.'],
	])('of %d items names ten', (count, message) => {
		const items = [...Array(count).keys()];
		expect(shown({ 'Hint.': items }, count)).toEqual([{ message, location: 'outputPane' }]);
	});

	it('shows a hint about the run as a whole last, as it is', () => {
		expect(shown({ 'Hint.': [1] }, 2, ['Two orders were placed.'])).toEqual([
			{ message: 'Item 1: Hint.', location: 'outputPane' },
			{ message: 'Two orders were placed.', location: 'outputPane' },
		]);
	});
});
