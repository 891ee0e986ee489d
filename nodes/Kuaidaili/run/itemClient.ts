import { debugLog, type ExecutionScope } from '../../shared/api/wait';
import { keyPairFingerprint } from '../../shared/api/kuaidailiCredential';
import { withOrderEnd } from '../../shared/orders/orderDetails';
import type { RunQuery } from '../../shared/api/query';
import type { Endpoint } from '../../shared/service/endpoint';
import { nodeApiClient, type ApiClient, type NodeApiClient } from '../../shared/api/apiClient';
import { runQuery } from '../../shared/api/callService';
import { rateLimiter, rateLimitKey } from '../../shared/api/rateLimiter';
import { accessOrder, refuseWrongOrderChoice } from '../../shared/orders/orderAccess';
import { ItemParameters } from './itemParameters';

/** Calls of the service with the key pairs that one input item needs. */
export class ItemClient extends ItemParameters implements ExecutionScope {
	private caller?: Promise<NodeApiClient>;

	private order?: Promise<ApiClient>;

	/**
	 * Makes one call with the key pair that the endpoint needs: that of the credential, or of the order in
	 * 'Order'. The item's fields should be read before: what is wrong with them is then reported before
	 * anything is sent.
	 */
	readonly run: RunQuery = async (query, parameters) => {
		const isForOrder = query.endpoint.key === 'order';
		const caller = isForOrder ? await this.orderCaller() : await this.credentialCaller();
		return await runQuery(caller, query, parameters).catch(async (error: unknown) => {
			const { credential } = await this.credentialCaller();
			throw await withOrderEnd(error, this.run, keyPairFingerprint(credential), this.signal);
		});
	};

	/**
	 * Resolves when a call of an endpoint of the order could leave at once; it takes no slot.
	 *
	 * @param intervalMs the endpoint's own by default
	 * @returns for how long the next call has to wait behind one that leaves then, in milliseconds
	 * @throws CancelledError, and what getting the key pair throws
	 */
	async untilCallable(
		endpoint: Endpoint,
		intervalMs = endpoint.intervalMs,
		signal?: AbortSignal,
	): Promise<number> {
		const { credential } = await this.orderCaller();
		return await rateLimiter.untilFree(rateLimitKey(credential, endpoint), intervalMs, signal);
	}

	get signal(): AbortSignal | undefined {
		const signal = this.context.getExecutionCancelSignal?.();
		// One of its own for each who waits: with very many listeners, Node.js warns of a leak
		return signal === undefined ? undefined : AbortSignal.any([signal]);
	}

	get log(): ExecutionScope['log'] {
		return debugLog(this.context);
	}

	/** Tells the key pairs of orders apart without containing them. Throws what getting one throws. */
	readonly orderKey = async (): Promise<string> =>
		keyPairFingerprint((await this.orderCaller()).credential);

	/** The number in 'Order', if it can be reached with the key pair of the credential. Throws InvalidFieldError. */
	async reachableOrder(): Promise<string | undefined> {
		const orderid = this.orderNumber();
		const { credential } = await this.credentialCaller();
		refuseWrongOrderChoice(credential, orderid);
		return orderid;
	}

	private async orderCaller(): Promise<ApiClient> {
		const access = async () => {
			const orderid = this.orderNumber();
			return await accessOrder(await this.credentialCaller(), orderid);
		};
		this.order ??= access();
		return await this.order;
	}

	/** A client with the key pair of the credential. */
	async credentialCaller(): Promise<NodeApiClient> {
		this.caller ??= nodeApiClient(this.context, this.callOptions().timeoutMs, this.itemIndex);
		return await this.caller;
	}
}
