import { readdirSync, readFileSync } from 'node:fs';

import { EXAMPLES } from '../../demo/examples.mts';
import { N8N_RELEASES } from '../../harness/realN8n/releases.mts';
import { productField } from '../../nodes/Kuaidaili/actions/proxy/check/fields.ts';
import { readProxyEntry } from '../../nodes/Kuaidaili/proxies/entries.ts';
import { toProperty } from '../../nodes/shared/fields/field.ts';
import { PRODUCT_LABELS, PRODUCTS } from '../../nodes/shared/service/products.ts';
import { choicesOf } from '../operations/described.mts';
import { EVENTS, OPERATIONS, RESOURCES } from '../operations/index.mts';

const README = readFileSync('README.md', 'utf8');
const PAGES = readdirSync('docs').filter((name) => name.endsWith('.md'));
const EXTRACTING = readFileSync('docs/extracting.md', 'utf8');
const { scripts }: { scripts: Record<string, string> } = JSON.parse(
	readFileSync('package.json', 'utf8'),
);

function sectionOf(heading: string): string {
	const [, section = ''] = README.split(`\n## ${heading}\n`);
	return section.split('\n## ')[0];
}

it('names the commands with which somebody begins to develop, and they are there', () => {
	const commands = [...sectionOf('Development').matchAll(/`npm (?:run )?([\w:]+)`/g)];
	const names = commands.map(([, name]) => name);
	expect(names).toEqual(expect.arrayContaining(['demo', 'test']));
	expect(names.filter((name) => !(name in scripts))).toEqual([]);
});

it.each(['Installation', 'Credentials', 'Operations', 'Compatibility', 'Resources'])(
	'has the section "%s", which n8n wants',
	(heading) => {
		expect(sectionOf(heading).trim().length).toBeGreaterThan(100);
	},
);

it('leads in numbered steps to a renewal, to a page through a proxy and to an order', () => {
	const steps = sectionOf('Usage: three things in five minutes')
		.split('\n### ')
		.slice(1)
		.map((section) => section.match(/^\d\. /gm)?.length ?? 0);
	expect(steps).toHaveLength(3);
	for (const count of steps) {
		expect(count).toBeGreaterThanOrEqual(3);
		expect(count).toBeLessThanOrEqual(6);
	}
});

it('lists every product, every event, and every example', () => {
	const inTable = (section: string) =>
		[...sectionOf(section).matchAll(/^\| (?!---)\[?`?([^|`]+?)`?(?:\].*?)? \|/gm)]
			.map(([, name]) => name)
			.slice(1)
			.sort();
	expect(inTable('Products')).toEqual(Object.values(PRODUCT_LABELS).sort());
	expect(inTable('Trigger')).toEqual(EVENTS.map(({ label }) => label).sort());
	expect(inTable('Examples')).toEqual([...EXAMPLES].sort());
});

it('says which products can be ordered and checked', () => {
	const rows = sectionOf('Products').matchAll(/^\| .+\((\w+)\) \|.*\| (yes|no) \| (yes|no) \|$/gm);
	const found = [...rows].map(([, code, ordered, checked]) => [code, ordered, checked]);
	const canCheck = choicesOf(toProperty(productField));
	expect(found).toHaveLength(Object.keys(PRODUCT_LABELS).length);
	for (const [code, ordered, checked] of found) {
		expect([code, ordered]).toEqual([code, code in PRODUCTS ? 'yes' : 'no']);
		expect([code, checked]).toEqual([code, canCheck.includes(code) ? 'yes' : 'no']);
	}
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

it('leads to every page of the documentation', () => {
	expect(PAGES.filter((name) => !README.includes(`](docs/${name})`))).toEqual([]);
});

it('names the releases of n8n that everything is tried in', () => {
	for (const version of N8N_RELEASES.keys()) expect(sectionOf('Compatibility')).toContain(version);
});

it('warns of the setting with which n8n 1 would buy again', () => {
	expect(sectionOf('Limits and queue mode')).toContain('QUEUE_WORKER_MAX_STALLED_COUNT=0');
});

it('tells how to use a proxy in HTTP Request without waiting for dead ones', () => {
	const recipe = README.split('\n').find((line) => line.includes('{{ $json.proxyUrl }}')) ?? '';
	expect(recipe).toMatch(/HTTP Request.*_Options → Add option → Proxy_.*_Timeout_/);
});

it('tells how to get open proxies that open HTTPS pages', () => {
	expect(EXTRACTING).toMatch(/HTTPS pages.*_Protocol: HTTPS \(and HTTP\)_/);
});

it('promises of an entry with too many parts what the node then does', () => {
	const entry = '113.120.61.166:22989,浙江杭州,高匿名,HTTP, HTTPS,0.42';
	const item = readProxyEntry(entry, ['region', 'anonymity', 'protocol', 'responseTime']);
	expect(Object.keys(item ?? {})).toEqual(['proxyUrl', 'address', 'host', 'port', 'raw']);
	expect(EXTRACTING).toMatch(/more or fewer parts .*the item has `raw`/);
});
