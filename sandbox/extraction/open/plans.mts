import type { OpenProxyPlan } from '../../accounts/goods.mts';

export interface Plan {
	intervalMs: number;
	maxPerCall: number;
	codeAboveMax: -23 | -35 | -45;
	highestQuality: 0 | 1 | 2;
	/** Sorting, extra fields, json and xml. */
	hasExtras: boolean;
}

export const PLANS: Readonly<Record<OpenProxyPlan, Plan>> = {
	regular: {
		intervalMs: 5000,
		maxPerCall: 500,
		codeAboveMax: -23,
		highestQuality: 0,
		hasExtras: false,
	},
	VIP: {
		intervalMs: 1000,
		maxPerCall: 1000,
		codeAboveMax: -35,
		highestQuality: 1,
		hasExtras: true,
	},
	SVIP: {
		intervalMs: 200,
		maxPerCall: 2000,
		codeAboveMax: -45,
		highestQuality: 2,
		hasExtras: true,
	},
};
