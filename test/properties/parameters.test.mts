import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { isRecord } from '../../harness/outsideData.mts';
import { API } from '../engine/support/api.mts';
import { useWorkbench } from '../engine/support/workbench.mts';
import { triesAll } from '../fullMatrices.mts';
import {
	describedOperation,
	type FieldPath,
	fieldPaths,
	pathText,
	shownFields,
} from '../operations/described.mts';
import { CASES, type Way, WAYS } from '../operations/index.mts';
import { parametersOf, worldOf } from '../operations/outcome.mts';
import { uniqueName } from '../uniqueName.mts';
import { LONGEST_PROPERTY_MS, named, oneOfEach, tryOut } from './cases.mts';
import { expectClear, REFUSED_HERE, toldBy } from './clearError.mts';
import { hostileValue, type HostileValue } from './hostileValues.mts';
import { expectPrototypesUntouched } from './untouched.mts';

const { bed } = useWorkbench({ rateLimits: false, withRecords: true });

interface Spoiled {
	readonly path: FieldPath;
	readonly value: HostileValue;
}

interface Case {
	/** Where everything is right. */
	readonly way: Way;
	readonly spoiled: readonly Spoiled[];
}

/** Each spoiled field reads an item field of its own, so that several can be spoiled at once. */
function withSpoiled(
	fields: IDataObject,
	spoiled: readonly Spoiled[],
): { parameters: IDataObject; item: IDataObject } {
	const parameters: Record<string, unknown> = { ...fields };
	const item: Record<string, unknown> = { __rl: true, a: 1 };
	spoiled.forEach(({ path: { collection, name }, value }, index) => {
		const readsItem = value.parameter === '={{ $json.value }}';
		const parameter = readsItem ? `={{ $json.value${index} }}` : value.parameter;
		if (readsItem) item[`value${index}`] = value.item.value;
		if (collection === undefined) {
			parameters[name] = parameter;
			return;
		}
		const inside = parameters[collection];
		parameters[collection] = { ...(isRecord(inside) ? inside : {}), [name]: parameter };
	});
	return { parameters: parameters as IDataObject, item: item as IDataObject };
}

function pathsOf({ operation }: Way): FieldPath[] {
	return fieldPaths(describedOperation(operation).properties);
}

function fieldText({ operation }: Way, path: FieldPath): string {
	return `${operation.name}: ${pathText(path)}`;
}

function textOf({ way, spoiled }: Case): string {
	const fields = spoiled.map(({ path, value }) => `${pathText(path)} ${value.shown}`).join(', ');
	return `${way.name}: ${fields}`;
}

function anyCase(ways: readonly Way[]): fc.Arbitrary<Case> {
	const cases = fc.constantFrom(...ways).chain((way) =>
		fc.record({
			way: fc.constant(way),
			spoiled: fc.uniqueArray(
				fc.record({ path: fc.constantFrom(...pathsOf(way)), value: hostileValue }),
				{ minLength: 1, maxLength: 3, selector: ({ path }) => pathText(path) },
			),
		}),
	);
	return named(cases, textOf);
}

/** Every way, and every field of an operation in one case that shows it, or in all where everything is tried. */
function eachField(ways: readonly Way[]): Array<[Case]> {
	const chosen = new Set<string>();
	const isNew = (way: Way, path: FieldPath): boolean => {
		const text = fieldText(way, path);
		const known = chosen.has(text);
		chosen.add(text);
		return triesAll || !known;
	};
	const cases = ways.flatMap((way) => {
		const { menus, properties } = describedOperation(way.operation);
		const shown = shownFields(properties, { ...menus, ...way.theCase.fields });
		const paths = fieldPaths(shown.map(({ property }) => property));
		const own = CASES.includes(way) ? paths.filter((path) => isNew(way, path)) : [];
		return (own.length > 0 ? own : paths.slice(0, 1)).map((path) =>
			fc.record({
				way: fc.constant(way),
				spoiled: fc.tuple(fc.record({ path: fc.constant(path), value: hostileValue })),
			}),
		);
	});
	return oneOfEach(cases.map((each) => named<Case>(each, textOf))).map((one) => [one]);
}

/** In virtual time: some values mean many calls at one per second, or waiting for a change. */
const LONGEST_CASE_MS = 15 * 60_000;

const PURCHASES = ['/api/createorder', '/api/reneworder'];

/** Calls that tell of which product an order is, with its key pair. */
const ASKED_FOR_PRODUCT = ['/api/getordersecret', '/api/getorderinfo'];

/** Both are read before the limit is known to be reached: it counts what is missing of an item. */
const ASKED_BEFORE_LIMIT = ['/api/getordersecret', '/api/getproxyauthorization'];
const LIMIT = /^'Max Extractions per Execution' allows only [\d,]+$/;

