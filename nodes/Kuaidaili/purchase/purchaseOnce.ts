import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { FlatParameters } from '../../shared/credential/signature';
import { readCollection } from '../../shared/fields/readCollection';
import type { UnknownRecord } from '../../shared/guards';
import { CallError, DescribedError, UnusableAnswerError } from '../../shared/loadedOnce/callErrors';
import { callService } from '../../shared/transport/callService';
import { describeFailure } from '../../shared/transport/describeFailure';
import { executionCaller } from '../../shared/transport/executionCaller';
import type { Success } from '../../shared/transport/httpReply';
import { proofOf } from '../../shared/transport/proofOfFailure';
import { readCallOptions } from '../descriptions/callOptions';
import { refuseLargeRun, refuseRetryingTool } from './purchaseLimits';
import { PurchaseMemory } from './purchaseMemory';
import { unclearText, type PurchaseWords } from './unclearPurchase';

/** One call that spends money. */
export interface Purchase {
	readonly endpoint: 'createOrder' | 'renewOrder';
	readonly parameters: FlatParameters;
	readonly words: PurchaseWords;
	/**
	 * The output made of the answer, and how it is named in lists of what was bought.
	 *
	 * @throws UnusableAnswerError when the answer lacks what it must have
	 */
	readonly read: (answer: Success) => { record: IDataObject; label: string };
}

/** What was said before is said again, and nothing is sent. */
function recall(memory: PurchaseMemory, itemIndex: number): IDataObject | undefined {
	const known = memory.get(itemIndex);
	if (known === undefined) return undefined;
	if (known.state === 'paid') return known.record;
	throw new DescribedError(known.text);
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
	const memory = new PurchaseMemory(context);
	const recalled = recall(memory, itemIndex);
	if (recalled !== undefined) return recalled;

	const options = readCollection(context.getNodeParameter('options', itemIndex, ''), 'Options');
	const { timeoutMs, check } = readCallOptions(options);
	refuseRetryingTool(context);
	refuseLargeRun(context, memory, options);
	const purchase = plan(options, check);
	const caller = await executionCaller(context, itemIndex, timeoutMs);

	const sentAt = Date.now();
	const unclear = (cause?: CallError) =>
		unclearText(purchase.words, itemIndex, sentAt, cause && describeFailure(cause));
	memory.set(itemIndex, { state: 'sent', text: unclear() });
	const { endpoint, parameters } = purchase;
	const bought = await callService(caller, { endpoint, parameters })
		.then(purchase.read)
		.catch((error: unknown) => {
			throw remembered(memory, itemIndex, error, unclear);
		});
	memory.set(itemIndex, { state: 'paid', ...bought });
	return bought.record;
}

/** Remembers what the failure proves; returns what to throw. */
function remembered(
	memory: PurchaseMemory,
	itemIndex: number,
	error: unknown,
	unclear: (cause: CallError) => ReturnType<typeof unclearText>,
): CallError {
	const failure =
		error instanceof CallError ? error : new UnusableAnswerError('could not be read', '');
	const proof = proofOf(failure);
	if (proof === 'notSent') {
		memory.forget(itemIndex);
		return failure;
	}
	const text = proof === 'unclear' ? unclear(failure) : describeFailure(failure);
	memory.set(itemIndex, { state: proof, text });
	return proof === 'unclear' ? new DescribedError(text) : failure;
}
