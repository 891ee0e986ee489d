import type { IDataObject } from 'n8n-workflow';

import type { KuaidailiCredential } from '../../shared/credential/kuaidailiCredential';
import type { Field } from '../../shared/fields/field';
import { fingerprintOf } from '../../shared/fingerprint';
import { isRecord, ownValue, type UnknownRecord } from '../../shared/guards';
import type { LocalTime } from '../../shared/service/localTime';
import type { Endpoint } from '../../shared/service/endpoint';
import type { FlatParameters, RunQuery, ServiceAnswer } from '../../shared/service/query';
import { toRecord } from '../../shared/toRecord';
import { InvalidResponseError, type FailureText } from '../../shared/errors/callErrors';
import type { Caller, NodeCaller } from '../../shared/transport/caller';
import type { Item, OperationBase, PurchaseNoun } from '../operation';

/** What a purchase is, in words. */
export interface PurchaseWords {
	/** Such as "The order may have been placed". */
	readonly unclear: string;
	/** What was sent, such as "Tunnel Proxy (TPS), Prepaid". */
	readonly what: string;
	/** Where to look, in whole sentences. */
	readonly howToFindOut: string;
	/** What to conclude if nothing is found there. */
	readonly otherwise: string;
}

/** The result of a purchase: its output, and its name in lists of purchases. */
export interface Bought {
	readonly record: IDataObject;
	readonly label: string;
}

/** What two looks at the service show of a purchase that was sent between them. The text is a whole sentence. */
export type Finding =
	/** What has changed is what the purchase does. */
	| { readonly shows: 'made'; readonly text: string; bought(orderid: string | undefined): Bought }
	/** Nothing has changed. */
	| { readonly shows: 'notMade'; readonly text: string }
	/** Something has changed, but the cause is unknown. */
	| { readonly shows: 'unclear'; readonly text: string };

/**
 * One call that spends money, after everything that can be checked locally has been checked. `State` is what
 * the purchase changes: the account's orders, or the expiry or balance of an order.
 */
export interface Purchase<State = unknown> {
	/** The field of the output that says whether it was made. */
	readonly done: 'created' | 'renewed';
	readonly endpoint: Endpoint;
	readonly parameters: FlatParameters;
	readonly words: PurchaseWords;
	/** What the output says of the purchase before it is made, such as its product. */
	readonly preview?: IDataObject;
	/** The order to renew, where the account's key pair is used. */
	readonly orderid?: string;
	/**
	 * When that order ends, in milliseconds since 1970, where the item says so. The soonest is bought
	 * first.
	 */
	readonly endsAt?: number;
	/**
	 * Reads what has to be known beforehand, with the key pair of the credential.
	 *
	 * @returns the output where nothing has to be bought
	 * @throws CallError and InvalidFieldError; nothing was bought then
	 */
	prepare?(ask: RunQuery): Promise<IDataObject | undefined>;
	/**
	 * Reads the state, right before each request and after an answer that leaves the purchase unclear.
	 *
	 * @param ask with the key pair that buys
	 * @returns undefined where the service does not say and the purchase can do without
	 * @throws CallError
	 */
	readState(ask: RunQuery): Promise<State | undefined>;
	/**
	 * The output if nothing has to be bought. Absent where it is bought in any case.
	 *
	 * @param placed the numbers of orders of the same subject that this process placed a short while ago; the
	 * state may not have them yet
	 * @throws DescribedError where the state does not say
	 */
	insteadOfBuying?(state: State, placed: readonly string[]): IDataObject | undefined;
	/**
	 * Whether nothing had to be bought any more after so many purchases of the same subject, for a dry run.
	 * Absent where one of them is enough.
	 *
	 * @param placed as for `insteadOfBuying`
	 */
	isEnoughWith?(state: State, placed: readonly string[], purchases: number): boolean;
	/**
	 * Whether the service still shows the state from before an earlier purchase of the same subject. Absent where
	 * `placed` tells it, and where the same state may come again: what was bought may be used up.
	 */
	isStale?(state: State, before: State): boolean;
	/** What the state shows of the purchase, taking for granted that no other purchase changed it. */
	compare(before: State, after: State): Finding;
	/**
	 * What more has changed than this one purchase, which was made, explains: a whole sentence, or undefined
	 * where that is nothing.
	 */
	findDuplicate(before: State, after: State): string | undefined;
	/**
	 * @param before the state right before the request, where the service said it
	 * @throws InvalidResponseError when the answer lacks what it must have, or can't be about this purchase
	 */
	read(answer: ServiceAnswer, before: State | undefined): Bought;
}

/** What is bought, or the output where nothing has to be. */
export type Decision = { readonly purchase: Purchase } | { readonly output: IDataObject };

/** A purchase that depends on what the service says of the order. */
export interface DeferredPurchase
	extends Pick<Purchase, 'done' | 'endpoint' | 'preview' | 'orderid' | 'endsAt'> {
	/**
	 * @param ask with the key pair that each endpoint needs
	 * @throws CallError; nothing was bought then
	 */
	decide(ask: RunQuery): Promise<Decision>;
}

/** What is to be bought for one item, after its fields have been checked. */
export interface PlannedItem {
	readonly itemIndex: number;
	readonly plan: Purchase | DeferredPurchase;
	/** Holds the key pair of the credential. */
	readonly caller: NodeCaller;
	/** How many purchases the execution may make at most. */
	readonly maxOrders: number;
	/** In yuan; 0 for none. */
	readonly minimumBalance: number;
	/** What the purchases of the execution may have cost before another is made, in yuan; undefined for any. */
	readonly maxCost: number | undefined;
	/** Whether the output says what the purchase cost. */
	readonly reportsCost: boolean;
	/** Whether to do everything but the purchase. */
	readonly dryRun: boolean;
}

