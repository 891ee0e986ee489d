import { fingerprintOf } from '../../shared/api/sign';
import type { SharedSignature } from './signature';
import { HOUR_MS, type EpochMs } from '../../shared/service/chinaTime';
import type { NodeRecords } from '../run/nodeRecords';
import { durationInWords } from '../../shared/wording';
import { RECENT_MS } from './types';

/** Names of a purchase in n8n's records of the node. Whoever finds one of them does not send it on a guess. */
export interface PurchaseNames {
	/** The item in the first execution of the chain of retries; for a renewal, the order takes the item's place. */
	readonly item: string;
	/** The order and its present end, from which it is renewed once; undefined where nothing ends. */
	readonly end?: string;
	/** The goods, held for ten minutes, and the same once more where somebody buys by hand; none with a condition. */
	readonly goods: readonly string[];
	/** The one of those for which other executions count; undefined where none does. */
	readonly askedGoods?: string;
	/** Only holds that began in a later slot than this count; undefined for all. */
	readonly askedSince?: EpochMs;
	/** The user's own key, and the same with the goods that were bought for it; undefined without one. */
	readonly once?: { readonly key: string; readonly goods: string };
	/** Whether the purchase itself recorded its key before, and was sent in vain. */
	readonly isOnceOwn?: boolean;
	/** An order, or a kind of order with a condition, which only one worker may be at work on. */
	readonly work?: string;
}

/**
 * The answer of n8n's records when a purchase was recorded: nobody had done it (`free`), its item was sent (`sent`), its
 * goods were bought (`bought`), its key was used (`keyUsed`), or used for other goods (`keyOfOthers`), another worker is
 * at work (`atWork`), the order was paid from this end (`renewed`), or another worker has sent a request with this
 * signature (`signed`).
 */
export interface Claim {
	readonly kind:
		| 'free'
		| 'sent'
		| 'bought'
		| 'keyUsed'
		| 'keyOfOthers'
		| 'atWork'
		| 'renewed'
		| 'signed';
	/** When the hold of another worker ends. */
	readonly until?: EpochMs;
	/** Takes back what nobody had recorded before, but for the signature of a request that was sent. Never rejects. */
	readonly takeBack: (wasSent: boolean) => Promise<void>;
}

/** The answer of n8n's records to what an item or a key has brought, and which of some orders they know. */
interface RecordedResult {
	/** Whether something was paid for a key. */
	readonly isPaid: boolean;
	/** The one of the orders that was paid for it; undefined where none was. */
	readonly orderid: string | undefined;
	/** The orders that none of the node's purchases has brought. */
	readonly unclaimed: readonly string[];
}

const DIGITS = [...'0123456789abcdef'];

/** So short a name can be read back, digit by digit. */
export function executionName(executionId: string): string {
	return fingerprintOf(executionId).slice(0, DIGITS.length);
}

function digitOf(execution: string, place: number, digit: string): string {
	return `first of ${execution} [${place}] ${digit}`;
}

/** Records don't tell when they were made, so the time is part of the text of a hold. Divides RECENT_MS, or holds would end too soon. */
const SLOT_MS = 120_000;

/** For so long, or up to a slot less, a purchase is held. */
export const HOLD_MS = RECENT_MS + SLOT_MS;

export const HOLD_IN_WORDS = durationInWords(HOLD_MS);

/** The texts of the slot of a moment and of those before it. */
function slotTexts(name: string, slotMs: number, count: number, now: EpochMs): string[] {
	const slot = Math.floor(now / slotMs);
	return Array.from({ length: count }, (_, back) => `${name} in slot ${slot - back}`);
}

/** The texts of a hold that begins now, and of those that began before: the same write answers whether there are some. */
function holdTexts(name: string, now: EpochMs = Date.now()): string[] {
	return slotTexts(name, SLOT_MS, HOLD_MS / SLOT_MS, now);
}

/**
 * When the newest hold of a name ends; undefined where there is none.
 *
 * @param since only holds count that began in a later slot
 */
function heldUntil(
	name: string | undefined,
	known: ReadonlySet<string>,
	now: EpochMs,
	since: EpochMs = 0,
): EpochMs | undefined {
	const back = name === undefined ? -1 : holdTexts(name, now).findIndex((text) => known.has(text));
	const slot = Math.floor(now / SLOT_MS) - back;
	const isOver = back < 0 || slot <= Math.floor(since / SLOT_MS);
	return isOver ? undefined : slot * SLOT_MS + HOLD_MS;
}

