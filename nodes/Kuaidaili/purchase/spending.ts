import type { IDataObject } from 'n8n-workflow';

import { KeyedMutex, loggedWait } from '../../shared/api/wait';
import { CallError, CancelledError } from '../../shared/api/errors';
import { accountBalance } from '../../shared/orders/account';
import type { EpochMs } from '../../shared/service/chinaTime';
import type { ApiClient, NodeApiClient } from '../../shared/api/client';
import { runQuery } from '../../shared/api/call';
import { formatNumber } from '../../shared/wording';
import {
	ageOf,
	isLate,
	type LedgerEntry,
	type PurchaseLedger,
	type PurchaseSubject,
} from './ledger';
import { expectedCostField, maxCostField, minimumBalanceField, type MoneyOptions } from './options';
import { LimitReachedError } from './texts';

/** How long the balance may take to show what was paid, before another purchase is told its cost. */
const SHOWS_WITHIN_MS = 10_000;

/** How long a purchase waits for a balance that is only reported. */
const PATIENCE_MS = 5000;

/** After so many balances that could not be read, a run asks for none that is only reported. */
const MOST_FAILURES = 3;

/** Purchases of an account that read its balance are made one after the other, in whichever execution. */
const accountMutex = new KeyedMutex();

/** The balance of an account. */
export interface BalanceReading {
	/** In yuan, as the service writes it. */
	readonly balance: string;
	readonly balanceNumber: number;
	readonly at: EpochMs;
}

async function readBalance(client: ApiClient): Promise<BalanceReading> {
	return { ...(await runQuery(client, accountBalance)), at: Date.now() };
}

/** Without the noise of floating-point numbers. */
function roundYuan(yuan: number): number {
	return Number(yuan.toFixed(4));
}

/**
 * The amount that a purchase counts with: its cost, or the expected one where the balance shows none, or more than that.
 *
 * @param fallback for a purchase of which nobody has said what it costs
 */
export function countedCost(
	{ cost, expectedCost = cost }: Pick<LedgerEntry, 'cost' | 'expectedCost'>,
	fallback = 0,
): number {
	return Math.min(cost ?? Infinity, expectedCost ?? fallback);
}

/**
 * How much an account can spend, where its balance may show late what was paid: no more than it had before its last
 * purchases, less what those count with, and what was seen to be topped up since.
 *
 * @param purchases of the last minutes, the oldest first
 * @param expectedCost of the next one, for those of which nobody has said what they cost
 */
export function spendableYuan(
	balance: number,
	purchases: ReadonlyArray<Pick<LedgerEntry, 'balanceBefore' | 'cost' | 'expectedCost'>>,
	expectedCost = 0,
): number {
	let ceiling: number | undefined;
	let lastReading = 0;
	const noteReading = (reading: number) => {
		ceiling = ceiling === undefined ? reading : ceiling + Math.max(0, reading - lastReading);
		lastReading = reading;
	};
	for (const purchase of purchases) {
		if (purchase.balanceBefore !== undefined) noteReading(purchase.balanceBefore);
		// The reading after it has shown its cost
		lastReading -= purchase.cost ?? 0;
		if (ceiling !== undefined) ceiling -= countedCost(purchase, expectedCost);
	}
	noteReading(balance);
	return roundYuan(Math.min(balance, ceiling ?? balance));
}

/** The money of a run: what its purchases cost, by the balance of the account right before and after each, and its limits. */
export class Spending {
	/** Hints about costs and limits. */
	readonly hints = new Set<string>();
	private failures = 0;
	private last: { readonly account: string; readonly reading: BalanceReading } | undefined;

	/** @param path of the endpoint that buys, for the log */
	constructor(
		private readonly ledger: PurchaseLedger,
		private readonly path: string,
	) {}

	/** Waits for other purchases of the account. Resolves with what lets the next one go on. */
	async lockAccount(client: NodeApiClient, money: MoneyOptions): Promise<() => void> {
		if (!money.readsBalance) return () => {};
		const locking = accountMutex.lock(client.credential.secretId, client.signal);
		return await loggedWait(locking, client, this.path, 'for what another purchase costs');
	}

	/**
	 * @returns the balance right before a purchase; undefined where it is not read, or can't be
	 * @throws LimitReachedError, and what `callService` throws where a limit needs the balance
	 */
	async readBefore(
		client: NodeApiClient,
		money: MoneyOptions,
		subject: PurchaseSubject,
	): Promise<BalanceReading | undefined> {
		if (!money.readsBalance) return undefined;
		const reading = money.hasLimit
			? await readBalance(client)
			: (this.lastReadingFor(subject) ?? (await this.tryToRead(client, money)));
		if (reading !== undefined) this.checkLimits(money, subject, reading);
		return reading;
	}

