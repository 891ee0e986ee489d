import type { IDataObject } from 'n8n-workflow';

import type { CallError, DescribedError } from '../../shared/api/errors';
import { toChinaIso, type EpochMs } from '../../shared/service/chinaTime';
import type { PlannedItem, PurchaseContext } from './context';
import type { LedgerEntry, PurchaseState, PurchaseSubject } from './ledger';
import { namesOf, resultOf } from './names';
import { dryRunOutput } from './outputs';
import type { PurchaseNames } from './records';
import type { BalanceReading } from './spending';
import { unclearPurchase } from './texts';
import { orderNumberOf, withPreview, type Purchase, type PurchaseOutput } from './types';

/** Writes down in which state a purchase is: in the ledger, and for other workers in n8n's records. */
export class PurchaseEntry {
	/** The state before the last request, and when that was sent. */
	sent: { readonly before: string | undefined; readonly at: EpochMs } | undefined;
	/** Before the last request. */
	balance: BalanceReading | undefined;

	constructor(
		private readonly context: PurchaseContext,
		private readonly planned: PlannedItem,
		private readonly purchase: Purchase,
		private readonly subject: PurchaseSubject,
	) {}

	/** The entry that an earlier attempt of the item has left; undefined where that bought nothing. */
	get current(): LedgerEntry | undefined {
		const entry = this.context.ledger.entryOf(this.subject.itemIndex);
		return entry?.state === 'refused' ? undefined : entry;
	}

	get what(): string {
		const orderid = orderNumberOf(this.planned.plan.preview);
		const { what } = this.purchase.words;
		return orderid === undefined ? what : `${what} for order ${orderid}`;
	}

	/** @param before key of the state that it is bought from */
	namesFrom(before: string | undefined): PurchaseNames {
		const { context, planned, purchase, subject } = this;
		return namesOf(context.ledger, subject, planned.name, purchase, before);
	}

	write(state: PurchaseState['state'], more: Partial<PurchaseState> = {}): void {
		const { balance, context, sent, subject, what } = this;
		const expectedCost = context.spending.expectedCostOf(subject);
		const known = { before: sent?.before, balanceBefore: balance?.balanceNumber };
		context.ledger.write({ ...subject, expectedCost }, { state, label: what, ...known, ...more });
	}

	/** Writes down a purchase that a dry run does not make, from the state before it, where anybody knows it. */
	writeDryRun(state: unknown): PurchaseOutput {
		const { balance, context, planned, purchase } = this;
		const { expectedCost } = planned.money;
		const known = { state, balance: balance?.balanceNumber, expectedCost };
		const output = dryRunOutput(purchase, context.operation.done, known);
		const record = withPreview(planned.plan.preview, output);
		this.write('paid', { label: purchase.words.what, record });
		return { record };
	}

	/** @param before key of the state that it was bought from; undefined where nobody knows it */
	async writePaid(bought: IDataObject, before: string | undefined): Promise<PurchaseOutput> {
		const { context, planned, purchase, subject } = this;
		const purchasedAt = toChinaIso(Date.now());
		const known = { ...bought, [context.operation.done]: true, purchasedAt };
		const record = withPreview(planned.plan.preview, known);
		const orderid = orderNumberOf(record);
		const number = orderid ?? '(the order of the credential)';
		const label = subject.isRenewal
			? `renewal of order ${number}`
			: `order ${number}, ${purchase.words.what}`;
		this.write('paid', { label, record, ...(before !== undefined && { before }) });
		const result = resultOf(subject, purchase, before, orderid);
		await context.ledger.records?.notePaid(this.namesFrom(before), orderid, result);
		return { record };
	}

	/**
	 * Writes down, and describes, a purchase of which nobody knows the outcome.
	 *
	 * @param happened undefined where nobody was there any more to learn it
	 * @param shown by a snapshot afterwards, as a whole sentence
	 */
	writeUnknown(happened?: CallError, shown?: string): DescribedError {
		const { context, purchase, sent, subject, what } = this;
		const { error, forLater, label } = unclearPurchase({
			what,
			words: purchase.words,
			itemIndex: subject.itemIndex,
			sentAt: sent && context.localTime(sent.at),
			isTool: context.ledger.isTool,
			happened,
			shown,
		});
		this.write('unknown', { label, text: forLater });
		return error;
	}
}