/** For so long, the same item counts for the retry of an execution of which nothing is left. */
export const ANY_ITEM_MS = 12 * HOUR_MS;

/** The item of any execution, in the present quarter of a day and in the one before. */
function anyItemTexts(item: string, now: EpochMs = Date.now()): string[] {
	return slotTexts(`any${item.slice(item.indexOf('/'))}`, ANY_ITEM_MS / 2, 2, now);
}

/** Recorded when it is sent, and never asked for, so that no question, which is a record for an instant, looks like it. */
function sending(item: string): string {
	return `sending ${item}`;
}

function paid(name: string, orderid: unknown = ''): string {
	return `${name} paid ${String(orderid)}`;
}

function signed({ seed, signedAt }: Pick<SharedSignature, 'seed' | 'signedAt'>): string {
	return `signed ${seed} at ${signedAt}`;
}

/** The name of a new order, as the result of one purchase. */
export function newOrderName(orderid: unknown): string {
	return `order ${String(orderid)}`;
}

/** The texts of all holds of a purchase. */
function heldBy({ goods, work }: PurchaseNames, now: EpochMs): string[] {
	return [...goods, ...(work === undefined ? [] : [work])].flatMap((name) => holdTexts(name, now));
}

/** Every text that is recorded before a purchase is sent. */
function claimedTexts(names: PurchaseNames, now: EpochMs): string[] {
	const { end, item, once } = names;
	const [lately] = anyItemTexts(item, now);
	const others = [end, once?.key, once?.goods].filter((name) => name !== undefined);
	return [item, sending(item), lately, ...others, ...heldBy(names, now)];
}

/**
 * Purchases in n8n's deduplication records of the node, which all workers share, and which outlive them. They answer
 * only whether a text was recorded.
 */
export class PurchaseRecords {
	constructor(private readonly records: NodeRecords) {}

	/**
	 * n8n records a question for an instant, and for good where a worker is killed meanwhile, so a marker beside it
	 * tells whether it was one.
	 *
	 * @returns the recorded ones; undefined where n8n has no records
	 */
	private async recordedAmong(texts: readonly string[]): Promise<ReadonlySet<string> | undefined> {
		const marker = (text: string) => `${text}?`;
		const known = await this.records.known(texts.flatMap((text) => [text, marker(text)]));
		return known && new Set(texts.filter((text) => known.has(text) && !known.has(marker(text))));
	}

	/* The chain of retries */

	/**
	 * @param first name of the first execution of the chain that a retry belongs to
	 * @returns whether n8n could record it
	 */
	async noteFirst(retry: string, first: string): Promise<boolean> {
		const digits = [...first].map((digit, place) => digitOf(retry, place, digit));
		return (await this.records.record(digits)) !== undefined;
	}

	/** Empty where the execution has noted none; undefined where n8n's records can't be read. */
	async firstOf(execution: string): Promise<string | undefined> {
		const textsAt = (place: number) => DIGITS.map((digit) => digitOf(execution, place, digit));
		const places = DIGITS.map((_, place) => textsAt(place));
		const known = await this.recordedAmong(places.flat());
		if (known === undefined) return undefined;
		const digits = places.map((texts) => DIGITS.filter((_, n) => known.has(texts[n])));
		return digits.every(({ length }) => length === 1) ? digits.flat().join('') : '';
	}

	/** @returns those of the items that were sent; undefined where n8n has no records */
	async sentAmong(items: readonly string[]): Promise<ReadonlySet<string> | undefined> {
		return await this.recordedAmong(items);
	}

	/** @returns whether any execution has sent one of the items lately; undefined where n8n has no records */
	async isAnySent(items: readonly string[]): Promise<boolean | undefined> {
		const recorded = await this.recordedAmong(items.flatMap((item) => anyItemTexts(item)));
		return recorded && recorded.size > 0;
	}

	/* Purchases */

	/**
	 * Records right before it is sent that it is; to be taken back unless it stays free.
	 *
	 * @param signature of the request; undefined where no other worker can have the same
	 * @returns undefined where n8n has no records
	 */
	async claim(
		names: PurchaseNames,
		signature: Pick<SharedSignature, 'seed' | 'signedAt'> | undefined,
	): Promise<Claim | undefined> {
		const now = Date.now();
		const ofSignature = signature === undefined ? [] : [signed(signature)];
		const texts = [...claimedTexts(names, now), ...ofSignature];
		const known = await this.records.record(texts);
		if (known === undefined) return undefined;
		const added = texts.filter((text) => !known.has(text));
		const takeBack = async (wasSent: boolean) =>
			await this.records.forget(added.filter((text) => !wasSent || !ofSignature.includes(text)));
		const other = await this.otherOf(names, known, now);
		if (other !== undefined) return { ...other, takeBack };
		// Kuaidaili would take it for a duplicate, whatever became of the other one
		const isSigned = ofSignature.some((text) => known.has(text));
		return { kind: isSigned ? 'signed' : 'free', takeBack };
	}

