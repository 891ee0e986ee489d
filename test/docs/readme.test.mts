import { readFileSync } from 'node:fs';

import { readProxyEntry } from '../../nodes/Kuaidaili/actions/proxy/extract/proxyEntry.ts';

const README = readFileSync('README.md', 'utf8');
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

it('tells how to use a proxy in HTTP Request, for HTTPS pages and without waiting for dead ones', () => {
	const recipe = README.split('\n').find((line) => line.includes('{{ $json.proxyUrl }}')) ?? '';
	expect(recipe).toMatch(/HTTP Request node.*_Options → Proxy_/);
	expect(recipe).toMatch(/_Options → Timeout_/);
	expect(recipe).toMatch(/HTTPS pages.*_Protocol: HTTPS \(and HTTP\)_/);
});

it('promises of an entry with too many parts what the node then does', () => {
	const entry = '113.120.61.166:22989,浙江杭州,高匿名,HTTP, HTTPS,0.42';
	const item = readProxyEntry(entry, ['region', 'anonymity', 'protocol', 'responseTime']);
	expect(Object.keys(item ?? {})).toEqual(['proxyUrl', 'address', 'host', 'port', 'raw']);
	expect(sectionOf('Extract proxies')).toMatch(/more or fewer parts .*the item has `raw`/);
});
