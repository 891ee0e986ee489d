import fc from 'fast-check';

import { readProxyList } from '../../../../../nodes/Kuaidaili/proxies/entries.ts';
import { InvalidResponseError } from '../../../../../nodes/shared/errors/callErrors.ts';
import type { Answer } from '../../../../../nodes/shared/response/parseBody.ts';
import { anyText, anyValue, MANY_RUNS, SOME_RUNS } from '../../../support/properties.mts';
import { failure, withData } from './listAnswers.mts';

describe('what is shown of an answer that is refused', () => {
	const shownPart = (error: InvalidResponseError) => error.excerpt.replace(/…$/, '');

	it('has 200 characters at most', () => {
		const long = 'x'.repeat(5000);
		for (const error of [
			failure({ kind: 'text', text: long }),
			failure(withData({ proxy_list: [long] })),
			failure(withData({ proxy_list: [{ long }] })),
			failure(withData({ long })),
		]) {
			expect(Array.from(shownPart(error))).toHaveLength(200);
		}
	});

	it('has no secret in it', () => {
		const shown = failure(withData({ token: 'the-token', other: 1 }), '1', ['the-token']).excerpt;
		expect(shown).toBe('{"token":"[hidden]","other":1}');
		expect(failure({ kind: 'text', text: 'the-token' }, '1', ['the-token']).excerpt).toBe(
			'[hidden]',
		);
	});

	it('is one short line, whatever the answer was', () => {
		const answer = fc.oneof(
			anyText(400).map((text): Answer => ({ kind: 'text', text })),
			anyText(400).map((text) => withData({ proxy_list: [text] })),
			fc.jsonValue().map(withData),
			fc.jsonValue().map((data) => withData({ proxy_list: [data] })),
		);
		fc.assert(
			fc.property(answer, fc.constantFrom('1', '2', '3', '4'), (one, sep) => {
				try {
					const { proxies: list, unreadable } = readProxyList(one, {
						sep,
						requested: [],
						secrets: [],
					});
					for (const { address } of list) expect(JSON.stringify(one)).toContain(address);
					if (unreadable !== undefined) throw unreadable;
				} catch (error) {
					if (!(error instanceof InvalidResponseError)) throw error;
					expect(Array.from(shownPart(error)).length).toBeLessThanOrEqual(200);
					expect(error.excerpt).not.toMatch(/[\p{Cc}\p{Cf}]/u);
				}
			}),
			MANY_RUNS,
		);
	});

	it('is nothing but this refusal for data of any shape', () => {
		const withoutBigInt = anyValue.filter((one) => {
			try {
				JSON.stringify(one);
				return true;
			} catch {
				return false;
			}
		});
		fc.assert(
			fc.property(withoutBigInt, (data) => {
				expect(failure(withData(data))).toBeInstanceOf(InvalidResponseError);
			}),
			SOME_RUNS,
		);
	});
});
