import {
	HttpStatusError,
	ApiError,
	InvalidResponseError,
} from '../../../../../nodes/shared/errors/callErrors.ts';
import {
	parseEnvelope,
	parseResponse,
	type HttpResponse,
} from '../../../../../nodes/shared/response/httpResponse.ts';
import {
	GET_ACCOUNT_ORDERS,
	GET_ORDER_SECRET,
	GET_SECRET_TOKEN,
} from '../../../../../nodes/shared/service/endpoints/account.ts';
import { GET_PROXY } from '../../../../../nodes/shared/service/endpoints/openProxy.ts';
import { GET_ORDER_INFO } from '../../../../../nodes/shared/service/endpoints/order.ts';
import { failure, KEY, NOW, reply } from './replies.mts';

describe('a reply', () => {
	it('with code 0 is a success', () => {
		expect(parseResponse(GET_PROXY, reply('{"code":0,"msg":"","data":{}}'), [], NOW)).toEqual({
			kind: 'envelope',
			code: 0,
			msg: '',
			data: {},
		});
	});

	it('of the text format is a success', () => {
		expect(parseResponse(GET_PROXY, reply('1.2.3.4:80'), [], NOW)).toEqual({
			kind: 'text',
			text: '1.2.3.4:80',
		});
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
		const error = failure(reply(body));
		expect(error).toBeInstanceOf(InvalidResponseError);
		expect(error).toMatchObject({ reason, excerpt: shown });
	});

	it.each([201, 204, 301, 302, 400, 401, 404, 429, 500, 502, 503])(
		'with the status %d is no answer, whatever its body says',
		(status) => {
			const body = `{"code":0,"msg":"${KEY}"}`;
			const error = failure(reply(body, { status }));
			expect(error).toBeInstanceOf(HttpStatusError);
			expect(error).toMatchObject({ status, excerpt: '{"code":0,"msg":"[hidden]"}' });
		},
	);
});

describe('the time that the service asks to wait', () => {
	it.each([
		['5', 5000],
		['0', 0],
		['9999', 9_999_000],
		['10000', undefined],
		['1.5', undefined],
		['-1', undefined],
		['soon', undefined],
		['Thu, 01 Jan 2026 00:00:10 GMT', undefined],
		[5, undefined],
		[undefined, undefined],
	])('is read from %j', (value, retryAfterMs) => {
		const error = failure(reply('', { status: 429, headers: { 'retry-after': value } }));
		expect(error).toHaveProperty('retryAfterMs', retryAfterMs);
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

	it('is not taken from a prototype', () => {
		const headers: Record<string, unknown> = {};
		Object.setPrototypeOf(headers, { date: 'Thu, 01 Jan 2026 00:10:00 GMT' });
		expect(failure(reply('{"code":-112}', { headers }))).toHaveProperty(
			'clockDifferenceMs',
			undefined,
		);
	});
});

describe('the moment of a success', () => {
	const SUCCESS = '{"code":0,"msg":"","data":[]}';

	function answered(headers: HttpResponse['headers']) {
		return parseEnvelope(GET_ACCOUNT_ORDERS, reply(SUCCESS, { headers }), [], NOW);
	}

	it.each([
		['Thu, 01 Jan 2026 00:10:00 GMT', 600_000],
		['Wed, 31 Dec 2025 23:50:00 GMT', -600_000],
		['Thu, 01 Jan 2026 00:00:00 GMT', 0],
	])('is that of this machine, with the difference to what the service says: %s', (date, ms) => {
		expect(answered({ date })).toMatchObject({ answeredAt: NOW, clockDifferenceMs: ms });
	});

	it.each(['yesterday', '', 5, null, undefined, ['Thu, 01 Jan 2026 00:10:00 GMT']])(
		'has no difference where the service says %p',
		(date) => {
			const { answeredAt, clockDifferenceMs } = answered({ date });
			expect([answeredAt, clockDifferenceMs]).toEqual([NOW, undefined]);
		},
	);

	it('comes with the answer', () => {
		expect(parseEnvelope(GET_ACCOUNT_ORDERS, reply(SUCCESS), [], NOW)).toEqual({
			kind: 'envelope',
			code: 0,
			msg: '',
			data: [],
			answeredAt: NOW,
		});
	});
});

describe('an endpoint without a text format', () => {
	it('does not take a text for an answer, and shows its beginning', () => {
		const read = () => parseEnvelope(GET_ACCOUNT_ORDERS, reply(`1.2.3.4 ${KEY}`), [KEY], NOW);
		expect(read).toThrow(InvalidResponseError);
		expect(read).toThrow(expect.objectContaining({ excerpt: '1.2.3.4 [hidden]' }));
	});

	it('refuses as every other', () => {
		const read = () => parseEnvelope(GET_ACCOUNT_ORDERS, reply('{"code":-109}'), [], NOW);
		expect(read).toThrow(ApiError);
	});
});

describe('an answer that may hold a secret', () => {
	it.each([GET_SECRET_TOKEN, GET_ORDER_SECRET, GET_ORDER_INFO])(
		'of $path shows nothing, whatever is wrong with it',
		(endpoint) => {
			const bodies = [
				reply('another-secret'),
				reply('{"code":0,"data":{"secret_key":"another-secret"'),
				reply('{"data":{"secret_key":"another-secret"}}'),
				reply('<html>another-secret</html>'),
				reply('another-secret', { status: 502 }),
			];
			for (const body of bodies) {
				const read = () => parseEnvelope(endpoint, body, [], NOW);
				expect(read).toThrow(expect.objectContaining({ excerpt: '' }));
			}
		},
	);
});
