import type { IExecuteFunctions } from 'n8n-workflow';

import { wait } from '../../shared/api/wait';
import { fingerprintOf } from '../../shared/fingerprint';
import { NodeRecords } from '../run/nodeRecords';
import { LATE_MS } from './types';

/** About 13 texts a renewal, and 27 a new order, so this is enough for hundreds of them. */
const MOST_RECORDS = 10_000;

/** Digits of what can be read back, and the mark behind the last one. */
const DIGITS = '0123456789abcdef';
const END_MARK = '.';
const MOST_DIGITS = 20;

const ASK_RECORDS_AGAIN_MS = 2000;

/** A question to n8n's records takes less than this, and undoes what is recorded meanwhile. */
const QUESTION_MS = 100;

/** The pause until a text is recorded again, which n8n may have lost, and the most recordings of it. */
const RECORD_AGAIN_MS = 300;
const MOST_RECORDINGS = 4;

/** Names under which a purchase is recorded before it is sent. */
export interface SendingNames {
	/** Identifies the purchase: the first execution of the chain of retries, the run, and the item or order. */
	readonly id: string;
	/** Fingerprint of the snapshot that it is bought from; undefined where that could not be read. */
	readonly before: string | undefined;
	/** A prepaid order with its present end, which never comes again; undefined for other purchases. */
	readonly end: string | undefined;
	/** The purchased parameters with their input item, or the order to renew. */
	readonly item: string;
	/** Whether somebody started the execution by hand. */
	readonly isByHand: boolean;
	/** The purchased parameters for any item. */
	readonly goods: string;
	/** The slot of time in which it is sent. */
	readonly slot: number;
	/** Equal for what other processes sign alike; undefined where they don't. */
	readonly signed: string | undefined;
}

/** Records can't be asked when they were made, so a slot of time is part of a text. */
const SLOT_MS = 20_000;

export function slotOfNow(): number {
	return Math.floor(Date.now() / SLOT_MS);
}

/** How far another run, in whichever process, has come with the same end of an order. */
export type EndUse = 'free' | 'atWork' | 'renewed';

/** The records of the last ten minutes about a purchase that somebody asks for by hand. */
export type EarlierSending =
	| { readonly kind: 'none' }
	/** Sent for the same item in that slot of time. */
	| { readonly kind: 'sameItem'; readonly slot: number }
	| { readonly kind: 'otherItem' };

/** So short a name of an execution can be read back digit by digit. */
export function executionName(executionId: string): string {
	return fingerprintOf(executionId).slice(0, MOST_DIGITS - 4);
}

function during(name: string, slot: number): string {
	return `${name} in slot ${slot}`;
}

/** The present slot and those before it, as long as a purchase may show late. */
function lateSlots(): number[] {
	const now = slotOfNow();
	return Array.from({ length: LATE_MS / SLOT_MS }, (_, back) => now - back);
}

/**
 * Purchases in n8n's deduplication records of the node, which all workers share and which outlive a process. They
 * answer only whether a text was recorded, so a number is recorded as a text for each digit.
 */
export class DurableRecords {
	private readonly records: NodeRecords;
	/** Recordings that are still repeated. None rejects. */
	private readonly recording = new Set<Promise<void>>();

	constructor(context: IExecuteFunctions) {
		this.records = new NodeRecords(context, 'purchase:', MOST_RECORDS);
	}

	/**
	 * n8n loses what one worker records to a question that another one asks at the same moment (3 % of 320 pairs of
	 * clicks: tried), so it is recorded again. Resolves when it is recorded for the first time.
	 *
	 * @returns those that were there before; undefined where the records can't be read
	 */
	private async recordSurely(texts: readonly string[]): Promise<ReadonlySet<string> | undefined> {
		const before = await this.records.record(texts);
		if (before === undefined) return undefined;
		const again = this.recordAgain(texts);
		this.recording.add(again);
		void again.then(() => this.recording.delete(again));
		return before;
	}

	private async recordAgain(texts: readonly string[]): Promise<void> {
		for (let count = 1; count < MOST_RECORDINGS; count++) {
			await wait(RECORD_AGAIN_MS * (1 + Math.random()), undefined);
			const kept = await this.records.record(texts);
			if (kept === undefined || kept.size === texts.length) return;
		}
	}

	/** Resolves when all is recorded for good: the process may end with the execution. Never rejects. */
	async settled(): Promise<void> {
		await Promise.all(this.recording);
	}

	/* The chain of retries */

	/**
	 * @param execution the one that a retry was started from, by its name
	 * @returns the name of the first one of its chain; empty where it has left none, undefined where the records can't
	 * be read
	 */
	async firstExecution(execution: string): Promise<string | undefined> {
		return await this.readDigits(`first of ${execution}`);
	}

	/** To be called before anything else of a retry: if it is killed, the way back has to be there. */
	async noteFirstExecution(execution: string, first: string): Promise<boolean> {
		return (await this.records.record(digitTexts(`first of ${execution}`, first))) !== undefined;
	}

	/* Sending */

	/** @returns whether the run was noted before; undefined where the records can't be read */
	async noteRun(run: string): Promise<boolean | undefined> {
		return (await this.records.record([run]))?.has(run);
	}