	/** Adds the report to the output of a purchase that was paid. Never rejects. */
	async settle(
		client: NodeApiClient,
		money: MoneyOptions,
		subject: PurchaseSubject,
		before: BalanceReading | undefined,
		record: IDataObject,
	): Promise<void> {
		const after = before && (await this.tryToRead(client, money));
		if (before === undefined || after === undefined) return;
		this.last = { account: subject.account, reading: after };
		const [balanceBefore, balanceAfter] = [before.balanceNumber, after.balanceNumber];
		const fall = roundYuan(balanceBefore - balanceAfter);
		const cost = fall > 0 && !this.mayShowOthers(subject, before.at) ? fall : undefined;
		if (cost !== undefined) this.ledger.complete(subject.itemIndex, { cost });
		const { expectedCost } = subject;
		if (money.hasLimit && cost !== undefined && expectedCost !== undefined && cost > expectedCost) {
			this.hints.add(moreThanExpected(cost, expectedCost));
		}
		if (!money.reportsCost) return;
		Object.assign(record, { balanceBefore, balanceAfter }, cost === undefined ? {} : { cost });
		if (cost === undefined) this.hints.add(NO_COST);
	}

	private checkLimits(
		{ maxCost, minimumBalance, dryRun }: MoneyOptions,
		subject: PurchaseSubject,
		{ balance, balanceNumber }: BalanceReading,
	): void {
		const { expectedCost = 0 } = subject;
		const expected =
			expectedCost === 0
				? ''
				: `, and this purchase is expected to cost ${formatNumber(expectedCost)}`;
		if (maxCost !== undefined) {
			const costs = this.ledger.made(dryRun).map((entry) => countedCost(entry, expectedCost));
			const spent = roundYuan(costs.reduce((sum, cost) => sum + cost, 0));
			if (roundYuan(spent + expectedCost) > maxCost) {
				throw new LimitReachedError(
					`'${maxCostField.displayName}' is ${formatNumber(maxCost)}, this execution ${dryRun ? 'would have' : 'has'} spent ${formatNumber(spent)}${expected}`,
					"To allow more, raise the budget in 'Options'.",
				);
			}
		}
		const left = spendableYuan(balanceNumber, this.lateOnes(subject), expectedCost);
		const isKept = minimumBalance > 0;
		if (roundYuan(left - expectedCost) >= minimumBalance || (!isKept && !dryRun)) return;
		const after = balanceNumber === left ? '' : `, ${formatNumber(left)} after earlier purchases`;
		const keep = `; '${minimumBalanceField.displayName}' is ${formatNumber(minimumBalance)}`;
		throw new LimitReachedError(
			`The account has ${balance} yuan${after}${expected}${isKept ? keep : ''}`,
			`Top up the account in the Kuaidaili member center${isKept ? ', or lower the balance to keep' : ''}.`,
		);
	}

	/** The reading after the run's last purchase, where nothing has been bought since: the service tells one per second. */
	private lastReadingFor(subject: PurchaseSubject): BalanceReading | undefined {
		const { account, reading } = this.last ?? {};
		if (reading === undefined || account !== subject.account) return undefined;
		const isLater = ({ at }: LedgerEntry) => at > reading.at;
		const isOld =
			Date.now() - reading.at > SHOWS_WITHIN_MS ||
			this.mayShowOthers(subject, reading.at) ||
			this.lateOnes(subject).some(isLater);
		return isOld ? undefined : reading;
	}

	/** Purchases of the account that its balance may not show yet, the oldest first. */
	private lateOnes(subject: PurchaseSubject): LedgerEntry[] {
		return this.ledger
			.others(subject)
			.filter((entry) => entry.account === subject.account && (entry.isDry || isLate(entry)))
			.sort((a, b) => a.at - b.at);
	}

	/** Whether a balance since then may show another purchase as well, which nothing has shown before. */
	private mayShowOthers(subject: PurchaseSubject, since: EpochMs): boolean {
		const elapsedMs = Date.now() - since;
		return this.lateOnes(subject).some((entry) => {
			if (entry.isDry || entry.cost !== undefined) return false;
			return entry.state !== 'paid' || ageOf(entry) - elapsedMs < SHOWS_WITHIN_MS;
		});
	}

	/** A balance that the purchase can do without. */
	private async tryToRead(
		client: NodeApiClient,
		{ reportsCost }: MoneyOptions,
	): Promise<BalanceReading | undefined> {
		if (this.failures >= MOST_FAILURES) return undefined;
		const ends = [AbortSignal.timeout(PATIENCE_MS), client.signal];
		const signal = AbortSignal.any(ends.filter((end) => end !== undefined));
		return await readBalance({ ...client, signal }).catch((error: unknown) => {
			this.failures += 1;
			const isReadable = error instanceof CallError && !(error instanceof CancelledError);
			const why = isReadable ? error.describe().message : 'The response took too long';
			if (reportsCost)
				this.hints.add(
					`${NOT_EVERY_COST}the account balance could not be read: ${why}. ${UNAFFECTED}`,
				);
			return undefined;
		});
	}
}

const NOT_EVERY_COST = "Not every purchase has its 'cost', because ";
const UNAFFECTED = 'The purchases are not affected.';

const NO_COST = `${NOT_EVERY_COST}something else may have moved the balance, or it shows the purchase late. ${UNAFFECTED}`;

function moreThanExpected(cost: number, expectedCost: number): string {
	return `The balance fell by ${formatNumber(cost)} yuan for a purchase that was expected to cost ${formatNumber(expectedCost)}, which is what it counts with. If nobody else bought something in that moment, raise '${expectedCostField.displayName}' in 'Options'.`;
}
