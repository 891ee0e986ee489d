import type { IExecuteFunctions } from 'n8n-workflow';

import { wait } from '../../shared/concurrency/wait';
import { fingerprintOf } from '../../shared/fingerprint';
import { NodeRecords } from '../nodeRecords';
import { LATE_MS } from './types';

/** About eight texts a purchase, so this is enough for more than 1,000 of them. */
const MOST_RECORDS = 10_000;

/** Digits of what can be read back, and the mark behind the last one. */
const DIGITS = '0123456789abcdef';
const END_MARK = '.';
const MOST_DIGITS = 20;

const ASK_RECORDS_AGAIN_MS = 2000;

/** So many refusals of one purchase are told apart. */
const MOST_REFUSALS = 20;

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
	/** The purchased parameters for any item. */
	readonly goods: string;
	/** The slot of time in which it is sent. */
	readonly slot: number;
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

	constructor(context: IExecuteFunctions) {
		this.records = new NodeRecords(context, 'purchase:', MOST_RECORDS);
	}

	/* The chain of retries */

	/**
	 * @param execution the one that a retry was started from, by its name
	 * @returns the name of the first one of its chain; undefined where the records can't be read
	 */
	async firstExecution(execution: string): Promise<string | undefined> {
		const read = await this.readDigits(`first of ${execution}`);
		return read === undefined ? undefined : read || execution;
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
		const texts = this.textsOf(names);
		const before = (await this.records.record(texts)) ?? new Set();
		const added = texts.filter((text) => !before.has(text));
		const isSent = before.has(isSending(id));
		const isItemSent = before.has(isSending(during(item, slot)));
		if (end === undefined) return { isSent, isItemSent, endUse: 'free', added };
		const isRecent = before.has(during(end, slot));
		const endUse = await this.useOfEnd(end, isRecent);
		// A run that was refused has dropped the end, and with it that of another one that was paid
		const isUsed = before.has(end) || endUse === 'renewed';
		return { isSent, isItemSent, endUse: isUsed ? endUse : 'free', added };
	}

	/** @param isRecent whether another run has noted it in the present slot */
	async useOfEnd(end: string, isRecent = false): Promise<EndUse> {
		const earlier = lateSlots()
			.slice(1)
			.map((slot) => during(end, slot));
		const noted = await this.noted([paidFrom(end), neverPaidFrom(end), ...earlier]);
		// A question that n8n has kept holds both, and must not keep an order from being renewed
		if (noted.has(paidFrom(end)) && !noted.has(neverPaidFrom(end))) return 'renewed';
		return isRecent || earlier.some((text) => noted.has(text)) ? 'atWork' : 'free';
	}

	/** As if it had not been sent. */
	async dropSending(names: SendingNames): Promise<void> {
		await this.records.forget(this.textsOf(names));
	}

	/** The refusal where the item is another run's, whose texts stay. */
	async drop(added: readonly string[]): Promise<void> {
		await this.records.forget(added);
	}

	/** The refusal where the end of the order is another run's. */
	async dropOwn(names: SendingNames): Promise<void> {
		await this.records.forget(this.textsOf({ ...names, end: undefined }));
	}

	/**
	 * @param claim see `claim`
	 * @param orderid of the order that was placed or renewed
	 * @param readableAs set where another worker has to be able to read the order's number
	 */
	async notePaid(
		id: string,
		claim: string | undefined,
		orderid: string | undefined,
		readableAs: Pick<SendingNames, 'item' | 'slot'> | undefined,
	): Promise<void> {
		const texts = [
			paidAs(id, orderid),
			...(claim === undefined ? [] : [claim]),
			...(readableAs === undefined || orderid === undefined
				? []
				: boughtTexts(during(readableAs.item, readableAs.slot), orderid)),
		];
		await this.records.record(texts);
		if (readableAs !== undefined) void this.recordLater(texts);
	}

	/** Records once more what n8n may have lost because another worker asked at the same moment. Never rejects. */
	private async recordLater(texts: readonly string[]): Promise<void> {
		await wait(ASK_RECORDS_AGAIN_MS * (1 + Math.random()), undefined);
		await this.records.record(texts);
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

	/** @returns how often the purchase was refused, so that it is not signed again as it was then; undefined where nobody knows */
	async refusals(name: string): Promise<number | undefined> {
		const counts = Array.from({ length: MOST_REFUSALS }, (_, index) => index + 1);
		const noted = await this.records.known(counts.map((count) => refusal(name, count)));
		return noted && counts.filter((count) => noted.has(refusal(name, count))).length;
	}

	async noteRefusal(name: string, count: number): Promise<void> {
		await this.records.record([refusal(name, count)]);
	}

	/** Says that these items were not bought, so that a person can buy them at once. */
	async noteUnbought(items: readonly string[]): Promise<void> {
		await this.records.record(items.map((item) => during(unbought(item), slotOfNow())));
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

	/** The number of the order that was bought for what was sent in that slot; undefined until it is known. */
	async orderBoughtFor(item: string, slot: number): Promise<string | undefined> {
		const bought = paid(during(item, slot));
		if (!(await this.noted([bought])).has(bought)) return undefined;
		return (await this.readDigits(during(item, slot))) || undefined;
	}

	private textsOf({ id, before, end, item, goods, slot }: SendingNames): string[] {
		const ends = end === undefined ? [] : [end, during(end, slot)];
		// Also for the next slot, so that one that is sent right after this one finds it
		const ofItem = [slot, slot + 1].map((each) => isSending(during(item, each)));
		const found = [during(item, slot), during(goods, slot)];
		return [id, isSending(id), sentFrom(id, before), ...ends, ...ofItem, ...found];
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

function digitText(name: string, position: number, digit: string): string {
	return `${name} [${position}] ${digit}`;
}

function digitTexts(name: string, digits: string): string[] {
	return [...digits, END_MARK].map((digit, position) => digitText(name, position, digit));
}

function boughtTexts(name: string, orderid: string): string[] {
	return [paid(name), ...digitTexts(name, orderid)];
}

function paid(name: string): string {
	return `${name} paid`;
}

/** Never recorded, but asked for. */
function neverPaidFrom(end: string): string {
	return `${end} not paid`;
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

function refusal(name: string, count: number): string {
	return `${name} refusal ${count}`;
}

export function placedOrder(orderid: unknown): string {
	return `order ${String(orderid)}`;
}

function unbought(item: string): string {
	return `${item} not bought`;
}
