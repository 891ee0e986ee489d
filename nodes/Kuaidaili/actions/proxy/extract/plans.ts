import type { Endpoint } from '../../../../shared/service/endpoint';
import { GET_PROXY, GET_PROXY_SVIP } from '../../../../shared/service/endpoints/openProxy';

export const PLAN_NAMES = ['regular', 'vip', 'svip'] as const;
export type PlanName = (typeof PLAN_NAMES)[number];

/** What the plan of an open-proxy order decides. Source: documentation of getproxy. */
export interface Plan {
	readonly displayName: string;
	readonly endpoint: Endpoint;
	/** The most proxies that one call gives. */
	readonly cap: number;
	/** Shortest time between two calls, in milliseconds. */
	readonly intervalMs: number;
}

export const PLANS: Readonly<Record<PlanName, Plan>> = {
	regular: { displayName: 'Regular', endpoint: GET_PROXY, cap: 500, intervalMs: 5000 },
	vip: { displayName: 'VIP', endpoint: GET_PROXY, cap: 1000, intervalMs: 1000 },
	svip: { displayName: 'SVIP', endpoint: GET_PROXY_SVIP, cap: 2000, intervalMs: 200 },
};

/** With `dedup` the service allows one extraction per 5 seconds, whatever the plan. */
export const DEDUP_INTERVAL_MS = 5000;

/** The most that one item may ask for; larger numbers than a plan's cap are split into several calls. */
export const MOST_PROXIES = 100_000;
