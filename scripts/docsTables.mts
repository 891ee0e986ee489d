import { COMMON_CODES } from '../nodes/shared/service/codes.ts';
import type { CodeTable } from '../nodes/shared/service/endpoint.ts';
import { ENDPOINTS } from '../nodes/shared/service/endpoints/index.ts';
import { table } from './markdown.mts';
import { orderRanges } from './orderRanges.mts';

/** Where a user meets the own codes of an endpoint. */
const CALLED_BY: ReadonlyMap<string, string> = new Map([
	['/api/createorder', 'Order: Create'],
	['/api/reneworder', 'Order: Renew'],
	['/api/getaccountbalance', 'Account: Get Balance'],
	['/api/getordersecret', 'Choosing an order with the key pair of the account'],
	['/api/closeorder', 'Order: Close'],
	['/api/getorderexpiretime', 'Reading when an order ends'],
	['/api/getipbalance', 'Trigger: IP Balance Below'],
	['/api/setautorenew', 'Auto-Renewal: Enable and Disable'],
	['/api/querykpscity', 'City: Get Many'],
	['/api/querysfpsarea', 'Area: Get Many'],
	['/api/dpsresources', 'Private Proxy Resource: Get Many'],
	['/api/getproxy', 'Proxy: Extract'],
	['/api/get_secret_token', 'Fetching a token'],
]);

/** Its own codes by the path of an endpoint, where it has any. */
function ownCodes(): Map<string, CodeTable> {
	const withCodes = Object.values(ENDPOINTS).filter(({ codes }) => Object.keys(codes).length > 0);
	for (const { path } of withCodes) {
		if (!CALLED_BY.has(path)) throw new Error(`${path} has codes, and no title for their table`);
	}
	return new Map(withCodes.map(({ path, codes }) => [path, codes]));
}

function codeTable(codes: CodeTable): string {
	const rows = Object.entries(codes)
		.sort(([a], [b]) => Number(b) - Number(a))
		.map(([code, { message, description }]) => [code, message, description]);
	return table(['Code', 'What happened', 'What to do'], rows);
}

function titled(title: string, content: string): string {
	return `## ${title}\n\n${content}`;
}

function codesSection(): string {
	const codes = ownCodes();
	const own = [...CALLED_BY].map(([path, title]) =>
		titled(title, codeTable(codes.get(path) ?? {})),
	);
	return [titled('Every operation', codeTable(COMMON_CODES)), ...own].join('\n\n');
}

/** By file, then by the name in the marks around the section. */
const GENERATED: ReadonlyMap<string, ReadonlyMap<string, () => string>> = new Map([
	['docs/error-codes.md', new Map([['codes', codesSection]])],
	['docs/order-values.md', new Map([['ranges', orderRanges]])],
]);

export const GENERATED_FILES = [...GENERATED.keys()];

/**
 * The text of a file with every generated section written anew between its marks.
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
		updated = `${before}${begin}\n\n${section()}\n\n${end}${after}`;
	}
	return updated;
}
