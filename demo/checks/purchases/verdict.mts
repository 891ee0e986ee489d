import { at, excerpt } from '../../../harness/outsideData.mts';
import type { PurchaseEvidence } from './purchaseEvidence.mts';
import { troubledItem, type PurchaseCase } from './purchaseCase.mts';

/** @returns in words, everything that is not as it has to be; empty when all is well */
export function judge(theCase: PurchaseCase, evidence: PurchaseEvidence): string[] {
	return [
		...judgeTrouble(theCase, evidence),
		...judgeMoney(theCase, evidence),
		...judgeOutcome(theCase, evidence),
		...judgeWords(theCase, evidence),
		...judgeLosses(theCase, evidence),
	];
}

/** Items that the run reaches besides the one in trouble. */
function otherItems(theCase: PurchaseCase): number[] {
	if (theCase.itemCount === 1) return [];
	return stops(theCase) ? [0] : [0, 2];
}

/** Whether the item in trouble stops the run. */
function stops({ trouble, settings }: PurchaseCase): boolean {
	return trouble.outcome === 'unclear' && settings.onError === undefined;
}

/** Without the trouble, nothing would be proved. */
function judgeTrouble(theCase: PurchaseCase, { requests }: PurchaseEvidence): string[] {
	const { kind } = theCase.trouble.fault;
	const second = requests.filter(({ delivery }) => delivery === 2).length;
	if (kind === 'twice') {
		return differing('the number of second deliveries', second, 1);
	}
	const faults = requests.map(({ fault }) => fault);
	return [
		...differing('the number of second deliveries', second, 0),
		...differing('the fault that the item in trouble met', faults[troubledItem(theCase)], kind),
		...differing('the number of faults', faults.filter(Boolean).length, 1),
	];
}

function judgeMoney(theCase: PurchaseCase, evidence: PurchaseEvidence): string[] {
	const { paid, requests } = theCase.trouble;
	const others = otherItems(theCase).length;
	const sent = evidence.requests.filter(({ delivery }) => delivery === 1).length;
	const price = evidence.payments.reduce((sum, { amountInFen }) => sum + amountInFen, 0);
	return [
		...differing('the number of payments', evidence.payments.length, paid + others),
		...differing('the number of requests', sent, requests + others),
		...differing('what the balance lost', evidence.spentInFen, price),
	];
}

function judgeOutcome(theCase: PurchaseCase, evidence: PurchaseEvidence): string[] {
	const troubled = troubledItem(theCase);
	const status = stops(theCase) ? 'error' : 'success';
	const outcome = theCase.trouble.outcome === 'unclear' ? 'error' : 'order';
	const expected = stops(theCase)
		? []
		: [...otherItems(theCase).map((index) => `order ${index}`), `${outcome} ${troubled}`].sort();
	return [
		...differing('the end of the run', evidence.status, status),
		...differing('the list of items', evidence.items.map(inShort).sort().join(), expected.join()),
		...differing(
			'the item that stopped the run',
			evidence.stoppedAt,
			stops(theCase) ? troubled : undefined,
		),
	];
}

/** What an item is, and the index of the item that it comes from. */
function inShort(item: unknown): string {
	const paired = at(item, 'pairedItem');
	const index = at(paired, 'item') ?? at(paired, 0, 'item') ?? paired;
	const json = at(item, 'json');
	if (at(json, 'error') !== undefined) return `error ${String(index)}`;
	return typeof at(json, 'orderid') === 'string'
		? `order ${String(index)}`
		: `${excerpt(json)} ${String(index)}`;
}

function judgeWords(theCase: PurchaseCase, evidence: PurchaseEvidence): string[] {
	const { outcome } = theCase.trouble;
	const advice = /retry on fail/i.test(evidence.saved) ? ["n8n advises 'Retry On Fail'"] : [];
	const found = evidence.items.filter((item) => at(item, 'json', 'verified') === true);
	const expected = outcome === 'verified' ? 1 : 0;
	return [
		...advice,
		...differing('the number of items found out', found.length, expected),
		...(outcome === 'unclear' ? judgeError(theCase, evidence) : []),
	];
}

function judgeError(theCase: PurchaseCase, evidence: PurchaseEvidence): string[] {
	const { operation } = theCase;
	const text = textOfError(evidence);
	const lacks = (what: string, found: boolean) =>
		found ? [] : [`the error lacks ${what}: ${excerpt(text)}`];
	return [
		...lacks(`'${operation.unclear}'`, text.startsWith(operation.unclear)),
		...lacks('where to look', operation.whereToLook.test(text)),
		...lacks(
			'the item and the time',
			new RegExp(
				`item ${troubledItem(theCase)} at \\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2} \\(`,
			).test(text),
		),
	];
}

function textOfError({ items, errorText }: PurchaseEvidence): string {
	const failed = items.find((item) => at(item, 'json', 'error') !== undefined);
	return failed === undefined ? errorText : String(at(failed, 'json', 'error'));
}

/** Every order that was paid is in the output, or named by the error. */
function judgeLosses(theCase: PurchaseCase, evidence: PurchaseEvidence): string[] {
	const { payments, items, errorText } = evidence;
	const shown = `${JSON.stringify(items)} ${errorText}`;
	const lost = payments.filter(({ orderId }) => !shown.includes(orderId));
	const unnamed = stops(theCase)
		? otherItems(theCase).filter((index) => !errorText.includes(`(item ${index})`))
		: [];
	return [
		...lost.map(({ orderId }) => `the paid order ${orderId} is lost`),
		...unnamed.map((index) => `the error does not name what was bought for item ${index}`),
	];
}

function differing(what: string, actual: unknown, expected: unknown): string[] {
	if (actual === expected) return [];
	return [`${what} is ${excerpt(actual)}, expected ${excerpt(expected)}`];
}
