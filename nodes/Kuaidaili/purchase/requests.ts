import type { IDataObject } from 'n8n-workflow';

import { logWait, throwIfCancelled, wait } from '../../shared/concurrency/wait';
import { CallError, CancelledError, InvalidResponseError } from '../../shared/errors/callErrors';
import { parseEnvelope } from '../../shared/response/httpResponse';
import type { ServiceAnswer } from '../../shared/service/query';
import { callWithHooks, type Settled } from '../../shared/transport/callService';
import { deliveryStateOf } from '../../shared/transport/retryPolicy';
import {
	purchaseSubject,
	withPreview,
	type Bought,
	type Buyer,
	type Finding,
	type Purchase,
	type RememberedPurchase,
} from './contract';
import { openPurchases, type ManualPurchase } from './processMemory';
import type { PurchaseRecord } from './purchaseRecord';
import { warnOfDuplicate, withNothingBought, withNothingSent } from './words';

/** How a request ended that brought no clear answer. */
type Ending =
	/** It may have been carried out: no answer, one that can't be read, or a code that doesn't say. */
	| 'lost'
	/** Refused, and may be sent again. A gateway may have delivered it twice. */
	| 'sendAgain'
	/** The same, and there is no further attempt. */
	| 'gaveUp';

type NextStep =
	/** The item succeeds, with `verified`. */
	| 'succeed'
	/** The error says that it may have been made, and that it is not sent again. */
	| 'unclear'
	/**
	 * The same, unless the state is what the item wants by now. Then it passes on: as bought if it was made and a
	 * token leaves it open whether this request did it, else as bought by something else.
	 */
	| 'passOnOrUnclear'
	/** The next request leaves, unless nothing has to be bought by now. */
	| 'send'
	/** The refusal is the error. */
	| 'refuse';

/**
 * What happens next, by how the request ended and what looking at the service showed; a look that failed
 * shows 'unclear'. A request that never left needs no look. A refusal that the same request would get again
 * needs none where a signature makes sure that only one delivery is carried out.
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

/** How long the effect of a request may take to show. */
const SHOWS_WITHIN_MS = 2000;

/** What the service showed, and when. */
interface Snapshot {
	/** Undefined where the service did not say. */
	readonly state: unknown;
	/** Taken before the request left, by the clock of `openPurchases`. */
	readonly at: number;
}

/** How a purchase ended: what was bought, or the output where nothing more has to be done. */
type Outcome =
	| { readonly bought: Bought }
	| { readonly output: IDataObject }
	/** Another manual execution made it, or is making it. */
	| { readonly repeated: ManualPurchase<RememberedPurchase> };

/** A request that was refused: this delivery was not carried out, but an earlier one may have been. */
interface Refused {
	readonly failure: CallError;
	/** Right before the first request. */
	readonly before: Snapshot;
	/** By the monotonic clock. */
	readonly at: number;
}

const NOT_SHOWN_YET =
	"The order was renewed a short while ago, and the service doesn't show it yet, so nothing was bought";

/** The output if the state is what the item wants, or will be when it shows what was bought a short while ago. */
export function insteadOfBuying(
	purchase: Purchase,
	buyer: Buyer,
	state: unknown,
): IDataObject | undefined {
	if (state === undefined || purchase.insteadOfBuying === undefined) return undefined;
	const subject = purchaseSubject(purchase, buyer);
	const isStale = openPurchases
		.recentlyBefore(subject)
		.some((before) => purchase.isStale?.(state, before) === true);
	const instead =
		purchase.insteadOfBuying(state, openPurchases.recentlyPlaced(subject)) ??
		(isStale ? { [purchase.done]: false, reason: NOT_SHOWN_YET } : undefined);
	if (instead === undefined) return undefined;
	const { orderid } = buyer;
	return withPreview(purchase, orderid === undefined ? instead : { orderid, ...instead });
}

/** All requests of one purchase. */
export class PurchaseRequests {
	/** Right before the last request. */
	private before?: Snapshot;
	private refused?: Refused;

	constructor(
		private readonly purchase: Purchase,
		private readonly buyer: Buyer,
		private readonly record: PurchaseRecord,
		/** Throws where a limit forbids the purchase. */
		private readonly beforePurchase: () => Promise<void>,
	) {}

	/** @throws CallError */
	async buy(): Promise<Exclude<Outcome, { bought: Bought }>> {
		const outcome = await callWithHooks<Outcome>(
			this.buyer.caller,
			this.purchase,
			(...answered) => ({ bought: this.read(parseEnvelope(...answered)) }),
			{
				beforeSending: async () => await this.beforeSending(),
				afterFailure: async (failure, mayRetry) => await this.afterFailure(failure, mayRetry),
			},
		).catch(async (error: unknown) => await this.cancelled(error));
		return 'bought' in outcome ? { output: await this.paid(outcome.bought) } : outcome;
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
		const repeated = this.record.begin(snapshot);
		if (repeated !== undefined) return { result: { repeated } };
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
		const mayBeSecond = state === 'refusedForNow' || (state === 'refused' && this.usesToken);
		if (before !== undefined && mayBeSecond) {
			const first = this.refused?.before ?? before;
			this.refused = { failure, before: first, at: performance.now() };
		}
		if (state === 'refused' || !(await mayRetry())) return await this.giveUp(failure);
		await this.untilEarlierRequestShows();
		return undefined;
	}

