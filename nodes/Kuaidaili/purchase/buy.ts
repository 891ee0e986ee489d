import type { IDataObject } from 'n8n-workflow';

import { parseEnvelope } from '../../shared/response/httpResponse';
import type { ServiceAnswer } from '../../shared/service/query';
import { CallError, CancelledError, InvalidResponseError } from '../../shared/errors/callErrors';
import { callWithHooks, type Settled } from '../../shared/transport/callService';
import { deliveryStateOf } from '../../shared/transport/retryPolicy';
import { logWait, throwIfCancelled, wait } from '../../shared/concurrency/wait';
import { askWith, openBuyer, type Buyer } from './buyer';
import {
	purchaseFingerprint,
	type Bought,
	type Finding,
	type PlannedPurchase,
	type Purchase,
} from './contract';
import { PurchaseRecord, type RunLedger } from './ledger';
import { refuseBelowMinimum } from './options';
import { openPurchases } from './processMemory';
import { warnOfDuplicate, withNothingBought } from './words';

/** How a request ended that brought no clear answer. */
type Ending =
	/** It may have been carried out: no answer, one that can't be read, or a code that doesn't say. */
	| 'lost'
	/** Refused for its key, its time or the pace, and may be sent again. A gateway may have delivered it twice. */
	| 'sendAgain'
	/** The same, and there is no further attempt. */
	| 'gaveUp';

type NextStep =
	/** The item succeeds, with `verified`. */
	| 'succeed'
	/** The error says that it may have been made, and that it is not sent again. */
	| 'unclear'
	/** The same, unless the state is what the item wants by now: then it passes on without a purchase. */
	| 'passOnOrUnclear'
	/** The next request leaves, unless nothing has to be bought by now. */
	| 'send'
	/** The refusal is the error. */
	| 'refuse';

/**
 * What happens next, by how the request ended and what looking at the service showed; a look that failed
 * shows 'unclear'. A refusal for good, or a request that never left, needs no look if none was refused before.
 */
const NEXT_STEPS: Readonly<Record<Ending, Readonly<Record<Finding['shows'], NextStep>>>> = {
	lost: { made: 'succeed', notMade: 'unclear', unclear: 'unclear' },
	sendAgain: { made: 'passOnOrUnclear', notMade: 'send', unclear: 'passOnOrUnclear' },
	gaveUp: { made: 'passOnOrUnclear', notMade: 'refuse', unclear: 'passOnOrUnclear' },
};

/** The service sells to one key once per second, so a state this fresh includes every other purchase. */
const FRESH_MS = 500;
/** On a connection so slow that no look is fresh, the purchase is made nevertheless. */
const MOST_LOOKS = 2;

const BOUGHT_MEANWHILE =
	'Something bought it at the same moment: another run, or this request, which then arrived twice. It was not sent again';

/** What the service showed, and when. */
interface Snapshot {
	/** Undefined where the service did not say. */
	readonly state: unknown;
	/** Taken before the request left, by the clock of `openPurchases`. */
	readonly at: number;
}

/** How a purchase ended: what was bought, or the output where nothing more has to be done. */
type Outcome = { readonly bought: Bought } | { readonly output: IDataObject };

/** A request that was refused: this delivery was not carried out, but an earlier one may have been. */
interface Refused {
	readonly failure: CallError;
	/** Right before the first request. */
	readonly before: Snapshot;
	/** By the monotonic clock. */
	readonly at: number;
}

/**
 * Buys for one item. The state of the account or order is read right before each request, and again after
 * every answer that leaves open whether the purchase was made. A second request is sent only after a
 * refusal that proves the first one was not carried out, and only if nothing has changed.
 *
 * @returns the output
 * @throws DescribedError when it is unclear whether it was bought; what `callService` throws otherwise
 */
export async function buyOnce(ledger: RunLedger, planned: PlannedPurchase): Promise<IDataObject> {
	const { purchase, caller } = planned;
	const instead = await purchase.prepare?.(askWith(caller)).catch(withNothingBought);
	if (instead !== undefined) return instead;
	const buyer = await openBuyer(purchase, caller).catch(withNothingBought);
	const fingerprint = purchaseFingerprint(purchase, buyer.caller);
	const record = new PurchaseRecord(ledger, planned, buyer, fingerprint);
	try {
		return (
			(await insteadByBalance(planned, buyer).catch(withNothingBought)) ??
			(await new PurchaseAttempts(purchase, buyer, record).buy())
		);
	} finally {
		buyer.close();
	}
}

