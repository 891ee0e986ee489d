import { suspiciousData } from '../../../scripts/suspiciousData.mjs';

const packed = 'QR08ALkAAgH6AYsDNQR2BO0EPgXZBQ'.repeat(200);
const domains = Array.from({ length: 100 }, (_, index) => `"a${index}.com"`).join(',');

it.each([
	[
		'words of two alphabets',
		'const names = "Ёж,pаypal,ok";',
		'letters of two alphabets in one word',
	],
	['escaped text', `const code = "${'\\u0435'.repeat(20)}";`, 'a long run of escaped characters'],
	['a packed table', `const tree = "${packed}";`, '1 packed tables rather than 0'],
	['a list of domains', `const suffixes = [${domains}];`, 'a list of 100 domains'],
])('%s are found', (_what, code, found) => {
	expect(suspiciousData(code)).toEqual([found]);
});

it('a table that is known passes, and a second one does not', () => {
	const table = `const tree = "${packed}";`;
	expect(suspiciousData(table, 1)).toEqual([]);
	expect(suspiciousData(table + table, 1)).toEqual(['2 packed tables rather than 1']);
});

it('code and texts pass', () => {
	const code = 'const text = "Ёж и ель: 12 α";\n'.repeat(500) + '"https://www.kuaidaili.com/"';
	expect(suspiciousData(code)).toEqual([]);
});
