import { createHash } from 'node:crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { FlatParameters } from '../../shared/credential/signature';
import type { UnknownRecord } from '../../shared/guards';
import {
	CallError,
	DescribedError,
	UnusableAnswerError,
	type FailureText,
} from '../../shared/loadedOnce/callErrors';
import { callService, type Caller } from '../../shared/transport/callService';
import { describeFailure } from '../../shared/transport/describeFailure';
import { executionCaller } from '../../shared/transport/nodeCaller';
import type { SuccessfulEnvelope } from '../../shared/transport/httpReply';
import { proofOf } from '../../shared/transport/proofOfFailure';
import { readCallOptions } from '../descriptions/callOptions';
import { refuseLargeRun, refuseRetryingTool } from './purchaseLimits';
import { isTool, purchaseMemoryOf, type PurchaseMemory } from './purchaseMemory';
import { unclearText, type PurchaseWords } from './unclearPurchase';

/** One call that spends money. */
export interface Purchase {
	readonly endpoint: 'createOrder' | 'renewOrder';
	readonly parameters: FlatParameters;
	readonly words: PurchaseWords;
	/**
	 * What has to be asked before the purchase; it throws where nothing may be bought.
	 */
	readonly precheck?: (caller: Caller) => Promise<void>;
	/**
	 * The output made of the answer, and how it is named in lists of what was bought.
	 *
	 * @throws UnusableAnswerError when the answer lacks what it must have
	 */
	readonly read: (answer: SuccessfulEnvelope) => { record: IDataObject; label: string };
}

/** What was said before is said again, and nothing is sent. */
function recall(memory: PurchaseMemory, itemIndex: number): IDataObject | undefined {
	const known = memory.get(itemIndex);
	if (known === undefined) return undefined;
	if (known.state === 'paid') return known.record;
	throw new DescribedError(known.text);
}

function fingerprintOf(caller: Caller, { endpoint, parameters }: Purchase): string {
	const sorted = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
	const text = JSON.stringify([caller.credential.secretId, endpoint, sorted]);
	return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/**
 * Buys once per item and execution, whatever happens: a time-out, 'Retry On Fail', an error in another
 * item. What was bought or may have been bought is known before anything else is looked at, and what is
 * sent is remembered before it is sent.
 *
 * @param plan what to buy, from the item's fields and the collection 'Options'; throws
 * FieldRefusedError for values that cannot be used
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
	const fingerprint = fingerprintOf(caller, purchase);

	// A run that is too large is refused before anything is asked
	refuseLargeRun(context, memory, options);
	await purchase.precheck?.(caller);

	// From here to the first `set` nothing may wait: calls of a tool run side by side, and each has to
	// see what the others are about to buy
	refuseLargeRun(context, memory, options);
	const unclearBefore = memory.unclearInOtherRun(fingerprint);
	if (unclearBefore !== undefined) throw new DescribedError(unclearBefore);
	let sentAt = Date.now();
	const unclear = (cause?: CallError) =>
		unclearText({ words: purchase.words, itemIndex, sentAt, byAgent: isTool(context) }, cause);
	const onLeaving = () => {
		sentAt = Date.now();
		memory.set(itemIndex, { state: 'sent', fingerprint, text: unclear() });
	};
	onLeaving();

	const { endpoint, parameters } = purchase;
	const bought = await callService(caller, { endpoint, parameters, onLeaving })
		.then(purchase.read)
		.catch((error: unknown) => {
			throw remembered(memory, itemIndex, fingerprint, error, unclear);
		});
	memory.set(itemIndex, { state: 'paid', fingerprint, ...bought });
	return bought.record;
}

/** Remembers what the failure proves; returns what to throw. */
function remembered(
	memory: PurchaseMemory,
	itemIndex: number,
	fingerprint: string,
	error: unknown,
	unclear: (cause: CallError) => FailureText,
): CallError {
	const failure =
		error instanceof CallError ? error : new UnusableAnswerError('could not be read', '');
	switch (proofOf(failure)) {
		case 'notSent':
			memory.forget(itemIndex);
			return failure;
		case 'refused':
			memory.refuse(itemIndex, fingerprint, describeFailure(failure));
			return failure;
		case 'unclear': {
			const text = unclear(failure);
			memory.set(itemIndex, { state: 'unclear', fingerprint, text });
			return new DescribedError(text);
		}
	}
}
