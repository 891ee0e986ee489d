import type { IDataObject } from 'n8n-workflow';

import { InvalidResponseError } from '../../shared/api/errors';
import type { Field } from '../../shared/fields/field';
import { isCode, isRecord, ownValue, toRecord } from '../../shared/guards';
import type { OrderTerm } from './term';
import type { RunQuery } from '../../shared/api/call';
import type { FlatParameters, ServiceAnswer } from '../../shared/service/wireTypes';
import type { EpochMs, LocalTime } from '../../shared/service/chinaTime';
import type { Endpoint } from '../../shared/service/endpoint';
import { durationInWords } from '../../shared/wording';
import type { Operation } from '../run/operation';
import type { Item } from '../run/item';

/**
 * A purchase of the last minutes may not show at the service yet. 'Execute step' on a later node runs this one again
 * within the same time, as a double click does.
 */
export const RECENT_MS = 600_000;

export const RECENT_IN_WORDS = durationInWords(RECENT_MS);

/** Texts about a purchase. */
export interface PurchaseWords {
	/** Such as "The order may have been placed". */
	readonly unclear: string;
	/** The goods, such as "Tunnel Proxy (TPS), Prepaid". */
	readonly what: string;
	/** Whole sentences: where to look, and what to conclude if nothing is found there. */
	readonly howToFindOut: string;
}

/** The difference between the states before and after a request. */
export interface Change {
	/** `none` and `others`: nothing, or only purchases of others; `unseen`: there are no two states to compare. */
	readonly kind: 'made' | 'unexplained' | 'none' | 'others' | 'unseen';
	readonly text: string;
	/** The output of what was made, or of what another run of the node has bought. */
	readonly record?: IDataObject;
}

/**
 * The output of an item. It says `created` or `renewed` true where that was bought, and then `verified`: true where a
 * snapshot or a satisfied condition showed it, false where the end of the order has not moved, none where the answer
 * said it.
 */
export interface PurchaseOutput {
	readonly record: IDataObject;
	/** When the order ends. A condition that leaves an order alone sets it, to Infinity without an end: what a killed worker sent then counts as paid. */
	readonly endsAt?: EpochMs;
	/** Set where another execution has bought it: for the same item, for the same key, or at the same moment. */
	readonly isRepeat?: boolean;
	/** The limit, in words, that kept it from being renewed though it is due. */
	readonly limit?: string;
	/** Set for an order that was renewed, as far as anybody knows, and whose end has not moved. */
	readonly isUnmoved?: boolean;
}

/** A new order that this process has placed within a day, or would have in a dry run. */
export interface PlacedOrder {
	/** Undefined in a dry run. */
	readonly orderid: string | undefined;
	/** Whether it is of the same account, product, and pay type, so that it counts for the condition. */
	readonly isOfKind: boolean;
}

/**
 * One call that spends money. `State` is what it changes: the account's orders, or the expiry or balance of an order.
 *
 * Minimal example, a renewal by time in any case:
 *
 *     { parameters, words, readState: (ask) => ask(orderExpiry), stateKey: ({ expireTime }) => expireTime,
 *       compare: (before, after) => after.expireTime > before ? made(after) : nothing,
 *       candidates: (state) => [{ orderid }], read: parsePurchase }
 */
export interface Purchase<State = unknown> {
	readonly parameters: FlatParameters;
	readonly words: PurchaseWords;
	/** Such as "1 month": what is added to an order. */
	readonly amount?: string;
	/** The time that is added, where it is known: the end of an order never comes again. */
	readonly term?: OrderTerm;
	/** When that order ends; the soonest is bought first. */
	readonly endsAt?: EpochMs;
	/** Takes a snapshot, with the key pair that buys. */
	readState(ask: RunQuery): Promise<State>;
	/** Tells about the order to renew. */
	describe?(state: State): PurchaseOutput;
	/** The state in a text, to be saved and compared. */
	stateKey(state: State): string;
	/** For a condition: the output if nothing has to be bought. Throws DescribedError where the state doesn't say. */
	skip?(state: State, placed: readonly PlacedOrder[]): PurchaseOutput | undefined;
	/** Whether an answer with code 0 shows the change itself; without it, no answer can. */
	isShownBy?(record: IDataObject, before: string): boolean;
	/** @param before key of the state before the request */
	compare(before: string, after: State, placed: readonly PlacedOrder[]): Change;
	/** Outputs of what the purchase may have brought. */
	candidates(state: State): readonly IDataObject[];
	/** Numbers of all orders that a state shows; undefined for a renewal. */
	orders?(state: State): readonly string[];
	/** The output for an answer with code 0. Throws InvalidResponseError unless it names an order that can be its own. */
	read(
		answer: ServiceAnswer,
		before: string | undefined,
		placed: readonly PlacedOrder[],
	): IDataObject;
}