	/** @returns those of the identities that were sent, in whichever process; undefined where they can't be read */
	async sentAmong(ids: readonly string[]): Promise<ReadonlySet<string> | undefined> {
		return await this.records.known(ids);
	}

	/** Asks twice, because a question is a record for an instant, which another retry may ask at the same moment. */
	async surelySentAmong(
		ids: readonly string[],
		signal: AbortSignal | undefined,
	): Promise<ReadonlySet<string> | undefined> {
		const sent = await this.sentAmong(ids);
		if (sent === undefined || sent.size === 0) return sent;
		await wait(ASK_RECORDS_AGAIN_MS * Math.random(), signal);
		return await this.sentAmong([...sent]);
	}

	/**
	 * @returns whether another process has sent it, or within some 20 seconds the same for the same item, and how far
	 * others are with the end of the order; `added` are the texts that nobody had recorded
	 */
	async noteSending(names: SendingNames): Promise<{
		isSent: boolean;
		isItemSent: boolean;
		endUse: EndUse;
		added: readonly string[];
	}> {
		const { id, end, item, slot } = names;
		const texts = textsOfSending(names);
		const noted = await this.recordSurely(texts);
		if (noted !== undefined) {
			// Once it is sent, another process has to find it, whoever asked something at that moment
			await wait(QUESTION_MS, undefined);
			await this.records.record(texts);
		}
		const before = noted ?? new Set();
		const added = texts.filter((text) => !before.has(text));
		const isSent = before.has(isSending(id));
		const isItemSent = before.has(isSending(during(item, slot)));
		if (end === undefined) return { isSent, isItemSent, endUse: 'free', added };
		const isRecent = before.has(during(end, slot));
		const endUse = await this.useOfEnd(end, isRecent);
		// A recovery that finds nothing drops the end, and with it that of another run that was paid
		const isUsed = before.has(end) || endUse === 'renewed';
		return { isSent, isItemSent, endUse: isUsed ? endUse : 'free', added };
	}

	/** @param isRecent whether another run has noted it in the present slot */
	async useOfEnd(end: string, isRecent = false): Promise<EndUse> {
		const earlier = lateSlots()
			.slice(1)
			.map((slot) => during(end, slot));
		const noted = await this.noted([paidFrom(end), neverRecorded(end), ...earlier]);
		// A question that n8n has kept holds both, and must not keep an order from being renewed
		if (noted.has(paidFrom(end)) && !noted.has(neverRecorded(end))) return 'renewed';
		return isRecent || earlier.some((text) => noted.has(text)) ? 'atWork' : 'free';
	}

	/** A recovery that finds nothing: as if it had not been sent. */
	async dropPurchase(names: Pick<SendingNames, 'id' | 'before' | 'end'>): Promise<void> {
		await this.forget(textsOfPurchase(names));
	}

	/** The refusal of a request that another process has sent as well: what they have in common stays. */
	async leaveToTwin({ id, before }: SendingNames): Promise<void> {
		await this.forget(textsOfPurchase({ id, before, end: undefined }));
	}

	/** A purchase that was refused, or not sent: what others had recorded before stays. */
	async drop(added: readonly string[]): Promise<void> {
		await this.forget(added);
	}

	private async forget(texts: readonly string[]): Promise<void> {
		// It would be recorded again afterwards
		await this.settled();
		await this.records.forget(texts);
	}

	/** @param names under which the purchase is recorded */
	async notePaid(
		names: Pick<SendingNames, 'id' | 'signed'> & {
			/** See `claim`. */
			readonly claim: string | undefined;
			/** The order that was placed or renewed. */
			readonly orderid: string | undefined;
			/** The names it was sent under, for a person who asks another worker for the same. */
			readonly sentAs: Pick<SendingNames, 'item' | 'slot'> | undefined;
			/** The order's number, where another worker can only read it in the records. */
			readonly numberToRead: string | undefined;
		},
	): Promise<void> {
		const { id, claim, numberToRead, orderid, sentAs, signed } = names;
		const sent = sentAs && during(sentAs.item, sentAs.slot);
		await this.recordSurely([
			paidAs(id, orderid),
			...(claim === undefined ? [] : [claim]),
			...(signed === undefined ? [] : [paid(signed)]),
			...(sent === undefined ? [] : [paid(sent)]),
			...(sent === undefined || numberToRead === undefined ? [] : digitTexts(sent, numberToRead)),
		]);
	}

	async noteRefused(signed: string): Promise<void> {
		await this.recordSurely([refused(signed)]);
	}

	/** The outcome of the same signed request in another process. */
	async twinOutcome(signed: string): Promise<'paid' | 'refused' | 'unknown'> {
		const [isPaid, isRefused, isAsked] = [paid(signed), refused(signed), neverRecorded(signed)];
		const noted = await this.noted([isPaid, isRefused, isAsked]);
		// All are there while another process asks
		if (noted.has(isAsked)) return 'unknown';
		if (noted.has(isPaid)) return 'paid';
		return noted.has(isRefused) ? 'refused' : 'unknown';
	}

