import type { IDataObject } from 'n8n-workflow';

import { CallError, CancelledError, InvalidResponseError } from '../../shared/errors/callErrors';
import { callWithHooks, type Settled } from '../../shared/transport/callService';
import { deliveryStateOf } from '../../shared/transport/retryPolicy';
import { parseEnvelope } from '../../shared/response/httpResponse';
import type { ServiceAnswer } from '../../shared/service/query';
import { logWait, throwIfCancelled, wait } from '../../shared/concurrency/wait';
import type { Buyer } from './buyer';
import type { Bought, Finding, Purchase } from './contract';
import type { PurchaseRecord } from './ledger';
import { openPurchases } from './processMemory';
import { warnOfDuplicate, withNothingBought } from './words';

/** The service sells to one key once per second, so a state this fresh includes every other purchase. */
const FRESH_MS = 500;
/** On a connection so slow that no look is fresh, the purchase is made nevertheless. */
const MOST_LOOKS = 2;

const MEANWHILE =
	'Something bought it at the same moment: another run, or this request, which then arrived twice. It was not sent again';

/** What a look showed, and when. */
interface Look {
	/** Undefined where the service did not tell. */
	readonly seen: unknown;
	/** Taken before the request left, by the clock of `openPurchases`. */
	readonly at: number;
}

/** How a purchase ended: what was bought, or the output where nothing more has to be done. */
type Outcome = { readonly bought: Bought } | { readonly output: IDataObject };

function unreadable(): InvalidResponseError {
	return new InvalidResponseError('could not be read', '');
}

/**
 * All requests of one purchase. Before each one it reads the state, and after each failure that doesn't
 * prove that nothing was bought, it reads it again.
 */