	/** After the last refusal, or without a connection. */
	private async giveUp(failure: CallError): Promise<Settled<Outcome> | undefined> {
		if (this.refused === undefined) throw await this.record.notBought(withNothingSent(failure));
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
		if (next === 'refuse') throw await this.record.notBought(last);
		if (next === 'send') return this.passOn(after);
		if (next === 'succeed' && finding?.shows === 'made') {
			return this.succeed(finding.bought(await this.buyer.findOrderid()));
		}
		const mayPassOn = next === 'passOnOrUnclear' && this.wantsNothing(after) !== undefined;
		if (!mayPassOn) throw await this.record.unclear(request.failure, finding);
		if (finding?.shows !== 'made' || !this.usesToken) return this.passOn(after, BOUGHT_MEANWHILE);
		const bought = finding.bought(await this.buyer.findOrderid());
		const record = { ...bought.record, verified: false, reason: BOUGHT_MEANWHILE };
		return this.succeed({ ...bought, record });
	}

	private succeed(bought: Bought): Settled<Outcome> {
		return { result: { output: this.record.paid(bought) } };
	}

	/** A token has no protection against replays: what is delivered twice on its way is bought twice. */
	private get usesToken(): boolean {
		return this.buyer.caller.credential.signType === 'token';
	}

	private async paid(bought: Bought): Promise<IDataObject> {
		const record = this.record.paid(bought);
		if (!this.usesToken) return record;
		const { state } = this.refused?.before ?? this.before ?? {};
		// It is paid and its result known, even if this call fails
		const after = state === undefined ? undefined : await this.snapshot().catch(() => undefined);
		if (after?.state === undefined) return record;
		const duplicate = this.purchase.findDuplicate(state, after.state);
		if (duplicate !== undefined) warnOfDuplicate(record, duplicate, 'token');
		return record;
	}

	/** Passes the item on if the state is what it wants, so that nothing has to be bought. */
	private passOn(snapshot: Snapshot | undefined, reason?: string): Settled<Outcome> | undefined {
		const instead = this.wantsNothing(snapshot);
		if (instead === undefined) return undefined;
		this.record.undo();
		return { result: { output: reason === undefined ? instead : { ...instead, reason } } };
	}

	/** The output if nothing has to be bought. */
	private wantsNothing(snapshot: Snapshot | undefined): IDataObject | undefined {
		return insteadOfBuying(this.purchase, this.buyer, snapshot?.state);
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

	private read(answer: ServiceAnswer): Bought {
		try {
			return this.purchase.read(answer, this.before?.state);
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
		if (this.purchase.insteadOfBuying === undefined) {
			await this.checkLimits();
			return await this.snapshot();
		}
		let snapshot = await this.snapshot();
		// No balance is read for an item that needs nothing
		if (this.wantsNothing(snapshot) !== undefined) return snapshot;
		await this.checkLimits();
		for (let looks = 1; looks < MOST_LOOKS; looks++) {
			if (openPurchases.now() - snapshot.at <= FRESH_MS) break;
			snapshot = await this.snapshot();
		}
		return snapshot;
	}

	/** Once: after the first request, what it cost counts as well. */
	private async checkLimits(): Promise<void> {
		if (this.before !== undefined) return;
		this.record.throwIfRefused();
		await this.beforePurchase();
	}

	private async failedSnapshot(error: unknown): Promise<never> {
		const { refused } = this;
		if (refused === undefined || error instanceof CancelledError) return withNothingBought(error);
		throw await this.record.unclear(refused.failure);
	}

	/** Looks once more where nothing has changed yet. If the state can't be read, the purchase stays unclear. */
	private async snapshotAfter(before: Snapshot): Promise<Snapshot | undefined> {
		const first = await this.snapshot().catch(() => undefined);
		if (this.compare(before, first)?.shows !== 'notMade') return first;
		const waited = await this.waitUntilShown(SHOWS_WITHIN_MS).catch(() => 'cancelled');
		return waited === undefined ? await this.snapshot().catch(() => undefined) : undefined;
	}

	/** What is read next must show what an earlier delivery of this request did. */
	private async untilEarlierRequestShows(): Promise<void> {
		if (this.refused === undefined) return;
		const shownAt = this.refused.at + SHOWS_WITHIN_MS;
		await this.waitUntilShown(shownAt - performance.now());
	}

	private async waitUntilShown(ms: number): Promise<void> {
		const { caller } = this.buyer;
		const { path } = this.purchase.endpoint;
		logWait(caller, path, ms, 'until the service shows what an earlier request did');
		await wait(ms, caller.signal);
	}
}
