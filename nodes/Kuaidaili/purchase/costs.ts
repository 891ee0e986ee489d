import { KeyedMutex, loggedWait, wait } from '../../shared/concurrency/wait';
import { CallError, CancelledError } from '../../shared/errors/callErrors';
import { accountBalance, type AccountBalance } from '../../shared/queries/account';
import type { NodeCaller } from '../../shared/transport/caller';
import { runQuery } from '../../shared/transport/callService';
import { describeFailure } from '../../shared/transport/describeFailure';
import type { BookEntry, BookSubject, PurchaseBook } from './book';
import type { MoneyOptions, Purchase } from './contract';
import {
	costBeyondBudget,
	costUnknown,
	firstMayGoOver,
	tooLowBalance,
	type ProbableCost,
} from './words';

/** How long the balance may take to show what was paid. */
const SHOWS_WITHIN_MS = 10_000;
const NEXT_LOOK_MS = 2000;

/** How old a balance may be that is taken for the one before a purchase. */
const USABLE_MS = 10_000;

/** How long a purchase waits for a balance that is only reported. */
const PATIENCE_MS = 5000;

/** After so many balances that could not be read, a run asks for none that is only reported. */
const MOST_FAILURES = 3;

/** Purchases of an account that read its balance are made one after the other, in whichever execution. */
const accountMutex = new KeyedMutex();

interface Reading extends AccountBalance {
	/** Milliseconds since 1970. */
	readonly at: number;
}

/** By account: what was read after its last purchase. */
const lastReadings = new Map<string, Reading>();

/** A purchase that is about to be made. */
export interface CostedPurchase {
	readonly subject: BookSubject;
	/** Holds the key pair of the credential. */
	readonly caller: NodeCaller;
	readonly purchase: Pick<Purchase, 'endpoint'>;
	readonly money: MoneyOptions;
}

/** What is known about the money before a purchase. */
export interface BalanceBefore {
	/** Undefined where it is not read, or can't be. */
	readonly reading: Reading | undefined;
	readonly probableCost: number | undefined;
}

function hasLimit({ minimumBalance, maxCost }: MoneyOptions): boolean {
	return minimumBalance > 0 || maxCost !== undefined;
}

/** Without the noise of floating-point numbers. */
function roundYuan(yuan: number): number {
	return Number(yuan.toFixed(4));
}

/**
 * What the purchases of a run cost, by the balance of the account right before and after each. Limits add what a
 * purchase will probably cost: the highest of what its kind has cost here lately, and of what the user expects.
 */
export class RunCosts {
	private readonly reports: Array<Promise<unknown>> = [];
	/** Each continues "because". */
	private readonly reasonsForNoCost = new Set<string>();
	private mayGoOver = false;
	/** What the run could spend by the balances that it read: a top-up raises it, and a late balance hides nothing. */
	private ceiling: { readonly yuan: number; readonly lastRead: number } | undefined;
	private failures = 0;

	constructor(private readonly book: PurchaseBook) {}

	/**
	 * To be called before the balance is read.
	 *
	 * @returns what lets the next purchase of the account in
	 * @throws CancelledError
	 */
	async enter({ caller, purchase, money }: CostedPurchase): Promise<() => void> {
		if (!hasLimit(money) && !money.reportsCost) return () => {};
		const turn = accountMutex.lock(caller.credential.secretId, caller.signal);
		const { path } = purchase.endpoint;
		return await loggedWait(turn, caller, path, 'for what another purchase costs');
	}

	/**
	 * To be called right before the first request of a purchase.
	 *
	 * @throws LimitReachedError, and what `callService` throws where a limit needs the balance
	 */
	async before(costed: CostedPurchase): Promise<BalanceBefore> {
		const { caller, money, subject } = costed;
		const probableCost = this.probableCost(costed)(subject);
		if (!hasLimit(money) && !money.reportsCost) return { reading: undefined, probableCost };
		const last = lastReadings.get(caller.credential.secretId);
		const isFresh = last !== undefined && Date.now() - last.at < USABLE_MS;
		const shows = isFresh && this.unsettled(costed, last.at).length === 0;
		const read = async () => await (hasLimit(money) ? this.read(costed) : this.tryToRead(costed));
		const reading = shows ? last : await read();
		if (reading !== undefined) this.checkLimits(costed, reading, probableCost);
		return { reading, probableCost };
	}

	/**
	 * To be called after a purchase that was paid. Resolves when the next one may read the balance.
	 *
	 * @param record gets the report
	 */
	after(costed: CostedPurchase, before: BalanceBefore, record: object): Promise<void> {
		const settled = this.settle(costed, before, record);
		this.reports.push(settled);
		return settled;
	}

	/** Resolves when the reports are complete. */
	async complete(): Promise<void> {
		await Promise.all(this.reports);
	}

	get hints(): string[] {
		const reasons = [...this.reasonsForNoCost].join('; and because ');
		return [
			...(this.mayGoOver ? [firstMayGoOver] : []),
			...(reasons === ''
				? []
				: [
						`Not every purchase has its 'cost', because ${reasons}. The purchases are not affected.`,
					]),
		];
	}

