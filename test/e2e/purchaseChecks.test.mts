import { Lanes } from '../../demo/checks/purchases/lanes.mts';
import { casesOf, TROUBLES, type PurchaseCase } from '../../demo/checks/purchases/purchaseCase.mts';
import type { PurchaseEvidence } from '../../demo/checks/purchases/purchaseEvidence.mts';
import { judge } from '../../demo/checks/purchases/verdict.mts';

const PRICE = 550;
const UNCLEAR = 'The order may have been placed: the connection broke';
const DESCRIPTION =
	'Sent for item 1 at 2026-01-31T04:00:00.000Z. Use Order: Get Many, or look into the order list.';
const ERROR = `${UNCLEAR}. ${DESCRIPTION}`;

function caseOf(troubleName: string, onError?: 'continueRegularOutput'): PurchaseCase {
	const found = TROUBLES.filter(({ name }) => name === troubleName)
		.flatMap(casesOf)
		.find(
			({ operation, settings, itemCount }) =>
				operation.name === 'create' && settings.onError === onError && itemCount === 3,
		);
	if (!found) throw new Error(`There is no case of '${troubleName}'`);
	return found;
}

const order = (index: number) => ({
	json: { orderid: `90000000000000${index}` },
	pairedItem: { item: index },
});
const failed = (index: number) => ({ json: { error: ERROR }, pairedItem: { item: index } });
const payments = (...indexes: number[]) =>
	indexes.map((index) => ({ orderId: order(index).json.orderid, amountInFen: PRICE }));
const request = (fault?: string) => ({ fault });

/** The request for the middle one of three items is lost, and nobody knows whether it was paid. */
const LOST = 'connection cut before the work';
/** Its answer is lost after it was paid, and the node finds the order. */
const FOUND_OUT = 'connection cut after the work';

const STOPPED: PurchaseEvidence = {
	status: 'error',
	items: [],
	stoppedAt: 1,
	errorText: `${ERROR} Already bought: order 900000000000000 (item 0).`,
	hints: [],
	saved: '{"retryOnFail":true}',
	requests: [request(), request('cut')],
	payments: payments(0),
	spentInFen: PRICE,
};

const WENT_ON: PurchaseEvidence = {
	...STOPPED,
	status: 'success',
	items: [order(0), failed(1), order(2)],
	stoppedAt: undefined,
	errorText: '. ',
	requests: [request(), request('cut'), request()],
	payments: payments(0, 2),
	spentInFen: 2 * PRICE,
};

const SENT_AGAIN: PurchaseEvidence = {
	...WENT_ON,
	items: [order(0), order(1), order(2)],
	requests: [request(), request('code'), request(), request()],
	payments: payments(0, 1, 2),
	spentInFen: 3 * PRICE,
};

const verified = (index: number) => ({
	...order(index),
	json: { ...order(index).json, verified: true },
});

const WAS_FOUND: PurchaseEvidence = {
	...WENT_ON,
	items: [order(0), verified(1), order(2)],
	payments: payments(0, 1, 2),
	spentInFen: 3 * PRICE,
};