	/**
	 * @param known those texts of the names that were recorded before
	 * @returns the purchase that it has to be left to, by the first of its names that says so; undefined where there is none
	 */
	private async otherOf(
		names: PurchaseNames,
		known: ReadonlySet<string>,
		now: EpochMs,
	): Promise<Pick<Claim, 'kind' | 'until'> | undefined> {
		const { askedGoods, askedSince, end, isOnceOwn, item, once, work } = names;
		// Sent from this end before, maybe in vain
		const isRepeatedEnd = end !== undefined && known.has(end);
		const renewed = isRepeatedEnd ? await this.recordedAmong([paid(end)]) : new Set<string>();
		if (renewed !== undefined && renewed.size > 0) return { kind: 'renewed' };
		if (known.has(sending(item))) return { kind: 'sent' };
		if (once !== undefined && isOnceOwn !== true && known.has(once.key)) {
			return { kind: known.has(once.goods) ? 'keyUsed' : 'keyOfOthers' };
		}
		const asked = await this.holdsOfGoods(names, known, now);
		const bought = heldUntil(askedGoods, asked ?? known, now, askedSince);
		if (bought !== undefined) return { kind: 'bought', until: bought };
		const until = heldUntil(work, known, now);
		// Somebody has sent the same, and n8n can't say any more what became of it
		const isUnreadable = renewed === undefined || asked === undefined;
		return until !== undefined || isUnreadable ? { kind: 'atWork', until } : undefined;
	}

	/**
	 * A retry asks for goods that were bought by hand, and does not record them itself. It asks only where somebody holds
	 * the goods at all: a question may undo what another worker records at the same moment.
	 *
	 * @returns texts with those of the holds that count; undefined where n8n can't say
	 */
	private async holdsOfGoods(
		{ askedGoods, goods }: PurchaseNames,
		known: ReadonlySet<string>,
		now: EpochMs,
	): Promise<ReadonlySet<string> | undefined> {
		if (askedGoods === undefined || goods.includes(askedGoods)) return known;
		const isHeld = goods.some((name) => heldUntil(name, known, now) !== undefined);
		return isHeld ? await this.recordedAmong(holdTexts(askedGoods, now)) : known;
	}

	/**
	 * Ends the holds of a purchase that has changed nothing.
	 *
	 * @param sentAt when; the holds of others began later
	 */
	async release(names: PurchaseNames, sentAt: EpochMs): Promise<void> {
		await this.records.forget(heldBy(names, sentAt));
	}

	/** @param result see `takeResult` */
	async notePaid(
		names: PurchaseNames,
		orderid: string | undefined,
		result: string | undefined,
	): Promise<void> {
		const { item, once, work } = names;
		const results = result === undefined ? [] : [paid(result)];
		if (once !== undefined) results.push(paid(once.key), paid(once.key, orderid));
		// All once more, because n8n may have lost them to another worker's change at the same moment
		const texts = claimedTexts({ ...names, work: undefined }, Date.now());
		await this.records.record([...texts, paid(item, orderid), ...results]);
		if (work !== undefined) await this.records.forget(holdTexts(work));
	}

	/** @param name an item or a key */
	async find(name: string, orders: readonly string[]): Promise<RecordedResult> {
		const isBrought = (orderid: string) => paid(newOrderName(orderid));
		const texts = orders.flatMap((orderid) => [paid(name, orderid), isBrought(orderid)]);
		texts.push(paid(name));
		const recorded = (await this.recordedAmong(texts)) ?? new Set<string>();
		return {
			isPaid: recorded.has(paid(name)),
			orderid: orders.find((orderid) => recorded.has(paid(name, orderid))),
			unclaimed: orders.filter((orderid) => !recorded.has(isBrought(orderid))),
		};
	}

	/**
	 * @param result names what only one purchase can have brought: a new order, or the renewal from an end
	 * @returns whether no other purchase has taken it
	 */
	async takeResult(result: string): Promise<boolean> {
		return (await this.records.record([paid(result)]))?.has(paid(result)) !== true;
	}
}
