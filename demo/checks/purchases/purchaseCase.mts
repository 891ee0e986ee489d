import type { Fault } from '../../../sandbox/sandbox.mts';
import type { NodeSettings } from '../../../harness/realN8n/trialWorkflow.mts';

/** An operation that spends money. */
export interface SpendingOperation {
	readonly name: 'create' | 'renew';
	readonly path: string;
	readonly keyType: 'account' | 'order';
	readonly parameters: Readonly<Record<string, unknown>>;
	/** How the message about an unclear outcome begins. */
	readonly unclear: string;
	/** What tells where to find out. */
	readonly whereToLook: RegExp;
}

export const ORDER_CREATE: SpendingOperation = {
	name: 'create',
	path: '/api/createorder',
	keyType: 'account',
	parameters: { product: 'TPS', payType: 'PRE_PAY', prepayTimeType: 'DAY', prepayTimeNumber: 1 },
	unclear: 'The order may have been placed: ',
	whereToLook: /Order: Get Many.*order list/,
};

export const ORDER_RENEW: SpendingOperation = {
	name: 'renew',
	path: '/api/reneworder',
	keyType: 'order',
	parameters: { renewWhen: 'always', renewalOf: 'prepaid', timeType: 'DAY', timeNumber: 1 },
	unclear: 'The order may have been renewed: ',
	whereToLook: /expiry time.*Order: Get/,
};

/** Something that goes wrong with one request, or with all of a run, and what has to come of it. */
export interface Trouble {
	readonly name: string;
	readonly fault: Fault;
	/** How often the item in trouble is paid. */
	readonly paid: 0 | 1;
	/** What the node says of it; 'verified' when it found out by itself that it was bought. */
	readonly outcome: 'unclear' | 'verified' | 'success';
	/** How many requests an item in trouble makes; what a gateway repeats is none of the node's. */
	readonly requests: number;
	readonly signType: 'hmacsha1' | 'token';
}

/**
 * One of each kind, to see in a real n8n what the tests in n8n's engine try in every way. A token has no
 * protection against a request that is delivered twice, so purchases are signed whatever the sign type.
 */
export const TROUBLES: readonly Trouble[] = [
	{
		name: 'connection cut before the work',
		fault: { kind: 'cut', when: 'before' },
		...{ paid: 0, outcome: 'unclear', requests: 1, signType: 'hmacsha1' },
	},
	{
		name: 'connection cut after the work',
		fault: { kind: 'cut', when: 'after' },
		...{ paid: 1, outcome: 'verified', requests: 1, signType: 'hmacsha1' },
	},
	{
		name: 'no answer in time, after the work',
		fault: { kind: 'hang', when: 'after' },
		...{ paid: 1, outcome: 'verified', requests: 1, signType: 'hmacsha1' },
	},
	{
		name: 'code -120',
		fault: { kind: 'code', code: -120 },
		...{ paid: 1, outcome: 'success', requests: 2, signType: 'hmacsha1' },
	},
	{
		name: 'delivered twice, second answer',
		fault: { kind: 'twice', answer: 'last' },
		...{ paid: 1, outcome: 'verified', requests: 1, signType: 'hmacsha1' },
	},
	{
		name: 'delivered twice, second answer, with a token',
		fault: { kind: 'twice', answer: 'last' },
		...{ paid: 1, outcome: 'verified', requests: 1, signType: 'token' },
	},
];

const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 } as const;

/** The rows of the money table where n8n runs the node again. */
export const RETRYING: ReadonlyMap<string, NodeSettings> = new Map<string, NodeSettings>([
	['Retry On Fail', RETRY],
	['Retry On Fail and On Error: Continue', { ...RETRY, onError: 'continueRegularOutput' }],
]);

/** All rows of the money table. */
const SETTINGS: ReadonlyMap<string, NodeSettings> = new Map([['no retry', {}], ...RETRYING]);

/** One run with one trouble in it. */
export interface PurchaseCase {
	readonly operation: SpendingOperation;
	readonly trouble: Trouble;
	readonly settingsName: string;
	readonly settings: NodeSettings;
	/** Of three items, the one in the middle is in trouble. */
	readonly itemCount: 1 | 3;
}

/** New orders for three items, and one renewal: the key pair of an order renews that one only. */
export function casesOf(trouble: Trouble): PurchaseCase[] {
	const orders = [...SETTINGS].map(([settingsName, settings]): PurchaseCase => {
		return { operation: ORDER_CREATE, trouble, settingsName, settings, itemCount: 3 };
	});
	const [[settingsName, settings]] = RETRYING;
	const renewal = { operation: ORDER_RENEW, trouble, settingsName, settings } as const;
	return [...orders, { ...renewal, itemCount: 1 }];
}

/** The index of the item in trouble. */
export function troubledItem({ itemCount }: PurchaseCase): number {
	return itemCount === 1 ? 0 : 1;
}

export function nameOf({ operation, settingsName, itemCount }: PurchaseCase): string {
	const items = itemCount === 1 ? 'one item' : 'the middle one of three items';
	return `Order: ${operation.name === 'create' ? 'Create' : 'Renew'}, ${settingsName}, ${items}`;
}
