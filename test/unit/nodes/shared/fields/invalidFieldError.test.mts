import fc from 'fast-check';

import {
	InvalidFieldError,
	LimitError,
	MissingFieldError,
} from '../../../../../nodes/shared/fields/invalidFieldError.ts';
import { anyValue, SOME_RUNS } from '../../../support/properties.mts';

const circular: Record<string, unknown> = {};
circular.self = circular;

it.each([
	[5, '5'],
	['text', '"text"'],
	[true, 'true'],
	[null, 'null'],
	[undefined, 'undefined'],
	[NaN, 'NaN'],
	[12n, '12'],
	[[1, 'a'], '[1,"a"]'],
	[{ a: 1 }, '{"a":1}'],
	['a\u202E\u0085b', '"a b"'],
	[circular, 'a value that cannot be shown'],
	[{ big: 12n }, 'a value that cannot be shown'],
	[Symbol('x'), 'Symbol(x)'],
	['x'.repeat(58), `"${'x'.repeat(58)}"`],
	['x'.repeat(59), `"${'x'.repeat(59)}…`],
	['x'.repeat(100), `"${'x'.repeat(59)}…`],
	['𠀀'.repeat(100), `"${'𠀀'.repeat(59)}…`],
])('shows the value %p as %s', (value, shown) => {
	const error = new InvalidFieldError('Ports', value, 'Allowed: ports.');
	expect(error.message).toBe(`'Ports' is ${shown}, which cannot be used`);
	expect(error).toMatchObject({ name: 'InvalidFieldError', fieldLabel: 'Ports' });
	expect(error.description.startsWith('Allowed: ports.')).toBe(true);
});

it.each([
	[undefined, true],
	[null, true],
	['', false],
	[0, false],
])('says of %p that an expression found nothing: %s', (value, isTold) => {
	const { description } = new InvalidFieldError('Ports', value, 'Allowed: ports.');
	const told = ' If the field is an expression, it found nothing for this item.';
	expect(description).toBe(`Allowed: ports.${isTold ? told : ''}`);
});

it('says of an empty field only that it is empty', () => {
	expect(new InvalidFieldError('Ports', '', 'Allowed: ports.').message).toBe("'Ports' is empty");
});

it('shows any value in one short line', () => {
	fc.assert(
		fc.property(anyValue, (value) => {
			const { message } = new InvalidFieldError('F', value, '');
			expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
			expect(Array.from(message).length).toBeLessThan(100);
		}),
		SOME_RUNS,
	);
});

it('a limit that would be exceeded is named, and not called wrong', () => {
	const error = new LimitError('Max Proxies', 1000, 'This item needs 2,000 proxies.');
	expect(error).toBeInstanceOf(InvalidFieldError);
	expect(error).toMatchObject({
		message: "'Max Proxies' allows only 1,000",
		description: 'This item needs 2,000 proxies.',
	});
});

it('names a field that a section lacks', () => {
	const error = new MissingFieldError('Orders', 'Number of IPs', 'Add it there.');
	expect(error.message).toBe("'Number of IPs' is missing in 'Orders'");
	expect(error.description).toBe('Add it there.');
});
