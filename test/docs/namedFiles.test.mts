import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

const DOCUMENTS = [
	'docs/development/architecture.md',
	'docs/development/architecture.svg',
	'CONTRIBUTING.md',
];

/** Folders of the tree that a document may name. */
const ROOTS = readdirSync('.', { withFileTypes: true })
	.filter((entry) => entry.isDirectory() && !/^(\.|node_modules$|dist$)/.test(entry.name))
	.map(({ name }) => name);

const FILES = ROOTS.flatMap((root) =>
	readdirSync(root, { recursive: true, encoding: 'utf8' }).map(
		(path) => `${root}/${path.replaceAll('\\', '/')}`,
	),
);

const NAMES = new Set(FILES.map((path) => basename(path)));

/** In a picture, the legend says where the folders are. */
function isThere(name: string): boolean {
	if (existsSync(name)) return true;
	const path = name.replace(/\/$/, '');
	if (!path.includes('/')) return NAMES.has(path);
	return FILES.some((file) => file.endsWith(`/${path}`));
}

/** What looks like a file or folder of the tree, and stands in code or in a line of the picture. */
function namedIn(document: string): string[] {
	const text = readFileSync(document, 'utf8').replace(/^```.*?^```/gms, '');
	const quoted = document.endsWith('.svg')
		? [...text.matchAll(/[\w./-]+/g)].map(([word]) => word)
		: [...text.matchAll(/`([\w./-]+)`/g)].map(([, word = '']) => word);
	const named = quoted.filter((word) => /^[\w/-]+(\.\w+)*\.m?ts$|^(\w+\/)+$/.test(word));
	return [...new Set(named)].filter((word) => !word.startsWith('dist/'));
}

describe.each(DOCUMENTS)('%s', (document) => {
	it('names only files and folders that exist', () => {
		expect(namedIn(document).filter((name) => !isThere(name))).toEqual([]);
	});

	it('names some', () => {
		expect(namedIn(document).length).toBeGreaterThan(8);
	});
});

it('sees that a file is missing', () => {
	expect(isThere('nodes/Kuaidaili/run/router.ts')).toBe(true);
	expect(isThere('nodes/Kuaidaili/actions/rooter.ts')).toBe(false);
	expect(isThere('transport/rateLimit.ts')).toBe(false);
});
