import { Readable } from 'node:stream';

import { InvalidResponseError } from '../../../../../nodes/shared/errors/callErrors.ts';
import { parseResponse, readResponse } from '../../../../../nodes/shared/response/httpResponse.ts';
import { GET_ACCOUNT_ORDERS } from '../../../../../nodes/shared/service/endpoints/account.ts';
import { QUERY_KPS_CITY } from '../../../../../nodes/shared/service/endpoints/lookup.ts';
import { GET_ORDER_EXPIRE_TIME } from '../../../../../nodes/shared/service/endpoints/order.ts';
import { CREATE_ORDER } from '../../../../../nodes/shared/service/endpoints/purchase.ts';
import { failure, NOW, reply } from './replies.mts';

describe('what n8n returns', () => {
	it('is taken over', async () => {
		expect(
			await readResponse({ statusCode: 200, headers: { a: 'b' }, body: 'text', more: 1 }),
		).toEqual({
			status: 200,
			headers: { a: 'b' },
			body: 'text',
		});
	});

	it('may have headers of a class, and an instance of a class around everything', async () => {
		class Headers {
			date = 'today';
		}
		class Message {
			statusCode = 502;

			headers = new Headers();

			body = '';
		}
		expect(await readResponse(new Message())).toEqual({
			status: 502,
			headers: { date: 'today' },
			body: '',
		});
	});

	it.each([undefined, null])('with the body %s has an empty one', async (body) => {
		expect(await readResponse({ statusCode: 200, body })).toEqual({
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
	])('is refused when it is no whole reply: %j', async (value) => {
		await expect(readResponse(value)).rejects.toThrow(InvalidResponseError);
	});
});

describe('a body that comes as a stream', () => {
	const replyOf = (body: Readable) => ({ statusCode: 200, headers: {}, body });

	it('is read to its end, also where a character is split', async () => {
		const bytes = Buffer.from('{"msg":"北京"}');
		const pieces = [bytes.subarray(0, 9), bytes.subarray(9)];
		expect(await readResponse(replyOf(Readable.from(pieces)))).toMatchObject({
			body: '{"msg":"北京"}',
		});
	});

	it('is read no further than 10 MB', async () => {
		let pieces = 0;
		const endless = new Readable({
			read() {
				pieces += 1;
				this.push(Buffer.alloc(1_000_000));
			},
		});
		await expect(readResponse(replyOf(endless))).rejects.toMatchObject({
			reason: 'is larger than 10 MB',
		});
		expect(endless.destroyed).toBe(true);
		expect(pieces).toBeLessThan(15);
	});

	it('ends with the signal, whatever still comes', async () => {
		const controller = new AbortController();
		const silent = new Readable({ read() {} });
		const reading = readResponse(replyOf(silent), controller.signal);
		controller.abort();
		await expect(reading).rejects.toThrow();
		expect(silent.destroyed).toBe(true);
	});

	it('fails as the stream fails', async () => {
		const broken = new Readable({
			read() {
				this.destroy(new Error('cut'));
			},
		});
		await expect(readResponse(replyOf(broken))).rejects.toThrow('cut');
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
