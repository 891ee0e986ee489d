import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { KeyedMutex } from '../../shared/concurrency/keyedMutex';
import { loggedWait, wait } from '../../shared/concurrency/wait';
import { CallError, CancelledError } from '../../shared/errors/callErrors';
import { fingerprintOf } from '../../shared/fingerprint';
import { isDataObject, ownValue } from '../../shared/guards';
import { accountBalance, type AccountBalance } from '../../shared/queries/account';
import { describeFailure } from '../../shared/transport/describeFailure';
import { runQuery } from '../../shared/transport/callService';
import type { PlannedPurchase, RememberedPurchase } from './contract';
import { refusalOfUnknownCost, refuseAboveMaxCost, refuseBelowMinimum } from './options';
import { openPurchases } from './processMemory';

/** How old a balance may be that is taken for the one before a purchase. */
const USABLE_MS = 10_000;

/** How long a purchase waits for a balance that is only reported. */
const PATIENCE_MS = 5000;

/** After so many balances that could not be read, a run asks for none that is only reported. */
const MOST_FAILURES = 3;

/** How long the balance may take to show what was paid. */
const SHOWS_WITHIN_MS = 2000;

/** A balance that is not lower even later is taken for right: somebody has topped up the account. */
const LATE_MS = 600_000;

/** For accounts with a limit: each purchase has to see what the one before has cost, in whichever execution. */
const limitedMutex = new KeyedMutex();

/** What an account had, and how many purchases it may have paid by then. */
interface Reading extends AccountBalance {
	/** When it was asked for, by the clock of `openPurchases`. */
	readonly at: number;
	/** How many purchases had been begun when it was asked for. */
	readonly begunBefore: number;
	/** The same when the answer had arrived. */
	readonly begunAfter: number;
	/** Why a later balance may be lower by more than the purchases begun in between; one of the reasons below. */
	readonly doubt: string | undefined;
}

/** One account in a run. */
interface AccountState {
	/** The balance that was asked for last; undefined where it could not be read. */
	asked?: Promise<Reading | undefined>;
	/** The balance right before the purchase that is being made. */
	before?: Reading;
}

/** Purchases of an account whose cost is not counted yet. */
interface Uncounted {
	/** Before them. */
	readonly balance: number;
	/** When the last one was made, in milliseconds since 1970; undefined where none certainly was. */
	readonly paidAt?: number;
}

function hasLimit({ minimumBalance, maxCost }: PlannedPurchase): boolean {
	return minimumBalance > 0 || maxCost !== undefined;
}

function needsBalance(planned: PlannedPurchase): boolean {
	return hasLimit(planned) || planned.reportsCost;
}

/** Whether a balance is no longer the one before the next purchase. */
function isOld({ at, begunAfter }: Reading, { caller }: PlannedPurchase): boolean {
	const { secretId } = caller.credential;
	return openPurchases.now() - at > USABLE_MS || openPurchases.countBegun(secretId) > begunAfter;
}

/** n8n saves it with the execution, so it is not the id of the key itself. */
function accountId({ caller }: PlannedPurchase): string {
	return fingerprintOf(caller.credential.secretId);
}

/** Without the noise of floating-point numbers. */
function roundYuan(yuan: number): number {
	return Number(yuan.toFixed(4));
}

const NOT_LOWER =
	'the account balance was not lower afterwards: it was out of date, such as from a cache, or the account was topped up';

const OTHERS_CHARGED =
	'the account balance may also show another purchase of this n8n, one that was made at the same time or is unclear';

/** Why the difference of two balances is not what the purchase between them cost; undefined where it is. */
function whyNoCost(before: Reading, after: Reading): string | undefined {
	if (before.balanceNumber <= after.balanceNumber) return NOT_LOWER;
	const isAlone = after.begunAfter === before.begunBefore + 1;
	return before.doubt ?? (isAlone ? undefined : OTHERS_CHARGED);
}

/** The output of a purchase for an item that did not pay it. */
export function withoutReport(record: IDataObject): IDataObject {
	const isReported = (name: string) => ['balanceBefore', 'balanceAfter', 'cost'].includes(name);
	return Object.fromEntries(Object.entries(record).filter(([name]) => !isReported(name)));
}

/** What the execution has spent, in yuan. */
const SPENT = 'spent';
/** By account. */
const UNCOUNTED = 'uncountedPurchases';
/** Whether the account was topped up during an unclear purchase of the execution. */
const HAS_UNKNOWN_COST = 'hasUnknownCost';

