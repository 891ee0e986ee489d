import type { INodeProperties } from 'n8n-workflow';

import {
	findOperation,
	nodeProperties,
	RESOURCES,
} from '../../../../../nodes/Kuaidaili/actions/resources.ts';

/** As the documentation of the node promises them. */
const OPERATIONS: ReadonlyArray<[resource: string, operation: string, action: string]> = [
	['account', 'getBalance', 'Get account balance'],
	['area', 'getAll', 'Get many areas'],
	['autoRenewal', 'disable', 'Disable auto-renewal'],
	['autoRenewal', 'enable', 'Enable auto-renewal'],
	['city', 'getAll', 'Get many cities'],
	['order', 'close', 'Close order'],
	['order', 'create', 'Create order'],
	['order', 'get', 'Get order'],
	['order', 'getIpBalance', 'Get IP balance'],
	['order', 'getAll', 'Get many orders'],
	['order', 'getTraffic', 'Get traffic'],
	['order', 'renew', 'Renew order'],
	['privateProxyResource', 'getAll', 'Get many private proxy resources'],
	['proxy', 'extract', 'Extract proxies'],
	['proxy', 'getLogin', 'Get proxy login'],
	['tunnel', 'changeIp', 'Change IP of tunnel'],
	['tunnel', 'getCurrentIp', 'Get current IP of tunnel'],
	['userAgent', 'getAll', 'Get many user agents'],
	['whitelist', 'add', 'Add IPs to whitelist'],
	['whitelist', 'get', 'Get whitelist'],
	['whitelist', 'getOwnIp', 'Get own IP'],
	['whitelist', 'remove', 'Remove IPs from whitelist'],
	['whitelist', 'replace', 'Replace whitelist'],
];

/** Workflows are saved without values that equal the default, so none of these may ever change. */
const DEFAULT_OPERATIONS = {
	account: 'getBalance',
	area: 'getAll',
	autoRenewal: 'enable',
	city: 'getAll',
	order: 'getAll',
	privateProxyResource: 'getAll',
	proxy: 'extract',
	tunnel: 'getCurrentIp',
	userAgent: 'getAll',
	whitelist: 'get',
};

const RESOURCE_COUNT = new Set(OPERATIONS.map(([resource]) => resource)).size;

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

function extractField(name: string) {
	return extractFields.find((one) => one.name === name);
}

/** The names in a collection, with the plans for which each is shown. */
function members(name: string): Array<[string, unknown]> {
	return (extractField(name)?.options ?? []).map((option) => {
		const show: unknown = Reflect.get(option, 'displayOptions');
		return [option.name, show];
	});
}

describe('an operation', () => {
	it.each(OPERATIONS)('%s: %s is found', (resource, operation, action) => {
		expect(findOperation(resource, operation)?.option.action).toBe(action);
	});

	it.each([
		['proxy', '__CUSTOM_API_CALL__'],
		['__CUSTOM_API_CALL__', 'extract'],
		['account', 'get'],
		['proxy', 'create'],
		['proxy', ''],
		['', ''],
		['proxy', 'constructor'],
		['constructor', 'toString'],
	])('%s: %s is not found', (resource, operation) => {
		expect(findOperation(resource, operation)).toBeUndefined();
	});

	it('order: close says that it cannot be undone, and spends nothing', () => {
		expect(findOperation('order', 'close')?.purchases).toBeUndefined();
		expect(nodeProperties.filter(isOf('order', 'close'))[0]).toMatchObject({
			type: 'notice',
			displayName: expect.stringContaining('cannot be reopened'),
		});
	});

	it.each(['create', 'renew'])('order: %s says that it spends money', (operation) => {
		const found = findOperation('order', operation);
		expect(found?.purchases).toBeDefined();
		expect(found?.option.description).toContain('charged to the account balance');
		expect(nodeProperties.filter(isOf('order', operation))[0]).toMatchObject({
			type: 'notice',
			displayName: expect.stringContaining('Each input item is one purchase'),
		});
	});
});

