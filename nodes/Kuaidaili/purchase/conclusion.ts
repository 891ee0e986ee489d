import type { CallError } from '../../shared/api/errors';
import { deliveryStateOf } from '../../shared/api/call';
import type { Change } from './types';

/**
 * The states of the request that buys, by its answer or the absence of one.
 * - `notSent`: nothing left this machine;
 * - `refusedItself`: a documented refusal of this purchase or of its key pair;
 * - `refusedOtherwise`: a refusal that may be of one delivery only, such as "too fast", or that nobody has documented;
 * - `unclear`: the purchase may have been made.
 */
export const DELIVERIES = ['notSent', 'refusedItself', 'refusedOtherwise', 'unclear'] as const;

/** The knowledge about a request that has no success for an answer. */
export interface Evidence {
	readonly delivery: (typeof DELIVERIES)[number];
	/** The finding of the last snapshot. */
	readonly change: Change['kind'];
	/** How many snapshots were taken after the request: the first after 2 seconds, the second after 10. */
	readonly snapshots: 1 | 2;
}

export type Conclusion = 'paid' | 'refused' | 'unknown' | 'readAgain';

export function deliveryOf(error: CallError): Evidence['delivery'] {
	const state = deliveryStateOf(error);
	switch (state) {
		case 'notSent':
		case 'unclear':
			return state;
		case 'refused':
			return error.meaning === undefined ? 'refusedOtherwise' : 'refusedItself';
		case 'refusedForNow':
			// Where the key pair is wrong, no delivery was carried out
			return error.meaning?.retry === 'authenticateAgain' ? 'refusedItself' : 'refusedOtherwise';
		default:
			return state satisfies never;
	}
}

/** Decides what became of a purchase. A later snapshot never takes back what one has shown after a refusal. */
export function conclude({ delivery, change, snapshots }: Evidence): Conclusion {
	if (delivery === 'notSent') return 'refused';
	if (change === 'made') return 'paid';
	switch (delivery) {
		case 'refusedItself':
			return change === 'unexplained' ? 'unknown' : 'refused';
		case 'refusedOtherwise':
			if (change === 'unexplained') return 'unknown';
			// The first delivery may still be at work
			if (snapshots < 2) return 'readAgain';
			return change === 'unseen' ? 'unknown' : 'refused';
		case 'unclear':
			return snapshots < 2 ? 'readAgain' : 'unknown';
		default:
			return delivery satisfies never;
	}
}