/**
 * What the purchases of a run cost, by the balance of the account: it is read before the first purchase and
 * after each one, while the run goes on.
 */
export class RunCosts {
	/** Each continues "because". */
	private readonly reasonsForNoCost = new Set<string>();
	private readonly accounts = new Map<string, AccountState>();
	/** Lives as long as the execution, so that loops, agents, and 'Retry On Fail' don't get around the limit. */
	private readonly nodeData: IDataObject;
	private failures = 0;

	constructor(context: IExecuteFunctions) {
		this.nodeData = context.getContext('node');
	}

	/**
	 * To be called before the requests of a purchase.
	 *
	 * @returns what to call after `after`
	 * @throws CancelledError
	 */
	async enter(planned: PlannedPurchase): Promise<() => void> {
		if (!hasLimit(planned)) return () => {};
		const { caller, purchase } = planned;
		const turn = limitedMutex.lock(caller.credential.secretId, caller.signal);
		const { path } = purchase.endpoint;
		return await loggedWait(turn, caller, path, 'for what another purchase costs');
	}

	/**
	 * To be called right before the first request of a purchase.
	 *
	 * @throws DescribedError where a limit forbids it, and what `callService` throws where a limit needs the
	 * balance and it can't be read
	 */
	async before(planned: PlannedPurchase): Promise<void> {
		const { minimumBalance, maxCost } = planned;
		if (!needsBalance(planned)) return;
		const account = this.accountOf(planned);
		const asked = await account.asked;
		const last = asked === undefined || isOld(asked, planned) ? undefined : asked;
		account.before = hasLimit(planned)
			? await this.readForLimit(planned, last)
			: (last ?? (await this.tryToRead(planned)));
		if (maxCost !== undefined) {
			refuseAboveMaxCost(this.spent, maxCost);
			if (this.nodeData[HAS_UNKNOWN_COST] === true) throw refusalOfUnknownCost(maxCost);
		}
		if (hasLimit(planned) && this.hidesCost(planned)) throw refusalOfUnknownCost(maxCost);
		if (account.before !== undefined) refuseBelowMinimum(account.before, minimumBalance);
	}

	/**
	 * To be called after the last request of a purchase. Does not wait for the balance unless the next purchase
	 * depends on it, and never rejects.
	 *
	 * @param outcome undefined where nothing was bought
	 */
	async after(planned: PlannedPurchase, outcome: RememberedPurchase | undefined): Promise<void> {
		const { maxCost, reportsCost } = planned;
		if (outcome === undefined || !needsBalance(planned)) return;
		const account = this.accountOf(planned);
		const { before } = account;
		const paidAt = outcome.state === 'paid' ? Date.now() : undefined;
		if (before !== undefined) this.addUncounted(planned, before, paidAt);
		if (maxCost === undefined && !reportsCost) return;
		account.asked = this.tryToRead(planned).then((after) => {
			if (after === undefined) return undefined;
			// It may still be charged
			if (outcome.state !== 'paid') this.addUncounted(planned, after);
			if (outcome.state !== 'paid' || before === undefined) return after;
			if (reportsCost) this.report(outcome.record, before, after);
			return after.balanceNumber < before.balanceNumber ? after : { ...after, doubt: NOT_LOWER };
		});
		if (maxCost !== undefined) await account.asked;
	}

	/** Resolves when the reports are complete. */
	async settle(): Promise<void> {
		await Promise.all([...this.accounts.values()].map(async ({ asked }) => await asked));
	}

	/** What the report lacks, for the user. */
	get hint(): string | undefined {
		if (this.reasonsForNoCost.size === 0) return undefined;
		const reasons = [...this.reasonsForNoCost].join('; and because ');
		return `Not every purchase has its 'cost', because ${reasons}. The purchases themselves are not affected.`;
	}

	private report(record: IDataObject, before: Reading, after: Reading): void {
		const { balanceNumber: balanceBefore } = before;
		const { balanceNumber: balanceAfter } = after;
		Object.assign(record, { balanceBefore, balanceAfter });
		const reason = whyNoCost(before, after);
		if (reason === undefined) record.cost = roundYuan(balanceBefore - balanceAfter);
		else this.reasonsForNoCost.add(reason);
	}

	/** What the execution has spent so far, in yuan. */
	private get spent(): number {
		return Number(this.nodeData[SPENT] ?? 0);
	}

