import type { ManyOrders } from './accounts/manyOrders.mts';
import type { HostName } from './calls/call.mts';
import type { RateLimitSettings } from './limits/rateLimits.mts';
import { DEFAULT_SETTINGS, type Settings } from './settings.mts';

/** The settings can also be changed later, in `sandbox.settings`, which has their descriptions. */
export interface SandboxOptions extends Partial<Settings> {
	/** A port that is not named, or 0, is any free one. */
	ports?: Partial<Record<HostName | 'control', number>>;
	/** On by default. A scale of 0.1 makes every interval ten times shorter. */
	rateLimits?:
		| boolean
		| { scale?: number; toleranceMs?: number; refusedCount?: boolean; byClock?: boolean };
	/**
	 * Judges every arrival as if the network had held it up by a random time of up to this, and without
	 * any tolerance. The same seed gives the same times.
	 */
	rateLimitJitterMs?: number;
	/** How many open proxies there are to extract; 5,000 by default. */
	catalogueSize?: number;
	/** Further orders of the account that is there from the start; a number of them, or more exactly. */
	manyOrders?: number | ManyOrders;
	/** With false the extracted addresses are nothing but text; for large or fast tests. */
	forwardProxies?: boolean;
	/** More than these are not kept open; the one that was handed out longest ago is closed. */
	maxOpenProxies?: number;
	/** 3600 by default. */
	tokenLifeSeconds?: number;
	/** 300 by default; the real bound is not documented. */
	timestampToleranceSeconds?: number;
	/** How the codes -101 to -123 come on an endpoint that has formats: always as JSON by default. */
	commonErrorFormat?: 'json' | 'format';
	/** The same seed gives the same catalogue and the same draws. A random one by default. */
	seed?: number;
	/** Where the clock starts; the time of the machine by default. */
	now?: Date;
}

/** The settings among the options, with the defaults for those that are not there. */
export function settingsFrom(options: SandboxOptions): Settings {
	const names = Object.keys(DEFAULT_SETTINGS);
	const given = Object.entries(options).filter(
		([name, value]) => names.includes(name) && value !== undefined,
	);
	return { ...DEFAULT_SETTINGS, ...Object.fromEntries(given) };
}

export function rateLimitSettings({
	rateLimits = true,
	rateLimitJitterMs,
}: SandboxOptions): RateLimitSettings {
	const {
		scale = 1,
		toleranceMs = 1,
		refusedCount = false,
		byClock = false,
	} = typeof rateLimits === 'boolean' ? {} : rateLimits;
	return {
		on: rateLimits !== false,
		scale,
		toleranceMs: rateLimitJitterMs === undefined ? toleranceMs : 0,
		jitterMs: rateLimitJitterMs ?? 0,
		refusedCount,
		byClock,
	};
}
