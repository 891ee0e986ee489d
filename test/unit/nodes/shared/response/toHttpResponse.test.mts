import { InvalidResponseError } from '../../../../../nodes/shared/errors/callErrors.ts';
import {
	parseResponse,
	toHttpResponse,
} from '../../../../../nodes/shared/response/httpResponse.ts';
import { GET_ACCOUNT_ORDERS } from '../../../../../nodes/shared/service/endpoints/account.ts';
import { QUERY_KPS_CITY } from '../../../../../nodes/shared/service/endpoints/area.ts';
import { GET_ORDER_EXPIRE_TIME } from '../../../../../nodes/shared/service/endpoints/order.ts';
import { CREATE_ORDER } from '../../../../../nodes/shared/service/endpoints/purchase.ts';
import { failure, NOW, reply } from './replies.mts';

describe('what n8n returns', () => {
	it('is taken over', () => {
		expect(toHttpResponse({ statusCode: 200, headers: { a: 'b' }, body: 'text', more: 1 })).toEqual(
			{
				status: 200,
				headers: { a: 'b' },
				body: 'text',
			},
		);
	});

	it('may have headers of a class, and an instance of a class around everything', () => {
		class Headers {
			date = 'today';
		}
		class Message {
			statusCode = 502;

			headers = new Headers();

			body = '';
		}
		expect(toHttpResponse(new Message())).toEqual({
			status: 502,
			headers: { date: 'today' },
			body: '',
		});
	});

	it.each([undefined, null])('with the body %s has an empty one', (body) => {
		expect(toHttpResponse({ statusCode: 200, body })).toEqual({
			status: 200,
			headers: {},
			body: '',
		});
	});

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
		expect(() => toHttpResponse(value)).toThrow(InvalidResponseError);
	});
});

describe('a reply in another encoding than UTF-8', () => {
	const ofGbk = Buffer.from([0xb1, 0xb1, 0xbe, 0xa9]).toString();

	it.each([
		`1.2.3.4:80,${ofGbk}`,
		`{"code":0,"msg":"","data":{"proxy_list":["1.2.3.4:80,${ofGbk}"]}}`,
		`{"code":0,"msg":"","data":[{"${ofGbk}":1}]}`,
	])('is no answer, since what it says is lost: %j', (body) => {
		expect(failure(reply(body))).toMatchObject({ reason: 'is not in UTF-8' });
	});

	it.each([`{"code":0,"msg":"${ofGbk}","data":[]}`, '{"code":0,"msg":"","data":["\\ufffd"]}'])(
		'is read where nothing that is put out is lost: %s',
		(body) => {
			expect(parseResponse(QUERY_KPS_CITY, reply(body), [], NOW)).toMatchObject({ code: 0 });
		},
	);

	it.each([CREATE_ORDER, GET_ACCOUNT_ORDERS, GET_ORDER_EXPIRE_TIME])(
		'is read when it is that of $path, by whose numbers it is known what was bought',
		(endpoint) => {
			const body = `{"code":0,"msg":"","data":{"orderid":"1","warning":"${ofGbk}"}}`;
			expect(parseResponse(endpoint, reply(body), [], NOW)).toMatchObject({ code: 0 });
		},
	);

	it('is refused with its code', () => {
		expect(failure(reply(`{"code":-3,"msg":"${ofGbk}","data":""}`))).toMatchObject({ code: -3 });
	});
});
