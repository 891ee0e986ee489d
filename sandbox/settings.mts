import type { Term } from './time/term.mts';

/** Where the documentation is silent. Can be changed while the sandbox runs. */
export interface Settings {
	/**
	 * What the wrong kind of key gets on an endpoint that has a code of its own for it. Undefined leaves
	 * it to the endpoint: createorder, getordersecret and closeorder give their own, getaccountbalance
	 * the common -123.
	 */
	wrongKeyCode: 'common' | 'endpoint' | undefined;
	/** What happens to a parameter that has no effect in the call it comes with, or is not known. */
	inapplicableParameters: 'refuse' | 'ignore';
	/**
	 * How new orders are numbered. The last one is a JSON number that JavaScript cannot hold: a client
	 * that parses it as such has a wrong order number.
	 */
	orderNumbers: '15 digits' | '16 digits' | 'unsafe number';
	/** Renewing beyond this, counted from now, fails with -6. The real bound is not published. */
	longestTerm: Term;
	/** What the list of orders has as the expire_time of a pay-as-used order. */
	payAsUsedExpiry: 'empty' | 'absent';
	/**
	 * What overseas static proxies are called. Undefined leaves it to the endpoint: FPS_STATIC in
	 * getorderinfo, where it was seen, and SFPS in the list of orders.
	 */
	overseasStaticCode: 'SFPS' | 'FPS_STATIC' | undefined;
	/** What setipwhitelist does in the minute after a change: clients were seen to get -1. */
	whitelistWhileChanging: 'accept' | 'refuse';
	/**
	 * Where callers of the API and clients of the proxies seem to come from. Undefined is where they do
	 * come from, which is a loopback address.
	 */
	clientAddress: string | undefined;
	/** How getareacode names its fields: the documentation says are_name, an official SDK area_name. */
	areaCodeFields: 'are_name' | 'area_name';
	/** What getua does with a num above what the account gets at a time; only the maximum is documented. */
	tooManyUserAgents: 'fewer' | 'refuse';
}

export const DEFAULT_SETTINGS: Readonly<Settings> = {
	wrongKeyCode: undefined,
	inapplicableParameters: 'refuse',
	orderNumbers: '15 digits',
	longestTerm: { unit: 'YEAR', number: 3 },
	payAsUsedExpiry: 'empty',
	overseasStaticCode: undefined,
	whitelistWhileChanging: 'accept',
	clientAddress: undefined,
	areaCodeFields: 'are_name',
	tooManyUserAgents: 'fewer',
};
