import { differences } from '../../../scripts/compareInstalled.mjs';
import { suspiciousData } from '../../../scripts/suspiciousData.mjs';

const LOCKED = {
	'': { version: '0.2.0' },
	'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
	'node_modules/b': { version: '2.0.0', integrity: 'sha512-b' },
	'node_modules/of-another-platform': {
		version: '3.0.0',
		integrity: 'sha512-c',
		optional: true,
	},
};
const { 'node_modules/a': a, 'node_modules/b': b } = LOCKED;

it('nothing differs where each package is what the lockfile names', () => {
	expect(differences(LOCKED, { 'node_modules/a': a, 'node_modules/b': b })).toEqual([]);
});

it.each([
	[
		'another version',
		{ 'node_modules/b': { version: '2.1.0', integrity: 'sha512-x' } },
		'node_modules/b 2.1.0 is not what the lockfile names (2.0.0)',
	],
	[
		'another content of the same version',
		{ 'node_modules/b': { version: '2.0.0', integrity: 'sha512-x' } },
		'node_modules/b 2.0.0 is not what the lockfile names (2.0.0)',
	],
	[
		'another content of an optional package',
		{
			'node_modules/b': b,
			'node_modules/of-another-platform': { version: '3.0.0', integrity: 'sha512-x' },
		},
		'node_modules/of-another-platform 3.0.0 is not what the lockfile names (3.0.0)',
	],
	[
		'a package more',
		{ 'node_modules/b': b, 'node_modules/d': { version: '4.0.0', integrity: 'sha512-d' } },
		'node_modules/d 4.0.0 is not in the lockfile',
	],
	['a package less', {}, 'node_modules/b 2.0.0 is not installed'],
])('%s is a difference', (_name, installed, expected) => {
	expect(differences(LOCKED, { 'node_modules/a': a, ...installed })).toEqual([expected]);
});

it('a package without a hash proves nothing', () => {
	const noHash = { 'node_modules/a': { version: '1.0.0' } };
	expect(differences(noHash, noHash)).toEqual(['node_modules/a 1.0.0 has no hash']);
});

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