export class PurchaseAttempts {
	/** What the service showed right before the last request. */
	private before?: Look;
	/** A request that was turned away: this delivery was not carried out, but an earlier one may have been. */
	private turnedAway?: { readonly failure: CallError; readonly before: Look; readonly at: number };

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
		const { purchase } = this;
		const outcome = await callWithHooks<Outcome>(
			this.buyer.caller,
			purchase,
			(...answered) => ({ bought: this.read(parseEnvelope(...answered)) }),
			{
				beforeSending: async () => await this.depart(),
				afterFailure: async (failure, mayRetry) => await this.afterFailure(failure, mayRetry),
			},
		).catch(async (error: unknown) => await this.cancelled(error));
		return 'output' in outcome ? outcome.output : await this.paid(outcome.bought);
	}

	private async afterFailure(
		failure: CallError,
		mayRetry: () => Promise<boolean>,
	): Promise<Settled<Outcome> | undefined> {
		const { before } = this;
		const state = deliveryStateOf(failure);
		if (state === 'unclear') return await this.findOut(failure);
		if (before !== undefined && state === 'turnedAway') {
			const first = this.turnedAway?.before ?? before;
			this.turnedAway = { failure, before: first, at: performance.now() };
		}
		if (state === 'refused' || !(await mayRetry())) return await this.giveUp(failure);
		await this.untilEarlierRequestShows();
		return undefined;
	}

	/** What is read next must show what an earlier delivery of this request did. */
	private async untilEarlierRequestShows(): Promise<void> {
		if (this.turnedAway === undefined) return;
		const shownAt = this.turnedAway.at + this.purchase.showsWithinMs;
		await this.waitUntilShown(shownAt - performance.now());
	}

	private async waitUntilShown(ms: number): Promise<void> {
		const { caller } = this.buyer;
		const { path } = this.purchase.endpoint;
		logWait(caller, path, ms, 'until the service shows what an earlier request did');
		await wait(ms, caller.signal);
	}

	/** A token has no protection against replays: what is delivered twice on its way is bought twice. */
	private async paid(bought: Bought): Promise<IDataObject> {
		const record = this.record.paid(bought);
		if (this.buyer.caller.credential.signType !== 'token') return record;
		const { seen } = this.turnedAway?.before ?? this.before ?? {};
		// It is paid and its result known, even if this call fails
		const after = seen === undefined ? undefined : await this.look().catch(() => undefined);
		if (after?.seen === undefined) return record;
		const excess = this.purchase.excess(seen, after.seen);
		if (excess !== undefined) warnOfDuplicate(record, excess);
		return record;
	}

	/** Reads the state. Others with the same key wait meanwhile. */
	private async depart(): Promise<Settled<Outcome> | undefined> {
		const look = await this.lookFreshly().catch(
			async (error: unknown) => await this.failedLook(error),
		);
		const instead = await this.insteadOfSending(look);
		if (instead !== undefined) return this.withoutBuying(instead);
		throwIfCancelled(this.buyer.caller.signal);
		this.record.begin(look.at);
		this.before = look;
		return undefined;
	}

	/**
	 * For an execution that is cancelled before the next request; whether an earlier one was carried out
	 * stays open.
	 */
	private async cancelled(error: unknown): Promise<never> {
		if (!(error instanceof CancelledError)) throw error;
		if (this.turnedAway !== undefined) throw await this.record.unclear(error);
		this.record.undo();
		// Not `error` itself: the request that was in flight was not the purchase
		throw new CancelledError();
	}

	private async look(): Promise<Look> {
		const at = openPurchases.now();
		return { at, seen: await this.purchase.look(this.buyer.ask) };
	}

	/** If the state decides whether anything is bought, it must not be old. */
	private async lookFreshly(): Promise<Look> {
		let look = await this.look();
		const isNeeded = this.purchase.insteadOfBuying !== undefined;
		for (let looks = 1; isNeeded && looks < MOST_LOOKS; looks++) {
			if (openPurchases.now() - look.at <= FRESH_MS) break;
			look = await this.look();
		}
		return look;
	}

	private async failedLook(error: unknown): Promise<never> {
		const { turnedAway } = this;
		if (turnedAway === undefined || error instanceof CancelledError)
			return withNothingBought(error);
		throw await this.record.unclear(turnedAway.failure);
	}

	private async insteadOfSending(look: Look): Promise<IDataObject | undefined> {
		const { turnedAway } = this;
		if (turnedAway === undefined) return this.insteadFor(look);
		const finding = this.compare(turnedAway.before, look);
		if (finding?.state === 'notMade') return this.insteadFor(look);
		return this.insteadMeanwhile(look) ?? (await this.throwUnclear(turnedAway.failure, finding));
	}

	private insteadFor({ seen }: Look): IDataObject | undefined {
		const instead = seen === undefined ? undefined : this.purchase.insteadOfBuying?.(seen);
		const { orderid } = this.buyer;
		return instead === undefined || orderid === undefined ? instead : { orderid, ...instead };
	}

	private insteadMeanwhile(look: Look): IDataObject | undefined {
		const instead = this.insteadFor(look);
		return instead && { ...instead, reason: MEANWHILE };
	}

	private compare(before: Look, after: Look): Finding | undefined {
		if (before.seen === undefined || after.seen === undefined) return undefined;
		return this.purchase.compare(before.seen, after.seen, this.record.mayBeAnothers);
	}

	private read(answer: ServiceAnswer): Bought {
		try {
			return this.purchase.read(answer);
		} catch (error) {
			throw error instanceof CallError ? error : unreadable();
		}
	}

	private withoutBuying(output: IDataObject): Settled<Outcome> {
		this.record.undo();
		return { result: { output } };
	}

	/** After an answer that leaves it open. */
	private async findOut(failure: CallError): Promise<Settled<Outcome>> {
		// If the state cannot be read, the purchase stays unclear
		const after = this.before && (await this.lookAfterwards(this.before).catch(() => undefined));
		const finding = after?.finding;
		if (finding?.state !== 'made') return await this.throwUnclear(failure, finding);
		const bought = finding.bought(await this.buyer.findOrderid());
		return { result: { output: this.record.paid(bought) } };
	}

	/** After the last refusal, or without a connection. */
	private async giveUp(failure: CallError): Promise<Settled<Outcome>> {
		const { turnedAway } = this;
		if (turnedAway === undefined) throw await this.notBought(failure);
		const after = await this.lookAfterwards(turnedAway.before).catch(() => undefined);
		if (after?.finding?.state === 'notMade') throw await this.notBought(failure);
		const instead = after && this.insteadMeanwhile(after.look);
		if (instead !== undefined) return this.withoutBuying(instead);
		return await this.throwUnclear(turnedAway.failure, after?.finding);
	}

	private async notBought(failure: CallError): Promise<CallError> {
		const isCancelled = this.buyer.caller.signal?.aborted === true;
		const explained = isCancelled
			? undefined
			: await this.purchase.explain?.(failure, this.buyer.ask);
		return await this.record.notBought(explained ?? failure);
	}

	private async lookAfterwards(before: Look): Promise<{ look: Look; finding?: Finding }> {
		const look = await this.look();
		const finding = this.compare(before, look);
		const { showsWithinMs } = this.purchase;
		if (finding?.state !== 'notMade' || showsWithinMs === 0) return { look, finding };
		await this.waitUntilShown(showsWithinMs);
		const later = await this.look();
		return { look: later, finding: this.compare(before, later) };
	}

	private async throwUnclear(cause: CallError, finding?: Finding): Promise<never> {
		throw await this.record.unclear(cause, finding);
	}
}
