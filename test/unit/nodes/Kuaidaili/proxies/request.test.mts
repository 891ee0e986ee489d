import { readExtractRequest } from '../../../../../nodes/Kuaidaili/actions/proxy/extract/fields.ts';
import { PLAN_NAMES } from '../../../../../nodes/Kuaidaili/proxies/products/openProxy.ts';
import type { ServiceField } from '../../../../../nodes/shared/fields/field.ts';
import { InvalidFieldError } from '../../../../../nodes/shared/fields/invalidFieldError.ts';
import {
	ALL_FIELDS,
	alone,
	extrasOf,
	type Given,
	GOOD,
	type PlanName,
	read,
	refusalOf,
	sent,
} from './givenFields.mts';

/** What is sent although nothing was set. */
const PRESET: Readonly<Record<PlanName, object>> = {
	regular: {},
	vip: { format: 'json' },
	svip: { format: 'json' },
};

/** What is sent beside one field. */
function beside({ serviceName }: ServiceField, plan: PlanName): object {
	if (serviceName !== 'sep') return PRESET[plan];
	return plan === 'regular' ? {} : { format: 'text' };
}

it('has a good value for every field', () => {
	expect(Object.keys(GOOD).sort()).toEqual(ALL_FIELDS.map((field) => field.serviceName).sort());
});

describe.each(PLAN_NAMES)('with the plan %s', (plan) => {
	it('sends only the format when nothing is set', () => {
		expect(sent(plan, {})).toEqual(PRESET[plan]);
		expect(extrasOf(plan, {})).toEqual([]);
	});

	it.each(ALL_FIELDS)('$serviceName is sent, or refused for the plan', (field) => {
		const [value, text] = GOOD[field.serviceName];
		const given = alone(field, value);
		const conditions = field.kind.conditionsOfValue?.get(text) ?? field.when;
		if (conditions?.plan?.includes(plan) === false) {
			const { message, description } = refusalOf(plan, given);
			expect(message).toContain(`'${field.displayName}'`);
			expect(description).toMatch(
				/^It works only when 'Plan' is VIP or SVIP, but 'Plan' is Regular\./,
			);
		} else {
			expect(sent(plan, given)).toEqual({ ...beside(field, plan), [field.serviceName]: text });
		}
	});

	it.each(ALL_FIELDS)('$serviceName is sent as it is without the check', (field) => {
		const [value, text] = GOOD[field.serviceName];
		expect(sent(plan, alone(field, value), false)).toEqual({
			...beside(field, plan),
			[field.serviceName]: text,
		});
	});

	it.each(ALL_FIELDS)(
		'$serviceName is left out when it is empty, and refused if it is a place',
		(field) => {
			for (const value of [undefined, null, '', ' ']) {
				if (field.required === true)
					expect(refusalOf(plan, alone(field, value)).fieldLabel).toBe(field.displayName);
				else expect(sent(plan, alone(field, value))).toEqual(beside(field, plan));
			}
		},
	);

	it.each(ALL_FIELDS)('$serviceName is refused for what it cannot be', (field) => {
		for (const value of [{}, { a: 1 }, NaN, Infinity, [{}], [NaN]]) {
			for (const check of [true, false]) {
				expect(refusalOf(plan, alone(field, value), check).fieldLabel).toBe(field.displayName);
			}
		}
	});

	it('the neutral values do no harm', () => {
		const neutral: Given = {
			filters: { quality: 0, carrier: 0, anHa: false, dedup: false },
			extraFields: { fLoc: false, fAn: 'false', fPr: 0, fSp: '' },
			options: { sort: 0 },
		};
		expect(sent(plan, neutral)).toEqual({
			carrier: '0',
			...(plan === 'regular' ? {} : { quality: '0', sort: '0', format: 'json' }),
		});
		expect(extrasOf(plan, neutral)).toEqual([]);
	});

	it('foreign names are not looked at', () => {
		const foreign = { numb: 5, secret_id: 'x', signature: 'y', constructor: 'z', an_ha: true };
		const given = { filters: foreign, extraFields: foreign, options: foreign };
		expect(sent(plan, given)).toEqual(PRESET[plan]);
	});

	it('nothing is taken from a prototype', () => {
		const filters: Record<string, unknown> = Object.create({ area: '北京' });
		expect(sent(plan, { filters })).toEqual(PRESET[plan]);
	});
});

it.each(['ent', '', 'constructor', undefined, {}])('the plan %j is refused', (plan) => {
	for (const check of [true, false]) {
		expect(() => read(plan, {}, check)).toThrow(InvalidFieldError);
	}
});

it.each([0, -1, '', 'many', 0.5, NaN, {}])(
	'the number %j is refused in any case: it decides how many calls there are',
	(num) => {
		const values: Record<string, unknown> = {
			plan: 'vip',
			num,
			product: 'OPS',
			output: 'eachProxy',
		};
		for (const check of [true, false]) {
			const reading = () => readExtractRequest((name) => values[name], { options: {}, check });
			expect(reading).toThrow(expect.objectContaining({ fieldLabel: 'Number of Proxies' }));
		}
	},
);

describe('how it is extracted', () => {
	it.each<[PlanName, Given, object]>([
		['regular', {}, { cap: 500, intervalMs: 5000, usesQuota: false }],
		['vip', {}, { cap: 1000, intervalMs: 1000, usesQuota: false }],
		['svip', {}, { cap: 2000, intervalMs: 200, usesQuota: false }],
		['svip', { filters: { dedup: true } }, { cap: 2000, intervalMs: 5000, usesQuota: true }],
	])('with the plan %s and %j', (plan, given, extraction) => {
		expect(read(plan, given)).toMatchObject({ ...extraction, total: 7 });
	});

	it.each([
		[0, undefined],
		[1, expect.stringContaining("'Sort'")],
		[2, expect.stringContaining("'Sort'")],
	])('sorted by %d, repeats are explained', (sort, repeatsBecause) => {
		expect(read('vip', { options: { sort } })).toMatchObject({ repeatsBecause });
	});
});

describe('the highest stability', () => {
	it('is for SVIP only', () => {
		expect(sent('svip', { filters: { quality: 2 } })).toEqual({ quality: '2', format: 'json' });
		for (const plan of ['regular', 'vip'] as const) {
			const { message, description } = refusalOf(plan, { filters: { quality: '2' } });
			expect(message).toBe("'Stability' can't be \"2\"");
			expect(description).toMatch(/^It works only when 'Plan' is SVIP, but 'Plan' is /);
		}
	});

	it('is sent as it is without the check', () => {
		expect(sent('regular', { filters: { quality: 2 } }, false)).toEqual({ quality: '2' });
		expect(sent('vip', { filters: { quality: 9 } }, false)).toEqual({
			quality: '9',
			format: 'json',
		});
	});
});
