import { readProxyList } from '../../../../../nodes/Kuaidaili/proxies/entries.ts';
import { InvalidResponseError } from '../../../../../nodes/shared/api/errors.ts';
import { GET_PROXY } from '../../../../../nodes/shared/service/endpoints/openProxy.ts';
import { parseResponse } from '../../../../../nodes/shared/api/answer.ts';
import type { ExtractionAnswer } from '../../../../../nodes/shared/service/wireTypes.ts';

function answerOf(body: string): ExtractionAnswer {
	return parseResponse(GET_PROXY, { statusCode: 200, headers: {}, body }, [], 0);
}

function addresses(body: string, sep = '1'): string[] {
	const { proxies } = readProxyList(answerOf(body), { parameters: { sep }, extras: [] });
	return proxies.map(({ address }) => address);
}

function failure(answer: ExtractionAnswer, sep = '1'): InvalidResponseError {
	try {
		const { unreadable } = readProxyList(answer, { parameters: { sep }, extras: [] });
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

describe('the text format', () => {
	it.each([
		['1', '1.2.3.4:80\r\n5.6.7.8:90\r\n'],
		['1', '\r\n\r\n1.2.3.4:80\r\n\r\n\r\n5.6.7.8:90\r\n\r\n'],
		['1', ' 1.2.3.4:80 \r\n\t5.6.7.8:90 '],
		['2', '1.2.3.4:80\n5.6.7.8:90\n'],
		['3', '1.2.3.4:80 5.6.7.8:90 '],
		['3', '1.2.3.4:80  5.6.7.8:90\r\n'],
		['4', '1.2.3.4:80|5.6.7.8:90|'],
		['4', '1.2.3.4:80||5.6.7.8:90\r\n'],
		['4', '1.2.3.4:80 | 5.6.7.8:90'],
		['9', '1.2.3.4:80\r\n5.6.7.8:90'],
	])('with the separator %s is read from %j', (sep, body) => {
		expect(addresses(body, sep)).toEqual(TWO);
	});

	it.each([
		['3', '1.2.3.4:80,北京 市,高 匿 5.6.7.8:90,上海,透明'],
		['4', '1.2.3.4:80,北京|市,高|匿|5.6.7.8:90,上海,透明'],
	])('keeps the separator %s inside a value', (sep, body) => {
		const request = { parameters: { sep }, extras: ['region', 'anonymity'] } as const;
		const { proxies: list } = readProxyList(answerOf(body), request);
		const inside = sep === '3' ? ' ' : '|';
		expect(list.map(({ region, anonymity }) => [region, anonymity])).toEqual([
			[`北京${inside}市`, `高${inside}匿`],
			['上海', '透明'],
		]);
	});

	it.each([
		['1', '1.2.3.4:80\r\ngarbage\r\n5.6.7.8:90'],
		['1', '1.2.3.4:80 5.6.7.8:90'],
		['1', '1.2.3.4:80|5.6.7.8:90'],
		['3', 'garbage 5.6.7.8:90'],
		['3', '1.2.3.4:80 garbage'],
		['4', '1.2.3.4:80|garbage|5.6.7.8:90'],
		['1', 'Bad gateway'],
		['1', '12345'],
	])('with the separator %s is refused for %j', (sep, body) => {
		expect(failure(answerOf(body), sep)).toMatchObject({
			reason: 'contains an entry that is not a proxy address',
			excerpt: '',
		});
	});
});

it.each<[string, readonly 'region'[], boolean]>([
	['1.2.3.4:80\ngarbage\ngarbage', [], true],
	['1.2.3.4:80,北京\ngarbage\ngarbage', ['region'], true],
	['1.2.3.4:80 <br>\ngarbage', [], false],
	['1.2.3.4:80\ngarbage', ['region'], false],
	['garbage\n1.2.3.4:80', [], false],
	['garbage\n1.2.3.4:80\n5.6.7.8:90', [], true],
])('the text %j, of proxies with %j, is a list: %s', (text, extras, isWanted) => {
	const { isList } = readProxyList(withText(text), { parameters: {}, extras });
	expect(isList).toBe(isWanted);
});

it('a list in data is one, whatever stands in it', () => {
	const data = withData({ proxy_list: ['garbage', 'garbage', '1.2.3.4:80'] });
	expect(readProxyList(data, { parameters: {}, extras: [] }).isList).toBe(true);
});

it.each([
	['entries', { password: 'p', area: 'US' }],
	['order', { password: 'p:US' }],
	[undefined, { password: 'p:US' }],
])('an area stands behind a login that each entry has, and no other one: %s', (login, expected) => {
	const request = { parameters: {}, extras: [], login };
	const { proxies } = readProxyList(withData({ proxy_list: ['1.2.3.4:80:u:p:US'] }), request);
	const base = { address: '1.2.3.4:80', host: '1.2.3.4', port: 80, username: 'u' };
	expect(proxies).toEqual([{ ...base, ...expected }]);
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
		{ count: 1, proxy_list: { proxy: 5 } },
		JSON.parse('{"__proto__":{"proxy_list":[]}}'),
		JSON.parse('{"proxy_list":{"__proto__":{"proxy":"1.2.3.4:80"}}}'),
	])('with the data %j contains no list', (data) => {
		const error = { reason: 'contains no list of proxies', excerpt: '' };
		expect(failure(withData(data))).toMatchObject(error);
	});

	it.each([[null], [5], [{}], [{ ip: '1.2.3.4', port: 80 }], [['1.2.3.4:80']], ['garbage']])(
		'with the entry %j is refused',
		(entry) => {
			const error = failure(withData({ proxy_list: ['1.2.3.4:80', entry] }));
			expect(error.reason).toBe('contains an entry that is not a proxy address');
		},
	);
});

describe('XML', () => {
	const body = (inside: string) =>
		`<result><code>0</code><msg></msg><data><count>1</count>${inside}</data></result>`;

	it.each([
		['<proxy_list></proxy_list>', []],
		['<proxy_list/>', []],
		['<proxy_list> \n </proxy_list>', []],
		['<proxy_list><proxy></proxy></proxy_list>', []],
		['<proxy_list><proxy>1.2.3.4:80</proxy></proxy_list>', ['1.2.3.4:80']],
		['<proxy_list><proxy>1.2.3.4:80</proxy><proxy>5.6.7.8:90</proxy></proxy_list>', TWO],
		[
			'<proxy_list>\n<proxy> 1.2.3.4:80 </proxy>\n<proxy/><proxy><![CDATA[5.6.7.8:90]]></proxy></proxy_list>',
			TWO,
		],
	])('with %s is read', (inside, expected) => {
		expect(addresses(body(inside))).toEqual(expected);
	});

	it.each(['', '<proxy_list>1.2.3.4:80</proxy_list>', '<proxy>1.2.3.4:80</proxy>'])(
		'with %s contains no list',
		(inside) => {
			expect(failure(answerOf(body(inside))).reason).toBe('contains no list of proxies');
		},
	);

	it('with something else than texts in it is refused', () => {
		const nested =
			'<proxy_list><proxy><ip>1.2.3.4</ip></proxy><proxy>5.6.7.8:90</proxy></proxy_list>';
		expect(failure(answerOf(body(nested))).reason).toContain('not a proxy address');
	});
});