	private accountOf({ caller }: PlannedPurchase): AccountState {
		const { secretId } = caller.credential;
		const account = this.accounts.get(secretId) ?? {};
		this.accounts.set(secretId, account);
		return account;
	}

	private async read(planned: PlannedPurchase, signal = planned.caller.signal): Promise<Reading> {
		const { caller } = planned;
		const { secretId } = caller.credential;
		const at = openPurchases.now();
		const begunBefore = openPurchases.countBegun(secretId);
		const doubt = openPurchases.mayBeCharged(secretId) ? OTHERS_CHARGED : undefined;
		const balance = await runQuery({ ...caller, signal }, accountBalance);
		const begunAfter = openPurchases.countBegun(secretId);
		const reading = { ...balance, at, begunBefore, begunAfter, doubt };
		this.count(planned, reading);
		return reading;
	}

	/**
	 * A balance that shows what the purchases before have cost, if there is one. Looks once more where it does
	 * not yet.
	 *
	 * @param last a balance that is not old
	 */
	private async readForLimit(
		planned: PlannedPurchase,
		last: Reading | undefined,
	): Promise<Reading> {
		const reading = last ?? (await this.read(planned));
		if (!this.hidesCost(planned)) return reading;
		const { caller, purchase } = planned;
		const waited = wait(SHOWS_WITHIN_MS, caller.signal);
		await loggedWait(
			waited,
			caller,
			purchase.endpoint.path,
			'until the balance shows what was paid',
		);
		return await this.read(planned);
	}

	/** Whether a purchase was paid, and the balances that were read since then are not lower. */
	private hidesCost(planned: PlannedPurchase): boolean {
		const paidAt = this.uncountedOf(planned)?.paidAt;
		if (paidAt === undefined) return false;
		return planned.maxCost !== undefined || Date.now() - paidAt < LATE_MS;
	}

	/**
	 * What was spent is counted here, so that a purchase counts even if the balance after it can't be read: with
	 * the next balance then, also in a later run of the execution.
	 */
	private count(planned: PlannedPurchase, { balanceNumber }: AccountBalance): void {
		const uncounted = this.uncountedOf(planned);
		if (uncounted === undefined) return;
		const { balance, paidAt } = uncounted;
		if (paidAt !== undefined && balance <= balanceNumber) return;
		if (balance < balanceNumber) this.nodeData[HAS_UNKNOWN_COST] = true;
		this.nodeData[SPENT] = roundYuan(this.spent + Math.max(0, balance - balanceNumber));
		delete this.allUncounted[accountId(planned)];
	}

	private addUncounted(
		planned: PlannedPurchase,
		{ balanceNumber }: Reading,
		paidAt?: number,
	): void {
		const earlier = this.uncountedOf(planned);
		const balance = earlier?.balance ?? balanceNumber;
		const latest = paidAt ?? earlier?.paidAt;
		const since = latest === undefined ? {} : { paidAt: latest };
		this.allUncounted[accountId(planned)] = { balance, ...since };
	}

	private uncountedOf(planned: PlannedPurchase): Uncounted | undefined {
		const known = this.allUncounted[accountId(planned)];
		const balance = ownValue(known, 'balance');
		const paidAt = ownValue(known, 'paidAt');
		if (typeof balance !== 'number') return undefined;
		return typeof paidAt === 'number' ? { balance, paidAt } : { balance };
	}

	private get allUncounted(): IDataObject {
		const known = this.nodeData[UNCOUNTED];
		if (isDataObject(known)) return known;
		const none: IDataObject = {};
		this.nodeData[UNCOUNTED] = none;
		return none;
	}

	/** The same for a balance that the purchase can do without. */
	private async tryToRead(planned: PlannedPurchase): Promise<Reading | undefined> {
		if (this.failures >= MOST_FAILURES) return undefined;
		const { signal } = planned.caller;
		const patience = AbortSignal.timeout(PATIENCE_MS);
		const ends = signal === undefined ? patience : AbortSignal.any([patience, signal]);
		try {
			return await this.read(planned, ends);
		} catch (error) {
			this.failures += 1;
			if (!planned.reportsCost) return undefined;
			const isKnown = error instanceof CallError && !(error instanceof CancelledError);
			const why = isKnown ? describeFailure(error).message : 'The response took too long';
			this.reasonsForNoCost.add(`the account balance could not be read: ${why}`);
			return undefined;
		}
	}
}