/** The same, when it is known what is bought. */
export interface PlannedPurchase extends PlannedItem {
	readonly purchase: Purchase;
}

/** Who buys, and for which order. */
export interface Buyer {
	readonly caller: Caller;
	readonly ask: RunQuery;
	/** The order that is renewed, where that is known. */
	readonly orderid: string | undefined;
	/** The same, fetched if it is not known. Undefined if that fails, and for a new order. */
	findOrderid(): Promise<string | undefined>;
	/** Lets the next one in. */
	close(): void;
}

/** Everything that the purchase of one item is planned from. */
export interface PurchaseItem extends Pick<Item, 'parameter' | 'orderNumber'> {
	/** The same for all items of a run. */
	readonly run: object;
	/** The collection 'Options', as it was entered. */
	readonly options: UnknownRecord;
	/** False with 'Skip Local Checks'. */
	readonly check: boolean;
	/** The JSON of the input item. */
	readonly json: IDataObject;
	/** Whether a test of Kuaidaili Trigger brought it. */
	readonly isTest: boolean;
	readonly localTime: LocalTime;
}

/** The output of a purchase that was made in this run. */
export interface BoughtItem {
	readonly itemIndex: number;
	/** Asks with the key pair of the credential. */
	readonly ask: RunQuery;
	/** The Secret ID of that key pair. */
	readonly secretId: string;
	readonly signType: KuaidailiCredential['signType'];
	/** The state right before the purchase, where the service said it. */
	readonly before: unknown;
	/** `complete` adds to it in place. */
	readonly record: IDataObject;
}

/** What became of the purchase of one item. What was refused is not remembered: it may be asked for again. */
export type Outcome = {
	/** How it is named in lists of what was bought, or may have been. */
	readonly label: string;
} & (
	| { readonly state: 'paid'; readonly record: IDataObject }
	/** On its way; read back only if the process ended before the outcome was known. */
	| { readonly state: 'sent'; readonly text: FailureText }
	/** It may have been bought. */
	| { readonly state: 'unclear'; readonly text: FailureText }
);

export type RememberedPurchase = Outcome & {
	/** Of the purchase and its buyer: the same purchase in another run has the same one. */
	readonly fingerprint: string;
	/** The same for all purchases that a condition counts together. */
	readonly subject: string;
};

/** A purchase of a run, with its item. */
export interface PurchaseOfItem {
	readonly itemIndex: number;
	readonly purchase: RememberedPurchase;
}

/** Spends money: everything is checked for all items before the first one is bought. */
export interface PurchaseOperation extends OperationBase {
	readonly purchases: PurchaseNoun;
	/** The option 'Max Orders per Run'. */
	readonly maxOrdersField: Field;
	/** Whether a run of more items than that is refused as a whole. */
	readonly refusesLargeRuns: boolean;
	/**
	 * Reads the fields of an item and makes all checks that need no request.
	 *
	 * @throws InvalidFieldError
	 */
	plan(item: PurchaseItem): Purchase | DeferredPurchase;
	/** Completes the output after all purchases. Where it rejects, the output stays as it is. */
	complete?(bought: readonly BoughtItem[]): Promise<void>;
}

/** The output with what is known of the purchase besides; the order number comes first. */
export function withPreview({ preview = {} }: Purchase, output: IDataObject): IDataObject {
	const { orderid = preview.orderid } = output;
	return { ...(orderid === undefined ? {} : { orderid }), ...preview, ...output };
}

/**
 * Equal for purchases that a condition counts together: new orders of one kind, or all renewals of one order,
 * whether the key pair of the order or that of the account asks for them.
 */
export function purchaseSubject(
	{ endpoint, parameters }: Purchase,
	{ caller }: Pick<Buyer, 'caller'>,
): string {
	const { product = '', pay_type: payType = '' } = parameters;
	return fingerprintOf(caller.credential.secretId, endpoint.path, [product, payType]);
}

/** What is bought is the same, whatever these say. */
const BESIDES = /(?:^|\.)(?:is_notify|is_coupon|is_auto_renew|auto_renew_unit)$/;

/** Equal for the same purchase by the same buyer, in whichever run. */
export function purchaseFingerprint(
	{ endpoint, parameters }: Purchase,
	{ credential }: Caller,
): string {
	const sorted = Object.entries(parameters)
		.filter(([name]) => !BESIDES.test(name))
		.sort(([a], [b]) => (a < b ? -1 : 1));
	return fingerprintOf(credential.secretId, endpoint.path, sorted);
}

/**
 * The `data` of a purchase's answer, with the order number as text: it has 15 or 16 digits, and the
 * last ones would not survive as a number.
 *
 * @throws InvalidResponseError without an order number; the purchase itself was made then
 */
export function parsePurchase({
	data,
}: Pick<ServiceAnswer, 'data'>): IDataObject & { orderid: string } {
	const orderid = ownValue(data, 'orderid');
	const isNumber = typeof orderid === 'string' || typeof orderid === 'number';
	if (!isRecord(data) || !isNumber || String(orderid).trim() === '') {
		throw new InvalidResponseError('confirms the purchase but contains no order number', '');
	}
	return { ...toRecord(data), orderid: String(orderid) };
}
