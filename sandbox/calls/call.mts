export const HOST_NAMES = ['base', 'dps', 'svip', 'auth', 'kps', 'tps', 'fps'] as const;

export type HostName = (typeof HOST_NAMES)[number];

export type Method = 'GET' | 'POST';

/** One request to the service, already decoded. */
export interface Call {
	/** Its number in the log. */
	number: number;
	host: HostName;
	method: Method;
	path: string;
	parameters: ReadonlyMap<string, string>;
	clientAddress: string;
	/** When the request reached the server, in monotonic milliseconds. */
	arrival: number;
	/** What the server's clock showed then; a fault can make it wrong. */
	serverTime: Date;
}
