import type { IDataObject } from 'n8n-workflow';

import type { KuaidailiCredential } from '../../shared/credential/kuaidailiCredential';
import {
	CallError,
	CancelledError,
	DescribedError,
	NetworkError,
	WrongKeyTypeError,
	type FailureText,
} from '../../shared/errors/callErrors';
import type { LocalTime } from '../../shared/service/localTime';
import { formatNumber } from '../../shared/wording';
import { describeFailure, durationInWords } from '../../shared/transport/describeFailure';
import type { PurchaseNoun } from '../operation';
import type { PurchaseOfItem, PurchaseWords } from './contract';
import { LATE_MS, REPEATED_CLICK_MS } from './processMemory';

/** The context of a purchase whose outcome may be unclear. */
export interface SentPurchase {
	readonly words: PurchaseWords;
	readonly itemIndex: number;
	/** Milliseconds since 1970. */
	readonly sentAt: number;
	readonly localTime: LocalTime;
	/** Whether an AI agent called the node; it often gets the message alone. */
	readonly byAgent: boolean;
	/** Of the order that it was about, where that is known. */
	readonly orderid?: string;
	/** What a look at the service afterwards showed, as a whole sentence. */
	readonly finding?: string;
}

/** What was sent, and for which order. */
function inWords({ words, orderid }: SentPurchase): string {
	return orderid === undefined ? words.what : `${words.what} for order ${orderid}`;
}

/** What was sent, and when: how an unclear purchase is named in lists. */
export function unclearLabel(sent: SentPurchase): string {
	const { sentAt, localTime, finding } = sent;
	const label = `${inWords(sent)}, sent at ${localTime(sentAt)}`;
	return finding === undefined ? label : `${label}: ${finding}`;
}

/**
 * The words for a purchase whose outcome is unknown.
 *
 * @param cause what happened; undefined while the request is still on its way
 */
export function unclearText(sent: SentPurchase, cause: CallError | undefined): FailureText {
	const { words, itemIndex, sentAt, localTime, byAgent, finding } = sent;
	const failure = cause && describeFailure(cause);
	const happened = failure?.message ?? 'n8n lost track of the request';
	const warning = byAgent ? '. Do not buy it again until a person has checked' : '';
	const sentences = [
		`Sent for item ${itemIndex} at ${localTime(sentAt)}: ${inWords(sent)}.`,
		'The node does not send it a second time, because that could pay twice.',
		finding,
		words.howToFindOut,
		words.otherwise,
		cause?.evidence,
	];
	return {
		message: `${words.unclear}: ${happened}${warning}`,
		description: sentences.filter(Boolean).join(' '),
		...(failure?.code === undefined ? {} : { code: failure.code }),
	};
}

/** How later runs name a cancellation: a message with the word 'canceled' would give them that status in n8n. */
const STOPPED = new DescribedError({ message: 'The execution was stopped', description: '' });

/** The same, for runs that repeat it. */
export function unclearTextForLaterRuns(sent: SentPurchase, cause: CallError): FailureText {
	return unclearText(sent, cause instanceof CancelledError ? STOPPED : cause);
}

/**
 * What a run of another execution says that would buy only what is missing.
 *
 * @param unclearSince in milliseconds since 1970
 */
export function unclearTextForOtherRuns(sent: SentPurchase, unclearSince: number): FailureText {
	const { words, sentAt, localTime, finding } = sent;
	const until = localTime(unclearSince + LATE_MS);
	const sentences = [
		`Sent at ${localTime(sentAt)}: ${inWords(sent)}.`,
		finding,
		words.howToFindOut,
		`Until ${until}, it may still show up, and the node doesn't buy another one that may not be needed. Run the workflow again after that: the node then goes by what the service shows.`,
	];
	return {
		message: `${words.unclear}: another run sent it, and its outcome isn't known. Nothing was bought this time`,
		description: sentences.filter(Boolean).join(' '),
	};
}

/** How long an unclear purchase may still show up. */
export const LATE_IN_WORDS = durationInWords(LATE_MS);

/** Errors whose text already says that nothing was bought. */
const PLAIN = [DescribedError, CancelledError, WrongKeyTypeError];

function withNote(error: CallError, note: string): DescribedError {
	const text = describeFailure(error);
	// Not as a note of the error itself: others may have waited for the same answer
	return new DescribedError({ ...text, description: `${text.description} ${note}` });
}

/** A failed call before a purchase would read as if the purchase itself had failed. */
export function withNothingBought(error: unknown): never {
	if (!(error instanceof CallError) || PLAIN.some((kind) => error instanceof kind)) throw error;
	throw withNote(
		error,
		'This was only a check before the purchase; nothing was bought for this item.',
	);
}

/** Without a connection, readers would wonder whether the purchase was made. */
export function withNothingSent(failure: CallError): CallError {
	return failure instanceof NetworkError
		? withNote(failure, 'The request never left this n8n, so nothing was bought for this item.')
		: failure;
}

