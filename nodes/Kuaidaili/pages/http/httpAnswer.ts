import type { UnknownRecord } from '../../../shared/guards';

/**
 * The source of an answer or a failure, as far as it is certain.
 * - `proxy`: the proxy was not reached, or did not connect to the page, so that nobody has received the request.
 * - `saysProxy`: an answer over http with the words of a proxy; the page may have received the request.
 * - `unclear`: the proxy or the page.
 * - `page`: something came from there, or an encrypted connection with it had begun.
 */
export type ResponseSource = 'proxy' | 'saysProxy' | 'unclear' | 'page';

/** An answer of a page, or of a proxy in its place, whatever its status. */
export interface HttpAnswer {
	readonly status: number;
	/** The reason phrase of the status line; empty by default. */
	readonly statusText?: string;
	/** With names in lower case. */
	readonly headers: UnknownRecord;
	/** Empty where a redirect is followed. */
	readonly body: Buffer;
	/** The target of a redirect that is to be followed. */
	readonly location?: string;
	readonly source: ResponseSource;
}

/** Why no answer came that could be used. */
export type FailureReason =
	| 'timeout'
	| 'tooLarge'
	| 'certificate'
	/** Forbidden by n8n's own protection. */
	| 'forbidden'
	/** To n8n, which looks hosts up itself where it protects its network. */
	| 'unknownHost'
	/** Compressed content that cannot be unpacked. */
	| 'corrupt'
	/** An answer over https that breaks the rules of HTTP: no proxy could have changed it. */
	| 'brokenHttp'
	| 'connection'
	/** Too many redirects. */
	| 'redirects'
	/** A redirect to something that is no page. */
	| 'redirectTarget';

export interface RequestFailure {
	readonly reason: FailureReason;
	/** The system's code, such as ECONNRESET; may be empty. */
	readonly code: string;
	readonly source: ResponseSource;
	/** The status of the page, where one came before. */
	readonly status?: number;
}

export type Reply =
	| { readonly kind: 'answer'; readonly answer: HttpAnswer }
	| { readonly kind: 'failure'; readonly failure: RequestFailure };
