export const HOST_NAMES = ['base', 'dps', 'svip', 'auth', 'kps', 'tps', 'fps'] as const;

export type HostName = (typeof HOST_NAMES)[number];

export type Method = 'GET' | 'POST';

/** One request to the service, already decoded. */
export interface Call {
	/** Its number in the log. */
	number: number;
	host: HostName;
	method: Method;
	/** The endpoint's, without the slash that a caller may add. */
	path: string;
	/** As it was sent, which is what the caller signs. */
	sentPath: string;
	parameters: ReadonlyMap<string, string>;
	clientAddress: string;
	/** When the request reached the server, in monotonic milliseconds. */
	arrival: number;
	/** What the server's clock showed then; a fault can make it wrong. */
	serverTime: Date;
}

/**
 * The decoded parameters of a request: of the query for GET, of the form body for POST and only of
 * that. Whether the service also reads the query of a POST is not documented. Of a name that comes
 * twice the last value counts.
 */
export function readParameters(
	method: Method,
	url: string,
	body: unknown,
): ReadonlyMap<string, string> {
	const encoded = method === 'POST' ? body : queryOf(url);
	return new Map(new URLSearchParams(typeof encoded === 'string' ? encoded : ''));
}

export function pathOf(url: string): string {
	const end = url.indexOf('?');
	return end === -1 ? url : url.slice(0, end);
}

function queryOf(url: string): string {
	return url.slice(pathOf(url).length + 1);
}
