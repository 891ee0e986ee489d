import { yuan } from '../accounts/account.mts';
import type { Extraction, Payment } from '../orders/ledger.mts';
import type { LoggedRequest } from '../requestLog.mts';

/** Rows of text with their columns under each other. */
export function table(rows: ReadonlyArray<readonly string[]>): string {
	const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
	return rows
		.map((row) => `  ${row.map((cell, column) => cell.padEnd(width(column))).join('  ')}`.trimEnd())
		.join('\n');
}

// Whoever reads along wants to know what was asked for, not how it was signed
const NOT_SHOWN = [
	...['secret_id', 'sign_type', 'signature', 'timestamp', 'nonce'],
	...['secret_key', 'secret_token'],
];

const LONGEST_WISH = 120;

/** The requests, oldest first: a line for each, and one below it for what it has paid or got. */
export function timeline(
	requests: readonly LoggedRequest[],
	payments: readonly Payment[],
	extractions: readonly Extraction[],
): string {
	const results = [
		...payments.map(({ request, kind, orderId, amountInFen, balanceInFen }) => ({
			request,
			text: `PAID ${yuan(amountInFen)} yuan to ${kind} ${orderId}, ${yuan(balanceInFen)} yuan left`,
		})),
		...extractions.map(({ request, count, product, orderId, usedUp }) => ({
			request,
			text: `HANDED OUT ${count} of ${product} order ${orderId}, ${usedUp} of what it had left`,
		})),
	];
	const rows = requests.flatMap((each) => [
		requestRow(each),
		...results.filter(({ request }) => request === each.number).map(({ text }) => ['', '', text]),
	]);
	return rows.length === 0 ? 'Nothing was asked so far.\n' : `${table(rows)}\n`;
}

function requestRow(request: LoggedRequest): string[] {
	const { number, time, host, method, path, parameters, code, status, fault, outcome } = request;
	const wish = Object.entries(parameters)
		.filter(([name]) => !NOT_SHOWN.includes(name))
		.map(([name, value]) => `${name}=${value}`)
		.join('&')
		.replaceAll(/\p{C}/gu, ' ')
		.slice(0, LONGEST_WISH);
	const answer = [
		`code ${code}`,
		`status ${status}`,
		outcome,
		...(fault === undefined ? [] : [fault]),
	];
	return [
		...[String(number), time.toISOString(), `${host}: ${method} ${path} ${wish}`],
		...[parameters.secret_id ?? '', answer.join(', ')],
	];
}
