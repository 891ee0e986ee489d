import { DescribedError } from '../../shared/api/errors';
import type { Endpoint } from '../../shared/service/endpoint';
import { mayBeCarriedOut } from '../../shared/api/call';
import type { Item } from './item';
import { memoryOfRuns } from './nodeRun';

/**
 * Makes a function that makes a change of an order once in a run, because a second one would undo the first. 'Retry On
 * Fail' repeats a run with all its items: what was changed is not changed again, nor what may have been and uses up
 * something.
 *
 * @param advice for a second item with the same order, as whole sentences
 */
export function oncePerOrder<T>(endpoint: Endpoint, advice: string) {
	// By the order's key pair, with the item that it was made for
	const changesOf = memoryOfRuns(
		() => new Map<string, { itemIndex: number; result: Promise<T> }>(),
	);
	return async (item: Item, change: () => Promise<T>): Promise<T> => {
		const changes = changesOf(item.context);
		const order = await item.orderKey();
		const earlier = changes.get(order);
		if (earlier !== undefined && earlier.itemIndex !== item.index) {
			throw new DescribedError({
				message: `Item ${earlier.itemIndex} is for the same order, so nothing was changed for this one`,
				description: advice,
			});
		}
		const result = earlier?.result ?? change();
		changes.set(order, { itemIndex: item.index, result });
		return await result.catch((error: unknown): never => {
			if (endpoint.isRepeatable || !mayBeCarriedOut(error)) changes.delete(order);
			throw error;
		});
	};
}
