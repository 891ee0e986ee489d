import type { IDataObject } from 'n8n-workflow';

import { assertKeyType, attempt, prepare, retryAfter } from '../../shared/transport/attempt';
import { CallError, CancelledError, InvalidResponseError } from '../../shared/transport/callErrors';
import { CallTime } from '../../shared/transport/callTime';
import { deliveryStateOf } from '../../shared/transport/deliveryState';
import { parseEnvelope, type SuccessfulEnvelope } from '../../shared/response/httpResponse';
import { rateLimiter } from '../../shared/transport/processState';
import { rateLimitKey } from '../../shared/transport/rateLimitKey';
import { RetryPolicy } from '../../shared/transport/retryPolicy';
import { wait, waitUntil } from '../../shared/transport/wait';
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

/** The output where nothing has to be bought. */
interface NothingToBuy {
	readonly instead: IDataObject;
}

/**
 * All requests of one purchase. Before each one it reads the state, and after each failure that doesn't
 * prove that nothing was bought, it reads it again.
 */
export class PurchaseAttempts {
	private readonly time: CallTime;
	private readonly retryPolicy: RetryPolicy;
	/** A request that was turned away: this delivery was not carried out, but an earlier one may have been. */
	private turnedAway?: { readonly failure: CallError; readonly before: Look; readonly at: number };

	constructor(
		private readonly purchase: Purchase,
		private readonly buyer: Buyer,
		private readonly record: PurchaseRecord,
	) {
		const { endpoint } = purchase;
		this.time = new CallTime(buyer.caller.timeoutMs);
		this.retryPolicy = new RetryPolicy(endpoint, endpoint.intervalMs, this.time);
	}

	/**
	 * @returns the output
	 * @throws CallError
	 */
	async buy(): Promise<IDataObject> {
		assertKeyType(this.buyer.caller, this.purchase.endpoint);
		for (;;) {
			const before = await this.depart();
			if ('instead' in before) return this.withoutBuying(before);
			if (before instanceof CallError) {
				if (!(await this.mayRetry(before))) return await this.giveUp(before);
				continue;
			}
			const answer = await attempt(this.buyer.caller, this.purchase, parseEnvelope, this.time);
			const outcome = answer instanceof CallError ? answer : this.read(answer);
			if (!(outcome instanceof CallError)) return await this.paid(outcome, before);

			const state = deliveryStateOf(outcome);
			if (state === 'unclear') return await this.findOut(outcome, before);
			if (state === 'turnedAway') {
				const first = this.turnedAway?.before ?? before;
				this.turnedAway = { failure: outcome, before: first, at: performance.now() };
			}
			const isFinal = state === 'refused' || !(await this.mayRetry(outcome));
			if (isFinal) return await this.giveUp(outcome);
		}
	}

	/** A token has no protection against replays: what is delivered twice on its way is bought twice. */
	private async paid(bought: Bought, before: Look): Promise<IDataObject> {
		const record = this.record.paid(bought);
		if (this.buyer.caller.credential.signType !== 'token') return record;
		const { seen } = this.turnedAway?.before ?? before;
		// It is paid and its result known, even if this call fails
		const after = seen === undefined ? undefined : await this.look().catch(() => undefined);
		if (after?.seen === undefined) return record;
		const excess = this.purchase.excess(seen, after.seen);
		if (excess !== undefined) warnOfDuplicate(record, excess);
		return record;
	}

	/** Waits for its turn and reads the state. Others with the same key wait meanwhile. */
	private async depart(): Promise<Look | NothingToBuy | CallError> {
		const { endpoint } = this.purchase;
		const { caller } = this.buyer;
		const noToken = await prepare(caller, endpoint, this.time);
		if (noToken !== undefined) return noToken;
		const release = await rateLimiter
			.hold(rateLimitKey(caller.credential, endpoint), endpoint.intervalMs, caller.signal)
			.catch(async (error: unknown) => await this.cancelled(error));
		try {
			const look = await this.lookFreshly().catch(
				async (error: unknown) => await this.failedLook(error),
			);
			const instead = await this.insteadOfSending(look);
			if (instead !== undefined) return { instead };
			if (caller.signal?.aborted === true) return await this.cancelled(new CancelledError());
			this.record.begin(look.at);
			return look;
		} finally {
			release();
		}
	}

	private async mayRetry(failure: CallError): Promise<boolean> {
		const { caller } = this.buyer;
		const untilShown = async (mayRetry: boolean): Promise<boolean> => {
			// What is read next must show what an earlier delivery of this request did
			const { at = -Infinity } = this.turnedAway ?? {};
			if (mayRetry) await waitUntil(at + this.purchase.showsWithinMs, caller.signal);
			return mayRetry;
		};
		return await retryAfter(failure, this.retryPolicy, caller, this.purchase)
			.then(untilShown)
			.catch(async (error: unknown) => await this.cancelled(error));
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
		if (error instanceof CancelledError) return await this.cancelled(error);
		if (this.turnedAway !== undefined) throw await this.record.unclear(this.turnedAway.failure);
		return withNothingBought(error);
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

	private read(answer: SuccessfulEnvelope): Bought | CallError {
		try {
			return this.purchase.read(answer);
		} catch (error) {
			return error instanceof CallError ? error : new InvalidResponseError('could not be read', '');
		}
	}

	private withoutBuying({ instead }: NothingToBuy): IDataObject {
		this.record.undo();
		return instead;
	}

	/** After an answer that leaves it open. */
	private async findOut(failure: CallError, before: Look): Promise<IDataObject> {
		// If the state cannot be read, the purchase stays unclear
		const after = await this.lookAfterwards(before).catch(() => undefined);
		const finding = after?.finding;
		if (finding?.state !== 'made') return await this.throwUnclear(failure, finding);
		return this.record.paid(finding.bought(await this.buyer.findOrderid()));
	}

	/** After the last refusal, or without a connection. */
	private async giveUp(failure: CallError): Promise<IDataObject> {
		const { turnedAway } = this;
		if (turnedAway === undefined) throw await this.notBought(failure);
		const after = await this.lookAfterwards(turnedAway.before).catch(() => undefined);
		if (after?.finding?.state === 'notMade') throw await this.notBought(failure);
		const instead = after && this.insteadMeanwhile(after.look);
		if (instead !== undefined) return this.withoutBuying({ instead });
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
		await wait(showsWithinMs, this.buyer.caller.signal);
		const later = await this.look();
		return { look: later, finding: this.compare(before, later) };
	}

	private async throwUnclear(cause: CallError, finding?: Finding): Promise<never> {
		throw await this.record.unclear(cause, finding);
	}
}
