import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { FlatParameters } from '../../shared/credential/signature';
import { fingerprintOf } from '../../shared/fingerprint';
import type { UnknownRecord } from '../../shared/guards';
import type { Endpoint } from '../../shared/service/endpoint';
import {
	CallError,
	CancelledError,
	DescribedError,
	NetworkError,
	InvalidResponseError,
	WrongKeyTypeError,
	type FailureText,
} from '../../shared/transport/callErrors';
import type { Caller } from '../../shared/transport/callService';
import { describeFailure } from '../../shared/transport/describeFailure';
import { executionCaller, type NodeCaller } from '../../shared/transport/nodeCaller';
import type { SuccessfulEnvelope } from '../../shared/transport/httpResponse';
import { deliveryStateOf, type DeliveryState } from '../../shared/transport/deliveryState';
import { readCallOptions } from '../parameters/callOptions';
import { refuseLargeRun, refuseRetryingTool } from './purchaseLimits';
import { isTool, purchaseMemoryOf, type PurchaseMemory } from './purchaseMemory';
import { sendPurchase } from './sendPurchase';
import { unclearText, type PurchaseWords } from './unclearPurchase';

/** What a purchase brought: the output, and how it is named in lists of what was bought. */
export interface Bought {
	readonly record: IDataObject;
	readonly label: string;
}

/** One call that spends money. */
export interface Purchase {
	readonly endpoint: Endpoint;
	readonly parameters: FlatParameters;
	readonly words: PurchaseWords;
	/**
	 * What has to be known before, asked with the key pair of the credential. Where it throws, nothing
	 * was bought.
	 */
	readonly prepare?: (caller: NodeCaller) => Promise<PreparedPurchase>;
	/** @throws InvalidResponseError when the answer lacks what it must have */
	readonly read: (answer: SuccessfulEnvelope) => Bought;
}

export interface PreparedPurchase {
	/** Who buys, where it is not the key pair of the credential. */
	readonly buyer?: Caller;
	/** The output where nothing has to be bought. */
	readonly instead?: IDataObject;
	/**
	 * Looks once more right before each try: another process may have bought it meanwhile. Resolves with
	 * the output where nothing has to be bought any more.
	 */
	readonly lookAgain?: () => Promise<IDataObject | undefined>;
	/** Looks whether it was bought, after an answer that left it open. */
	readonly verify?: () => Promise<Verification>;
	/** Called in any case, when it is known what became of the purchase. */
	readonly settled?: (settlement: Settlement) => void;
}

/** What became of a purchase. */
export interface Settlement {
	outcome: 'bought' | 'notBought' | 'unclear';
	bought?: Bought;
}

/** What a look at the service afterwards showed. */
export type Verification =
	| { readonly isBought: true; readonly bought: Bought }
	/** The finding is a whole sentence for the user. */
	| { readonly isBought: false; readonly finding: string };

/** What was said before is said again, and nothing is sent. */
function recall(memory: PurchaseMemory, itemIndex: number): IDataObject | undefined {
	const known = memory.get(itemIndex);
	if (known === undefined) return undefined;
	if (known.state === 'paid') return known.record;
	throw new DescribedError(known.text);
}

function fingerprintOfPurchase(caller: Caller, { endpoint, parameters }: Purchase): string {
	const sorted = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
	return fingerprintOf(caller.credential.secretId, endpoint.path, sorted);
}

/**
 * Buys once per item and execution, whatever happens: a time-out, 'Retry On Fail', an error in another
 * item. What was bought or may have been bought is known before anything else is looked at, and what is
 * sent is remembered before it is sent.
 *
 * @param plan what to buy, from the item's fields and the collection 'Options'; throws
 * InvalidFieldError for values that cannot be used
 * @returns the output for the item; on a retry the remembered one
 * @throws DescribedError when it is unclear whether it was bought; what `callService` throws otherwise
 */
