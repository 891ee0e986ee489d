import { documentedCodes } from '../nodes/shared/service/codes.ts';
import { COMMON_CODES } from '../nodes/shared/service/codes/commonCodes.ts';
import type { CodeMeaning } from '../nodes/shared/service/codes/meaning.ts';
import type { EndpointName } from '../nodes/shared/service/endpoints.ts';
import { table } from './markdown.mts';
import { orderRanges } from './orderRanges.mts';

/** Endpoints whose own codes a user may meet, with the operation's name. */
const OPERATIONS: ReadonlyArray<[EndpointName, string]> = [
	['createOrder', 'Order: Create'],
	['renewOrder', 'Order: Renew'],
	['getAccountBalance', 'Account: Get Balance'],
	['getOrderSecret', 'Choosing an order with the key pair of the account'],
	['closeOrder', 'Order: Close'],
	['getIpBalance', 'Trigger: IP Balance Below'],
	['setAutoRenew', 'Auto-Renewal: Enable and Disable'],
	['queryKpsCity', 'City: Get Many'],
	['querySfpsArea', 'Area: Get Many'],
	['dpsResources', 'Private Proxy Resource: Get Many'],
	['getProxy', 'Proxy: Extract'],
	['getSecretToken', 'Fetching a token'],
];

function codeTable(codes: Iterable<[number, CodeMeaning]>): string {
	const rows = [...codes]
		.sort(([a], [b]) => b - a)
		.map(([code, { message, description }]) => [String(code), message, description]);
	return table(['Code', 'What happened', 'What to do'], rows);
}

function titled(title: string, content: string): string {
	return `## ${title}\n\n${content}`;
}

function codesSection(): string {
	const own = OPERATIONS.flatMap(([endpoint, name]) => {
		const codes = [...documentedCodes(endpoint)].filter(([code]) => !COMMON_CODES.has(code));
		return [titled(name, codeTable(codes))];
	});
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