/** Asks for the balance only when something will be bought. */
async function insteadByBalance(
	{ purchase, caller, minimumBalance }: PlannedPurchase,
	buyer: Buyer,
): Promise<IDataObject | undefined> {
	if (minimumBalance === 0) return undefined;
	if (purchase.insteadOfBuying !== undefined) {
		const state = await purchase.readState(buyer.ask);
		const instead = insteadOfBuying(purchase, buyer, state);
		if (instead !== undefined) return instead;
	}
	await refuseBelowMinimum(askWith(caller), minimumBalance);
	return undefined;
}

/** The output if the state is what the item wants. */
function insteadOfBuying(
	purchase: Purchase,
	{ orderid }: Buyer,
	state: unknown,
): IDataObject | undefined {
	const instead = state === undefined ? undefined : purchase.insteadOfBuying?.(state);
	return instead === undefined || orderid === undefined ? instead : { orderid, ...instead };
}

/** All requests of one purchase. */
class PurchaseAttempts {
	/** Right before the last request. */
	private before?: Snapshot;
	private refused?: Refused;

	constructor(
		private readonly purchase: Purchase,
		private readonly buyer: Buyer,
		private readonly record: PurchaseRecord,
	) {}

	/**
	 * @returns the output
	 * @throws CallError
	 */
	async buy(): Promise<IDataObject> {
		const outcome = await callWithHooks<Outcome>(
			this.buyer.caller,
			this.purchase,
			(...answered) => ({ bought: this.read(parseEnvelope(...answered)) }),
			{
				beforeSending: async () => await this.beforeSending(),
				afterFailure: async (failure, mayRetry) => await this.afterFailure(failure, mayRetry),
			},
		).catch(async (error: unknown) => await this.cancelled(error));
		return 'output' in outcome ? outcome.output : await this.paid(outcome.bought);
	}

	/** Reads the state. Others with the same key wait in the meantime. */
	private async beforeSending(): Promise<Settled<Outcome> | undefined> {
		const snapshot = await this.freshSnapshot().catch(
			async (error: unknown) => await this.failedSnapshot(error),
		);
		const settled =
			this.refused === undefined
				? this.passOn(snapshot)
				: await this.settle('sendAgain', this.refused, snapshot);
		if (settled !== undefined) return settled;
		throwIfCancelled(this.buyer.caller.signal);
		this.record.begin(snapshot.at);
		this.before = snapshot;
		return undefined;
	}

	private async afterFailure(
		failure: CallError,
		mayRetry: () => Promise<boolean>,
	): Promise<Settled<Outcome> | undefined> {
		const { before } = this;
		const state = deliveryStateOf(failure);
		if (state === 'unclear') {
			const after = before && (await this.snapshotAfter(before));
			return await this.settle('lost', { failure, before }, after);
		}
		if (before !== undefined && state === 'turnedAway') {
			const first = this.refused?.before ?? before;
			this.refused = { failure, before: first, at: performance.now() };
		}
		if (state === 'refused' || !(await mayRetry())) return await this.giveUp(failure);
		await this.untilEarlierRequestShows();
		return undefined;
	}

	/** After the last refusal, or without a connection. */
	private async giveUp(failure: CallError): Promise<Settled<Outcome> | undefined> {
		if (this.refused === undefined) throw await this.notBought(failure);
		const after = await this.snapshotAfter(this.refused.before);
		return await this.settle('gaveUp', this.refused, after, failure);
	}

	/**
	 * @param request what may have been carried out
	 * @param last the failure of the last request
	 * @returns undefined if it is to be sent again
	 */
	private async settle(
		ending: Ending,
		request: { readonly failure: CallError; readonly before?: Snapshot },
		after: Snapshot | undefined,
		last = request.failure,
	): Promise<Settled<Outcome> | undefined> {
		const finding = this.compare(request.before, after);
		const next = NEXT_STEPS[ending][finding?.shows ?? 'unclear'];
		if (next === 'refuse') throw await this.notBought(last);
		if (next === 'send') return this.passOn(after);
		if (next === 'succeed' && finding?.shows === 'made') {
			const bought = finding.bought(await this.buyer.findOrderid());
			return { result: { output: this.record.paid(bought) } };
		}
		const passed = next === 'passOnOrUnclear' ? this.passOn(after, BOUGHT_MEANWHILE) : undefined;
		if (passed !== undefined) return passed;
		throw await this.record.unclear(request.failure, finding);
	}

