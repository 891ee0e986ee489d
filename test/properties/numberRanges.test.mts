import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { isRecord } from '../../harness/outsideData.mts';
import { useWorkbench } from '../engine/support/workbench.mts';
import { describedOperation, shownFields, type Values } from '../operations/described.mts';
import { CASES, type Way } from '../operations/index.mts';
import { parametersOf, worldOf } from '../operations/outcome.mts';
import { uniqueName } from '../uniqueName.mts';

/*
 * What the editor offers for a number, the service has to take: the sandbox knows the ranges from the
 * documentation of the service, not from the node.
 */

const { bed } = useWorkbench({ rateLimits: false });

interface Range {
	readonly min: number;
	/** Undefined where there is no end. */
	readonly max: number | undefined;
	readonly step: number;
}

interface NumberField {
	readonly way: Way;
	/** The collection that it is in. */
	readonly collection: string | undefined;
	readonly property: INodeProperties;
	readonly range: Range;
	readonly name: string;
}

const numberIn = (text: string) => Number(text.replaceAll(',', ''));

/** As the editor enforces it or, where money is spent, says it below the field. */
function rangeOf({ typeOptions, hint = '' }: INodeProperties): Range | undefined {
	const { minValue, maxValue } = typeOptions ?? {};
	if (minValue !== undefined) return { min: minValue, max: maxValue, step: 1 };
	const said = /^([\d,]+) (?:to ([\d,]+)|or more|only|\S+ only)(?:.* in steps of ([\d,]+))?/.exec(
		hint,
	);
	if (!said) return undefined;
	const [, min = '', max, step = '1'] = said;
	const isOnly = hint.endsWith('only');
	const most = isOnly ? min : max;
	return {
		min: numberIn(min),
		max: most === undefined ? undefined : numberIn(most),
		step: numberIn(step),
	};
}

function isShown({ displayOptions }: INodeProperties, values: Values): boolean {
	const conditions = Object.entries(displayOptions?.show ?? {});
	return conditions.every(([name, allowed = []]) =>
		allowed.some((value) => value === values[name.replace(/^\//, '')]),
	);
}

const isProperty = (value: object): value is INodeProperties =>
	'displayName' in value && 'type' in value;

/** Those that a case shows, with the collections that are open to everybody. */
function numbersOf(way: Way): Array<Omit<NumberField, 'range' | 'name'>> {
	const { menus, properties } = describedOperation(way.operation);
	const shown = shownFields(properties, { ...menus, ...way.theCase.fields });
	const values = Object.fromEntries(shown.map(({ property, value }) => [property.name, value]));
	return shown
		.flatMap(({ property }) => [
			{ way, collection: undefined, property },
			...(property.type === 'collection' ? (property.options ?? []) : [])
				.filter(isProperty)
				.filter((inside) => isShown(inside, { ...menus, ...values }))
				.map((inside) => ({ way, collection: property.name, property: inside })),
		])
		.filter(({ property }) => property.type === 'number');
}

/** Whether the case has a value for the field, so that those that belong to it have one, too. */
function isFilledIn({ way, collection, property }: Omit<NumberField, 'range' | 'name'>): boolean {
	const { fields = {} } = way.theCase;
	const among = collection === undefined ? fields : fields[collection];
	return isRecord(among) && Object.hasOwn(among, property.name);
}

/** Each variant of a field once; the last case of those that fill it in, which is about little else. */
const found = new Map<INodeProperties, Omit<NumberField, 'range' | 'name'>>();
for (const field of CASES.flatMap(numbersOf)) {
	if (!found.has(field.property) || isFilledIn(field)) found.set(field.property, field);
}
const ALL = [...found.values()].map((field) => {
	const { way, collection, property } = field;
	const range = rangeOf(property);
	const ends = range && `, ${range.min} to ${range.max ?? 'any number'}`;
	const path = [collection, property.name].filter(Boolean).join('.');
	return { ...field, range, name: `${way.operation.name}: ${path} of ${way.theCase.what}${ends}` };
});
const FIELDS = ALL.flatMap(({ range, ...field }) => (range ? [{ ...field, range }] : []));

async function run({ way, collection, property }: NumberField, value: number) {
	const { sandbox, engine } = bed();
	const world = worldOf(way, sandbox);
	const fields: Record<string, unknown> = { ...parametersOf(way, world) };
	// A limit that was set to protect from typing errors
	if (property.name === 'num' && way.operation.operation === 'extract') {
		fields.options = { ...Object(fields.options), maxExtractionsPerRun: 0 };
	}
	const inside = collection === undefined ? undefined : Object(fields[collection]);
	const changed = { ...inside, [property.name]: value };
	const { error } = await engine.run({
		credentialId: bed().addCredential(world.keys, { keyType: way.by }),
		parameters: {
			...fields,
			...(collection === undefined ? changed : { [collection]: changed }),
		} as IDataObject,
		executionId: uniqueName('execution'),
	});
	return { error, requests: world.requests() };
}

/** A window that what is bought cannot lead out of makes no sense, whatever the range. */
const BOUND_BY_OTHERS = new Set(['expiringWithin', 'balanceBelow']);

/** What the service says of parameters that it does not take. */
const NOT_TAKEN = [-1, -2, -3];

it('Every number has a range, but for amounts of money', () => {
	const without = ALL.filter(({ range, property }) => !range && property.hint !== 'In yuan');
	expect(without.map(({ name }) => name)).toEqual([]);
	expect(FIELDS.length).toBeGreaterThan(40);
});

function expectRefused({ property }: NumberField, error: Error | undefined): void {
	expect(error?.message).toContain(`'${property.displayName}'`);
}

describe.each(FIELDS)('$name', (field) => {
	const { min, max, step } = field.range;

	it.each(max === undefined ? [min] : [min, max])('%d is taken', async (value) => {
		const { error, requests } = await run(field, value);
		expect(
			requests
				.map(({ path, code }) => [path, code])
				.filter(([, code]) => NOT_TAKEN.includes(Number(code))),
		).toEqual([]);
		if (requests.length > 0) return;
		expect([...BOUND_BY_OTHERS]).toContain(field.property.name);
		expectRefused(field, error);
	});

	it.each(max === undefined ? [min - step] : [min - step, max + step])(
		'%d is refused before anything is sent',
		async (value) => {
			const { error, requests } = await run(field, value);
			expectRefused(field, error);
			expect(requests).toEqual([]);
		},
	);
});