/** A purchase, after all checks that need no request. */
export interface PurchasePlan {
	/** The output before the purchase is made, such as its product, or `orderid` of the one to renew; `decide` adds to it. */
	readonly preview: IDataObject;
	/** Parameters of a new order; undefined for a renewal. */
	readonly ordered?: FlatParameters;
	/** Whether a new order depends on a condition. */
	readonly isConditional?: boolean;
	/** The user's own key, for which the node buys once. */
	readonly onceKey?: string;
	/**
	 * Asks with the key pair that each endpoint needs. Where it throws, nothing was bought.
	 *
	 * @param mayBeBought by an earlier delivery, so that it must not be refused
	 * @returns `skip` where nothing has to be bought, unless an earlier delivery has bought it
	 */
	readonly decide: (
		ask: RunQuery,
		mayBeBought: boolean,
	) => Promise<{ readonly purchase?: Purchase; readonly skip?: PurchaseOutput }>;
}

/** The plan for all items of a run. */
export interface PlanContext {
	readonly localTime: LocalTime;
	/** Sentences that the user should know about orders, whatever becomes of them. */
	readonly warnings: Set<string>;
}

/** Spends money: everything is checked for all items before the first one is bought. */
export interface PurchaseOperation extends Omit<Operation, 'executeAll'> {
	readonly done: 'created' | 'renewed';
	readonly endpoint: Endpoint;
	readonly maxOrdersField: Field;
	/** Reads the fields of an item and makes all checks that need no request. Throws InvalidFieldError. */
	plan(item: Item, run: PlanContext): PurchasePlan;
	/** Completes the outputs of what was bought, in place, after all purchases. Where it rejects, they stay as they are. */
	complete?(bought: readonly IDataObject[], ask: RunQuery): Promise<void>;
	/** A sentence about an output that can be sent as it is; `amount` is that of the purchase. */
	tell(record: IDataObject, amount: string | undefined): string;
}

/** Names that the output of a dry run has in place of these. */
export const DRY_RUN_OUTPUT = { created: 'wouldCreate', renewed: 'wouldRenew' } as const;

/** Whether it was bought, or a dry run would have bought it. */
export function isDone({ done }: PurchaseOperation, { record }: PurchaseOutput): boolean {
	return record[done] === true || record[DRY_RUN_OUTPUT[done]] === true;
}

/** The output for an order that nothing was bought for. */
export function notRenewed(
	reason: string,
	shown: IDataObject = {},
	endsAt?: EpochMs,
): PurchaseOutput {
	return { record: { renewed: false, reason, ...shown }, endsAt };
}

export function orderNumberOf(record: IDataObject | undefined): string | undefined {
	return typeof record?.orderid === 'string' ? record.orderid : undefined;
}

/** The output with what is known of the purchase besides; the order number comes first. */
export function withPreview(preview: IDataObject, output: IDataObject): IDataObject {
	const { orderid = preview.orderid } = output;
	return { ...(orderid === undefined ? {} : { orderid }), ...preview, ...output };
}

/**
 * The `data` of a purchase's answer, with the order number as text: it has 15 or 16 digits, and the
 * last ones would not survive as a number.
 *
 * @throws InvalidResponseError without an order number; the purchase itself was made then
 */
export function parsePurchase({ data }: ServiceAnswer): IDataObject & { orderid: string } {
	const orderid = ownValue(data, 'orderid');
	if (!isRecord(data) || !isCode(orderid) || String(orderid).trim() === '') {
		throw new InvalidResponseError('confirms the purchase but contains no order number', '');
	}
	return { ...toRecord(data), orderid: String(orderid) };
}
