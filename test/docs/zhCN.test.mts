import { readFileSync } from 'node:fs';

import { KuaidailiApi } from '../../credentials/KuaidailiApi.credentials.ts';
import { EXAMPLES } from '../../demo/examples.mts';
import { isRecord, readList, readString } from '../../harness/outsideData.mts';
import { N8N_RELEASES } from '../../harness/realN8n/releases.mts';
import { nodeProperties } from '../../nodes/Kuaidaili/actions/resources.ts';
import { triggerProperties } from '../../nodes/KuaidailiTrigger/events/index.ts';
import { COMMON_CODES } from '../../nodes/shared/service/codes.ts';
import { ENDPOINTS } from '../../nodes/shared/service/endpoints/index.ts';
import { ORDER_STATUSES, PAY_TYPES, PRODUCT_LABELS } from '../../nodes/shared/service/products.ts';
import { EVENTS, OPERATIONS } from '../operations/index.mts';
import { NAMES_OF_N8N } from './namesOfN8n.mts';

const GUIDE = readFileSync('docs/zh-CN.md', 'utf8');

type Row = Readonly<Record<string, string>>;

/** Every row of every table in a text, its cells by the heads of their columns. */
function rowsOf(text: string): Row[] {
	const tables = text.match(/(?:^\|.*\n)+/gm) ?? [];
	return tables.flatMap((table) => {
		const [head = [], , ...rows] = table
			.trim()
			.split('\n')
			.map((line) => line.split('|').slice(1, -1))
			.map((cells) => cells.map((cell) => cell.trim()));
		return rows.map((cells) => Object.fromEntries(cells.map((cell, i) => [head[i], cell])));
	});
}

/** The text after a mark, up to the next mark. */
function marked(mark: string): string {
	const [, rest] = GUIDE.split(`<!-- ${mark} -->`);
	if (rest === undefined) throw new Error(`The guide lacks the mark "${mark}"`);
	return rest.split('<!-- ')[0];
}

function sectionOf(heading: string): string {
	const [, rest = ''] = GUIDE.split(`\n### ${heading}\n`);
	return rest.split(/\n##+ /)[0];
}

/** What the guide says stands in the editor: bold, and without a Chinese character. */
function labelsIn(text: string): string[] {
	const bold = [...text.matchAll(/\*\*(.+?)\*\*/g)].map(([, label = '']) => label);
	return bold.filter((label) => !/\p{Script=Han}/u.test(label));
}

function codesIn(text: string): string[] {
	return [...text.matchAll(/`(.+?)`/g)].map(([, code = '']) => code);
}

/** Without "(charges your account in yuan)". */
function actionIn(action: unknown): string | undefined {
	return typeof action === 'string' ? action.split(' (')[0] : undefined;
}

/** Every name in a description: of fields, of their options, of what is in collections, of modes. */
function namesIn(described: unknown): string[] {
	if (Array.isArray(described)) return described.flatMap(namesIn);
	if (!isRecord(described)) return [];
	const { displayName, name, action, options, values, modes } = described;
	// The name of a field is not shown, that of an option is
	const own = displayName === undefined ? [name, action, actionIn(action)] : [displayName];
	return [
		...own.filter((text) => typeof text === 'string'),
		...[options, values, modes].flatMap(namesIn),
	];
}

const NODE_NAMES = [
	...namesIn(nodeProperties),
	...namesIn(triggerProperties),
	...namesIn(new KuaidailiApi().properties),
	...OPERATIONS.map(({ resourceLabel, label }) => `${resourceLabel}: ${label}`),
	'HTTP Request',
	'Kuaidaili',
	'Kuaidaili API',
	'Kuaidaili Trigger',
];

const NODES_OF_EXAMPLES = EXAMPLES.flatMap((example) => {
	const workflow: unknown = JSON.parse(readFileSync(`examples/${example}.json`, 'utf8'));
	return readList(workflow, 'nodes').map((node) => readString(node, 'name'));
});

it('names nothing in the editor that is not there', () => {
	const known = new Set([...NODE_NAMES, ...NODES_OF_EXAMPLES, ...NAMES_OF_N8N]);
	const labels = labelsIn(GUIDE);
	expect(labels.length).toBeGreaterThan(100);
	expect([...new Set(labels)].filter((label) => !known.has(label))).toEqual([]);
});

it('lists no name of n8n that it does not use', () => {
	const labels = new Set(labelsIn(GUIDE));
	expect(NAMES_OF_N8N.filter((name) => !labels.has(name))).toEqual([]);
});

it('names every event of the trigger', () => {
	const labels = new Set(labelsIn(sectionOf('字段')));
	expect(EVENTS.map(({ label }) => label).filter((label) => !labels.has(label))).toEqual([]);
});

it('names every product, pay type and status with its code', () => {
	const products = rowsOf(sectionOf('产品')).flatMap((row) => labelsIn(row['编辑器里的选项']));
	expect([...products].sort()).toEqual(Object.values(PRODUCT_LABELS).sort());
	const pairsIn = (heading: string): Record<string, string> =>
		Object.fromEntries(
			rowsOf(sectionOf(heading)).map((row) => [
				codesIn(row['API 取值'])[0],
				labelsIn(row['编辑器里的选项'])[0],
			]),
		);
	expect(pairsIn('付费方式')).toEqual(PAY_TYPES);
	expect(pairsIn('订单状态')).toEqual(
		Object.fromEntries(ORDER_STATUSES.map(({ value, name }) => [value, name])),
	);
});

it.each(rowsOf(marked('codes')).map((row) => [row['错误码'], codesIn(row['报错开头'])[0]]))(
	'code %s has a message that begins with "%s"',
	(code, beginning) => {
		const tables = [COMMON_CODES, ...Object.values(ENDPOINTS).map(({ codes }) => codes)];
		const messages = tables.map((table) => table?.[Number.parseInt(code)]?.message ?? '');
		expect(messages.filter((message) => message.startsWith(beginning))).not.toEqual([]);
	},
);

it.each(rowsOf(marked('statuses')).map((row) => [row['状态码'], codesIn(row['文字开头'])[0]]))(
	'status %s comes with "%s", as in the table of all statuses',
	(status, beginning) => {
		const lines = readFileSync('docs/failing-requests.md', 'utf8').split('\n');
		const found = lines.filter((one) => {
			const [, statuses = '', texts = ''] = one.split('|');
			return statuses.includes(status) && codesIn(texts).includes(beginning);
		});
		expect(found).toHaveLength(1);
	},
);

it('names the versions of n8n that it was tested in', () => {
	const missing = [...N8N_RELEASES.keys()].filter((version) => !GUIDE.includes(version));
	expect(missing).toEqual([]);
});

it('leads to every example', () => {
	const missing = EXAMPLES.filter((example) => !GUIDE.includes(`](../examples/${example}.json)`));
	expect(missing).toEqual([]);
});
