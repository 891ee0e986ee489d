import type { UnprovenAnswer } from '../../proxies/proxyStatuses';

/** An answer of a page, or of a proxy in its place, whatever its status. */
export interface HttpAnswer extends UnprovenAnswer {
	readonly kind: 'answer';
	/** The target of a redirect that is to be followed; its body is empty then. */
	readonly location?: string;
	/**
	 * The sender, as far as it is certain.
	 * - `proxy`: the proxy was not reached, or did not connect to the page, so that nobody has received the request.
	 * - `saysProxy`: an answer over http with the words of a proxy; the page may have received the request.
	 * - `unclear`: the proxy or the page.
	 * - `page`: something came from there, or an encrypted connection with it had begun.
	 */
	readonly source: 'proxy' | 'saysProxy' | 'unclear' | 'page';
}

/** A request that brought no answer that can be used. */
export interface RequestFailure {
	readonly kind: 'failure';
	readonly reason:
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
		| 'redirectTarget'
		/** A redirect of what was sent encrypted, to where it would not be. */
		| 'unencryptedRedirect';
	/** The system's code, such as ECONNRESET; may be empty. */
	readonly code: string;
	/** The place where the request got stuck, as of an answer. */
	readonly source: HttpAnswer['source'];
	/** The status of the page, where one came before. */
	readonly status?: number;
}