const DUPLICATE_WARNING = 'duplicateWarning';

const WHAT_IT_MEANS =
	'A proxy or gateway may have delivered the request twice, and Kuaidaili charged it twice; or something else bought it at the same moment. Check the orders in the Kuaidaili member center before you buy again.';
const SAFER_SIGN_TYPE =
	"With 'Sign Type' set to 'HMAC-SHA1' in the credential, the service carries out such a request only once, according to its documentation.";

/**
 * Warns, in the output of a purchase, that the service may have carried it out twice.
 *
 * @param duplicate what more has changed than one purchase explains, as a whole sentence
 */
export function warnOfDuplicate(
	record: IDataObject,
	duplicate: string,
	signType: KuaidailiCredential['signType'],
): void {
	const sentences = [duplicate, WHAT_IT_MEANS, signType === 'token' ? SAFER_SIGN_TYPE : ''];
	record[DUPLICATE_WARNING] = sentences.filter(Boolean).join(' ');
}

/** The warning in the output of a purchase, if there is one. */
export function duplicateWarningIn(record: IDataObject): string | undefined {
	const warning = record[DUPLICATE_WARNING];
	return typeof warning === 'string' ? warning : undefined;
}

/** A hint for a run that bought more than one: each input item is a purchase, which may surprise. */
export function severalPurchasesHint(
	purchases: readonly PurchaseOfItem[],
	{ done }: PurchaseNoun,
	itemCount: number,
): string | undefined {
	const paid = purchases.filter(({ purchase }) => purchase.state === 'paid');
	return paid.length > 1 ? `${paid.length} ${done} for ${itemCount} input items.` : undefined;
}

/** @param count orders that end within a day and got no renewal in this run */
export function lapsingHint(count: number): string | undefined {
	if (count === 0) return undefined;
	const orders =
		count === 1
			? '1 order that ends within a day was'
			: `${formatNumber(count)} orders that end within a day were`;
	return `${orders} not renewed in this run. If 'Max Orders per Run' was reached, raise it, or run the workflow again before the next day.`;
}

/**
 * Why a manual run did not make a purchase that the same node made a moment ago.
 *
 * @param label of that purchase
 */
export function reasonForRepeatedClick(label: string, msAgo: number): string {
	const minutes = REPEATED_CLICK_MS / 60_000;
	return `This node bought it ${durationInWords(msAgo)} ago, in another manual run: ${label}. A manual run doesn't buy the same again within ${minutes} minutes, so nothing was bought this time. Auto-renewal stays as it was; 'Auto-Renewal: Enable' and 'Auto-Renewal: Disable' change it. To buy another one on purpose, wait ${minutes} minutes or duplicate the node.`;
}

function listed(purchases: readonly PurchaseOfItem[], isPaid: boolean): string {
	return purchases
		.filter(({ purchase }) => (purchase.state === 'paid') === isPaid)
		.map(({ itemIndex, purchase }) => `${purchase.label} (item ${itemIndex})`)
		.join('; ');
}

function warnings(purchases: readonly PurchaseOfItem[]): string[] {
	return purchases.flatMap(({ itemIndex, purchase }) => {
		const warning = purchase.state === 'paid' ? duplicateWarningIn(purchase.record) : undefined;
		return warning === undefined ? [] : [`Item ${itemIndex}: ${warning}`];
	});
}

/**
 * What a run has bought and may have bought, in whole sentences; empty where that is nothing.
 *
 * @param run such as "this run"
 * @param but an item whose unclear or paid purchase is left out
 */
function purchasesInWords(purchases: readonly PurchaseOfItem[], run: string, but?: number): string {
	const others = purchases.filter(({ itemIndex }) => itemIndex !== but);
	const paid = listed(others, true);
	const unclear = listed(others, false);
	const sentences = [
		paid && `Bought and paid for in ${run}: ${paid}.`,
		unclear && `May have been bought in ${run}: ${unclear}.`,
		...warnings(purchases),
	];
	return sentences.filter(Boolean).join(' ');
}

/**
 * The same for an error that ends the run: its output is lost, and with it the numbers of the orders.
 *
 * @param failed the item whose error it is; the error itself says what is unclear about that one
 */
export function noteForError(purchases: readonly PurchaseOfItem[], failed?: number): string {
	const bought = purchasesInWords(purchases, 'this run', failed);
	if (bought === '') return '';
	return `${bought} Leave these items out when you run it again, or they are bought again.`;
}

/**
 * What the next run of the node says of one that was canceled, whose output is lost.
 *
 * @param canceledAt in words
 * @returns undefined where it bought nothing
 */
export function noteOfCancelledRun(
	purchases: readonly PurchaseOfItem[],
	canceledAt: string,
): string | undefined {
	const bought = purchasesInWords(purchases, 'that run');
	if (bought === '') return undefined;
	return `A run of this node was canceled at ${canceledAt}. ${bought}`;
}
