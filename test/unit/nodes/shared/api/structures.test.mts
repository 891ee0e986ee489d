import { InvalidResponseError } from '../../../../../nodes/shared/api/errors.ts';
import { isCode, type UnknownRecord } from '../../../../../nodes/shared/guards.ts';
import { parseRecords } from '../../../../../nodes/shared/api/call.ts';
import { reasonFor } from './bodies.mts';

describe('a web page', () => {
	it.each([
		'<!DOCTYPE html><html><head><meta charset="utf-8"><title>502 Bad Gateway</title></head></html>',
		'<!doctype\nHTML PUBLIC "x"><HTML></HTML>',
		'\uFEFF\n<HTML lang="en"><code>0</code></HTML>',
		'<result><code>0</code><msg></msg><data></data></result>',
		'<html',
		'<',
	])('is no answer: %s', (body) => {
		expect(reasonFor(body)).toBe('is a web page');
	});
});

describe('records', () => {
	type Named = UnknownRecord & { readonly name: string };

	const isNamed = (record: UnknownRecord): record is Named => typeof record.name === 'string';

	function read(data: unknown, secrets: readonly string[] = []): Named[] {
		const answer = { code: 0, msg: '', answeredAt: 0, data };
		return parseRecords(answer, isNamed, secrets);
	}

	function failure(data: unknown, secrets?: readonly string[]): InvalidResponseError {
		try {
			read(data, secrets);
		} catch (error) {
			if (error instanceof InvalidResponseError) return error;
			throw error;
		}
		throw new Error('It was read');
	}

	it('gives the records as they are, in their order', () => {
		const data = [{ name: 'b', more: [1] }, { name: 'a' }];
		expect(read(data)).toEqual(data);
		expect(read(data)[0]).toBe(data[0]);
	});

	it('gives none for an empty list', () => {
		expect(read([])).toEqual([]);
	});

	it.each([
		undefined,
		null,
		'',
		'no available kps found',
		0,
		false,
		{},
		{ name: 'a' },
		{ length: 0 },
	])('does not take %p for a list', (data) => {
		expect(failure(data).reason).toBe('contains no list');
	});

	it.each([[[null]], [['a']], [[1]], [[[]]], [[{}]], [[{ name: 1 }]], [[{ name: 'a' }, {}]]])(
		'does not take %j for records, even if others among them are',
		(data) => {
			expect(failure(data).reason).toBe('contains an entry with missing fields');
		},
	);

	it('shows what is wrong, and only that', () => {
		expect(failure([{ name: 'fine' }, { name: 7 }]).excerpt).toBe('{"name":7}');
		expect(failure({ some: 'thing' }).excerpt).toBe('{"some":"thing"}');
		expect(failure(undefined).excerpt).toBe('');
	});

	it('shows 200 characters at most, and no secret', () => {
		const { excerpt } = failure(
			[{ text: `the-secret-key ${'x'.repeat(1000)}` }],
			['the-secret-key'],
		);
		expect(excerpt).not.toContain('the-secret-key');
		expect(excerpt).toContain('xxx');
		expect(Array.from(excerpt).length).toBeLessThanOrEqual(201);
	});

	it.each(['3301', 'US', ' ', 0, -1, 3301])('takes %p for a code', (value) => {
		expect(isCode(value)).toBe(true);
	});

	it.each(['', undefined, null, true, 1.5, NaN, Infinity, 2 ** 53, {}, ['3301'], 33n])(
		'takes %p for no code',
		(value) => {
			expect(isCode(value)).toBe(false);
		},
	);
});
