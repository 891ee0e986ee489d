import { KeyedMutex, untilCancelled, wait } from '../../shared/api/wait';
import { CallError, CancelledError } from '../../shared/api/errors';
import { accountBalance } from '../../shared/orders/queries';
import type { EpochMs } from '../../shared/service/chinaTime';
import { runQuery } from '../../shared/api/call';
import type { NodeApiClient, ApiClient } from '../../shared/api/client';
import { formatNumber } from '../../shared/wording';
import { isRecent, type LedgerEntry, type PurchaseLedger, type PurchaseSubject } from './ledger';
import { expectedCostField, maxCostField, minimumBalanceField, type MoneyOptions } from './options';
import { LimitReachedError } from './texts';

/** How long the balance may take to show what was paid, before another purchase is told its cost. */
const SHOWS_WITHIN_MS = 10_000;

/** Pauses before the balance is read again that has not fallen, where a limit needs it: of a limit, nobody may guess. */
const LATE_PAUSES_MS = [1000, 2000, 3000, 4000] as const;

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

async function readBalance(client: ApiClient, wantedUntil?: AbortSignal): Promise<BalanceReading> {
	return { ...(await runQuery(client, { ...accountBalance, wantedUntil })), at: Date.now() };
}

/** Without the noise of floating-point numbers. */
function roundYuan(yuan: number): number {
	return Number(yuan.toFixed(4));
}

/** The yuan that purchases count with: the larger of the expected cost and what the balance showed. */
export function countedCost(
	purchases: ReadonlyArray<Pick<LedgerEntry, 'cost' | 'expectedCost'>>,
	fallback = 0,
): number {
	const costs = purchases.map(({ cost = 0, expectedCost = fallback }) =>
		Math.max(cost, expectedCost),
	);
	return roundYuan(costs.reduce((sum, cost) => sum + cost, 0));
}

/** The next purchase may cost what the dearest one of the execution did. */
export function dearest(
	made: ReadonlyArray<Pick<LedgerEntry, 'cost'>>,
	expectedCost: number,
): number {
	return Math.max(expectedCost, ...made.map(({ cost = 0 }) => cost));
}

/** The yuan that were spent, as far as the balance says, and what they count with where that is more. */
export function spentInWords(
	made: ReadonlyArray<Pick<LedgerEntry, 'cost' | 'expectedCost'>>,
	counted: number,
): string {
	const costs = made.map(({ cost, expectedCost = 0 }) => cost ?? expectedCost);
	const spent = roundYuan(costs.reduce((sum, cost) => sum + cost, 0));
	const shown = formatNumber(Math.min(spent, counted));
	return spent < counted ? `${shown} (counted as ${formatNumber(counted)})` : shown;
}

/**
 * How much an account can spend: its balance, but no more than it had before the first purchase that the balance has
 * not shown yet, less what that one and those after it count with. Those before which nobody read the balance count
 * where it has not shown them.
 *
 * @param late purchases of the last minutes, the oldest first
 * @param fallback for purchases of which nobody has said what they cost
 */
export function spendableYuan(
	balance: number,
	late: ReadonlyArray<Pick<LedgerEntry, 'balanceBefore' | 'cost' | 'expectedCost'>>,
	fallback = 0,
): number {
	const isUnshown = ({ cost }: (typeof late)[number]) => cost === undefined;
	const index = late.findIndex((one) => isUnshown(one) && one.balanceBefore !== undefined);
	const first = index < 0 ? late.length : index;
	const { balanceBefore = balance } = late[first] ?? {};
	const left = Math.min(balance, balanceBefore - countedCost(late.slice(first), fallback));
	return roundYuan(left - countedCost(late.slice(0, first).filter(isUnshown), fallback));
}

/** The money of a run: what its purchases cost, by the balance of the account right before and after each, and its limits. */
export class Spending {
	/** Hints about costs and limits. */
	readonly hints = new Set<string>();
	private failures = 0;
	private last: { readonly account: string; readonly reading: BalanceReading } | undefined;