/** n8n itself could not work out the value. */
const OF_N8N = /^(?:this is a function, please add \(\)|Referenced node doesn't exist)$/;

/** What the service alone can judge: of which kind the order is, and which order or region there is. */
const ABOUT_THE_ORDER = ['orderid', 'product', 'plan', 'renewalOf', 'proxyLifetime', 'area'];
/** Private proxies take these only where they are paid per IP. */
const ABOUT_THE_PAY_TYPE = ['filters.area', 'filters.areaEx', 'filters.carrier'];

function isAboutTheOrder(path: FieldPath): boolean {
	return ABOUT_THE_ORDER.includes(path.name) || ABOUT_THE_PAY_TYPE.includes(pathText(path));
}

/** A value that the service does not take, in the words of the node. */
const NOT_TAKEN =
	/^Kuaidaili (?:did not accept|refused the request with code -?\d+)|^Kuaidaili was not told/;

/** How often each end was met, and each field spoiled. */
const tally = new Map<string, number>();

function count(what: string): void {
	tally.set(what, (tally.get(what) ?? 0) + 1);
}

async function check(one: Case): Promise<void> {
	const { way, spoiled } = one;
	const { sandbox, engine } = bed();
	sandbox.log.clear();
	const world = worldOf(way, sandbox);
	const fields = parametersOf(way, world);
	const { parameters, item } = withSpoiled(fields as IDataObject, spoiled);
	const begin = performance.now();
	const result = await engine.run({
		credentialId: bed().addCredential(world.keys, { keyType: way.by }),
		parameters,
		items: [item],
		// Each case is a node of its own, which has bought nothing for a key
		settings: { id: uniqueName('node') },
		executionId: uniqueName('execution'),
	});
	expect(performance.now() - begin).toBeLessThan(LONGEST_CASE_MS);
	count(way.name);
	for (const { path } of spoiled) count(fieldText(way, path));

	const requests = world.requests();
	const { payments } = world;
	const spends = way.operation.costs === 'at once';
	const paths = requests.map(({ path }) => path);
	const purchases = paths.filter((path) => PURCHASES.includes(path));
	expect(purchases.length).toBeLessThanOrEqual(spends ? 1 : 0);
	expect(payments.length).toBeLessThanOrEqual(purchases.length);
	// Nothing that is no text may come to the service as the text that JavaScript makes of it
	for (const { parameters: sent } of requests) {
		for (const text of Object.values(sent)) expect(text).not.toMatch(/^\[object |^function/);
	}

	if (result.status === 'success') {
		count('success');
		expect(result.error).toBeUndefined();
		for (const { json, pairedItem } of result.items) {
			expect(json.error).toBeUndefined();
			expect(pairedItem).toEqual({ item: 0 });
		}
		if (spends && payments.length === 1) {
			count('bought');
			expect(result.items).toHaveLength(1);
			expect(JSON.stringify(result.items[0].json)).toContain(payments[0].orderId);
		}
		return;
	}
	expect(result.status).toBe('error');
	expect(result.items).toEqual([]);
	if (OF_N8N.test(result.error?.message ?? '')) {
		count('of n8n');
		expect(paths).toEqual([]);
		return;
	}
	const told = toldBy(result);
	const secrets = [world.account, world.order ?? world].map(({ keys }) => keys.secretKey);
	// The number of a renewed order is asked for after the refusal
	const code = requests.findLast((request) => request.code !== 0)?.code ?? 0;
	// What is signed is what arrives
	expect(code).not.toBe(-104);
	expectClear(told, secrets, code === 0 ? [] : [/^[A-Z][^]+$/]);
	expect(payments).toEqual([]);
	if (LIMIT.test(told.message) || REFUSED_HERE.test(told.message)) {
		count('refused here');
		const asked = [
			...(LIMIT.test(told.message) ? ASKED_BEFORE_LIMIT : []),
			...(spends ? [API.querykpscity] : []),
			// Which product an order is of has to be asked before another one can be refused
			...(spoiled.some(({ path }) => path.name === 'product') ? ASKED_FOR_PRODUCT : []),
		];
		expect(paths.filter((path) => !asked.includes(path))).toEqual([]);
		return;
	}
	count('refused there');
	if (!spoiled.some(({ path }) => isAboutTheOrder(path))) {
		expect(told.message).not.toMatch(NOT_TAKEN);
	}
}

afterEach(expectPrototypesUntouched);
it(
	'reads do what the fields say, or say what is wrong with them',
	async () => {
		const ways = WAYS.filter(({ operation }) => operation.costs !== 'at once');
		await tryOut('parametersOfReads', fc.asyncProperty(anyCase(ways), check), eachField(ways));
	},
	LONGEST_PROPERTY_MS,
);

it(
	'purchases are made once and as the fields say, or not at all',
	async () => {
		const ways = WAYS.filter(({ operation }) => operation.costs === 'at once');
		await tryOut('parametersOfPurchases', fc.asyncProperty(anyCase(ways), check), eachField(ways));
	},
	LONGEST_PROPERTY_MS,
);

it('every field of every operation and product was spoiled, and every end met often enough', () => {
	expect(WAYS.map(({ name }) => name).filter((name) => !tally.has(name))).toEqual([]);
	const fields = CASES.flatMap((way) => pathsOf(way).map((path) => fieldText(way, path)));
	expect(fields.filter((field) => !tally.has(field))).toEqual([]);
	const often = ['success', 'bought', 'refused here'].map((end) => tally.get(end) ?? 0);
	expect(Math.min(...often)).toBeGreaterThan(50);
	expect(tally.get('refused there')).toBeGreaterThan(20);
});
