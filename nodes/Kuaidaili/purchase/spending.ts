import type { IDataObject } from 'n8n-workflow';

import { KeyedMutex, loggedWait, logWait, wait } from '../../shared/concurrency/wait';
import { CallError, CancelledError } from '../../shared/errors/callErrors';
import { accountBalance } from '../../shared/queries/account';
import type { NodeApiClient } from '../../shared/transport/apiClient';
import { runQuery } from '../../shared/transport/callService';
import { formatNumber } from '../../shared/wording';
import type { LedgerEntry, PurchaseKey, PurchaseLedger } from './ledger';
import { LATE_MS, type Purchase, type PurchasePlan } from './types';
import { expectedCostField, maxCostField, minimumBalanceField, type MoneyOptions } from './options';
import { LimitReachedError } from './texts';

/** How long the balance may take to show what was paid, and how old the last one may be to stand for a new one. */
const SHOWS_WITHIN_MS = 10_000;
const NEXT_LOOK_MS = 2000;

/** How long a purchase waits for a balance that is only reported. */
const PATIENCE_MS = 5000;

/** After so many balances that could not be read, a run asks for none that is only reported. */
const MOST_FAILURES = 3;

/** Purchases of an account that read its balance are made one after the other, in whichever execution. */
const accountMutex = new KeyedMutex();

/** A balance; `at` in milliseconds since 1970. */
export type BalanceReading = Awaited<ReturnType<typeof readBalance>>;

/** By account: what was read after its last purchase. */
const lastReadings = new Map<string, BalanceReading>();

/** An item of a run, with what its fields say. */
export interface PlannedItem {
	readonly itemIndex: number;
	readonly plan: PurchasePlan;
	/** Holds the key pair of the credential. */
	readonly caller: NodeApiClient;
	readonly money: MoneyOptions;
}

export interface PlannedPurchase extends PlannedItem {
	readonly purchase: Purchase;
	readonly subject: PurchaseKey;
}

/** Without the noise of floating-point numbers. */
function roundYuan(yuan: number): number {
	return Number(yuan.toFixed(4));
}

async function readBalance(caller: NodeApiClient) {
	return { ...(await runQuery(caller, accountBalance)), at: Date.now() };
}

/**
 * What the purchases of a run cost, by the balance of the account right before and after each. Limits add what a
 * purchase will probably cost: the highest of what its kind has cost here lately, and of what the user expects.
 */
export class RunCosts {
	/** Each continues "because". */
	private readonly reasonsForNoCost = new Set<string>();
	/** Hints about the budget. */
	private mayGoOver: string | undefined;
	private overspent: string | undefined;
	/** What the run could spend by the balances that it read: a top-up raises it, and a late balance hides nothing. */
	private ceiling: { readonly yuan: number; readonly lastRead: number } | undefined;
	private failures = 0;

	/** @param path of the endpoint that buys, for the log */
	constructor(
		private readonly book: PurchaseLedger,
		private readonly path: string,
	) {}

	get hints(): string[] {
		const reasons = [...this.reasonsForNoCost].join('; and because ');
		const noCost = `Not every purchase has its 'cost', because ${reasons}. The purchases are not affected.`;
		const hints = [this.mayGoOver, this.overspent, reasons === '' ? undefined : noCost];
		return hints.filter((hint) => hint !== undefined);
	}

	/** Waits for other purchases of the account. Resolves with what lets the next one go on. */
	async turn({ caller, money }: PlannedPurchase): Promise<() => void> {
		if (!money.readsBalance) return () => {};
		const turn = accountMutex.lock(caller.credential.secretId, caller.signal);
		return await loggedWait(turn, caller, this.path, 'for what another purchase costs');
	}

