import type { IDataObject } from 'n8n-workflow';
import { CancelledError, DescribedError, type CallError } from '../../shared/errors/callErrors';
import { describeFailure } from '../../shared/transport/describeFailure';
import {
	withPreview,
	type Bought,
	type Finding,
	type Outcome,
	type PlannedPurchase,
	type RememberedPurchase,
	type Buyer,
} from './contract';
import { refusalBeyondLimit } from './options';
import { openPurchases, type ManualPurchase, type OpenPurchase } from './processMemory';
import {
	unclearLabel,
	unclearText,
	unclearTextForLaterRuns,
	unclearTextForOtherRuns,
	type SentPurchase,
} from './words';
import type { EndManual, RunLedger } from './ledger';

/** The entry of one purchase: what is remembered of it, and the words for its outcome. */
export class PurchaseRecord {
	/** Undefined until it is sent. */
	private open: OpenPurchase | undefined;
	private endManual: EndManual | undefined;
	private sentAt = 0;

	constructor(
		private readonly ledger: RunLedger,
		private readonly planned: PlannedPurchase,
		private readonly buyer: Buyer,
		private readonly fingerprint: string,
		private readonly subject: string,
	) {}

	/** Whether another purchase of this process can have had the same effect. */
	get mayBeAnothers(): boolean {
		return this.open !== undefined && openPurchases.hasOthers(this.open);
	}

	/**
	 * Notes that it is about to be sent. Nothing in here may wait: calls of a tool run side by side, and each
	 * has to see what the others are about to buy.
	 *
	 * @param before what the service showed, and when it was asked, by the clock of `openPurchases`
	 * @returns the same purchase of another manual execution, instead of which it must not be sent
	 * @throws DescribedError when it must not be sent
	 */
	begin(before: {
		readonly at: number;
		readonly state: unknown;
	}): ManualPurchase<RememberedPurchase> | undefined {
		const { planned, fingerprint } = this;
		const repeated =
			this.open === undefined ? this.ledger.findRepeated(planned, fingerprint) : undefined;
		if (repeated !== undefined) return repeated;
		this.sentAt = Date.now();
		this.throwIfRefused();
		const { itemIndex, caller } = planned;
		const sent = this.sent();
		this.remember({ state: 'sent', label: unclearLabel(sent), text: unclearText(sent, undefined) });
		if (this.open === undefined) this.ledger.statesBefore.set(itemIndex, before.state);
		const account =
			caller.credential.keyType === 'account' ? caller.credential.secretId : undefined;
		this.open ??= openPurchases.begin({
			secretId: this.buyer.caller.credential.secretId,
			account,
			subject: this.subject,
			lookedAt: before.at,
			before: before.state,
		});
		this.endManual ??= this.ledger.beginManual(planned, fingerprint);
		return undefined;
	}

	/** @returns the output */
	paid({ record: bought, label }: Bought): IDataObject {
		const record = withPreview(this.planned.purchase, bought);
		this.remember({ state: 'paid', record, label });
		const { orderid } = record;
		if (this.open !== undefined) {
			openPurchases.end(this.open, typeof orderid === 'string' ? orderid : undefined);
		}
		return record;
	}

	/** For those who wait for the outcome, whatever it is. */
	close(): void {
		this.endManual?.(this.ledger.get(this.planned.itemIndex));
	}

	/** Nothing was bought. */
	undo(): void {
		if (this.open === undefined) return;
		this.ledger.forget(this.planned.itemIndex);
		this.endManual?.();
		openPurchases.undo(this.open);
	}

	/** @returns the failure with what it was about */
	async notBought(failure: CallError): Promise<CallError> {
		this.undo();
		const orderid = await this.orderid();
		if (orderid === undefined || failure instanceof CancelledError) return failure;
		const text = describeFailure(failure);
		const description = `It was about order ${orderid}. ${text.description}`;
		return new DescribedError({ ...text, description });
	}

	/** It may have been bought. */
	async unclear(cause: CallError, finding?: Finding): Promise<DescribedError> {
		const sent = this.sent(await this.orderid(), finding?.text);
		if (this.open !== undefined) {
			openPurchases.endUnclear(this.open, unclearTextForOtherRuns(sent, Date.now()));
		}
		const text = unclearTextForLaterRuns(sent, cause);
		this.remember({ state: 'unclear', text, label: unclearLabel(sent) });
		return new DescribedError(unclearText(sent, cause));
	}

	/** @throws DescribedError when it must not be sent */
	throwIfRefused(): void {
		const { itemIndex, maxOrders } = this.planned;
		const refusal =
			this.refusalOfUnclear() ?? refusalBeyondLimit(this.ledger.count(itemIndex), maxOrders);
		if (refusal === undefined) return;
		// Before a second request: the last look showed that the first one was not carried out
		this.undo();
		throw refusal;
	}

	/** An unclear purchase must be settled by a person before the same is bought again. */
	private refusalOfUnclear(): DescribedError | undefined {
		const { fingerprint, subject, ledger, planned } = this;
		const isConditional = planned.purchase.insteadOfBuying !== undefined;
		const unclear =
			ledger.unclearInOtherRun(fingerprint) ??
			// Once it is made, it is what the condition of this one asks for
			(isConditional
				? (ledger.unclearOfSubject(subject, planned.itemIndex) ??
					openPurchases.recentlyUnclear(subject))
				: undefined);
		return unclear && new DescribedError(unclear);
	}

	private remember(outcome: Outcome): void {
		const { fingerprint, subject } = this;
		const remembered = { ...outcome, fingerprint, subject };
		this.ledger.set(this.planned.itemIndex, remembered);
		if (outcome.state !== 'sent') this.endManual?.(remembered);
	}

	private sent(orderid = this.buyer.orderid, finding?: string): SentPurchase {
		const { itemIndex, purchase } = this.planned;
		const { sentAt, ledger } = this;
		const { isTool: byAgent, localTime } = ledger;
		return { words: purchase.words, itemIndex, sentAt, localTime, byAgent, orderid, finding };
	}

	/** Of the order that it is about; asked for only after something went wrong. */
	private async orderid(): Promise<string | undefined> {
		const isCancelled = this.buyer.caller.signal?.aborted === true;
		return isCancelled ? this.buyer.orderid : await this.buyer.findOrderid();
	}
}
