import { gzipSync } from 'node:zlib';
import fc from 'fast-check';

import type { Answer } from '../operations/index.mts';
import { GZIPPED, reply, rightBody, type Reply } from './reply.mts';

/** The same order of keys never comes twice from some services. */
function shuffled(value: unknown, turn: number): unknown {
	if (Array.isArray(value)) return value.map((entry) => shuffled(entry, turn));
	if (typeof value !== 'object' || value === null) return value;
	const entries = Object.entries(value);
	const from = entries.length === 0 ? 0 : turn % entries.length;
	const turned = [...entries.slice(from), ...entries.slice(0, from)];
	if (turn % 2 === 1) turned.reverse();
	return Object.fromEntries(turned.map(([key, inside]) => [key, shuffled(inside, turn)]));
}

const CONTENT_TYPES = [
	'application/json; charset=utf-8',
	'text/html',
	'text/plain; charset=gbk',
	'image/png',
	'application/octet-stream',
	'text/xml; charset=utf-16',
	'',
	'nonsense',
];

/** The right answer in another dress: what comes out has to be the same. */
export function wholeReply(operation: Answer): fc.Arbitrary<Reply> {
	const body = rightBody(operation);
	const dressed = [
		fc.constant(reply('as it is', body)),
		fc.constantFrom(...CONTENT_TYPES).map((type) => {
			return reply(`as ${type}`, body, { headers: { 'content-type': type } });
		}),
		fc.constant(reply('gzipped', gzipSync(body), { headers: GZIPPED })),
		fc.constant(reply('with a byte order mark', `\ufeff${body}`)),
		fc.constantFrom('\n', '\r\n \t', ' '.repeat(5000)).map((space) => {
			return reply('with space around it', `${space}${body}${space}`);
		}),
	];
	if (operation.format === undefined) {
		const value: unknown = JSON.parse(body);
		dressed.push(
			fc.nat(20).map((turn) => {
				return reply(`shuffled ${turn}`, JSON.stringify(shuffled(value, turn)));
			}),
			fc.constant(reply('indented', JSON.stringify(value, null, '\t'))),
			fc.constant(
				reply(
					'with escapes',
					body.replace(/[^\x20-\x7e]/g, (character) => {
						return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
					}),
				),
			),
			fc.constantFrom('__proto__', 'constructor', 'toString', 'x').map((key) => {
				return reply(`with ${key}`, body.replace('{', `{"${key}":{"code":-1,"polluted":1},`));
			}),
		);
	} else if (operation.format === 'xml') {
		dressed.push(
			fc.constant(reply('with a declaration', `<?xml version="1.0" encoding="utf-8"?>\n${body}`)),
			fc.constant(
				reply('with a comment', body.replace('<data>', '<!-- <code>-1</code> --><data>')),
			),
			fc.constant(reply('in one line', body.replaceAll('\n', ''))),
			fc.constant(
				reply(
					'with CDATA',
					body.replace(/<proxy>(.*?)<\/proxy>/g, '<proxy><![CDATA[$1]]></proxy>'),
				),
			),
		);
	}
	return fc.oneof(...dressed);
}
