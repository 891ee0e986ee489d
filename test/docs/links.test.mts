import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

const DOCUMENTS = [
	...readdirSync('.').filter((name) => name.endsWith('.md')),
	...['docs', join('docs', 'development'), 'examples'].flatMap((folder) =>
		readdirSync(folder)
			.filter((name) => name.endsWith('.md'))
			.map((name) => join(folder, name)),
	),
	join('sandbox', 'README.md'),
];

/** Where the files of the repository are for a page that is read elsewhere, such as the README at npm. */
const RAW = 'https://raw.githubusercontent.com/n8n-nodes-kuaidaili/n8n-nodes-kuaidaili/main/';

/** As GitHub and npm name the headings of a page. */
function anchorsOf(document: string): Set<string> {
	const text = readFileSync(document, 'utf8').replace(/^```.*?^```/gms, '');
	const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
	return new Set(
		headings.map((heading) =>
			heading
				.toLowerCase()
				.replace(/[^\p{L}\p{N} _-]/gu, '')
				.replaceAll(' ', '-'),
		),
	);
}

function linksOf(document: string): string[] {
	const text = readFileSync(document, 'utf8');
	const links = [
		...text.matchAll(/\]\(([^)\s]+)\)/g),
		...text.matchAll(/\b(?:src|srcset|href)="([^"]+)"/g),
	];
	return links
		.map(([, target = '']) =>
			target.startsWith(RAW) ? relative(dirname(document), target.slice(RAW.length)) : target,
		)
		.filter((target) => !/^[a-z]+:/.test(target));
}

describe.each(DOCUMENTS)('%s', (document) => {
	it('has only links that lead somewhere', () => {
		const broken = linksOf(document).filter((link) => {
			const [path = '', anchor] = link.split('#');
			const target = path === '' ? document : normalize(join(dirname(document), path));
			if (!existsSync(target)) return true;
			return anchor !== undefined && !anchorsOf(target).has(anchor);
		});
		expect(broken).toEqual([]);
	});
});

it('sees the links of the README', () => {
	expect(linksOf('README.md').length).toBeGreaterThan(10);
});

it('shows pictures in the README that npm can show, too', () => {
	const pictures = [...readFileSync('README.md', 'utf8').matchAll(/\b(?:src|srcset)="([^"]+)"/g)];
	expect(pictures.length).toBeGreaterThan(1);
	expect(pictures.filter(([, target]) => !target?.startsWith(RAW))).toEqual([]);
});

it('shows every picture in docs/ somewhere, each in light and dark', () => {
	const pictures = readdirSync('docs').filter((name) => /\.(png|svg)$/.test(name));
	const shown = DOCUMENTS.flatMap((document) =>
		linksOf(document).map((link) => normalize(join(dirname(document), link))),
	);
	expect(pictures.filter((name) => !shown.includes(join('docs', name)))).toEqual([]);
	const light = pictures.filter((name) => name.endsWith('.png') && !name.endsWith('-dark.png'));
	const dark = light.map((name) => name.replace('.png', '-dark.png'));
	expect(dark.filter((name) => !pictures.includes(name))).toEqual([]);
});
