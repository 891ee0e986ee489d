import { readField, locatorValue, readRequiredField } from '../fields/reader';
import {
	serviceField,
	toProperty,
	InvalidFieldError,
	NoTextError,
	type ValueKind,
	type Field,
} from '../fields/field';
import { resourceLocator, TYPED_MODE, simpleText, choice, number } from '../fields/kinds';
import { ownValue } from '../guards';
import { isProductCode, PRODUCT_LABELS, type PayType, type ProductCode } from '../service/products';
import { keyPairFingerprint, type KeyPair } from '../api/sign';
import { excerpt } from '../api/cleanText';
import type { ApiClient, NodeApiClient } from '../api/client';
import { dataQuery, runQuery } from '../api/call';
import { ResponseCache } from '../api/cache';
import { CallError } from '../api/errors';
import { GET_ORDER_SECRET } from '../service/endpoints/account';
import { DAY_MS, HOUR_MS } from '../service/chinaTime';
import { plural } from '../wording';

/** The number of an order: a text, since 16 digits do not survive as a number. */
export const orderNumber: ValueKind = {
	property: { type: 'string', default: '' },
	allowed: 'the number of an order as text, usually 15 or 16 digits, such as 965102959536478',
	toText(value) {
		if (typeof value === 'number' && !Number.isSafeInteger(value)) throw new NoTextError();
		return simpleText(value);
	},
	accepts: (text) => /^\d{8,24}$/.test(text),
};

/** The order to work on. Only getordersecret takes it as a parameter. */
export const orderField = serviceField({
	serviceName: 'orderid',
	displayName: 'Order',
	description: "The order to use. Leave empty if the credential holds an order's key pair.",
	kind: resourceLocator(orderNumber, {
		method: 'searchOrders',
		listPlaceholder: 'Choose an order',
		typedLabel: 'By ID',
		typedPlaceholder: 'e.g. 965102959536478',
	}),
});

export const orderProperty = toProperty(orderField);

/** The number in 'Order'; undefined for the order of the credential. Throws InvalidFieldError. */
export function readChosenOrder(valueOf: (name: string) => unknown): string | undefined {
	const value = valueOf(orderField.name);
	const number = readField(orderField, value);
	// 'By ID' without a number is a mistake, not a choice of the credential's order
	const isTyped = ownValue(value, 'mode') === TYPED_MODE;
	if (number === undefined && isTyped) {
		throw new InvalidFieldError(
			orderField.displayName,
			locatorValue(value),
			"Enter an order number. If the credential holds an order's key pair, choose 'From list' instead of 'By ID', and leave the list empty.",
		);
	}
	return number;
}

/** The orders that are offered, by the codes of the service; those of any product and pay type without. */
export interface OrderFilter {
	readonly products?: readonly ProductCode[];
	readonly payTypes?: readonly PayType[];
}

export type UsableOrders = OrderFilter | ((valueOf: (name: string) => unknown) => OrderFilter);

/** Open proxies have neither login nor whitelist. */
export const ORDERS_WITH_LOGIN: OrderFilter = {
	products: Object.keys(PRODUCT_LABELS)
		.filter(isProductCode)
		.filter((code) => code !== 'OPS'),
};

/** @param product as it is in the editor; unknown where it is an expression */
export function ordersOf(product: unknown): OrderFilter {
	return isProductCode(product) ? { products: [product] } : {};
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

const orderKeyPairs = new ResponseCache<KeyPair>({ longestAgeMs: 86_400_000, largestSize: 1000 });

function toKeyPair(data: unknown): KeyPair | undefined {
	const [secretId, secretKey] = [ownValue(data, 'secret_id'), ownValue(data, 'secret_key')];
	if (typeof secretId !== 'string' || typeof secretKey !== 'string') return undefined;
	return secretId && secretKey ? { keyType: 'order', secretId, secretKey } : undefined;
}

const orderKeyPair = dataQuery(GET_ORDER_SECRET, 'key pair for the order', toKeyPair);

/** @param refused the key pair that is to be forgotten first */
async function obtainKeyPair(
	account: NodeApiClient,
	orderid: string,
	refused?: KeyPair,
): Promise<KeyPair> {
	const { credential, signal } = account;
	const cacheKey = JSON.stringify([keyPairFingerprint(credential), credential.hosts, orderid]);
	if (refused !== undefined) {
		const isRefused = ({ secretId, secretKey }: KeyPair) =>
			secretId === refused.secretId && secretKey === refused.secretKey;
		orderKeyPairs.forget(cacheKey, isRefused);
	}
	const fetch = async () => {
		// A run may be about many orders, so the failure says which one it was
		const client = account.withKeyPair(credential, { orderid });
		try {
			return await runQuery(client, orderKeyPair, { orderid });
		} catch (error) {
			const note = `This was the call for the key pair of order ${excerpt(orderid, [])}.`;
			throw error instanceof CallError ? error.addNote(note) : error;
		}
	};
	return await orderKeyPairs.obtain(cacheKey, fetch, signal);
}

/**
 * Calls with the key pair of an order: that of the credential if it belongs to an order, else the one that
 * the service returns for the chosen order, which is kept in memory and never shown.
 */
export async function accessOrder(
	client: NodeApiClient,
	orderid: string | undefined,
): Promise<ApiClient> {
	refuseWrongOrderChoice(client.credential, orderid);
	if (orderid === undefined) return client;
	const renewKeyPair = async (refused: KeyPair) => await obtainKeyPair(client, orderid, refused);
	return client.withKeyPair(await obtainKeyPair(client, orderid), { orderid, renewKeyPair });
}

const UNITS = {
	days: { name: 'Days', singular: 'day', ms: DAY_MS },
	hours: { name: 'Hours', singular: 'hour', ms: HOUR_MS },
} as const;

export interface TimeWindow {
	readonly ms: number;
	readonly inWords: string;
}

export const expiringWithin = {
	amount: {
		name: 'expiringWithin',
		displayName: 'Expiring Within',
		description: 'Maximum time left before an order expires, in the unit below',
		// It decides what is bought
		kind: number({ min: 1, max: 10_000, preset: 3, costsMoney: true }),
	},
	unit: {
		name: 'expiringWithinUnit',
		displayName: 'Expiring Within Unit',
		description: 'The unit for the time above',
		kind: choice(Object.entries(UNITS).map(([value, { name }]) => ({ name, value }))),
	},
} satisfies Record<string, Field>;

/** The fields are the node's own, so they are always checked. */
export function readTimeWindow(valueOf: (name: string) => unknown): TimeWindow {
	const { amount, unit } = expiringWithin;
	const count = Number(readRequiredField(amount, valueOf(amount.name)));
	const unitName = readRequiredField(unit, valueOf(unit.name));
	const { singular, ms } = unitName === 'hours' ? UNITS.hours : UNITS.days;
	return { ms: count * ms, inWords: plural(count, singular) };
}
