import {
	isOn,
	optionsCollection,
	readCallOptions,
} from '../../../../../nodes/Kuaidaili/parameters/callOptions.ts';
import { InvalidFieldError } from '../../../../../nodes/shared/fields/invalidFieldError.ts';
import { flag } from '../../../../../nodes/shared/fields/valueKinds.ts';

it('waits 30 seconds and checks, when nothing is set', () => {
	expect(readCallOptions({})).toMatchObject({ timeoutMs: 30_000, check: true });
});

it.each([
	[1, 1000],
	['600', 600_000],
	['', 30_000],
	[null, 30_000],
])('reads the time-out %p as %d ms', (timeout, timeoutMs) => {
	expect(readCallOptions({ timeout })).toMatchObject({ timeoutMs, check: true });
});

it.each([0, -1, 601, 1.5, 'soon', {}, true])('refuses the time-out %p, check or not', (timeout) => {
	for (const skipLocalChecks of [true, false]) {
		expect(() => readCallOptions({ timeout, skipLocalChecks })).toThrow(InvalidFieldError);
	}
});

it.each([
	[true, false],
	['true', false],
	[1, false],
	[false, true],
	['', true],
	[undefined, true],
])("with 'Skip Validation' %p checks: %s", (skipLocalChecks, check) => {
	expect(readCallOptions({ skipLocalChecks }).check).toBe(check);
});

it('knows whether a switch is on', () => {
	const field = { name: 'wait', displayName: 'Wait', description: '', kind: flag };
	expect(isOn(field, { wait: true })).toBe(true);
	expect(isOn(field, { wait: false })).toBe(false);
	expect(isOn(field, {})).toBe(false);
	expect(() => isOn(field, { wait: 'maybe' })).toThrow(InvalidFieldError);
});

it('adds its own to the options of an operation, in the order of the labels', () => {
	const own = ['Zone', 'Mode'].map((displayName) => ({
		displayName,
		name: displayName,
		description: '',
		kind: flag,
	}));
	const { options, ...collection } = optionsCollection(own);
	expect(collection).toMatchObject({ name: 'options', type: 'collection', default: {} });
	expect(options?.map((option) => option.name)).toEqual([
		'timeout',
		'Mode',
		'skipLocalChecks',
		'Zone',
	]);
});
