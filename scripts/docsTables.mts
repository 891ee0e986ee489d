import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { EXAMPLES, pictureName, type ExampleName } from '../demo/examples.mts';
import { readString } from '../harness/outsideData.mts';
import { RESOURCES } from '../nodes/Kuaidaili/actions/resources.ts';
import { COMMON_CODES, REPORT_ADVICE } from '../nodes/shared/service/codes.ts';
import type { CodeTable } from '../nodes/shared/service/endpoint.ts';
import { ENDPOINTS } from '../nodes/shared/service/endpoints/index.ts';
import { describedOperation } from '../test/operations/described.mts';
import { ENDPOINT_ROWS, EVENTS, OPERATIONS, type EndpointRow } from '../test/operations/index.mts';
import { table } from './markdown.mts';
import { orderRanges } from './orderRanges.mts';

type CodeRow = readonly [code: string, message: string, description: string];

/**
 * What only a fault of this package can bring, and what a code means everywhere, is listed once, and each product's own
 * words become one row.
 */
function codeRows(codes: CodeTable, listed: CodeTable = {}): CodeRow[] {
	return Object.entries(codes)
		.filter(
			([code, { message, description }]) =>
				description !== REPORT_ADVICE && message !== listed[Number(code)]?.message,
		)
		.map(
			([code, { message, description }]): CodeRow => [
				code,
				...([message, description].map((text) =>
					text.replaceAll(/\ban? [\w ]+ \([A-Z_]+\) order/g, 'an order of the chosen product'),
				) as [string, string]),
			],
		);
}

/** Where a user meets the codes of an endpoint, such as "Proxy: Extract, tunnels". */
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

const EXTRACT = 'Proxy: Extract, ';

interface CodesOf {
	readonly title: string;
	readonly rows: readonly CodeRow[];
}

function ownCodes(): CodesOf[] {
	return ENDPOINT_ROWS.flatMap((row) => {
		const endpoint = Object.values(ENDPOINTS).find(({ path }) => path === row.path);
		const rows = codeRows(endpoint?.codes ?? {}, COMMON_CODES);
		return rows.length > 0 ? [{ title: titleOf(row), rows }] : [];
	});
}

/** Each meaning once, with all the places that share it. What to do stands in the node's error. */
function codesOfProducts(parts: readonly CodesOf[]): string {
	const all = parts.map(({ title }) => title);
	const titlesOfCode = new Map<string, { code: string; message: string; titles: string[] }>();
	for (const { title, rows } of parts) {
		for (const [code, message] of rows) {
			const key = `${code} ${message}`;
			const entry = titlesOfCode.get(key) ?? { code, message, titles: [] };
			entry.titles.push(title);
			titlesOfCode.set(key, entry);
		}
	}
	const rowsOfPlaces = new Map<string, CodeRow[]>();
	const fromMostPlaces = [...titlesOfCode.values()].sort(
		(a, b) => b.titles.length - a.titles.length,
	);
	for (const { code, message, titles } of fromMostPlaces) {
		const where = inWords(titles, all);
		rowsOfPlaces.set(where, [...(rowsOfPlaces.get(where) ?? []), [code, message, '']]);
	}
	return tableByPlace([...rowsOfPlaces].map(([title, rows]) => ({ title, rows })));
}

/** Places with the same codes share a row. */
function tableByPlace(parts: readonly CodesOf[]): string {
	const places = new Map<string, string[]>();
	for (const { title, rows } of parts) {
		const codes = [...rows]
			.sort(([a], [b]) => Number(b) - Number(a))
			.map(([code, message]) => `**${code}** ${message}`)
			.join('; ');
		places.set(codes, [...(places.get(codes) ?? []), title]);
	}
	return table(
		['Where', 'What happened'],
		[...places].map(([codes, titles]) => [titles.join('; '), codes]),
	);
}

function inWords(some: readonly string[], all: readonly string[]): string {
	if (some.length === all.length) return 'everywhere';
	const others = all.filter((title) => !some.includes(title));
	return others.length < some.length && others.length <= 2
		? `everywhere except ${others.join(' and ')}`
		: some.map((title) => title.replace(/, (.*)/, ' ($1)')).join(', ');
}

function codesSection(): string {
	const reported = Object.entries(COMMON_CODES)
		.filter(([, { description }]) => description === REPORT_ADVICE)
		.map(([code]) => code)
		.sort((a, b) => Number(b) - Number(a));
	const own = ownCodes();
	const ofExtract = own
		.filter(({ title }) => title.startsWith(EXTRACT))
		.map(({ title, rows }) => ({ title: title.replace(EXTRACT, ''), rows }));
	const common = codeRows(COMMON_CODES).sort(([a], [b]) => Number(b) - Number(a));
	return [
		`## Every operation\n\n${table(['Code', 'What happened', 'What to do'], common)}`,
		`A code that isn't on this page, or one of ${reported.join(', ')}, points to a fault of this package: [please report it](https://github.com/n8n-nodes-kuaidaili/n8n-nodes-kuaidaili/issues/new/choose).`,
		`## Proxy: Extract and Page\n\n${codesOfProducts(ofExtract)}`,
		`## Other operations\n\n${tableByPlace(own.filter(({ title }) => !title.startsWith(EXTRACT)))}`,
	].join('\n\n');
}

/** What the node can do, in its own words. */
function operationsSection(): string {
	const rows = OPERATIONS.map((operation) => {
		const { name, costs } = operation;
		const { description } = describedOperation(operation);
		return [costs === 'at once' ? `**${name}**` : name, description];
	});
	const ofAccount = OPERATIONS.filter(({ key }) => key === 'account').map(
		({ name }) => `_${name}_`,
	);
	const others = ofAccount.pop();
	return [
		`What spends money right away is **bold**. ${ofAccount.join(', ')}, and ${others} need the account's key pair; the others work with either.`,
		table(['Operation', 'What it does'], rows),
	].join('\n\n');
}

/** Their names at a glance. What spends money right away is bold. */
function resourcesSection(): string {
	const isPurchase = (resource: unknown, operation: unknown) =>
		OPERATIONS.some(
			(row) => row.resource === resource && row.operation === operation && row.costs === 'at once',
		);
	const rows = RESOURCES.map(({ name, value, operations }) => {
		const names = operations.map(({ option }) =>
			isPurchase(value, option.value) ? `**${option.name}**` : option.name,
		);
		return [name, names.join(', ')];
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
		`  <img src="../${path}.png" alt="The workflow '${titleOfExample(example)}'">`,
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
