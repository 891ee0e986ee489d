import fc from 'fast-check';

import { readProxyList } from '../../../../../nodes/Kuaidaili/proxies/entries.ts';
import { InvalidResponseError } from '../../../../../nodes/shared/api/errors.ts';
import { GET_PROXY } from '../../../../../nodes/shared/service/endpoints/openProxy.ts';
import { parseResponse } from '../../../../../nodes/shared/api/answer.ts';
import type { ExtractionAnswer } from '../../../../../nodes/shared/service/wireTypes.ts';
import {
	anyText,
	anyValue,
	expectSame,
	MANY_RUNS,
	SOME_RUNS,
} from '../../../support/properties.mts';
import { completeEntry, requestedNames, type Example } from '../../../support/proxyEntries.mts';

function answerOf(body: string): ExtractionAnswer {
	return parseResponse(GET_PROXY, { status: 200, headers: {}, body }, [], 0);
}

function addresses(body: string): string[] {
	const { proxies } = readProxyList(answerOf(body), { extras: [] });
	return proxies.map(({ address }) => address);
}

function failure(answer: ExtractionAnswer): InvalidResponseError {
	try {
		const { unreadable } = readProxyList(answer, { extras: [] });
		if (unreadable !== undefined) return unreadable;
	} catch (error) {
		if (error instanceof InvalidResponseError) return error;
		throw error;
	}
	throw new Error('A list was found');
}

function withData(data: unknown): ExtractionAnswer {
	return { data };
}

const withText = (text: string): ExtractionAnswer => ({ data: undefined, plainText: text });

const TWO = ['1.2.3.4:80', '5.6.7.8:90'];

describe('plain text', () => {
	it.each([
		'1.2.3.4:80\r\n5.6.7.8:90\r\n',
		'\r\n\r\n1.2.3.4:80\r\n\r\n\r\n5.6.7.8:90\r\n\r\n',
		' 1.2.3.4:80 \r\n\t5.6.7.8:90 ',
		'1.2.3.4:80\n5.6.7.8:90\n',
	])('is read from %j', (body) => {
		expect(addresses(body)).toEqual(TWO);
	});

	it.each([
		'1.2.3.4:80\r\ngarbage\r\n5.6.7.8:90',
		'1.2.3.4:80 5.6.7.8:90',
		'1.2.3.4:80|5.6.7.8:90',
		'Bad gateway',
		'12345',
	])('is refused for %j', (body) => {
		expect(failure(answerOf(body))).toMatchObject({
			reason: 'contains an entry that is not a proxy address',
		});
	});
});

describe('JSON', () => {
	it.each<[unknown, string[]]>([
		[[], []],
		['', []],
		[['1.2.3.4:80'], ['1.2.3.4:80']],
		[TWO, TWO],
		[['', ...TWO, ' '], TWO],
	])('with the list %j is read', (list, expected) => {
		const body = JSON.stringify({ code: 0, msg: '', data: { count: 1, proxy_list: list } });
		expect(addresses(body)).toEqual(expected);
	});

	it.each([
		undefined,
		[],
		TWO,
		{ count: 1, proxy_list: null },
		{ count: 1, proxy_list: '1.2.3.4:80' },
		{ count: 1, proxy_list: { proxy: '1.2.3.4:80' } },
		JSON.parse('{"__proto__":{"proxy_list":[]}}'),
	])('with the data %j contains no list', (data) => {
		expect(failure(withData(data)).reason).toBe('contains no list of proxies');
	});

	it.each([[null], [5], [{}], [{ ip: '1.2.3.4', port: 80 }], [['1.2.3.4:80']], ['garbage']])(
		'with the entry %j is refused',
		(entry) => {
			const error = failure(withData({ proxy_list: ['1.2.3.4:80', entry] }));
			expect(error.reason).toBe('contains an entry that is not a proxy address');
		},
	);
});

describe('a list', () => {
	const FORMS: Readonly<Record<string, (entries: readonly string[]) => string>> = {
		json: (entries) =>
			JSON.stringify({ msg: '', code: 0, data: { count: entries.length, proxy_list: entries } }),
		text: (entries) => `${entries.join('\r\n')}\r\n`,
	};

	const examples = requestedNames.chain((requested) =>
		fc.tuple(
			fc.constant(requested),
			fc.array<Example>(completeEntry(requested), { minLength: 1, maxLength: 3 }),
		),
	);

	it('comes back exactly in every form', () => {
		fc.assert(
			fc.property(examples, ([requested, list]) => {
				const expected = list.map(({ proxy }) => proxy);
				for (const [form, write] of Object.entries(FORMS)) {
					const body = write(list.map(({ entry }) => entry));
					if (body.trim().startsWith('[')) continue;
					const request = { extras: requested };
					const { proxies: read, unreadable } = readProxyList(answerOf(body), request);
					expect(unreadable).toBeUndefined();
					expectSame([form, ...read], [form, ...expected]);
				}
			}),
			MANY_RUNS,
		);
	});
});

describe('an answer that is refused', () => {
	it('shows nothing of it, whatever it was', () => {
		const answer = fc.oneof(
			anyText(400).map(withText),
			anyText(400).map((text) => withData({ proxy_list: [text] })),
			fc.jsonValue().map(withData),
			fc.jsonValue().map((data) => withData({ proxy_list: data })),
			fc.jsonValue().map((data) => withData({ proxy_list: [data] })),
		);
		fc.assert(
			fc.property(answer, (one) => {
				try {
					const { proxies: list, unreadable } = readProxyList(one, { extras: [] });
					for (const { address } of list) expect(JSON.stringify(one)).toContain(address);
					if (unreadable !== undefined) throw unreadable;
				} catch (error) {
					if (!(error instanceof InvalidResponseError)) throw error;
					expect(error.excerpt).toBe('');
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
