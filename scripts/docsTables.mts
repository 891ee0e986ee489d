import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { EXAMPLES, pictureName, type ExampleName } from '../demo/examples.mts';
import { readString } from '../harness/outsideData.mts';
import { RESOURCES } from '../nodes/Kuaidaili/actions/resources.ts';
import { COMMON_CODES } from '../nodes/shared/service/codes.ts';
import type { CodeTable } from '../nodes/shared/service/endpoint.ts';
import { ENDPOINTS } from '../nodes/shared/service/endpoints/index.ts';
import { describedOperation } from '../test/operations/described.mts';
import { ENDPOINT_ROWS, EVENTS, OPERATIONS, type EndpointRow } from '../test/operations/index.mts';
import { table } from './markdown.mts';
import { orderRanges } from './orderRanges.mts';

const HEAD = ['Code', 'What happened', 'What to do'];

type CodeRow = readonly [code: string, message: string, description: string];

function codeRows(codes: CodeTable): CodeRow[] {
	return Object.entries(codes)
		.sort(([a], [b]) => Number(b) - Number(a))
		.map(([code, { message, description }]): CodeRow => [code, message, description]);
}

function titled(title: string, content: string): string {
	return `## ${title}\n\n${content}`;
}

/** Where a user meets the codes of an endpoint. */
function titleOf({ path, title }: EndpointRow): string {
	if (title !== undefined) return title;
	const operations = OPERATIONS.filter((operation) => operation.path === path);
	if (operations.length > 0) {
		// Operations of one endpoint are operations of one resource
		const labels = operations.map(({ label }) => label).join(' and ');
		return `${operations[0].resourceLabel}: ${labels}`;
	}
	const events = EVENTS.filter((event) => event.path === path).map(({ label }) => label);
	if (events.length === 0) throw new Error(`The codes of ${path} have no title`);
	return `Trigger: ${events.join(' and ')}`;
}

/** The part of an operation that a table of codes is about, such as "Proxy: Extract" and "tunnels". */
interface CodesOf {
	readonly part: string;
	readonly rows: readonly CodeRow[];
}

/** By operation, in the order in which the endpoints come. */
function codesByOperation(): ReadonlyMap<string, readonly CodesOf[]> {
	const groups = new Map<string, CodesOf[]>();
	for (const row of ENDPOINT_ROWS) {
		const endpoint = Object.values(ENDPOINTS).find(({ path }) => path === row.path);
		const rows = codeRows(endpoint?.codes ?? {});
		if (rows.length === 0) continue;
		const [operation, part = ''] = titleOf(row).split(', ');
		groups.set(operation, [...(groups.get(operation) ?? []), { part, rows }]);
	}
	return groups;
}

/** One table for an operation: what several of its endpoints say in the same words stands there once. */
function operationTable(parts: readonly CodesOf[]): string {
	if (parts.length === 1) return table(HEAD, parts[0].rows);
	const merged = new Map<string, { row: CodeRow; of: string[] }>();
	for (const { part, rows } of parts) {
		for (const row of rows) {
			const entry = merged.get(JSON.stringify(row)) ?? { row, of: [] };
			entry.of.push(part);
			merged.set(JSON.stringify(row), entry);
		}
	}
	const rows = [...merged.values()]
		.sort((a, b) => Number(b.row[0]) - Number(a.row[0]))
		.map(({ row: [code, ...texts], of }) => [code, partsInWords(of, parts), ...texts]);
	const [code, ...others] = HEAD;
	return table([code, 'Where', ...others], rows);
}

function partsInWords(some: readonly string[], all: readonly CodesOf[]): string {
	if (some.length === all.length) return 'everywhere';
	const others = all.map(({ part }) => part).filter((part) => !some.includes(part));
	return others.length < some.length && others.length <= 2
		? `everywhere except ${others.join(' and ')}`
		: some.join(', ');
}

function codesSection(): string {
	const own = [...codesByOperation()].map(([operation, parts]) =>
		titled(operation, operationTable(parts)),
	);
	return [titled('Every operation', table(HEAD, codeRows(COMMON_CODES))), ...own].join('\n\n');
}

const COSTS: Readonly<Record<string, string>> = {
	'at once': '**yes, right away**',
	later: 'later, with each renewal',
};

/** What the node can do, in its own words. */
function operationsSection(): string {
	const rows = OPERATIONS.map((operation) => {
		const { resourceLabel, label, key, costs = '' } = operation;
		const { description } = describedOperation(operation);
		const keyType = key === 'account' ? 'Account' : 'either';
		return [resourceLabel, label, description, keyType, COSTS[costs] ?? 'no'];
	});
	return table(['Resource', 'Operation', 'What it does', 'Key Type', 'Costs money'], rows);
}

/** Their names at a glance. What spends money right away is bold. */
function resourcesSection(): string {
	const isPurchase = (resource: unknown, operation: unknown) =>
		OPERATIONS.some(
			(row) => row.resource === resource && row.operation === operation && row.costs === 'at once',
		);
	const rows = RESOURCES.map(({ option, operations }) => {
		const names = operations.map(({ option: { name, value } }) =>
			isPurchase(option.value, value) ? `**${name}**` : name,
		);
		return [option.name, names.join(', ')];
	});
	return table(['Resource', 'Operations'], rows);
}

function titleOfExample(example: ExampleName): string {
	const file = new URL(`../examples/${example}.json`, import.meta.url);
	return readString(JSON.parse(readFileSync(file, 'utf8')), 'name');
}

/** Nothing until `npm run screenshots` has taken it. */
function pictureOf(example: ExampleName): string {
	const path = `docs/${pictureName(example)}`;
	if (!existsSync(fileURLToPath(new URL(`../${path}.png`, import.meta.url)))) return '';
	return [
		'<picture>',
		`  <source media="(prefers-color-scheme: dark)" srcset="../${path}-dark.png">`,
		`  <img src="../${path}.png" alt="The workflow '${titleOfExample(example)}' in n8n's editor">`,
		'</picture>',
	].join('\n');
}

/** By file, then by the name in the marks around the section. */
const GENERATED: ReadonlyMap<string, ReadonlyMap<string, () => string>> = new Map([
	['README.md', new Map([['resources', resourcesSection]])],
	[
		'examples/README.md',
		new Map(EXAMPLES.map((example) => [`picture-${example}`, () => pictureOf(example)])),
	],
	['docs/error-codes.md', new Map([['codes', codesSection]])],
	['docs/operations.md', new Map([['operations', operationsSection]])],
	['docs/order-values.md', new Map([['ranges', orderRanges]])],
]);

export const GENERATED_FILES = [...GENERATED.keys()];

/**
 * The text of a file with every generated section written again between its marks.
 *
 * @param file one of `GENERATED_FILES`
 */
export function withCurrentTables(file: string, text: string): string {
	let updated = text;
	for (const [name, section] of GENERATED.get(file) ?? []) {
		const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`];
		const [before, rest] = updated.split(begin);
		const after = rest?.split(end)[1];
		if (after === undefined) throw new Error(`${file} lacks the marks of the section "${name}"`);
		updated = [`${before}${begin}`, section(), `${end}${after}`].filter(Boolean).join('\n\n');
	}
	return updated;
}
