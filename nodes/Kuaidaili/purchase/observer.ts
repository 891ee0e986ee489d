import type { IDataObject } from 'n8n-workflow';

import { wait } from '../../shared/api/wait';
import { unlessCancelled } from '../../shared/api/errors';
import type { EpochMs } from '../../shared/service/chinaTime';
import { runQuery } from '../../shared/api/call';
import { repeatedOutput } from './entry';
import type { LedgerEntry, PurchaseSubject } from './ledger';
import { keyName, resultOf, type PlannedItem, type PurchaseContext } from './names';
import { failedCheck, keyWasUsed, mayBeOf, renewedFromThisEnd, renewedLately } from './texts';
import {
	notRenewed,
	orderNumberOf,
	type Change,
	type PlacedOrder,
	type Purchase,
	type PurchaseOutput,
} from './types';
import type { ApiClient } from '../../shared/api/client';

/** The service sells to one key once per second, so a snapshot this fresh shows every other purchase. */
const FRESH_MS = 500;

/** After a request, snapshots are taken after 2 and after 10 seconds: its effect may show late, or the work take long. */
export const SNAPSHOT_PAUSES_MS = [2000, 8000] as const;

export const NOTHING_SEEN: Change = { kind: 'unseen', text: '' };

/** Takes snapshots of the state that a purchase changes, and tells what changed, and by whom. */
export class PurchaseObserver {
	/** The last snapshot; undefined where the service did not say. */
	state: unknown;
	private readAt: EpochMs = 0;

	constructor(
		private readonly context: PurchaseContext,
		private readonly planned: PlannedItem,
		private readonly purchase: Purchase,
		private readonly subject: PurchaseSubject,
		/** Holds the key pair that buys. */
		public buyer: ApiClient,
	) {}

	get stateKey(): string | undefined {
		return this.state === undefined ? undefined : this.purchase.stateKey(this.state);
	}

	get placed(): PlacedOrder[] {
		return this.context.ledger.placedOrders(this.subject);
	}

	/** When the order ends, as its last snapshot says, which may know what could not be read before. */
	get endsAt(): EpochMs | undefined {
		const { purchase, state } = this;
		const isSeen = purchase.term !== undefined && state !== undefined;
		return (isSeen ? purchase.describe?.(state).endsAt : undefined) ?? purchase.endsAt;
	}

	/** Undefined where it does not say. Without a condition, it is for the case that the answer gets lost only. */
	async read(pauseMs = 0): Promise<unknown> {
		const { buyer, purchase, planned, subject } = this;
		await wait(pauseMs, planned.client.signal);
		const at = Date.now();
		const failed = subject.isConditional ? failedCheck(false) : unlessCancelled;
		this.state = await purchase
			.readState(async (query, asked) => await runQuery(buyer, query, asked))
			.catch(failed);
		this.readAt = at;
		return this.state;
	}

	async readUnlessFresh(): Promise<unknown> {
		const isFresh = this.state !== undefined && Date.now() - this.readAt <= FRESH_MS;
		return isFresh ? this.state : await this.read();
	}

	/** The output where the last snapshot, or what is known of others, says that nothing has to be bought. */
	skip(): PurchaseOutput | undefined {
		const { context, purchase, state, subject } = this;
		if (state === undefined) return undefined;
		const skip = purchase.skip?.(state, this.placed);
		if (skip !== undefined) return skip;
		const { ledger, localTime } = context;
		// The end of a prepaid order comes back only where the service shows an old one
		const isByTime = purchase.term !== undefined;
		const renewal = isByTime ? ledger.renewalFrom(subject, purchase.stateKey(state)) : undefined;
		const isUnmoved = renewal?.record?.verified === false;
		const isRenewed = ledger.renewalBefore(subject) !== undefined;
		if (subject.isConditional && isRenewed && !isUnmoved) return notRenewed(renewedLately());
		return renewal && this.renewedFromThisEnd(isUnmoved, localTime(renewal.at));
	}

	/**
	 * The output of an order that was renewed from the end that it still shows.
	 *
	 * @param isUnmoved whether nobody has seen another end
	 * @param when it was renewed, in words; undefined where another worker did that
	 */
	renewedFromThisEnd(isUnmoved: boolean, when?: string): PurchaseOutput {
		return {
			...notRenewed(renewedFromThisEnd(when)),
			...(isUnmoved && { endsAt: this.endsAt, isUnmoved }),
		};
	}