	/** A token has no protection against replays: what is delivered twice on its way is bought twice. */
	private async paid(bought: Bought): Promise<IDataObject> {
		const record = this.record.paid(bought);
		if (this.buyer.caller.credential.signType !== 'token') return record;
		const { state } = this.refused?.before ?? this.before ?? {};
		// It is paid and its result known, even if this call fails
		const after = state === undefined ? undefined : await this.snapshot().catch(() => undefined);
		if (after?.state === undefined) return record;
		const duplicate = this.purchase.findDuplicate(state, after.state);
		if (duplicate !== undefined) warnOfDuplicate(record, duplicate);
		return record;
	}

	/** Passes the item on if the state is what it wants, so that nothing has to be bought. */
	private passOn(snapshot: Snapshot | undefined, reason?: string): Settled<Outcome> | undefined {
		const instead = insteadOfBuying(this.purchase, this.buyer, snapshot?.state);
		if (instead === undefined) return undefined;
		this.record.undo();
		return { result: { output: reason === undefined ? instead : { ...instead, reason } } };
	}

	/**
	 * For an execution that is cancelled before the next request; whether an earlier one was carried out
	 * stays open.
	 */
	private async cancelled(error: unknown): Promise<never> {
		if (!(error instanceof CancelledError)) throw error;
		if (this.refused !== undefined) throw await this.record.unclear(error);
		this.record.undo();
		// Not `error` itself: the request that was in flight was not the purchase
		throw new CancelledError();
	}

	private async notBought(failure: CallError): Promise<CallError> {
		const isCancelled = this.buyer.caller.signal?.aborted === true;
		const explained = isCancelled
			? undefined
			: await this.purchase.explain?.(failure, this.buyer.ask);
		return await this.record.notBought(explained ?? failure);
	}

	private read(answer: ServiceAnswer): Bought {
		try {
			return this.purchase.read(answer);
		} catch (error) {
			throw error instanceof CallError ? error : new InvalidResponseError('could not be read', '');
		}
	}

	/** What looking shows; undefined where there is nothing to compare. */
	private compare(before: Snapshot | undefined, after: Snapshot | undefined): Finding | undefined {
		if (before?.state === undefined || after?.state === undefined) return undefined;
		const finding = this.purchase.compare(before.state, after.state);
		if (finding.shows !== 'made' || !this.record.mayBeAnothers) return finding;
		const text = `${finding.text} It may also come from another purchase that was under way or is unclear.`;
		return { shows: 'unclear', text };
	}

	private async snapshot(): Promise<Snapshot> {
		const at = openPurchases.now();
		return { at, state: await this.purchase.readState(this.buyer.ask) };
	}

	/** If the state decides whether anything is bought, it must not be old. */
	private async freshSnapshot(): Promise<Snapshot> {
		let snapshot = await this.snapshot();
		const isNeeded = this.purchase.insteadOfBuying !== undefined;
		for (let looks = 1; isNeeded && looks < MOST_LOOKS; looks++) {
			if (openPurchases.now() - snapshot.at <= FRESH_MS) break;
			snapshot = await this.snapshot();
		}
		return snapshot;
	}

	private async failedSnapshot(error: unknown): Promise<never> {
		const { refused } = this;
		if (refused === undefined || error instanceof CancelledError) return withNothingBought(error);
		throw await this.record.unclear(refused.failure);
	}

	/** Looks once more where nothing has changed yet. If the state can't be read, the purchase stays unclear. */
	private async snapshotAfter(before: Snapshot): Promise<Snapshot | undefined> {
		const first = await this.snapshot().catch(() => undefined);
		const { showsWithinMs } = this.purchase;
		const shows = this.compare(before, first)?.shows;
		if (shows !== 'notMade' || showsWithinMs === 0) return first;
		const waited = await this.waitUntilShown(showsWithinMs).catch(() => 'cancelled');
		return waited === undefined ? await this.snapshot().catch(() => undefined) : undefined;
	}

	/** What is read next must show what an earlier delivery of this request did. */
	private async untilEarlierRequestShows(): Promise<void> {
		if (this.refused === undefined) return;
		const shownAt = this.refused.at + this.purchase.showsWithinMs;
		await this.waitUntilShown(shownAt - performance.now());
	}

	private async waitUntilShown(ms: number): Promise<void> {
		const { caller } = this.buyer;
		const { path } = this.purchase.endpoint;
		logWait(caller, path, ms, 'until the service shows what an earlier request did');
		await wait(ms, caller.signal);
	}
}
