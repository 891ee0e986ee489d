import { keyPairFingerprint, type KeyPair } from '../api/sign';
import { excerpt } from '../api/cleanText';
import { InvalidFieldError } from '../fields/field';
import { ownValue } from '../guards';
import { GET_ORDER_SECRET } from '../service/endpoints/account';
import {
	ApiError,
	CallError,
	CancelledError,
	InvalidResponseError,
	withContext,
	withNote,
} from '../api/errors';
import type { ApiClient, NodeApiClient } from '../api/client';
import { callService } from '../api/call';
import { ResponseCache } from '../api/cache';
import { orderField } from './orderField';

const orderKeyPairs = new ResponseCache<KeyPair>({ longestAgeMs: 300_000, largestSize: 500 });

async function fetchKeyPair(account: ApiClient, orderid: string): Promise<KeyPair> {
	const call = { endpoint: GET_ORDER_SECRET, parameters: { orderid } };
	const shown = excerpt(orderid, []);
	const { data } = await callService(account, call).catch((error: unknown): never => {
		if (!(error instanceof CallError) || error instanceof CancelledError) throw error;
		// A run may be about many orders, so the failure says which one it was
		const failure = error instanceof ApiError ? withContext(error, { orderid: shown }) : error;
		throw withNote(failure, `This was the call for the key pair of order ${shown}.`);
	});
	const secretId = ownValue(data, 'secret_id');
	const secretKey = ownValue(data, 'secret_key');
	if (typeof secretId !== 'string' || typeof secretKey !== 'string' || !secretId || !secretKey) {
		// Without an excerpt: it could be the key
		throw new InvalidResponseError(`contains no key pair for order ${shown}`, '');
	}
	return { keyType: 'order', secretId, secretKey };
}

/**
 * Refuses an order that cannot be reached with the key pair of the credential. Sends nothing.
 *
 * @param inputOrder the `orderid` of the input item
 */
export function refuseWrongOrderChoice(
	{ keyType }: KeyPair,
	orderid: string | undefined,
	inputOrder?: string,
): void {
	if (keyType === 'order' && orderid !== undefined) {
		throw new InvalidFieldError(
			orderField.displayName,
			orderid,
			"The credential holds an order's key pair, which works for that order only. Leave the field empty to use that order, or use a credential with the account's key pair to choose an order.",
		);
	}
	if (keyType === 'account' && orderid === undefined) {
		const choose =
			inputOrder === undefined
				? 'Choose an order from the list, or enter its number.'
				: "Drag 'orderid' from the input into 'Order', or choose one order from the list.";
		throw new InvalidFieldError(
			orderField.displayName,
			'',
			`${choose} The field can stay empty only if the credential holds an order's key pair.`,
		);
	}
}

/**
 * Calls with the key pair of an order: that of the credential if it belongs to an order, else the one that
 * the service returns for the chosen order, which is kept in memory for a few minutes and never shown.
 */
export async function accessOrder(
	caller: NodeApiClient,
	orderid: string | undefined,
): Promise<ApiClient> {
	const { credential, signal } = caller;
	refuseWrongOrderChoice(credential, orderid);
	if (orderid === undefined) return caller;
	const cacheKey = JSON.stringify([keyPairFingerprint(credential), credential.hosts, orderid]);
	const fetch = async () => await fetchKeyPair(caller, orderid);
	const obtain = async () => await orderKeyPairs.obtain(cacheKey, fetch, signal);
	const renewKeyPair = async (refused: KeyPair): Promise<KeyPair> => {
		orderKeyPairs.forget(
			cacheKey,
			({ secretId, secretKey }) => secretId === refused.secretId && secretKey === refused.secretKey,
		);
		return await obtain();
	};
	return caller.withKeyPair(await obtain(), { orderid: excerpt(orderid, []), renewKeyPair });
}