describe('The money checks of the demo', () => {
	it('find nothing where everything is as it has to be', () => {
		expect(judge(caseOf(LOST), STOPPED)).toEqual([]);
		expect(judge(caseOf(LOST, 'continueRegularOutput'), WENT_ON)).toEqual([]);
		expect(judge(caseOf('code -120'), SENT_AGAIN)).toEqual([]);
		expect(judge(caseOf(FOUND_OUT), WAS_FOUND)).toEqual([]);
	});

	it.each<[string, Partial<PurchaseEvidence>, string]>([
		['a trouble that did not happen', { requests: [request(), request()] }, 'the fault'],
		['a request too many', { requests: [...STOPPED.requests, request()] }, 'number of requests'],
		['a payment of what was not sent', { payments: payments(0, 1) }, 'number of payments'],
		['a payment that is missing', { payments: [] }, 'number of payments'],
		['money that left without a payment', { spentInFen: 3 * PRICE }, 'what the balance lost'],
		['a run that went on', { status: 'success' }, 'the end of the run'],
		['an error of another item', { stoppedAt: 0 }, 'the item that stopped the run'],
		[
			'an error that sounds final',
			{ errorText: STOPPED.errorText.replace('may have been', 'was not') },
			'lacks',
		],
		[
			'an error that does not say where to look',
			{ errorText: STOPPED.errorText.replace('Order: Get Many', '') },
			'where to look',
		],
		[
			'an error that does not say when',
			{ errorText: STOPPED.errorText.replace('2026-01', '') },
			'the time',
		],
		[
			'an order that nobody is told of',
			{ errorText: STOPPED.errorText.replace('900000000000000', '') },
			'is lost',
		],
		[
			'an item whose order is not named',
			{ errorText: STOPPED.errorText.replace('(item 0)', '') },
			'does not name',
		],
		["n8n's stock advice", { saved: 'try the setting Retry on Fail' }, 'advises'],
	])('notice %s', (_what, difference, reason) => {
		expect(judge(caseOf(LOST), { ...STOPPED, ...difference }).join()).toContain(reason);
	});

	it.each<[string, Partial<PurchaseEvidence>, string]>([
		['an item that is missing', { items: [order(0), failed(1)] }, 'the list of items'],
		[
			'an item that is linked wrongly',
			{ items: [order(0), failed(0), order(2)] },
			'the list of items',
		],
		[
			'an unclear purchase told as an order',
			{ items: [order(0), order(1), order(2)] },
			'the list of items',
		],
		['an order that became an error', { items: [order(0), failed(1), failed(2)] }, 'is lost'],
	])('notice %s where the run goes on', (_what, difference, reason) => {
		const found = judge(caseOf(LOST, 'continueRegularOutput'), { ...WENT_ON, ...difference });
		expect(found.join()).toContain(reason);
	});

	it.each<[string, Partial<PurchaseEvidence>, string]>([
		['is paid twice', { payments: payments(0, 1, 1, 2) }, 'number of payments'],
		['is lost', { items: [order(0), order(2)] }, 'is lost'],
		[
			'is not said to be found out',
			{ items: WAS_FOUND.items.map((_item, i) => order(i)) },
			'found out',
		],
		['is told of another item', { items: [verified(0), order(1), order(1)] }, 'the list of items'],
	])('notice an order that was found out and %s', (_what, difference, reason) => {
		expect(judge(caseOf(FOUND_OUT), { ...WAS_FOUND, ...difference }).join()).toContain(reason);
	});

	it('notice a refusal after which nothing was sent again', () => {
		const evidence = {
			...WENT_ON,
			requests: [request(), request('code'), request()],
			payments: payments(0, 2),
		};
		expect(judge(caseOf('code -120'), evidence).join()).toContain('number of payments');
	});

	it('cover both operations, one item and three, for each trouble', () => {
		const cases = TROUBLES.flatMap(casesOf);
		expect(cases).toHaveLength(TROUBLES.length * 2 * 2 * 2);
		expect(new Set(cases.map((each) => JSON.stringify(each))).size).toBe(cases.length);
	});
});

describe('The lanes', () => {
	it('never give one thing to two jobs at a time, and go on after a failure', async () => {
		const inUse = new Set<string>();
		const lanes = new Lanes(['a', 'b']);
		const job = async (lane: string) => {
			expect(inUse.has(lane)).toBe(false);
			inUse.add(lane);
			await new Promise((resolve) => setTimeout(resolve, 5));
			inUse.delete(lane);
			if (lane === 'a') throw new Error('failed');
			return lane;
		};
		const results = await Promise.allSettled(Array.from({ length: 6 }, () => lanes.run(job)));
		const statuses = new Set(results.map(({ status }) => status));
		expect(statuses).toEqual(new Set(['fulfilled', 'rejected']));
		expect(inUse.size).toBe(0);
	});
});
