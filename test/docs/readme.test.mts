import { readdirSync, readFileSync } from 'node:fs';

import { EXAMPLES } from '../../demo/examples.mts';
import { LIKE_N8N_3 } from '../../harness/realN8n/likeN8n3.mts';
import { N8N_RELEASES } from '../../harness/realN8n/releases.mts';
import { readProxyEntry } from '../../nodes/Kuaidaili/proxies/entries.ts';
import { Kuaidaili } from '../../nodes/Kuaidaili/Kuaidaili.node.ts';
import { KuaidailiTrigger } from '../../nodes/KuaidailiTrigger/KuaidailiTrigger.node.ts';
import { PRODUCT_LABELS, PRODUCTS } from '../../nodes/shared/service/products.ts';
import { EVENTS, OPERATIONS, RESOURCES } from '../operations/index.mts';

const README = readFileSync('README.md', 'utf8');
const OF_EXAMPLES = readFileSync('examples/README.md', 'utf8');
const PAGES = readdirSync('docs').filter((name) => name.endsWith('.md'));
const EXTRACTING = readFileSync('docs/extracting.md', 'utf8');
const { scripts, description }: { scripts: Record<string, string>; description: string } =
	JSON.parse(readFileSync('package.json', 'utf8'));

function sectionOf(heading: string, page = README): string {
	const [, section = ''] = page.split(`\n## ${heading}\n`);
	return section.split('\n## ')[0];
}

function stepsIn(section: string): number {
	return section.match(/^\d\. /gm)?.length ?? 0;
}

it('names the commands with which somebody tries it, and they are there', () => {
	const commands = [...sectionOf('Try it without an account').matchAll(/^npm (?:run )?([\w:]+)/gm)];
	const names = commands.map(([, name]) => name);
	expect(names).toEqual(['demo', 'test']);
	expect(names.filter((name) => !(name in scripts))).toEqual([]);
});

it.each(['Installation', 'Credentials', 'Operations', 'Compatibility', 'Resources'])(
	'has the section "%s", which n8n wants',
	(heading) => {
		expect(sectionOf(heading).trim().length).toBeGreaterThan(100);
	},
);

it.each([
	['a page through a proxy', sectionOf('Usage: from addresses to rows in five minutes')],
	['a renewal', sectionOf('renew-every-morning', OF_EXAMPLES)],
	['an order', sectionOf('order-a-tunnel-proxy', OF_EXAMPLES)],
	['a page through HTTP Request', sectionOf('scrape-pages-through-private-proxies', OF_EXAMPLES)],
])('leads in numbered steps to %s', (_what, section) => {
	expect(stepsIn(section)).toBeGreaterThanOrEqual(3);
	expect(stepsIn(section)).toBeLessThanOrEqual(6);
});

it.each([
	['the README', README],
	['the package', description],
	['the node', new Kuaidaili().description.description],
	['the trigger', new KuaidailiTrigger().description.description],
])('%s says first that pages are opened through orders of the user', (_what, text) => {
	const [first] = text.replace(/^# .*\n+/, '').split(/\. |\n/, 1);
	expect(first).toMatch(/open web pages .*through your own .*proxy orders/i);
});

it('is in English, and links the guide in Chinese at its end only', () => {
	const [before] = README.split('## Resources');
	expect(before).not.toContain('zh-CN');
	expect(sectionOf('Resources')).toContain('docs/zh-CN.md');
	expect(README).not.toMatch(/\p{Script=Han}/u);
});

it.each(['README.md', 'docs/zh-CN.md', 'docs/queue-mode.md'])(
	'%s names the setting without which n8n 3 loads no unverified package',
	(page) => {
		const setting = 'N8N_UNVERIFIED_PACKAGES_ENABLED';
		expect(LIKE_N8N_3).toHaveProperty(setting, 'true');
		expect(readFileSync(page, 'utf8')).toContain(setting);
	},
);

it('is read in a few minutes', () => {
	const words = README.replace(/<[^>]*>/g, '').match(/[\p{L}\p{N}][^\s|]*/gu) ?? [];
	expect(words.length).toBeLessThan(1000);
});

it('lists every product, every event, and every example', () => {
	const inTable = (page: string) =>
		[...page.matchAll(/^\| (?!---)\[?`?([^|`]+?)`?(?:\].*?)? \|/gm)]
			.map(([, name]) => name)
			.slice(1)
			.sort();
	expect(inTable(sectionOf('Products'))).toEqual(Object.values(PRODUCT_LABELS).sort());
	const [events = ''] = readFileSync('docs/trigger.md', 'utf8').split('\n## ');
	expect(inTable(events)).toEqual(EVENTS.map(({ label }) => label).sort());
	const [examples = '', ...sections] = OF_EXAMPLES.split('\n## ');
	expect(inTable(examples)).toEqual([...EXAMPLES].sort());
	expect(sections.map((section) => section.split('\n')[0]).sort()).toEqual([...EXAMPLES].sort());
});

it('says which products can be ordered', () => {
	const [, ordered = ''] = /_Order: Create_ orders ([\w, ]+);/.exec(sectionOf('Products')) ?? [];
	expect(ordered.match(/[A-Z_]+/g)?.sort()).toEqual(Object.keys(PRODUCTS).sort());
});

it.each(['README.md', ...PAGES.map((name) => `docs/${name}`)])(
	'%s names only operations that the node has',
	(page) => {
		const resources = RESOURCES.map(({ label }) => label).join('|');
		const named = new RegExp(`[*_]((?:${resources}): [A-Z][\\w ]+)[*_]`, 'g');
		const names = [...readFileSync(page, 'utf8').matchAll(named)].map(([, name]) => name);
		const known = OPERATIONS.map(({ name }) => name);
		expect(names.filter((name) => !known.includes(name))).toEqual([]);
	},
);

it('leads to every page of the documentation, and to the examples', () => {
	expect(PAGES.filter((name) => !README.includes(`](docs/${name}`))).toEqual([]);
	expect(README).toContain('](examples/README.md)');
	const ofDevelopers = [
		readFileSync('CONTRIBUTING.md', 'utf8'),
		readFileSync('VERSIONING.md', 'utf8'),
	];
	const missing = readdirSync('docs/development').filter(
		(name) =>
			name.endsWith('.md') &&
			!ofDevelopers.some((page) => page.includes(`](docs/development/${name})`)),
	);
	expect(missing).toEqual([]);
});

it('names the releases of n8n that everything is tried in', () => {
	for (const version of N8N_RELEASES.keys()) expect(sectionOf('Compatibility')).toContain(version);
});

it('promises of an entry with too many parts what the node then does', () => {
	const entry = '113.120.61.166:22989,浙江杭州,高匿名,HTTP, HTTPS,0.42';
	const item = readProxyEntry(entry, ['region', 'anonymity', 'protocol', 'responseTime']);
	expect(Object.keys(item ?? {})).toEqual(['address', 'host', 'port', 'raw']);
	expect(EXTRACTING).toMatch(/more or fewer parts .*the item has `raw`/);
});
