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

const HEADINGS = ['No.', 'Time', 'Host', 'Request', 'Key', 'Answer'];

// Whoever reads along wants to know what was asked for, not how it was signed.
const NOT_SHOWN = ['secret_id', 'sign_type', 'signature', 'timestamp', 'nonce'];
const HIDDEN = ['secret_key', 'secret_token'];

const LONGEST_WISH = 120;

const ENDINGS: Readonly<Record<LoggedRequest['outcome'], readonly string[]>> = {
	open: ['not answered yet'],
	answered: [],
	dropped: ['not passed on'],
	hung: ['never answered'],
	cut: ['connection cut'],
};

/** What happened, oldest first: a line for every request, and one below it for what it has paid or got. */
export function timeline(
	requests: readonly LoggedRequest[],
	payments: readonly Payment[],
	extractions: readonly Extraction[],
): string {
	const known = new Set(requests.map(({ number }) => number));
	const results = [
		...payments.map((payment) => ({ request: payment.request, row: paymentRow(payment) })),
		...extractions.map((each) => ({ request: each.request, row: extractionRow(each) })),
	];
	const rows = [
		...results.filter(({ request }) => !known.has(request)).map(({ row }) => row),
		...requests.flatMap((request) => [
			requestRow(request),
			...results.filter((result) => result.request === request.number).map(({ row }) => row),
		]),
	];
	return rows.length === 0 ? 'Nothing was asked so far.\n' : `${table([HEADINGS, ...rows])}\n`;
}

function requestRow(request: LoggedRequest): string[] {
	const { number, time, host, method, path, parameters } = request;
	const again = request.delivery === 2 ? ' (delivered again)' : '';
	return [
		String(number),
		time.toISOString(),
		host,
		`${method} ${path}${wish(parameters)}${again}`,
		parameters.secret_id ?? '',
		answer(request),
	];
}

function paymentRow({ number, request, time, ...payment }: Payment): string[] {
	const { kind, orderId, amountInFen, balanceInFen } = payment;
	return [
		'',
		time.toISOString(),
		'',
		`PAID ${yuan(amountInFen)} yuan to ${kind} ${orderId}, ${yuan(balanceInFen)} yuan left`,
		payment.secretId,
		`payment ${number}, by request ${request}`,
	];
}

function extractionRow({ request, time, ...extraction }: Extraction): string[] {
	const { count, usedUp, product, orderId, secretId } = extraction;
	const counted = usedUp === 0 ? '' : `, ${usedUp} of what it had left`;
	return [
		'',
		time.toISOString(),
		'',
		`HANDED OUT ${count} of ${product} order ${orderId}${counted}`,
		secretId,
		`by request ${request}`,
	];
}

function wish(parameters: Record<string, string>): string {
	const shown = Object.entries(parameters).filter(([name]) => !NOT_SHOWN.includes(name));
	const written = shown.map(([name, value]) => `${name}=${HIDDEN.includes(name) ? '***' : value}`);
	if (written.length === 0) return '';
	const text = `?${written.join('&')}`.replaceAll(/\p{C}/gu, ' ');
	return text.length > LONGEST_WISH ? `${text.slice(0, LONGEST_WISH)}…` : text;
}

function answer({ outcome, status, code, fault, refusedByRateLimit }: LoggedRequest): string {
	const parts = [
		...(status === undefined || status === 200 ? [] : [`status ${status}`]),
		...(code === undefined ? [] : [`code ${code}`]),
		...(refusedByRateLimit ? ['too fast'] : []),
		...(fault === undefined || fault === 'cut' || fault === 'hang' ? [] : [`fault: ${fault}`]),
		...ENDINGS[outcome],
	];
	return parts.join(', ');
}
