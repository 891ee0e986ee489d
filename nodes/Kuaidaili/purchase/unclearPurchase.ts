import { toChinaTime } from '../../shared/service/chinaTime';
import type { CallError, FailureText } from '../../shared/transport/callErrors';
import { describeFailure } from '../../shared/transport/describeFailure';
import type { PurchaseWords } from './contract';

/** The context of a purchase whose outcome may be unclear. */
export interface SentPurchase {
	readonly words: PurchaseWords;
	readonly itemIndex: number;
	/** Milliseconds since 1970. */
	readonly sentAt: number;
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
	const { sentAt, finding } = sent;
	const label = `${inWords(sent)}, sent at ${new Date(sentAt).toISOString()}`;
	return finding === undefined ? label : `${label}: ${finding}`;
}

/**
 * The words for a purchase of which nobody knows whether it was made.
 *
 * @param cause what happened; undefined while the request is still on its way
 */
export function unclearText(sent: SentPurchase, cause: CallError | undefined): FailureText {
	const { words, itemIndex, sentAt, byAgent, finding } = sent;
	const failure = cause && describeFailure(cause);
	const happened = failure?.message ?? 'n8n lost sight of the request while it was on its way';
	const warning = byAgent ? '. Do not buy it again before a person has looked' : '';
	const sentences = [
		`Sent for item ${itemIndex} at ${new Date(sentAt).toISOString()} (${toChinaTime(sentAt)} in China): ${inWords(sent)}.`,
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
