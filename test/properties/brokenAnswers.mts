import { gzipSync } from 'node:zlib';
import fc from 'fast-check';

import { anyText } from '../unit/support/properties.mts';
import type { Answer } from '../operations/index.mts';
import { escapeXml, GZIPPED, reply, rightBody, type Reply } from './reply.mts';

/** Codes of failures after which nothing is repeated; what -7 means differs by endpoint. */
const CODES = [
	-1,
	-2,
	-3,
	-4,
	-7,
	-9,
	-101,
	-102,
	-104,
	-108,
	-121,
	-123,
	2,
	7,
	500,
	2 ** 31,
	-999,
];

/** The last code counts, and nothing else is wrong where only that is read. An empty list may be an empty map. */
const WITH_TWO_CODES = ['{"code":-3,"data":7,"code":0}', '{"code":0,"data":7,"c\\u006fde":0}'];

const PAGES = [
	'<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>',
	'<html><body><form action="/login"><input name="password"></form></body></html>',
	'<HTML>\u0000<BODY>sign in</BODY></HTML>',
];

const BOMB = `<!DOCTYPE result [${Array.from({ length: 10 }, (_none, level) => {
	const inside = level === 0 ? 'ha'.repeat(10) : `&e${level - 1};`.repeat(10);
	return `<!ENTITY e${level} "${inside}">`;
}).join('')}]><result><code>0</code><msg>&e9;</msg><data>&e9;</data></result>`;

const NO_ANSWERS = [
	'',
	' ',
	'\ufeff',
	'null',
	'true',
	'0',
	'"text"',
	'[]',
	'{}',
	'{"data":[]}',
	'{"code":null,"data":[]}',
	'{"code":"0","data":[]}',
	'{"code":0,"data":[],}',
	'{"code":0,"data":NaN}',
	'{"code":00,"data":[]}',
	'callback({"code":0,"data":[]})',
	')]}\',\n{"code":0,"data":[]}',
	'<result></result>',
	'<result><code></code></result>',
	'<error><code>0</code></error>',
	'<result><code>0</code><code>0</code></result>',
	'<result code="0"/>',
	'ERROR',
	'OK',
	'502 Bad Gateway',
	'\u0000\u0001\u0002',
	...PAGES,
];

/** Two bytes each for Chinese characters, which is no UTF-8. */
const GBK = Buffer.from([0xb2, 0xce, 0xca, 0xfd, 0xb4, 0xed, 0xce, 0xf3]);

/** What is no answer, whatever was asked. */
function noAnswer({ shape }: Answer): fc.Arbitrary<Reply> {
	// Where nothing is read but the code, what else is in it does not matter
	const none = shape === undefined ? NO_ANSWERS : [...NO_ANSWERS, ...WITH_TWO_CODES, BOMB];
	return fc.oneof(
		fc.constantFrom(...none).map((body) => reply('no answer', body)),
		anyText(200)
			.filter((text) => !/\d/.test(text))
			.map((text) => reply('any text', text)),
		fc.uint8Array({ maxLength: 300 }).map((bytes) => reply('bytes', Buffer.from([0xff, ...bytes]))),
		fc.constant(reply('GBK', GBK)),
		fc
			.constantFrom('<', '{', '[', '"', '<a>')
			.map((opening) => reply('deep', opening.repeat(20_000))),
		fc.nat(60_000).map((depth) => {
			return reply('a deep list', `{"code":0,"data":${'['.repeat(depth)}`);
		}),
	);
}

/** A failure that the service tells, in any of its forms. */
function refusal({ format }: Answer): fc.Arbitrary<Reply> {
	const message = fc.oneof(
		anyText(40),
		fc.constantFrom('参数错误', 'x'.repeat(9000), '\u001b[31mred', 'a\nb', '', '\u202e'),
	);
	const form = fc.constantFrom('json', 'xml', 'text');
	return fc.tuple(fc.constantFrom(...CODES), message, form).map(([code, msg, as]) => {
		if (as === 'xml' && format !== undefined) {
			const clean = escapeXml(msg.replace(/[^\p{L}\d ]/gu, ''));
			return reply(
				`XML ${code}`,
				`<result><code>${code}</code><msg>${clean}</msg><data></data></result>`,
			);
		}
		if (as === 'text' && format !== undefined)
			return reply(`text ${code}`, `ERROR(${code}): ${msg}`);
		return reply(`JSON ${code}`, JSON.stringify({ code, msg, data: '' }));
	});
}

/** Not 429, after which a read waits and tries again. */
const STATUSES = [
	201, 202, 203, 204, 205, 206, 226, 300, 301, 302, 303, 304, 307, 308, 400, 401, 402, 403, 404,
	405, 407, 408, 410, 413, 414, 418, 421, 431, 451, 500, 501, 502, 503, 504, 511, 520, 599,
];

/** The answer is right, but something on the way says or does something else. */
function hindered({ format }: Answer, body: string): fc.Arbitrary<Reply> {
	const bytes = Buffer.from(body);
	// Node takes it for a whole one, so that only JSON and XML show that something is missing
	const zipped = gzipSync(body);
	const halfOfGzip = fc
		.nat(Math.floor(zipped.length / 2))
		.map((length) => reply('half a gzip', zipped.subarray(0, length), { headers: GZIPPED }));
	return fc.oneof(
		fc.constantFrom(...STATUSES).map((status) => {
			const empty = [204, 205, 304].includes(status);
			return reply(`status ${status}`, empty ? '' : body, {
				status,
				headers: { location: 'http://127.0.0.1:9/api/getproxy' },
			});
		}),
		fc.nat(bytes.length - 1).map((length) => {
			return reply(`cut at ${length} of what was promised`, bytes.subarray(0, length), {
				headers: { 'content-length': String(bytes.length) },
				cut: true,
			});
		}),
		fc.constant(reply('gzipped, without saying so', gzipSync(body))),
		fc.constant(reply('not gzipped, but said to be', body, { headers: GZIPPED })),
		...(format === 'text' ? [] : [halfOfGzip]),
		fc.constant(reply('UTF-16', Buffer.from(`\ufeff${body}`, 'utf16le'))),
	);
}

const ADDRESS = /\d\.\d{1,3}:\d/;

/** JSON and XML show where they end. Text does not, so there only the promised length tells. */
function cutAnywhere({ format }: Answer, body: string): fc.Arbitrary<Reply> {
	const cut = fc
		.nat(body.length - 1)
		.map((length) => reply(`cut at ${length}`, body.slice(0, length)));
	const tail = fc.nat(body.length - 2).map((start) => {
		return reply(`without its beginning ${start}`, body.slice(start + 1));
	});
	if (format === 'text') return fc.constant(reply('nothing', ''));
	// What is left of a list of proxies may be one in the format Text
	return ADDRESS.test(body) ? cut : fc.oneof(cut, cut, tail);
}

/** An answer that is none, or none that could be used: there must be no item. */
export function brokenReply(operation: Answer): fc.Arbitrary<Reply> {
	const body = rightBody(operation);
	return fc.oneof(
		{ weight: 3, arbitrary: noAnswer(operation) },
		{ weight: 2, arbitrary: refusal(operation) },
		{ weight: 3, arbitrary: hindered(operation, body) },
		{ weight: 3, arbitrary: cutAnywhere(operation, body) },
	);
}