describe('the menus', () => {
	const menus = nodeProperties.filter(({ noDataExpression }) => noDataExpression);

	it('stand first, and take no expression', () => {
		expect(menus.map(({ name }) => name)).toEqual([
			'resource',
			...Array.from({ length: RESOURCE_COUNT }, () => 'operation'),
		]);
		expect(nodeProperties.slice(0, menus.length)).toEqual(menus);
	});

	it('open each resource with the operation that saved workflows without a value mean', () => {
		const opened = menus
			.slice(1)
			.map(({ displayOptions, default: preset }) => [displayOptions?.show?.resource?.[0], preset]);
		expect(Object.fromEntries(opened)).toEqual(DEFAULT_OPERATIONS);
	});

	it('open no resource with an operation that spends money or cannot be undone', () => {
		expect(findOperation('order', 'create')?.purchases).toBeDefined();
		expect(findOperation('order', 'close')?.irreversible).toBe(true);
		const opened = RESOURCES.map(({ option, defaultOperation }) =>
			findOperation(option.value, defaultOperation),
		);
		expect(opened).toHaveLength(RESOURCE_COUNT);
		for (const operation of opened) {
			expect(operation).toBeDefined();
			expect(operation).not.toHaveProperty('purchases');
			expect(operation).not.toHaveProperty('irreversible');
		}
	});

	it('hold every operation, each with its action', () => {
		const entries = menus
			.slice(1)
			.flatMap(({ displayOptions, options }) =>
				(options ?? []).map((option) => [
					displayOptions?.show?.resource?.[0],
					Reflect.get(option, 'value'),
					Reflect.get(option, 'action'),
				]),
			);
		expect(entries).toEqual(OPERATIONS);
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

	it.each([
		['area', ['serie', 'returnAll', 'limit', 'options']],
		['city', ['serie', 'kpsMaxBandwidth', 'city', 'returnAll', 'limit', 'options']],
		['order', ['status', 'returnAll', 'limit', 'filters', 'options']],
		[
			'privateProxyResource',
			['orderid', 'area', 'carrier', 'onlyAvailable', 'returnAll', 'limit', 'options'],
		],
	])('of a list of %s are those that the service takes, then its length', (resource, names) => {
		const fields = nodeProperties.filter(isOf(resource, 'getAll'));
		expect(fields.map(({ name }) => name)).toEqual(names);
		const limit = fields.find(({ name }) => name === 'limit');
		expect(limit?.displayOptions?.show).toMatchObject({ returnAll: [false] });
	});

	it('of Proxy: Extract are in their order', () => {
		expect(extractFields.map(({ name }) => name)).toEqual([
			'orderid',
			'plan',
			'num',
			'output',
			'filters',
			'extraFields',
			'options',
		]);
	});

	it('let every operation on an order, and no other, choose one', () => {
		const withOrder = OPERATIONS.filter(([resource, operation]) =>
			nodeProperties.filter(isOf(resource, operation)).some(({ name }) => name === 'orderid'),
		);
		expect(withOrder.map(([resource, operation]) => `${resource} ${operation}`)).toEqual([
			'autoRenewal disable',
			'autoRenewal enable',
			'order close',
			'order get',
			'order getIpBalance',
			'order getTraffic',
			'order renew',
			'privateProxyResource getAll',
			'proxy extract',
			'proxy getLogin',
			'tunnel changeIp',
			'tunnel getCurrentIp',
			'whitelist add',
			'whitelist get',
			'whitelist remove',
			'whitelist replace',
		]);
		for (const { displayName, type, default: preset, required } of nodeProperties.filter(
			({ name }) => name === 'orderid',
		)) {
			expect({ displayName, type, preset, required }).toEqual({
				displayName: 'Order',
				type: 'resourceLocator',
				preset: { mode: 'list', value: '' },
				required: undefined,
			});
		}
	});

	it('hide from a regular order what it cannot use', () => {
		const paid = { show: { '/plan': ['vip', 'svip'] } };
		expect(extractField('extraFields')?.displayOptions?.show).toMatchObject({
			plan: ['vip', 'svip'],
		});
		const hidden = [...members('filters'), ...members('options')].filter(([, show]) => show);
		expect(hidden).toEqual([
			['quality', paid],
			['sep', { show: { format: ['text'] } }],
			['sort', paid],
		]);
	});

	it('in a collection have no name twice, and are in the order of their labels', () => {
		const collections = nodeProperties.filter(({ type }) => type === 'collection');
		expect(collections.length).toBeGreaterThan(5);
		for (const { options = [] } of collections) {
			expect(new Set(options.map(({ name }) => name)).size).toBe(options.length);
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