	constructor(private readonly ledger: PurchaseLedger) {}

	/** Waits for other purchases of the account. Resolves with what lets the next one go on. */
	async lockAccount(client: NodeApiClient, money: MoneyOptions): Promise<() => void> {
		if (!money.readsBalance) return () => {};
		return await accountMutex.lock(client.credential.secretId, client.signal);
	}

	/**
	 * @returns the balance right before a purchase; undefined where it is not read, or can't be
	 * @throws LimitReachedError, and what `runQuery` throws where a limit needs the balance
	 */
	async readBefore(
		client: NodeApiClient,
		money: MoneyOptions,
		subject: PurchaseSubject,
	): Promise<BalanceReading | undefined> {
		if (!money.readsBalance) return undefined;
		const reading = money.hasLimit
			? await readBalance(client)
			: (this.lastReading(subject) ?? (await this.tryToRead(client, money)));
		if (reading !== undefined) this.checkLimits(money, subject, reading);
		return reading;
	}

	/**
	 * Notes the cost of a purchase that was paid, or of a limit also of one that may have been, and adds the report to its
	 * output. Never rejects.
	 */
	async settle(
		client: NodeApiClient,
		money: MoneyOptions,
		subject: PurchaseSubject,
		before: BalanceReading | undefined,
	): Promise<void> {
		const entry = this.ledger.entryOf(subject.itemIndex);
		if (before === undefined || entry === undefined || entry.state === 'refused') return;
		if (entry.state !== 'paid' && !money.hasLimit) return;
		const after = await this.readAfter(client, money, before);
		if (after === undefined) return;
		const fall = roundYuan(before.balanceNumber - after.balanceNumber);
		const cost = this.costBy(fall, money, this.maybeShownSince(before.at, subject));
		entry.cost = cost;
		this.last = { account: subject.account, reading: after };
		const { expectedCost = Infinity } = money;
		const { record = {} } = entry;
		if (cost !== undefined && cost > expectedCost) {
			Object.assign(record, { cost, expectedCost });
			this.hints.add(surpriseHint(cost, expectedCost, money.hasLimit));
		}
		if (!money.reportsCost || entry.state !== 'paid') return;
		const { balanceNumber: balanceBefore } = before;
		const { balanceNumber: balanceAfter } = after;
		Object.assign(record, { balanceBefore, balanceAfter }, cost === undefined ? {} : { cost });
		if (cost === undefined) this.hints.add(NO_COST);
	}

	/**
	 * The cost of a purchase by the fall of the balance; undefined where others may be part of it, and, of a limit, where
	 * that explains the fall: a surprise counts, whoever else has bought.
	 */
	private costBy(
		fall: number,
		{ expectedCost = 0, hasLimit }: MoneyOptions,
		others: readonly LedgerEntry[],
	): number | undefined {
		const isSurprise = hasLimit && fall > countedCost(others, expectedCost) + expectedCost;
		return fall > 0 && (others.length === 0 || isSurprise) ? fall : undefined;
	}

	/** The balance after a purchase. With a limit, it is read until it has fallen, or it would not hold for the next one. */
	private async readAfter(
		client: NodeApiClient,
		money: MoneyOptions,
		{ balanceNumber }: BalanceReading,
	): Promise<BalanceReading | undefined> {
		let after = await this.tryToRead(client, money);
		for (const pauseMs of money.hasLimit ? LATE_PAUSES_MS : []) {
			if (after !== undefined && after.balanceNumber < balanceNumber) return after;
			const isOver = await wait(pauseMs, client.signal).then(
				() => false,
				() => true,
			);
			if (isOver) return after;
			after = await this.tryToRead(client, money);
		}
		return after;
	}

	/** The cost that a purchase counts with at least; undefined where nobody says. */
	expectedCostOf({ expectedCost, isDry }: PurchaseSubject): number | undefined {
		return expectedCost === undefined ? undefined : dearest(this.ledger.made(isDry), expectedCost);
	}

