import type { IDataObject } from 'n8n-workflow';

import { CancelledError, DescribedError, type CallError } from '../../shared/transport/callErrors';
import { describeFailure } from '../../shared/transport/describeFailure';
import { openPurchases, type OpenPurchase } from './openPurchases';
import type { Bought, Finding, PlannedPurchase } from './contract';
import type { Buyer } from './buyer';
import type { PurchaseRun } from './purchaseRun';
import { unclearLabel, unclearText, type SentPurchase } from './unclearPurchase';

/**
 * Records the outcome of one purchase, in the memory of the execution and of this process, and puts it into
 * words.
 */
export class PurchaseRecord {
	/** Undefined until it is sent. */
	private open: OpenPurchase | undefined;
	private sentAt = 0;

	constructor(
		private readonly run: PurchaseRun,
		private readonly planned: PlannedPurchase,
		private readonly buyer: Buyer,
		private readonly fingerprint: string,
	) {}

	/** Whether another purchase of this process can have had the same effect. */
	get mayBeAnothers(): boolean {
		return this.open !== undefined && openPurchases.hasOthers(this.open);
	}

	/**
	 * Notes that it is about to be sent.
	 *
	 * @param lookedAt when it was asked what there was before, by the clock of `openPurchases`
	 * @throws DescribedError when it must not be sent
	 */
	begin(lookedAt: number): void {
		const { itemIndex, maxOrders, purchase } = this.planned;
		this.sentAt = Date.now();
		const sent = this.sent();
		let isAllowed = false;
		try {
			this.run.begin({
				itemIndex,
				maxOrders,
				isConditional: purchase.insteadOfBuying !== undefined,
				sent: {
					state: 'sent',
					fingerprint: this.fingerprint,
					label: unclearLabel(sent),
					text: unclearText(sent, undefined),
				},
			});
			isAllowed = true;
		} finally {
			// Before a second request: the last look showed that the first one was not carried out
			if (!isAllowed) this.undo();
		}
		this.open ??= openPurchases.begin(this.buyer.caller.credential.secretId, lookedAt);
	}

	/** @returns the output */
	paid({ record, label }: Bought): IDataObject {
		const { fingerprint, run, planned } = this;
		run.end(planned.itemIndex, { state: 'paid', fingerprint, record, label });
		const { orderid } = record;
		if (this.open !== undefined) {
			openPurchases.end(this.open, typeof orderid === 'string' ? orderid : undefined);
		}
		return record;
	}

	/** Nothing was bought. */
	undo(): void {
		if (this.open === undefined) return;
		this.run.undo(this.planned.itemIndex, this.fingerprint);
		openPurchases.end(this.open);
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

	/** Nobody knows whether it was bought. */
	async unclear(cause: CallError, finding?: Finding): Promise<DescribedError> {
		const { fingerprint, run, planned } = this;
		if (this.open !== undefined) openPurchases.endUnclear(this.open);
		const sent = this.sent(await this.orderid(), finding?.text);
		const text = unclearText(sent, cause);
		run.end(planned.itemIndex, { state: 'unclear', fingerprint, text, label: unclearLabel(sent) });
		return new DescribedError(text);
	}

	private sent(orderid = this.buyer.orderid, finding?: string): SentPurchase {
		const { itemIndex, purchase } = this.planned;
		const { sentAt, run } = this;
		return { words: purchase.words, itemIndex, sentAt, byAgent: run.isTool, orderid, finding };
	}

	/** Of the order that it is about; asked for only after something went wrong. */
	private async orderid(): Promise<string | undefined> {
		const isCancelled = this.buyer.caller.signal?.aborted === true;
		return isCancelled ? this.buyer.orderid : await this.buyer.findOrderid();
	}
}
