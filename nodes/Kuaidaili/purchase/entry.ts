import type { IDataObject } from 'n8n-workflow';

import { CancelledError, DescribedError, type CallError } from '../../shared/api/errors';
import { toChinaIso, type EpochMs } from '../../shared/service/chinaTime';
import { durationInWords, sentences } from '../../shared/wording';
import type { LedgerEntry, PurchaseState, PurchaseSubject } from './ledger';
import { namesOf, resultOf, type PlannedItem, type PurchaseContext } from './names';
import type { PurchaseNames } from './records';
import type { BalanceReading } from './spending';
import { boughtInAnotherRun } from './texts';
import { endOfTerm } from './term';
import {
	DRY_RUN_OUTPUT,
	orderNumberOf,
	withPreview,
	type Purchase,
	type PurchaseOperation,
	type PurchaseOutput,
} from './types';

const SENT_BY_OTHER = 'That worker ended before it had the answer, or did not tell it.';

/** With its own word for it, n8n gives an execution the status 'canceled': also one that only repeats it later. */
const STOPPED = 'The execution was stopped';

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

	/** The entry that an earlier attempt of the item has left; undefined where nothing was bought, by nobody else either. */
	get current(): LedgerEntry | undefined {
		const entry = this.context.ledger.entryOf(this.subject.itemIndex);
		return entry?.state === 'refused' && entry.record === undefined ? undefined : entry;
	}

	get what(): string {
		const orderid = orderNumberOf(this.planned.plan.preview);
		const { what } = this.purchase.words;
		return orderid === undefined ? what : `${what} for order ${orderid}`;
	}

	/** @param before key of the state that it is bought from */
	namesFrom(before: string | undefined): PurchaseNames {
		const { context, planned, purchase, subject } = this;
		return namesOf(context.ledger, subject, planned, purchase, before);
	}

	write(state: PurchaseState['state'], more: Partial<PurchaseState> = {}): void {
		const { balance, context, current, sent, subject, what } = this;
		const expectedCost = context.spending.expectedCostOf(subject);
		const balanceBefore = balance?.balanceNumber;
		const known = { label: what, before: sent?.before, balanceBefore, cost: current?.cost };
		context.ledger.write({ ...subject, expectedCost }, { state, ...known, ...more });
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
		const records = context.ledger.recordsFor(subject);
		await records?.notePaid(this.namesFrom(before), orderid, result);
		return { record };
	}

	/** Writes down that a request has changed nothing, which ends its holds; `nameOf` gives the item another name. */
	async writeVain({ at, before }: LedgerEntry): Promise<void> {
		const { ledger } = this.context;
		await ledger.recordsFor(this.subject)?.release(this.namesFrom(before), at);
		this.write('refused', { vainAt: at });
	}

	/** Writes down that another run has bought what this one was to buy. */
	boughtInstead(bought: IDataObject): PurchaseOutput {
		const orderid = orderNumberOf(this.planned.plan.preview) ?? orderNumberOf(bought);
		const reason = boughtInAnotherRun(orderid);
		const record = { ...bought, [this.context.operation.done]: false, reason };
		this.write('refused', { record });
		return { record, isRepeat: true };
	}

	/**
	 * Writes down, and describes, a purchase of which nobody knows the outcome.
	 *
	 * @param happened undefined where nobody was there any more to learn it
	 * @param shown by a snapshot afterwards, as a whole sentence
	 */
	writeUnknown(happened?: CallError, shown?: string): DescribedError {
		const { context, purchase, sent, subject, what } = this;
		const { howToFindOut, unclear } = purchase.words;
		const when = sent === undefined ? 'by another worker' : `at ${context.localTime(sent.at)}`;
		const observed = sent === undefined ? sentences(SENT_BY_OTHER, shown) : shown;
		const failure = happened?.describe();
		const why = failure?.message ?? 'n8n lost track of the request';
		// Of an error, an agent often gets the message alone
		const warning = context.ledger.isTool ? '. Do not buy it again until a person has checked' : '';
		const message = `${unclear}: ${why}${warning}`;
		const description = sentences(
			`Sent for item ${subject.itemIndex} ${when}: ${what}.`,
			'The node does not send it a second time, because that could pay twice.',
			observed,
			howToFindOut,
			happened?.evidence,
		);
		const label = `${what}, sent ${when}${observed === undefined ? '' : `: ${observed}`}`;
		const text = { ...failure, message, description };
		const later = happened instanceof CancelledError ? message.replace(why, STOPPED) : message;
		this.write('unknown', { label, text: { ...text, message: later } });
		return new DescribedError(text);
	}
}

/** Fields in the output of the purchase that was paid. */
const REPORT = ['text', 'balanceBefore', 'balanceAfter', 'cost', 'expectedCost', 'purchasedAt'];

/**
 * The output for what another execution of this process has bought for the same item.
 *
 * @param until when a repetition buys nothing, in words; undefined where it never does
 * @throws DescribedError where nobody knows whether it has
 */
export function repeatedOutput(
	{ at, label, onceKey, record, text }: LedgerEntry,
	done: PurchaseOperation['done'],
	until?: string,
): PurchaseOutput {
	if (record === undefined) throw new DescribedError(text ?? { message: label, description: '' });
	const kept = Object.entries(record).filter(([name]) => !REPORT.includes(name));
	const what = typeof record.orderid === 'string' ? `order ${record.orderid}` : label;
	const ago = durationInWords(Date.now() - at);
	const where = onceKey === undefined ? 'in another run' : 'for the same key';
	const onPurpose =
		until === undefined
			? undefined
			: `To buy it once more on purpose, run it again after ${until}.`;
	const reason = sentences(
		`This node bought it ${ago} ago, ${where} (${what}), so nothing was bought.`,
		onPurpose,
	);
	return { record: { ...Object.fromEntries(kept), [done]: false, reason }, isRepeat: true };
}

/**
 * The output in place of a purchase that a dry run does not make.
 *
 * @param known its state, the balance in yuan, and what the user expects it to cost, each undefined where nobody says
 */
function dryRunOutput(
	purchase: Purchase,
	done: PurchaseOperation['done'],
	known: {
		readonly state: unknown;
		readonly balance: number | undefined;
		readonly expectedCost: number | undefined;
	},
): IDataObject {
	const { endsAt: listedEnd = 0, parameters, term } = purchase;
	const { balance, expectedCost, state } = known;
	const seen = state === undefined ? undefined : purchase.describe?.(state);
	const endsAt = seen?.endsAt ?? listedEnd;
	const end = term && endOfTerm(Math.max(endsAt, Date.now()), term);
	return {
		...seen?.record,
		[DRY_RUN_OUTPUT[done]]: true,
		reason: "Nothing was bought, because 'Dry Run' is on",
		parameters: { ...parameters },
		...(end === undefined ? {} : { wouldEndAt: toChinaIso(end) }),
		...(balance === undefined ? {} : { balance }),
		...(expectedCost === undefined ? {} : { probableCost: expectedCost }),
	};
}