	private checkLimits(
		{ maxCost, minimumBalance, dryRun }: MoneyOptions,
		subject: PurchaseSubject,
		{ balance, balanceNumber }: BalanceReading,
	): void {
		const made = this.ledger.made(dryRun);
		const expectedCost = this.expectedCostOf(subject) ?? 0;
		const expected =
			expectedCost === 0
				? ''
				: `, and this purchase is expected to cost ${formatNumber(expectedCost)}`;
		const spent = countedCost(made, expectedCost);
		if (maxCost !== undefined && roundYuan(spent + expectedCost) > maxCost) {
			throw new LimitReachedError(
				`'${maxCostField.displayName}' is ${formatNumber(maxCost)}, this execution ${dryRun ? 'would have' : 'has'} spent ${spentInWords(made, spent)}${expected}`,
				"To allow more, raise the budget in 'Options'.",
			);
		}
		const left = spendableYuan(balanceNumber, this.recentOnes(subject), expectedCost);
		const isKept = minimumBalance > 0;
		// Of an account that has too little, Kuaidaili tells, but not in a dry run
		if (roundYuan(left - expectedCost) >= minimumBalance || (!isKept && !dryRun)) return;
		const after = balanceNumber === left ? '' : `, ${formatNumber(left)} after earlier purchases`;
		const keep = `; '${minimumBalanceField.displayName}' is ${formatNumber(minimumBalance)}`;
		throw new LimitReachedError(
			`The account has ${balance} yuan${after}${expected}${isKept ? keep : ''}`,
			`Top up the account in the Kuaidaili member center${isKept ? ', or lower the balance to keep' : ''}.`,
		);
	}

	/** The reading after the run's last purchase, where nothing has been bought since: the service tells one per second. */
	private lastReading(subject: PurchaseSubject): BalanceReading | undefined {
		const { account, reading } = this.last ?? {};
		if (reading === undefined || account !== subject.account) return undefined;
		const isOld =
			Date.now() - reading.at > SHOWS_WITHIN_MS ||
			this.maybeShownSince(reading.at, subject).length > 0 ||
			this.recentOnes(subject).some(({ at }) => at > reading.at);
		return isOld ? undefined : reading;
	}

	/** Other purchases of the account that its balance may not show yet, the oldest first. */
	private recentOnes(subject: PurchaseSubject): LedgerEntry[] {
		return this.ledger
			.others(subject)
			.filter((entry) => entry.account === subject.account && (entry.isDry || isRecent(entry)))
			.sort((a, b) => a.at - b.at);
	}

	/** Other purchases that a balance may show since a moment, and which nothing has shown before. */
	private maybeShownSince(since: EpochMs, subject: PurchaseSubject): LedgerEntry[] {
		return this.recentOnes(subject).filter(
			({ at, cost, isDry, state }) =>
				!isDry && cost === undefined && (state !== 'paid' || since - at < SHOWS_WITHIN_MS),
		);
	}

	/** A balance that the purchase can do without. Of a limit, nobody may guess, however long it takes. */
	private async tryToRead(
		client: NodeApiClient,
		{ hasLimit, reportsCost }: MoneyOptions,
	): Promise<BalanceReading | undefined> {
		if (!hasLimit && this.failures >= MOST_FAILURES) return undefined;
		const patience = AbortSignal.timeout(PATIENCE_MS);
		const reading = hasLimit
			? readBalance(client)
			: untilCancelled(readBalance(client, patience), patience);
		return await reading.catch((error: unknown) => {
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

function surpriseHint(cost: number, expectedCost: number, hasLimit: boolean): string {
	const but = hasLimit
		? ' The next purchases of this execution are expected to cost as much, so the limits hold from there on.'
		: '';
	return `A purchase cost ${formatNumber(cost)} yuan, by the balance, and '${expectedCostField.displayName}' is ${formatNumber(expectedCost)}.${but} If nobody else bought something in that moment, raise it in 'Options'.`;
}

const NO_COST = `${NOT_EVERY_COST}something else may have moved the balance, or it shows the purchase late. ${UNAFFECTED}`;
