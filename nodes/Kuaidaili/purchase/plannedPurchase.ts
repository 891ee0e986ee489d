import { fingerprintOf } from '../../shared/fingerprint';
import type { Caller } from '../../shared/transport/caller';
import type { NodeCaller } from '../../shared/transport/nodeCaller';
import type { Purchase } from './purchase';

/** What is to be bought for one item. */
export interface PlannedPurchase {
	readonly itemIndex: number;
	readonly purchase: Purchase;
	/** Holds the key pair of the credential. */
	readonly caller: NodeCaller;
	/** How many purchases the execution may make at most. */
	readonly maxOrders: number;
	/** In yuan; 0 for none. */
	readonly minimumBalance: number;
}

/** Equal for the same purchase by the same buyer, in whichever run. */
export function purchaseFingerprint(
	{ endpoint, parameters }: Purchase,
	{ credential }: Caller,
): string {
	const sorted = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
	return fingerprintOf(credential.secretId, endpoint.path, sorted);
}
