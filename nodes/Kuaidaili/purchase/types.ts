import type { IDataObject } from 'n8n-workflow';

import { InvalidResponseError } from '../../shared/errors/callErrors';
import type { Field } from '../../shared/fields/field';
import { isCode, isRecord, ownValue, toRecord } from '../../shared/guards';
import type { OrderTerm } from '../../shared/orders/term';
import type { Endpoint } from '../../shared/service/endpoint';
import type { EpochMs, LocalTime } from '../../shared/service/chinaTime';
import type { FlatParameters, RunQuery, ServiceAnswer } from '../../shared/queries/query';
import { durationInWords } from '../../shared/wording';
import type { Item, OperationBase } from '../operation';

/**
 * A purchase of the last minutes may not show at the service yet. 'Execute step' on a later node runs this one again
 * within the same time, as a double click does.
 */
export const LATE_MS = 600_000;

export const LATE_IN_WORDS = durationInWords(LATE_MS);

/** What a purchase is, in words. */
export interface PurchaseWords {
	/** Such as "The order may have been placed". */
	readonly unclear: string;
	/** What was sent, such as "Tunnel Proxy (TPS), Prepaid". */
	readonly what: string;
	/** Where to look, and what to conclude if nothing is found there, in whole sentences. */
	readonly howToFindOut: string;
}

/** What two looks at the service show of a purchase that was sent between them; `record` is its output. */
export type Change =
	| { readonly kind: 'made'; readonly text: string; readonly record: IDataObject }
	/** It shows nothing, or only purchases of others. */
	| { readonly kind: 'unexplained' | 'none' | 'others'; readonly text: string };

/** The output of an item. It says `created` or `renewed` true where that was bought. */
export interface PurchaseOutput {
	readonly record: IDataObject;
	/** Set for an order that is not due yet: when it ends. */
	readonly endsAt?: EpochMs;
	/** What kept it from being renewed though it is due, in words. */
	readonly limit?: string;
}

/** What is known here of orders. */
export interface KnownOrders {
	/** Bought for the same subject in the last minutes: the service may not show them yet. */
	readonly recent: readonly string[];
	/** By the number of each new order that was bought here, whether it was for the same subject. */
	readonly placed: ReadonlyMap<unknown, boolean>;
}

/** What an execution that n8n runs again, after its worker died, may have bought: its output. */
export interface RecoveryCandidate {
	readonly record: IDataObject;
	/** The key of the state that it was bought from; undefined where any other state than the present one will do. */
	readonly before: string | undefined;
}

/** A purchase, after all checks that need no request. */
export interface PurchasePlan {
	/** What the output says of the purchase before it is made, such as its product, or `orderid` of the one to renew. */
	readonly preview: IDataObject;
	/** Whether that of a new order depends on a condition. */
	readonly isConditional?: boolean;
	/**
	 * What is bought; with `pass`, nothing has to be, unless an execution that was run before has bought it. Asks with
	 * the key pair that each endpoint needs. Where it throws, nothing was bought.
	 *
	 * @param mayBeBought by that execution, so that it must not be refused
	 */
	decide(
		ask: RunQuery,
		mayBeBought: boolean,
	): Promise<{ readonly purchase?: Purchase; readonly pass?: PurchaseOutput }>;
}

/**
 * One call that spends money. `State` is what it changes: the account's orders, or the expiry or balance of an order.
 */
export interface Purchase<State = unknown> {
	readonly parameters: FlatParameters;
	readonly words: PurchaseWords;
	/** What is added to an order, such as "1 month". */
	readonly amount?: string;
	/** The time that is added, where it is known: the end of an order never comes again. */
	readonly term?: OrderTerm;
	/** When that order ends; the soonest is bought first. */
	readonly endsAt?: EpochMs;
	/** With the key pair that buys. */
	look(ask: RunQuery): Promise<State>;
	/** What a state tells of the order to renew. */
	describe?(state: State): PurchaseOutput;
	/** Equal for equal states, to be recorded. */
	stateKey(state: State): string;
	/** For a condition: the output if nothing has to be bought. Throws DescribedError where the state doesn't say. */
	passes?(state: State, known: KnownOrders): PurchaseOutput | undefined;
	compare(before: State, after: State, known: KnownOrders): Change;
	traces(state: State): readonly RecoveryCandidate[];
	/** The output for an answer with code 0. Throws InvalidResponseError unless it names an order that can be its own. */
	read(answer: ServiceAnswer, before: State | undefined, known: KnownOrders): IDataObject;
}

/** The same for all items of a run. */
export interface PlanContext {
	readonly localTime: LocalTime;
	/** What the user should know of orders, whatever becomes of them. */
	readonly warnings: Set<string>;
}

/** Spends money: everything is checked for all items before the first one is bought. */
export interface PurchaseOperation extends OperationBase {
	readonly done: 'created' | 'renewed';
	readonly endpoint: Endpoint;
	readonly maxOrdersField: Field;
	/** Reads the fields of an item and makes all checks that need no request. Throws InvalidFieldError. */
	plan(item: Item, run: PlanContext): PurchasePlan;
	/** Completes the outputs of what was bought, in place, after all purchases. Where it rejects, they stay as they are. */
	complete?(bought: readonly IDataObject[], ask: RunQuery): Promise<void>;
	/** A sentence about an output that can be sent as it is; `amount` is that of the purchase. */
	tell?(record: IDataObject, amount: string | undefined): string;
}

/** What the output of a dry run says in place of these. */
export const DRY_RUN_OUTPUT = { created: 'wouldCreate', renewed: 'wouldRenew' } as const;

/** Of an order that nothing was bought for. */
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
