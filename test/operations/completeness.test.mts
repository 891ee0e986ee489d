import { readdirSync } from 'node:fs';

import { findOperation } from '../../nodes/Kuaidaili/actions/resources.ts';
import { ENDPOINTS } from '../../nodes/shared/service/endpoints/index.ts';
import { ENDPOINTS as SIMULATED_ENDPOINTS } from '../../sandbox/endpoints/table.mts';
import { isRecord } from '../../harness/outsideData.mts';
import {
	choicesOf,
	DESCRIBED_EVENTS,
	DESCRIBED_OPERATIONS,
	describedOperation,
	nestedFieldPaths,
	pathText,
	shownFields,
	type DescribedOperation,
	type FieldPath,
	type ShownField,
} from './described.mts';
import { BALANCE } from './common.mts';
import {
	callsOf,
	reportsCost,
	CASES,
	ENDPOINT_ROWS,
	EVENTS,
	HELPER_ENDPOINTS,
	OPERATIONS,
	RESOURCES,
	WAYS,
	type Fields,
	type Operation,
} from './index.mts';

/** Fields of many operations: how they are sent or counted is tried for all operations at once. */
const EVERYWHERE = new Set([
	'orderid',
	'returnAll',
	'limit',
	'options',
	'options.timeout',
	'filters',
	'extraFields',
]);

/** They stand in the rows of some endpoints because of what they mean there. */
const EVERY_ENDPOINTS_CODES = new Set([-102, -114]);

/** By endpoint: codes whose reason the sandbox doesn't have. */
const NOT_SIMULATED: Readonly<Record<string, readonly number[]>> = {
	'/api/getorderexpiretime': [-1],
	'/api/getaccountbalance': [-3],
	'/api/get_secret_token': [-1, -2],
};

function labelsOf(shown: readonly ShownField[]): string[] {
	return shown.map(({ property }) => property.displayName);
}

/** The paths of all that an example has, such as `options.filters.area`. */
function pathsIn(fields: Fields, collections: ReadonlySet<string>, within = ''): string[] {
	return Object.entries(fields).flatMap(([name, value]) => {
		const path = within + name;
		return isRecord(value) && collections.has(path)
			? [path, ...pathsIn(value, collections, `${path}.`)]
			: [path];
	});
}

/** The fields that no example has, and the examples that have no field. */
function differences(paths: readonly FieldPath[], examples: readonly Fields[]): string[] {
	const known = new Set(paths.map(pathText));
	const collections = new Set(paths.flatMap(({ collection }) => collection ?? []));
	const given = new Set(examples.flatMap((fields) => pathsIn(fields, collections)));
	return [
		...[...known]
			.filter((path) => !EVERYWHERE.has(path) && !given.has(path))
			.map((path) => `no example of ${path}`),
		...[...given].filter((path) => !known.has(path)).map((path) => `no field ${path}`),
	];
}

describe('the table has', () => {
	it('every operation of the node, by the names and in the order of its menus', () => {
		const names = (row: Operation | DescribedOperation) => {
			const { resource, resourceLabel, operation, label, action } = row;
			return { resource, resourceLabel, operation, label, action };
		};
		expect(OPERATIONS.map(names)).toEqual(DESCRIBED_OPERATIONS.map(names));
	});

	it('the operation that each resource opens with', () => {
		const presets = DESCRIBED_OPERATIONS.filter(({ isPreset }) => isPreset);
		expect(RESOURCES.map(({ resource, opensWith }) => [resource, opensWith])).toEqual(
			presets.map(({ resource, operation }) => [resource, operation]),
		);
	});

	it('every operation that has an output schema, and no other', () => {
		const files = readdirSync('nodes/Kuaidaili/__schema__/v1.0.0', {
			recursive: true,
			encoding: 'utf8',
		});
		const schemas = files.filter((file) => file.endsWith('.json'));
		const names = OPERATIONS.map(({ resource, operation }) => `${resource}/${operation}.json`);
		expect(schemas.map((file) => file.replaceAll('\\', '/')).sort()).toEqual(names.sort());
	});

	it('every event of the trigger, by the names and in the order of its menu', () => {
		expect(EVENTS.map(({ event, label }) => [event, label])).toEqual(
			DESCRIBED_EVENTS.map(({ event, label }) => [event, label]),
		);
		for (const { action, label } of EVENTS) {
			expect(DESCRIBED_EVENTS.find((event) => event.label === label)?.action).toBe(action);
		}
	});

	it('every endpoint that the node calls', () => {
		const paths = new Set(Object.values(ENDPOINTS).map(({ path }) => path));
		expect(ENDPOINT_ROWS.map(({ path }) => path).sort()).toEqual([...paths].sort());
	});

	it('no endpoint that the sandbox lacks', () => {
		const simulated = new Set(SIMULATED_ENDPOINTS.map(({ path }) => path));
		const missing = ENDPOINT_ROWS.filter(({ path }) => !simulated.has(path));
		expect(missing.map(({ path }) => path)).toEqual([]);
	});
});