	private async settle(
		costed: CostedPurchase,
		{ reading: before, probableCost }: BalanceBefore,
		record: object,
	): Promise<void> {
		const { caller, money, subject } = costed;
		if (before === undefined) return;
		const isLower = (reading: Reading | undefined) =>
			reading !== undefined && reading.balanceNumber < before.balanceNumber;
		const mustKnow = hasLimit(money) && probableCost === undefined;
		const after = await this.readAfter(costed, isLower, mustKnow);
		if (after === undefined) return;
		lastReadings.set(caller.credential.secretId, after);
		const { balanceNumber: balanceBefore } = before;
		const { balanceNumber: balanceAfter } = after;
		if (money.reportsCost) Object.assign(record, { balanceBefore, balanceAfter });
		const others = this.unsettled(costed, before.at).length > 0;
		if (isLower(after) && !others) {
			const cost = roundYuan(balanceBefore - balanceAfter);
			this.book.writeCost(subject.itemIndex, cost);
			if (money.reportsCost) Object.assign(record, { cost });
		} else if (money.reportsCost) {
			this.reasonsForNoCost.add(
				others
					? 'the balance may also show another purchase, made at nearly the same time'
					: "the balance was not lower afterwards: it doesn't show the purchase yet, or the account was topped up",
			);
		}
	}

	private async readAfter(
		costed: CostedPurchase,
		isLower: (reading: Reading | undefined) => boolean,
		mustKnow: boolean,
	): Promise<Reading | undefined> {
		const { caller, purchase } = costed;
		const until = Date.now() + SHOWS_WITHIN_MS;
		for (;;) {
			const reading = await this.tryToRead(costed);
			if (!mustKnow || isLower(reading) || Date.now() >= until) return reading;
			const waited = wait(NEXT_LOOK_MS, caller.signal).then(
				() => true,
				() => false,
			);
			const { path } = purchase.endpoint;
			if (!(await loggedWait(waited, caller, path, 'until the balance shows it'))) return reading;
		}
	}

	private checkLimits(
		costed: CostedPurchase,
		{ balance, balanceNumber }: Reading,
		probableCost: number | undefined,
	): void {
		const { money } = costed;
		const { maxCost, minimumBalance, dryRun } = money;
		const costOf = (entry: BookEntry) => entry.cost ?? this.probableCost(costed)(entry);
		const sum = (entries: readonly BookEntry[]) =>
			roundYuan(entries.reduce((total, entry) => total + (costOf(entry) ?? 0), 0));
		const made = this.book.made(dryRun);
		const probable: ProbableCost = { probableCost, isDry: dryRun };
		if (maxCost !== undefined) {
			if (made.some((entry) => !entry.isDry && costOf(entry) === undefined))
				throw costUnknown(maxCost);
			const spent = sum(made);
			if (spent >= maxCost || spent + (probableCost ?? 0) > maxCost) {
				throw costBeyondBudget(maxCost, spent, probable);
			}
		}
		const notShown = [...this.unsettled(costed), ...made.filter(({ isDry }) => isDry)];
		const own = sum(this.book.ofThisRun());
		const { yuan = balanceNumber + own, lastRead = balanceNumber } = this.ceiling ?? {};
		const toppedUp = yuan + Math.max(0, balanceNumber - lastRead);
		this.ceiling = { yuan: toppedUp, lastRead: balanceNumber };
		const left = roundYuan(Math.min(balanceNumber - sum(notShown), toppedUp - own));
		const isTooLow = left - (probableCost ?? 0) < minimumBalance;
		if (isTooLow && (minimumBalance > 0 || dryRun)) {
			throw tooLowBalance({ balance, left }, minimumBalance, probable);
		}
		if (hasLimit(money) && probableCost === undefined && dryRun) this.mayGoOver = true;
	}

	private unsettled({ caller, subject }: CostedPurchase, since = Infinity): BookEntry[] {
		return caller.credential.keyType === 'account'
			? this.book.unsettled(subject, SHOWS_WITHIN_MS, since)
			: [];
	}

	/** What a purchase of a kind will probably cost, in yuan. */
	private probableCost({ money, subject }: CostedPurchase) {
		return ({ costKey }: Pick<BookSubject, 'costKey'>): number | undefined => {
			const expected = costKey === subject.costKey ? money.expectedCost : undefined;
			const costs = [this.book.highestCost(costKey), expected].filter((cost) => cost !== undefined);
			return costs.length === 0 ? undefined : Math.max(...costs);
		};
	}

	private async read(
		{ caller }: CostedPurchase,
		signal: AbortSignal | undefined = caller.signal,
	): Promise<Reading> {
		const balance = await runQuery({ ...caller, signal }, accountBalance);
		return { ...balance, at: Date.now() };
	}

	/** A balance that the purchase can do without. */
	private async tryToRead(costed: CostedPurchase): Promise<Reading | undefined> {
		if (this.failures >= MOST_FAILURES) return undefined;
		const { caller, money } = costed;
		const patience = AbortSignal.timeout(PATIENCE_MS);
		const ends =
			caller.signal === undefined ? patience : AbortSignal.any([patience, caller.signal]);
		try {
			return await this.read(costed, ends);
		} catch (error) {
			this.failures += 1;
			if (!money.reportsCost) return undefined;
			const isKnown = error instanceof CallError && !(error instanceof CancelledError);
			const why = isKnown ? describeFailure(error).message : 'The response took too long';
			this.reasonsForNoCost.add(`the account balance could not be read: ${why}`);
			return undefined;
		}
	}
}
