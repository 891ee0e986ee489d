import { readdirSync, readFileSync } from 'node:fs';

import { KuaidailiApi } from '../../credentials/KuaidailiApi.credentials.ts';
import { Kuaidaili } from '../../nodes/Kuaidaili/Kuaidaili.node.ts';
import { nodeProperties } from '../../nodes/Kuaidaili/actions/resources.ts';
import { KuaidailiTrigger } from '../../nodes/KuaidailiTrigger/KuaidailiTrigger.node.ts';
import { triggerProperties } from '../../nodes/KuaidailiTrigger/events/index.ts';
import {
	codexFindings,
	colorFindings,
	deadFiles,
	iconFindings,
	reviewFindings,
} from '../../scripts/reviewRules.mjs';

const PROPERTIES = { name: 'x', displayName: 'X', type: 'string', default: '' };
const read = (file: string) => readFileSync(file, 'utf8');
const option = (name: string) => ({ name, value: name });

describe("the rules of n8n's reviewers", () => {
	it.each([
		['node', nodeProperties],
		['trigger', triggerProperties],
		['credential', new KuaidailiApi().properties],
	])('are kept by the %s', (_name, properties) => {
		expect(reviewFindings(properties)).toEqual([]);
	});

	it.each([
		['a long hint', { hint: 'x'.repeat(121) }, /hint has 121/],
		['another language', { description: '快' }, /not in English/],
		[
			'another language in an option',
			{ type: 'options', options: [{ ...option('A'), description: '快' }] },
			/not in English/,
		],
		['what has no default', { default: undefined }, /no default/],
		[
			'unsorted options',
			{ type: 'options', options: ['B', 'A', 'C', 'D'].map(option) },
			/not sorted/,
		],
		[
			'what is required in a collection',
			{ type: 'collection', options: [{ ...PROPERTIES, required: true }] },
			/required in a collection/,
		],
	])('find %s', (_what, changes, finding) => {
		expect(reviewFindings([{ ...PROPERTIES, ...changes }]).join()).toMatch(finding);
	});

	it('are kept by the menus of resources and operations: all are sorted by name', () => {
		const menus = nodeProperties.filter(({ name }) => /^(?:resource|operation)$/.test(name));
		expect(menus.length).toBeGreaterThan(10);
		for (const { options = [] } of menus) {
			const names = options.map(({ name }) => name.toLowerCase());
			expect(names).toEqual([...names].sort());
		}
	});

	it.each(['Kuaidaili', 'KuaidailiTrigger'])('are kept by the codex of %s', (name) => {
		expect(codexFindings(JSON.parse(read(`nodes/${name}/${name}.node.json`)))).toEqual([]);
	});

	it('are kept by icons, files, and colors', () => {
		expect(iconFindings(read('icons/kuaidaili.svg'), 'light')).toEqual([]);
		expect(iconFindings(read('icons/kuaidaili.dark.svg'), 'dark')).toEqual([]);
		const files = ['nodes', 'credentials'].flatMap((folder) =>
			readdirSync(folder, { recursive: true }).map(String),
		);
		expect(deadFiles(files)).toEqual([]);
		for (const { description } of [new Kuaidaili(), new KuaidailiTrigger()]) {
			expect(colorFindings(description)).toEqual([]);
			expect(description.description).not.toMatch(/\p{Script=Han}/u);
		}
	});

	it.each([
		['an icon', iconFindings('<path fill="#2b2b2b"/>', 'dark'), /contrast of 1\.00/],
		['a category', codexFindings({ categories: ['Proxies'] }), /unknown category Proxies/],
		['subcategories', codexFindings({ categories: ['Development'], subcategories: {} }), /subcat/],
		['a leftover', deadFiles(['Kuaidaili/Kuaidaili.node.ts.bak']), /\.bak/],
		["n8n's color", colorFindings({ defaults: { color: '#FF6D5A' } }), /own color/],
		[
			'an option that stands there twice',
			reviewFindings([{ ...PROPERTIES, type: 'options', options: [option('A'), option('A')] }]),
			/twice/,
		],
	])('find %s', (_what, findings, text) => {
		expect(findings.join()).toMatch(text);
	});
});
