import { setFlagsFromString } from 'node:v8';
import { gzipSync } from 'node:zlib';

import { READ_ATTEMPTS } from '../engine/support/api.mts';
import { startScriptedService } from '../engine/support/scriptedService.mts';
import { addresses, list } from '../engine/support/scriptedShop.mts';
import type { Extraction } from '../engine/support/testBed.mts';
import { useWorkbench } from '../engine/support/workbench.mts';
import { expectClear, toldBy } from './clearError.mts';
import { expectPrototypesUntouched } from './untouched.mts';

/*
 * What takes too long, or too much memory, to be one case of a property.
 */

const { bed } = useWorkbench();
const MEGABYTE = 1024 * 1024;
/** Several times what a quiet machine needs. */
const LONGEST_MS = 30_000;

// As in a process that has compiled so many expressions that V8 no longer optimizes them: then they need
// stack for each character of a text
beforeAll(() => setFlagsFromString('--no-regexp-optimization'));
afterAll(() => setFlagsFromString('--regexp-optimization'));
afterEach(expectPrototypesUntouched);

async function answered(
	body: string | Buffer,
	headers?: Record<string, string>,
	extraction: Extraction = {},
	attempts = 1,
) {
	const service = await startScriptedService(() => ({ body, headers }));
	const begin = performance.now();
	const result = await bed().extract({ credential: service.hosts, num: 100, ...extraction });
	expect(performance.now() - begin).toBeLessThan(LONGEST_MS);
	expect(service.calls).toHaveLength(attempts);
	return result;
}

const entities = Array.from({ length: 12 }, (_none, level) => {
	const inside = level === 0 ? 'ha'.repeat(50) : `&e${level - 1};`.repeat(10);
	return `<!ENTITY e${level} "${inside}">`;
}).join('');

/** They may be whole when they are read again. */
const ARRIVED_BROKEN = [
	'JSON that is cut',
	'XML that is cut',
	'XML with an entity from a file',
	'spaces',
];

describe('a large answer', () => {
	const large: Readonly<Record<string, () => string>> = {
		text: () => 'x'.repeat(2 * MEGABYTE),
		'lines without an address': () => 'no address\r\n'.repeat(150_000),
		'JSON that is cut': () => `{"code":0,"data":{"proxy_list":["${'1.2.3.4:80","'.repeat(120_000)}`,
		'JSON with one large text': () => JSON.stringify({ code: 0, data: 'x'.repeat(2 * MEGABYTE) }),
		'JSON with one large text and two codes': () =>
			JSON.stringify({ code: 0, data: 'x'.repeat(2 * MEGABYTE), msg: { code: 0 } }),
		'JSON with a large message': () =>
			JSON.stringify({ code: -3, msg: '错'.repeat(MEGABYTE), data: '' }),
		'JSON with many keys': () => {
			const keys = Array.from({ length: 80_000 }, (_none, index) => [`key${index}`, index]);
			return JSON.stringify({ code: 0, data: Object.fromEntries(keys) });
		},
		'XML with a large text': () =>
			`<result><code>0</code><msg></msg><data>${'x'.repeat(2 * MEGABYTE)}</data></result>`,
		'XML that is cut': () => `<result><code>0</code><data>${'<a>1</a>'.repeat(38_000)}`,
		'XML that is longer than any': () =>
			`<result><code>0</code><data>${'<a>1</a>'.repeat(200_000)}`,
		'XML with entities in entities': () =>
			`<!DOCTYPE result [${entities}]><result><code>0</code><msg>&e11;</msg><data>&e11;</data></result>`,
		'XML with an entity from a file': () =>
			'<!DOCTYPE result [<!ENTITY x SYSTEM "file:///etc/passwd">]><result><code>-3</code><msg>&x;</msg></result>',
		'a web page': () => `<!DOCTYPE html><html>${'<p>502</p>'.repeat(100_000)}</html>`,
		spaces: () => ' '.repeat(2 * MEGABYTE),
	};

	it.each(Object.entries(large))(
		'of %s is an error in few words',
		async (name, body) => {
			const attempts = ARRIVED_BROKEN.includes(name) ? READ_ATTEMPTS : 1;
			const result = await answered(body(), undefined, {}, attempts);
			expect(result.items).toEqual([]);
			const told = toldBy(result);
			expectClear(told, [], [/^Kuaidaili did not accept one of the values$/]);
			expect(`${told.message} ${told.description}`).not.toContain('root:');
			expect(result.saved.length).toBeLessThan(50_000);
		},
		2 * LONGEST_MS,
	);

	it(
		'that is right gives no more than was asked for',
		async () => {
			const { items, error } = await answered(String(list(addresses(0, 50_000)).body));
			expect(error).toBeUndefined();
			expect(items).toHaveLength(100);
		},
		2 * LONGEST_MS,
	);

	it(
		'that unpacks to much more than was sent is an error',
		async () => {
			const packed = gzipSync(Buffer.alloc(24 * MEGABYTE, 'x'));
			const result = await answered(packed, { 'content-encoding': 'gzip' });
			expectClear(toldBy(result), []);
		},
		2 * LONGEST_MS,
	);
});
