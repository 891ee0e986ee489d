import type { FailureText } from '../../shared/loadedOnce/callErrors';
import { toChinaTime } from '../../shared/service/chinaTime';

/** What a purchase is, in words. */
export interface PurchaseWords {
	/** Such as "The order may have been placed". */
	readonly unclear: string;
	/** What was sent, such as "Tunnel Proxy, Prepaid". */
	readonly what: string;
	/** Where to look, in whole sentences. */
	readonly howToFindOut: string;
	/** What it means when nothing is found there. */
	readonly otherwise: string;
}

/**
 * The words for a purchase of which nobody knows whether it was made.
 *
 * @param sentAt milliseconds since 1970
 * @param cause what happened, in words; undefined while the request is still on its way
 */
export function unclearText(
	words: PurchaseWords,
	itemIndex: number,
	sentAt: number,
	cause: FailureText | undefined,
): FailureText {
	const happened = cause?.message ?? 'n8n lost sight of the request while it was on its way';
	return {
		message: `${words.unclear}: ${happened}`,
		description: [
			`Sent for item ${itemIndex} at ${new Date(sentAt).toISOString()} (${toChinaTime(sentAt)} in China): ${words.what}.`,
			'The node does not send it a second time, because that could pay twice.',
			words.howToFindOut,
			words.otherwise,
		].join(' '),
		...(cause?.code === undefined ? {} : { code: cause.code }),
	};
}
