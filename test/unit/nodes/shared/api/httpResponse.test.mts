import {
	ApiError,
	HttpStatusError,
	InvalidResponseError,
	CallError,
} from '../../../../../nodes/shared/api/errors.ts';
import { parseResponse } from '../../../../../nodes/shared/api/answer.ts';
import { GET_ACCOUNT_ORDERS } from '../../../../../nodes/shared/service/endpoints/account.ts';
import { GET_PROXY } from '../../../../../nodes/shared/service/endpoints/openProxy.ts';
import { ENDPOINTS } from '../../../../../nodes/shared/service/endpoints/index.ts';
import { KEY, NOW, failure, reply } from './replies.mts';

describe('a reply', () => {
	it('with code 0 is a success', () => {
		expect(parseResponse(GET_PROXY, reply('{"code":0,"msg":"","data":{}}'), [], NOW)).toEqual({
			code: 0,
			msg: '',
			data: {},
			answeredAt: NOW,
		});
	});

	it('of the text format is a success', () => {
		const answer = parseResponse(GET_PROXY, reply('1.2.3.4:80'), [], NOW);
		expect(answer).toMatchObject({ plainText: '1.2.3.4:80', answeredAt: NOW });
	});

	it.each([
		['{"code":-3,"msg":"参数\\n错误","data":""}', -3, '参数 错误'],
		['{"code":2,"msg":"expired"}', 2, 'expired'],
		['{"code":3}', 3, ''],
		['ERROR(-51): too many', -51, 'too many'],
		['<result><code>-1</code><msg>no</msg><data></data></result>', -1, 'no'],
		[`{"code":-104,"msg":"wrong key ${KEY}"}`, -104, 'wrong key [hidden]'],
	])('that says %s is refused', (body, code, serviceText) => {
		const error = failure(reply(body));
		expect(error).toBeInstanceOf(ApiError);
		expect(error).toMatchObject({ endpoint: GET_PROXY, code, serviceText });
	});

	it.each([
		['', 'is empty', ''],
		['{"code":', 'is not valid JSON', '{"code":'],
		['<html>', 'is a web page', '<html>'],
		['<result>', 'is not valid XML', '<result>'],
		[`{"code":"0","key":"${KEY}"}`, 'has no code', '{"code":"0","key":"[hidden]"}'],
		[`{${'x'.repeat(1000)}`, 'is not valid JSON', `{${'x'.repeat(199)}…`],
	])('that cannot be read (%#) shows its beginning', (body, reason, shown) => {
		const error = failure(reply(body), GET_ACCOUNT_ORDERS);
		expect(error).toBeInstanceOf(InvalidResponseError);
		expect(error).toMatchObject({ reason, excerpt: shown });
		expect(failure(reply(body))).toMatchObject({ reason, excerpt: '' });
	});

	it.each([201, 204, 301, 302, 400, 401, 404, 429, 500, 502, 503])(
		'with the status %d is no answer, whatever its body says',
		(status) => {
			const body = `{"code":0,"msg":"${KEY}"}`;
			const error = failure(reply(body, { status }), GET_ACCOUNT_ORDERS);
			expect(error).toBeInstanceOf(HttpStatusError);
			expect(error).toMatchObject({ status, excerpt: '{"code":0,"msg":"[hidden]"}' });
			expect(failure(reply(body, { status }))).toMatchObject({ status, excerpt: '' });
		},
	);
});

describe.each(
	Object.values(ENDPOINTS).filter(({ path }) =>
		/get(?:new)?(?:proxy|dps|kps|tps|fps|sfps|ordersecret|orderinfo|_secret_token)(?!prov|city|area|country|flow|valid)/.test(
			path,
		),
	),
)('an answer of $path, which may hold a login', (endpoint) => {
	it.each([
		'{"count":1,"proxy_list":"1.2.3.4:80:user:word"}',
		'{"code":"0","data":{"proxy_list":["1.2.3.4:80:user:word"]}}',
		'<html>1.2.3.4:80:user:word</html>',
		'<list><proxy>1.2.3.4:80:user:word</proxy></list>',
		'{"data": "1.2.3.4:80:user:word',
		'["1.2.3.4:80:user:word"]',
		'{"code":-3,"msg":"1.2.3.4:80:user:word","data":{"proxy_list":["1.2.3.4:80:user:word"]}}',
		'{"code":-999,"msg":"http://user:word@1.2.3.4:80"}',
		'{"code":-1,"msg":"{\\"password\\":\\"word\\"}"}',
		'{"code":-1,"msg":["word"],"data":"word"}',
		'ERROR(-4): 1.2.3.4:80:user:word',
		'ERROR(0): 1.2.3.4:80:user:word',
		'<result><code>-3</code><msg>1.2.3.4:80:user:word</msg></result>',
		'<result><code>x</code><data>1.2.3.4:80:user:word</data></result>',
		'<?xml version="1.0"?><result><data><proxy>user:word@1.2.3.4:80</proxy></data></result>',
		'<html><body><pre>user:word@1.2.3.4:80</pre></body></html>',
		'<!DOCTYPE html><title>user:word@1.2.3.4:80</title>',
		'{"username":"user","password":"word"}',
		'{"code":0.5,"data":{"username":"user","password":"word"}}',
		'{"code":null,"msg":"word"}',
		'{"code":1e400,"data":"word"}',
		'[[["1.2.3.4:80","user","word"]]]',
		'\uFEFF{"code":"-1","msg":"word"}',
		'{"secret_token":"word","expire":3600}',
		'{"secret_id":"user","secret_key":"word"',
	])('is quoted nowhere, whatever its layout: %s', (body) => {
		for (const status of [200, 502]) {
			const error = failure(reply(body, { status }), endpoint);
			expect(error).toBeInstanceOf(CallError);
			const all = JSON.stringify([error, error instanceof CallError && error.describe()]);
			expect(all + String(error)).not.toContain('word');
		}
	});
});

describe('the clock of the service', () => {
	it.each([
		['Thu, 01 Jan 2026 00:10:00 GMT', 600_000],
		['Wed, 31 Dec 2025 23:50:00 GMT', -600_000],
		['Thu, 01 Jan 2026 00:00:00 GMT', 0],
		['yesterday', undefined],
		['', undefined],
		[5, undefined],
		[undefined, undefined],
	])('that shows %j differs by %s ms', (date, clockDifferenceMs) => {
		const error = failure(reply('{"code":-112}', { headers: { date } }));
		expect(error).toHaveProperty('clockDifferenceMs', clockDifferenceMs);
	});
});

describe('an endpoint without a text format', () => {
	it('does not take a text for an answer, and shows its beginning', () => {
		const read = () => parseResponse(GET_ACCOUNT_ORDERS, reply(`1.2.3.4 ${KEY}`), [KEY], NOW);
		expect(read).toThrow(InvalidResponseError);
		expect(read).toThrow(expect.objectContaining({ excerpt: '1.2.3.4 [hidden]' }));
	});
});

describe('what n8n returns', () => {
	it.each([
		undefined,
		null,
		'text',
		{},
		{ body: 'text' },
		{ statusCode: '200', body: 'text' },
		{ statusCode: 200, body: { code: 0 } },
		{ statusCode: 200, body: 12345 },
		{ statusCode: 200, body: Buffer.from('text') },
	])('is refused when it is no whole reply: %j', (value) => {
		expect(() => parseResponse(GET_PROXY, value, [], NOW)).toThrow(InvalidResponseError);
	});
});