	/**
	 * @param text names what only one purchase can have brought: a new order, or the end of an order that is renewed
	 * @returns false where another run, in whichever process, has made the claim before
	 */
	async claim(text: string): Promise<boolean> {
		return (await this.records.record([text]))?.has(text) !== true;
	}

	/* Recovery */

	/** @returns those of the texts that are recorded */
	async noted(texts: readonly string[]): Promise<ReadonlySet<string>> {
		return (await this.records.known(texts)) ?? new Set();
	}

	/* Manual repeats */

	/** Says that these items were not bought, so that a person can buy them at once. */
	async noteUnbought(items: readonly string[]): Promise<void> {
		await this.recordSurely(items.map((item) => during(unbought(item), slotOfNow())));
	}

	async earlierSending({
		item,
		goods,
	}: Pick<SendingNames, 'item' | 'goods'>): Promise<EarlierSending> {
		const slots = lateSlots();
		const all = [item, unbought(item), goods];
		const noted = await this.noted(all.flatMap((name) => slots.map((slot) => during(name, slot))));
		const latest = (name: string) => slots.find((slot) => noted.has(during(name, slot)));
		const slot = latest(item);
		if (slot !== undefined) return { kind: 'sameItem', slot };
		const isFree = latest(goods) === undefined || latest(unbought(item)) !== undefined;
		return { kind: isFree ? 'none' : 'otherItem' };
	}

	/** The latest sending of the item by somebody's click. */
	async earlierClick(item: string): Promise<EarlierSending> {
		const slots = lateSlots();
		const noted = await this.noted(slots.map((slot) => during(clicked(item), slot)));
		const slot = slots.find((each) => noted.has(during(clicked(item), each)));
		return slot === undefined ? { kind: 'none' } : { kind: 'sameItem', slot };
	}

	/**
	 * The number of the order that was bought for what was sent in that slot; undefined until it is known.
	 *
	 * @param known the number of an order to renew
	 */
	async orderBoughtFor(
		item: string,
		slot: number,
		known: string | undefined,
	): Promise<string | undefined> {
		const sent = during(item, slot);
		if (!(await this.noted([paid(sent)])).has(paid(sent))) return undefined;
		return known ?? ((await this.readDigits(sent)) || undefined);
	}

	/** @returns empty where nothing is recorded; undefined where the records can't be read, or say two things */
	private async readDigits(name: string): Promise<string | undefined> {
		const positions = Array.from({ length: MOST_DIGITS }, (_, position) => position);
		const choices = [...DIGITS, END_MARK];
		const noted = await this.records.known(
			positions.flatMap((position) => choices.map((digit) => digitText(name, position, digit))),
		);
		if (noted === undefined) return undefined;
		const found = positions.map((position) =>
			choices.filter((digit) => noted.has(digitText(name, position, digit))),
		);
		if (found.some(({ length }) => length > 1)) return undefined;
		const digits = found.map(([digit]): string | undefined => digit);
		const end = digits.indexOf(END_MARK);
		const read = digits.slice(0, end);
		return end < 0 || read.includes(undefined) ? '' : read.join('');
	}
}

function textsOfPurchase({
	id,
	before,
	end,
}: Pick<SendingNames, 'id' | 'before' | 'end'>): string[] {
	return [id, isSending(id), sentFrom(id, before), ...(end === undefined ? [] : [end])];
}

function textsOfSending(names: SendingNames): string[] {
	const { end, goods, isByHand, item, slot } = names;
	// Also for the next slot, so that one that is sent right after this one finds it
	const ofItem = [slot, slot + 1].map((each) => isSending(during(item, each)));
	const others = [...(end === undefined ? [] : [end]), ...(isByHand ? [clicked(item)] : [])];
	const found = [...others, item, goods].map((name) => during(name, slot));
	return [...textsOfPurchase(names), ...ofItem, ...found];
}

function digitText(name: string, position: number, digit: string): string {
	return `${name} [${position}] ${digit}`;
}

function digitTexts(name: string, digits: string): string[] {
	return [...digits, END_MARK].map((digit, position) => digitText(name, position, digit));
}

function paid(name: string): string {
	return `${name} paid`;
}

function refused(signed: string): string {
	return `${signed} refused`;
}

/** Asked for along with what is recorded, to tell a record from a question. */
function neverRecorded(name: string): string {
	return `${name} not paid`;
}

/** Never asked for by itself, so that it is there only where the purchase was sent. */
function isSending(id: string): string {
	return `${id} sent`;
}

/** Recorded when the purchase is paid: its order. */
export function paidAs(id: string, orderid: unknown): string {
	return `${id}=${String(orderid)}`;
}

/** Recorded before the purchase is sent: the snapshot that it is bought from. */
export function sentFrom(id: string, before: string | undefined): string {
	return `${id}|${before ?? 'unknown'}`;
}

/** Only one renewal can begin with the end of an order. */
export function paidFrom(end: string): string {
	return paid(end);
}

export function placedOrder(orderid: unknown): string {
	return `order ${String(orderid)}`;
}

function clicked(item: string): string {
	return `${item} by hand`;
}

function unbought(item: string): string {
	return `${item} not bought`;
}