export async function purchaseOnce(
	context: IExecuteFunctions,
	itemIndex: number,
	plan: (options: UnknownRecord, check: boolean) => Purchase,
): Promise<IDataObject> {
	const memory = purchaseMemoryOf(context);
	const recalled = recall(memory, itemIndex);
	if (recalled !== undefined) return recalled;

	refuseRetryingTool(context);
	const { options, timeoutMs, check } = readCallOptions(
		context.getNodeParameter('options', itemIndex, ''),
	);
	const purchase = plan(options, check);
	const caller = await executionCaller(context, itemIndex, timeoutMs);

	// A run that is too large is refused before anything is asked
	refuseLargeRun(context, memory, options);
	const prepared = (await purchase.prepare?.(caller).catch(withNothingBought)) ?? {};
	const settlement: Settlement = { outcome: 'notBought' };
	try {
		if (prepared.instead !== undefined) return prepared.instead;
		const buyer = prepared.buyer ?? caller;
		const fingerprint = fingerprintOfPurchase(buyer, purchase);
		// From here to the first `set` nothing may wait: calls of a tool run side by side, and each has to
		// see what the others are about to buy
		refuseLargeRun(context, memory, options);
		const unclearBefore = memory.unclearInOtherRun(fingerprint);
		if (unclearBefore !== undefined) throw new DescribedError(unclearBefore);
		let sentAt = Date.now();
		const unclear = (cause?: CallError, finding?: string) =>
			unclearText(
				{ words: purchase.words, itemIndex, sentAt, byAgent: isTool(context), finding },
				cause,
			);
		const onLeaving = () => {
			sentAt = Date.now();
			memory.set(itemIndex, { state: 'sent', fingerprint, text: unclear() });
		};
		onLeaving();

		const { endpoint, parameters } = purchase;
		const beforeLeaving = async () => await refuseIfSettled(prepared);
		const result = await sendPurchase(buyer, { endpoint, parameters }, { beforeLeaving, onLeaving })
			.then(purchase.read)
			.catch(async (error: unknown) => await judged(error, prepared));
		if (result instanceof NothingToBuyError) {
			memory.forget(itemIndex);
			return result.instead;
		}
		if (result instanceof FailedPurchase) {
			if (result.proof === 'unclear') settlement.outcome = 'unclear';
			throw remembered(memory, itemIndex, fingerprint, result, unclear);
		}
		memory.set(itemIndex, { state: 'paid', fingerprint, ...result });
		settlement.outcome = 'bought';
		settlement.bought = result;
		return result.record;
	} finally {
		prepared.settled?.(settlement);
	}
}

/** Failures that are no answer to a question, or say themselves that nothing was bought. */
const NO_QUESTION = [DescribedError, CancelledError, WrongKeyTypeError];

/** Questions before a purchase look like the purchase itself to whoever reads that one failed. */
function withNothingBought(error: unknown): never {
	if (!(error instanceof CallError) || NO_QUESTION.some((kind) => error instanceof kind))
		throw error;
	const text = describeFailure(error);
	const note = 'This was a question before the purchase; nothing was bought for this item.';
	// Not as a note of the error itself: others may have waited for the same answer
	throw new DescribedError({ ...text, description: `${text.description} ${note}` });
}

/** It turned out, before anything was sent, that nothing has to be bought. */
class NothingToBuyError extends CallError {
	constructor(readonly instead: IDataObject) {
		super('Nothing has to be bought any more');
		this.name = 'NothingToBuyError';
	}
}

/** @throws NothingToBuyError, and errors which prove that nothing was sent */
async function refuseIfSettled({ lookAgain }: PreparedPurchase): Promise<void> {
	if (lookAgain === undefined) return;
	const instead = await lookAgain().catch((error: unknown): never => {
		// What was on its way is the question, not the purchase
		if (error instanceof CancelledError) throw new CancelledError();
		// The purchase would not have got through either, and is tried again as if it had been sent
		if (error instanceof NetworkError && !error.failure.mayHaveArrived) throw error;
		return withNothingBought(error);
	});
	if (instead !== undefined) throw new NothingToBuyError(instead);
}

/** A purchase that went wrong, and what that proves. */
class FailedPurchase {
	constructor(
		readonly failure: CallError,
		readonly proof: DeliveryState,
		/** What a look at the service afterwards showed. */
		readonly finding?: string,
	) {}
}

/** Judges a failure; where it leaves open whether it was bought, the service is asked. */
async function judged(
	error: unknown,
	{ verify }: PreparedPurchase,
): Promise<Bought | FailedPurchase | NothingToBuyError> {
	if (error instanceof NothingToBuyError) return error;
	const failure =
		error instanceof CallError ? error : new InvalidResponseError('could not be read', '');
	const proof = deliveryStateOf(failure);
	if (proof !== 'unclear' || verify === undefined) return new FailedPurchase(failure, proof);
	// Not knowing is no reason to say anything else than before
	const verification = await verify().catch(() => undefined);
	if (verification?.isBought === true) return verification.bought;
	return new FailedPurchase(failure, proof, verification?.finding);
}

/** Remembers what the failure proves; returns what to throw. */
function remembered(
	memory: PurchaseMemory,
	itemIndex: number,
	fingerprint: string,
	{ failure, proof, finding }: FailedPurchase,
	unclear: (cause: CallError, finding?: string) => FailureText,
): CallError {
	switch (proof) {
		case 'notSent':
			memory.forget(itemIndex);
			return failure;
		case 'refused':
			memory.refuse(itemIndex, fingerprint, describeFailure(failure));
			return failure;
		case 'unclear': {
			const text = unclear(failure, finding);
			memory.set(itemIndex, { state: 'unclear', fingerprint, text });
			return new DescribedError(text);
		}
	}
}