describe.each(OPERATIONS)('$name', (operation) => {
	const { labels, cases, everyChoiceOf = [] } = operation;
	const { properties, menus } = describedOperation(operation);

	it('shows at first what its row says', () => {
		expect(labelsOf(shownFields(properties, menus))).toEqual(labels);
	});

	it('has a case, and an example of each of its fields', () => {
		expect(cases.length).toBeGreaterThan(0);
		const examples = cases.map(({ fields = {} }) => fields);
		expect(differences(nestedFieldPaths(properties), examples)).toEqual([]);
	});

	it('has a case of every choice that its row names', () => {
		const textOf = ({ property, value }: ShownField) =>
			`${property.name} ${properties.indexOf(property)}: ${String(value)}`;
		const tried = cases.flatMap(({ fields }) =>
			shownFields(properties, { ...menus, ...fields }).map(textOf),
		);
		for (const name of everyChoiceOf) {
			const variants = properties.filter((property) => property.name === name);
			const all = variants.flatMap((property) =>
				choicesOf(property).map((value) => textOf({ property, value })),
			);
			expect(all.length).toBeGreaterThan(1);
			expect(all.filter((choice) => !tried.includes(choice))).toEqual([]);
		}
	});

	it('has what the service says to each call of a case', () => {
		const answered = CASES.filter(
			(way) => way.operation.name === operation.name && way.theCase.answers !== undefined,
		);
		expect(answered.length).toBeGreaterThan(0);
		for (const way of answered) {
			const called = [...callsOf(way), ...(reportsCost(way) ? [BALANCE] : [])];
			expect(Object.keys(way.theCase.answers ?? {})).toEqual([...new Set(called)]);
		}
	});

	it('spends money, and lets choose an order, where its row says so', () => {
		const { resource, operation: name, key, costs } = operation;
		const spends = findOperation(resource, name)?.done !== undefined;
		expect(spends).toBe(costs === 'at once');
		expect(properties.some((property) => property.name === 'orderid')).toBe(key === 'order');
	});

	it('takes the key pair that its endpoint takes', () => {
		const endpoints = Object.values(ENDPOINTS).filter(({ path }) => path === operation.path);
		expect(new Set(endpoints.map(({ key }) => key))).toEqual(new Set([operation.key]));
	});
});

describe.each(EVENTS)('Trigger: $label', ({ event, labels, fields = {} }) => {
	const properties = DESCRIBED_EVENTS.find((one) => one.event === event)?.properties ?? [];

	it('shows at first what its row says', () => {
		expect(labelsOf(shownFields(properties, { event }))).toEqual(labels);
	});

	it('has an example of each of its fields', () => {
		expect(differences(nestedFieldPaths(properties), [fields])).toEqual([]);
	});
});

describe.each(ENDPOINT_ROWS)(
	'$path',
	({ path, codes, outcomeUnknown = [], outcomeUnknownWithQuota = [] }) => {
		const endpoints = Object.values(ENDPOINTS).filter((endpoint) => endpoint.path === path);

		it('has the codes that its row says', () => {
			for (const endpoint of endpoints) {
				const withQuota = endpoint.kind === 'quota' ? outcomeUnknownWithQuota : [];
				const expected = [...Object.keys(codes), ...withQuota.map(String)];
				expect(Object.keys(endpoint.codes).sort()).toEqual(expected.sort());
				const open = Object.entries(endpoint.codes).filter(([, meaning]) => meaning.outcomeUnknown);
				expect(open.map(([code]) => Number(code))).toEqual([...outcomeUnknown, ...withQuota]);
			}
		});

		it('can give each of its codes in the sandbox', () => {
			const simulated = SIMULATED_ENDPOINTS.filter((endpoint) => endpoint.path === path);
			const lacking = Object.keys(codes)
				.map(Number)
				.filter((code) => !EVERY_ENDPOINTS_CODES.has(code))
				.filter((code) => !simulated.some(({ message }) => message(code) !== undefined));
			expect(lacking).toEqual(NOT_SIMULATED[path] ?? []);
		});

		it('is called in some case', () => {
			const called = [
				...WAYS.flatMap(callsOf),
				...EVENTS.map((row) => row.path),
				...HELPER_ENDPOINTS.map((row) => row.path),
			];
			expect(called).toContain(path);
		});
	},
);