	/**
	 * @returns the balance right before a purchase; undefined where it is not read, or can't be
	 * @throws LimitReachedError, and what `callService` throws where a limit needs the balance
	 */
	async before(booked: PlannedPurchase): Promise<BalanceReading | undefined> {
		const { caller, money, subject } = booked;
		if (!money.readsBalance) return undefined;
		const last = lastReadings.get(caller.credential.secretId);
		// With an order's key pair, nobody knows which account paid
		const mayBeOld = ({ account, at }: LedgerEntry) => account === '' && at >= (last?.at ?? 0);
		const isFresh =
			// A limit holds whatever others have bought meanwhile
			!money.hasLimit &&
			last !== undefined &&
			Date.now() - last.at < SHOWS_WITHIN_MS &&
			this.notShown(subject).length === 0 &&
			!this.book.others(subject).some(mayBeOld);
		const read = async () => await (money.hasLimit ? readBalance(caller) : this.tryToRead(booked));
		const reading = isFresh ? last : await read();
		if (reading !== undefined) this.checkLimits(booked, reading);
		return reading;
	}

	/** Adds the report to the output of a purchase that was paid. Never rejects. */
	async settle(
		booked: PlannedPurchase,
		before: BalanceReading | undefined,
		record: IDataObject,
	): Promise<void> {
		if (before === undefined) return;
		const { caller, money, subject } = booked;
		const until = Date.now() + SHOWS_WITHIN_MS;
		const mustKnow = money.hasLimit && this.probableCost(subject) === undefined;
		const isLower = (reading?: BalanceReading) =>
			reading !== undefined && reading.balanceNumber < before.balanceNumber;
		let after = await this.tryToRead(booked);
		while (mustKnow && !isLower(after) && Date.now() < until) {
			logWait(caller, this.path, NEXT_LOOK_MS, 'until the balance shows it');
			await wait(NEXT_LOOK_MS, caller.signal).catch(() => {});
			if (caller.signal?.aborted === true) break;
			after = await this.tryToRead(booked);
		}
		if (after === undefined) return;
		lastReadings.set(caller.credential.secretId, after);
		const [balanceBefore, balanceAfter] = [before.balanceNumber, after.balanceNumber];
		const others = this.notShown(subject, before.at).length > 0;
		const cost = isLower(after) && !others ? roundYuan(balanceBefore - balanceAfter) : undefined;
		if (cost !== undefined) {
			this.book.complete(subject.itemIndex, { cost });
			const made = this.book.made(false).map((entry) => entry.cost ?? 0);
			const spent = roundYuan(made.reduce((sum, one) => sum + one, 0));
			const { maxCost: budget = Infinity } = money;
			if (spent > budget) this.overspent = overBudget(spent, budget);
		}
		if (!money.reportsCost) return;
		Object.assign(record, { balanceBefore, balanceAfter }, cost === undefined ? {} : { cost });
		if (cost === undefined) this.reasonsForNoCost.add(others ? SHOWS_OTHERS : NOT_LOWER);
	}

	/** Tells, as a whole sentence, that the balance has fallen for what may be this purchase. Never rejects. */
	async fallSince(
		before: BalanceReading | undefined,
		booked: PlannedPurchase,
	): Promise<string | undefined> {
		const after = before && (await this.tryToRead(booked));
		if (before === undefined || after === undefined) return undefined;
		const isFallen = after.balanceNumber < before.balanceNumber;
		if (!isFallen || this.notShown(booked.subject, before.at).length > 0) return undefined;
		return `The account balance has fallen from ${before.balance} to ${after.balance} yuan meanwhile.`;
	}

