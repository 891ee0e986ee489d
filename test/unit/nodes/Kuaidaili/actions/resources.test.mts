import { findOperation, nodeProperties } from '../../../../../nodes/Kuaidaili/actions/resources.ts';

function property(name: string) {
	return nodeProperties.find((one) => one.name === name);
}

/** The names in a collection, with the plans for which each is shown. */
function members(name: string): Array<[string, unknown]> {
	return (property(name)?.options ?? []).map((option) => {
		const show: unknown = Reflect.get(option, 'displayOptions');
		return [option.name, show];
	});
}

describe('an operation', () => {
	it('is found by resource and name', () => {
		expect(findOperation('proxy', 'extract')?.option.action).toBe('Extract proxies');
	});

	it.each([
		['proxy', '__CUSTOM_API_CALL__'],
		['__CUSTOM_API_CALL__', 'extract'],
		['proxy', ''],
		['', ''],
		['proxy', 'constructor'],
		['constructor', 'toString'],
	])('%s: %s is not found', (resource, operation) => {
		expect(findOperation(resource, operation)).toBeUndefined();
	});
});

describe('the fields of the node', () => {
	it('begin with the two menus', () => {
		expect(nodeProperties.slice(0, 2).map(({ name }) => name)).toEqual(['resource', 'operation']);
		for (const { noDataExpression } of nodeProperties.slice(0, 2))
			expect(noDataExpression).toBe(true);
		expect(property('resource')?.default).toBe('proxy');
		expect(property('operation')?.default).toBe('extract');
	});

	it('are each shown for their operation only', () => {
		expect(property('operation')?.displayOptions).toEqual({ show: { resource: ['proxy'] } });
		for (const { displayOptions } of nodeProperties.slice(2)) {
			expect(displayOptions?.show).toMatchObject({ resource: ['proxy'], operation: ['extract'] });
		}
	});

	it('are in their order', () => {
		expect(nodeProperties.slice(2).map(({ name }) => name)).toEqual([
			'plan',
			'num',
			'output',
			'filters',
			'extraFields',
			'options',
		]);
	});

	it('hide from a regular order what it cannot use', () => {
		const paid = { show: { '/plan': ['vip', 'svip'] } };
		expect(property('extraFields')?.displayOptions?.show).toMatchObject({ plan: ['vip', 'svip'] });
		const hidden = [...members('filters'), ...members('options')].filter(([, show]) => show);
		expect(hidden).toEqual([
			['quality', paid],
			['format', paid],
			['sort', paid],
		]);
	});

	it('have no name twice', () => {
		for (const names of [
			nodeProperties.map(({ name }) => name),
			...['filters', 'extraFields', 'options'].map((name) => members(name).map(([one]) => one)),
		]) {
			expect(new Set(names).size).toBe(names.length);
		}
	});

	it.each(['filters', 'extraFields', 'options'])('%s are in the order of their labels', (name) => {
		const labels = (property(name)?.options ?? []).map((option) =>
			String(Reflect.get(option, 'displayName')),
		);
		expect(labels.length).toBeGreaterThan(3);
		expect(labels).toEqual([...labels].sort((a, b) => a.localeCompare(b, 'en')));
	});
});
