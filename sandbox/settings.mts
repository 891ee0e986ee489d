import type { HostName } from './http/call.mts';
import type { RateLimitSettings } from './limits/rateLimits.mts';

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
	/** How long a new order gives -2 where proxies are extracted; the service takes up to a minute. */
	newOrdersWaitSeconds: number;
	/** What setipwhitelist does in the minute after a change: clients were seen to get -1. */
	whitelistWhileChanging: 'accept' | 'refuse';
	/**
	 * Where callers of the API and clients of the proxies seem to come from. Undefined is where they do
	 * come from, which is a loopback address.
	 */
	clientAddress: string | undefined;
	/** For how long getaccountbalance doesn't show what was paid. */
	balanceLagSeconds: number;
	/** For how long getaccountorders doesn't show a new order. */
	newOrderLagSeconds: number;
}

export const DEFAULT_SETTINGS: Readonly<Settings> = {
	wrongKeyCode: undefined,
	inapplicableParameters: 'refuse',
	orderNumbers: '15 digits',
	newOrdersWaitSeconds: 0,
	whitelistWhileChanging: 'accept',
	clientAddress: undefined,
	balanceLagSeconds: 0,
	newOrderLagSeconds: 0,
};

/** The settings can also be changed later, in `sandbox.settings`, which has their descriptions. */
export interface SandboxOptions extends Partial<Settings> {
	/** A port that is not named, or 0, is any free one. */
	ports?: Partial<Record<HostName | 'control', number>>;
	/** On by default. A scale of 0.1 makes every interval ten times shorter. */
	rateLimits?: boolean | { scale?: number; toleranceMs?: number };
	/** How many open proxies there are to extract; 5,000 by default. */
	catalogueSize?: number;
	/** With false the extracted addresses are nothing but text; for large or fast tests. */
	forwardProxies?: boolean;
	/** 300 by default; the real bound is not documented. */
	timestampToleranceSeconds?: number;
	/** The same seed gives the same catalogue and the same draws. A random one by default. */
	seed?: number;
}

/** The settings among the options, with the defaults for those that are not there. */
export function settingsFrom(options: SandboxOptions): Settings {
	const names = Object.keys(DEFAULT_SETTINGS);
	const given = Object.entries(options).filter(
		([name, value]) => names.includes(name) && value !== undefined,
	);
	return { ...DEFAULT_SETTINGS, ...Object.fromEntries(given) };
}

export function rateLimitSettings({ rateLimits = true }: SandboxOptions): RateLimitSettings {
	const { scale = 1, toleranceMs = 1 } = typeof rateLimits === 'boolean' ? {} : rateLimits;
	return { on: rateLimits !== false, scale, toleranceMs };
}