	private checkLimits(
		{ money, subject }: PlannedPurchase,
		{ balance, balanceNumber }: BalanceReading,
	): void {
		const { maxCost, minimumBalance, dryRun } = money;
		const probableCost = this.probableCost(subject);
		const costOf = (entry: LedgerEntry) => entry.cost ?? this.probableCost(subject, entry);
		const sum = (entries: readonly LedgerEntry[]) =>
			roundYuan(entries.reduce((total, entry) => total + (costOf(entry) ?? 0), 0));
		const made = this.book.made(dryRun);
		const probably =
			probableCost === undefined
				? ''
				: `, and this purchase probably costs ${formatNumber(probableCost)}`;
		if (maxCost !== undefined) {
			const budget = `'${maxCostField.displayName}' is ${formatNumber(maxCost)}`;
			if (made.some((entry) => !entry.isDry && costOf(entry) === undefined)) {
				throw new LimitReachedError(
					`${budget}, and the balance doesn't show what an earlier purchase of this execution cost`,
					`Fill in '${expectedCostField.displayName}' in 'Options': such a purchase then counts with that.`,
				);
			}
			const spent = sum(made);
			if (spent >= maxCost || spent + (probableCost ?? 0) > maxCost) {
				throw new LimitReachedError(
					`${budget}, this execution ${dryRun ? 'would have' : 'has'} spent ${formatNumber(spent)}${probably}`,
					"To allow more, raise the budget in 'Options'.",
				);
			}
		}
		const notShown = [...this.notShown(subject), ...made.filter(({ isDry }) => isDry)];
		const own = sum(this.book.ofThisRun());
		const { yuan = balanceNumber + own, lastRead = balanceNumber } = this.ceiling ?? {};
		const toppedUp = yuan + Math.max(0, balanceNumber - lastRead);
		this.ceiling = { yuan: toppedUp, lastRead: balanceNumber };
		const left = roundYuan(Math.min(balanceNumber - sum(notShown), toppedUp - own));
		const isTooLow = left - (probableCost ?? 0) < minimumBalance;
		if (isTooLow && (minimumBalance > 0 || dryRun)) {
			const after = balanceNumber === left ? '' : `, ${formatNumber(left)} after earlier purchases`;
			const isToBeKept = minimumBalance > 0;
			const keep = `; '${minimumBalanceField.displayName}' is ${formatNumber(minimumBalance)}`;
			throw new LimitReachedError(
				`The account has ${balance} yuan${after}${probably}${isToBeKept ? keep : ''}`,
				`Top up the account in the Kuaidaili member center${isToBeKept ? ', or lower the balance to keep' : ''}.`,
			);
		}
		if (money.hasLimit && probableCost === undefined && dryRun) this.mayGoOver = FIRST_MAY_GO_OVER;
	}

	/** Purchases of the account that its balance may not have shown at a moment. */
	private notShown(subject: PurchaseKey, moment = Date.now()): LedgerEntry[] {
		const isLate = ({ at, cost, state }: LedgerEntry) => {
			if (state === 'paid' && cost !== undefined) return false;
			return moment - at < (state === 'paid' ? SHOWS_WITHIN_MS : LATE_MS);
		};
		return this.book
			.others({ ...subject, isDry: false })
			.filter((entry) => entry.account === subject.account && isLate(entry));
	}

	/** What a purchase, or another one before it, probably costs in yuan; undefined where nothing tells it. */
	probableCost(
		subject: PurchaseKey,
		{ costKey, expectedCost }: PurchaseKey = subject,
	): number | undefined {
		const alike = this.book.others(subject).filter((entry) => entry.costKey === costKey);
		const costs = [...alike.map(({ cost }) => cost), expectedCost].filter(
			(cost) => cost !== undefined,
		);
		return costs.length === 0 ? undefined : Math.max(...costs);
	}

	/** A balance that the purchase can do without. */
	private async tryToRead({ caller, money }: PlannedPurchase): Promise<BalanceReading | undefined> {
		if (this.failures >= MOST_FAILURES) return undefined;
		const ends = [AbortSignal.timeout(PATIENCE_MS), caller.signal];
		const signal = AbortSignal.any(ends.filter((end) => end !== undefined));
		return await readBalance({ ...caller, signal }).catch((error: unknown) => {
			this.failures += 1;
			const isKnown = error instanceof CallError && !(error instanceof CancelledError);
			const why = isKnown ? error.describe().message : 'The response took too long';
			if (money.reportsCost)
				this.reasonsForNoCost.add(`the account balance could not be read: ${why}`);
			return undefined;
		});
	}
}

function overBudget(spent: number, budget: number): string {
	return `This execution has spent ${formatNumber(spent)} yuan, more than '${maxCostField.displayName}' (${formatNumber(budget)}). Kuaidaili's API tells no prices: to keep to a budget, enter that of the most expensive order as '${expectedCostField.displayName}' in 'Options'.`;
}

const FIRST_MAY_GO_OVER = `What this kind of order costs isn't known here yet, so the first purchase may go over your limits. To prevent that, fill in '${expectedCostField.displayName}' in 'Options'.`;

/* Why a cost is not told: each continues "because" */

const SHOWS_OTHERS = 'the balance may also show another purchase, made at nearly the same time';
const NOT_LOWER =
	"the balance was not lower afterwards: it doesn't show the purchase yet, or the account was topped up";