	/** The finding of a snapshot after a while. Never rejects. */
	async changeAfter(pauseMs: number, before: string | undefined, sentAt: EpochMs): Promise<Change> {
		try {
			const after = await this.read(pauseMs);
			if (before === undefined || after === undefined) return NOTHING_SEEN;
			return await this.changeSince(before, sentAt);
		} catch {
			return NOTHING_SEEN;
		}
	}

	/** Compares the last snapshot: `made` is said only of what no other purchase can have brought, and only once. */
	async changeSince(before: string, sentAt: EpochMs): Promise<Change> {
		const { context, purchase, state, subject } = this;
		const { ledger } = context;
		const change = purchase.compare(before, state, this.placed);
		const { record, text } = change;
		if (change.kind !== 'made' || record === undefined) return change;
		const isRenewed = ledger.isRenewedSince(subject, sentAt);
		const isByTime = purchase.term !== undefined;
		// Of two top-ups, IPs and traffic that may be used already don't tell which one shows
		if (ledger.pending(subject, sentAt).length > 0 || (isRenewed && !isByTime)) {
			return {
				kind: 'unexplained',
				text: `${text} It may also come from another purchase of this node.`,
			};
		}
		const result = resultOf(subject, purchase, before, orderNumberOf(record));
		const isTaken =
			isRenewed ||
			(result !== undefined && (await ledger.recordsFor(subject)?.takeResult(result)) === false);
		if (isTaken) {
			return { kind: 'others', text: `${text} But another run of this node bought that.`, record };
		}
		return { ...change, record: { ...record, verified: true } };
	}

	/** Looks after a while whether the end of a renewed order has moved, and completes its output in place. */
	async verify(
		record: IDataObject,
		before: string,
		pausesMs: readonly number[],
	): Promise<PurchaseOutput> {
		const { purchase } = this;
		for (const pauseMs of pausesMs) {
			const state = await this.read(pauseMs).catch(() => undefined);
			if (state === undefined) continue;
			const change = purchase.compare(before, state, this.placed);
			const isMade = change.kind === 'made';
			// In place: the ledger has it, and gives it again
			Object.assign(record, change.record ?? purchase.describe?.(state).record, {
				verified: isMade,
			});
			if (isMade) return { record };
		}
		Object.assign(record, { verified: false });
		return { record, endsAt: this.endsAt, isUnmoved: true };
	}

	/**
	 * The output of what another execution has bought; an order whose end had not moved then is looked at again.
	 *
	 * @param until when a repetition buys nothing, in words
	 */
	async repeat(bought: LedgerEntry, until: string): Promise<PurchaseOutput> {
		const output = repeatedOutput(bought, this.context.operation.done, until);
		const { before } = bought;
		if (output.record.verified !== false || before === undefined) return output;
		return { ...output, ...(await this.verify(output.record, before, [0])) };
	}

	/**
	 * The finding about a request that was sent before this run: by n8n's records, or else by the state before it.
	 *
	 * @param sent undefined where only n8n's records know of it
	 */
	async changeSinceSent(sent: LedgerEntry | undefined): Promise<Change> {
		const recorded = await this.recordedChange();
		if (sent?.before === undefined || recorded.kind === 'made') return recorded;
		return await this.changeSince(sent.before, sent.at);
	}

	/** Asks n8n's records for the result of the item among the candidates that the last snapshot shows. */
	async recordedChange(): Promise<Change> {
		const { context, planned, purchase, state, subject } = this;
		const candidates = purchase.candidates(state);
		const orders = candidates.flatMap((record) => orderNumberOf(record) ?? []);
		const recorded = await context.ledger
			.recordsFor(subject)
			?.find(context.ledger.nameOf(planned), orders);
		const { orderid: paid, unclaimed = orders } = recorded ?? {};
		const record = candidates.find(({ orderid }) => paid !== undefined && orderid === paid);
		if (record !== undefined) return { kind: 'made', text: '', record };
		return { kind: 'unexplained', text: subject.isRenewal ? '' : mayBeOf(unclaimed) };
	}

	/** The output of what n8n's records say was paid for the user's key; undefined where they don't say that. */
	async boughtForKey(): Promise<PurchaseOutput | undefined> {
		const { context, purchase, state, subject } = this;
		const key = keyName(subject);
		const orders = (state === undefined ? undefined : purchase.orders?.(state)) ?? [];
		if (key === undefined) return undefined;
		const recorded = await context.ledger.recordsFor(subject)?.find(key, orders);
		if (recorded?.isPaid !== true) return undefined;
		const { orderid } = recorded;
		const number = orderid === undefined ? {} : { orderid };
		const reason = keyWasUsed(orderid);
		return { record: { ...number, [context.operation.done]: false, reason }, isRepeat: true };
	}
}
