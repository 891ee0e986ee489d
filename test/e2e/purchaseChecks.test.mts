import { Lanes } from '../../demo/checks/purchases/lanes.mts';
import { casesOf, TROUBLES } from '../../demo/checks/purchases/purchaseCase.mts';
import type { PurchaseEvidence } from '../../demo/checks/purchases/purchaseEvidence.mts';
import { judge } from '../../demo/checks/purchases/verdict.mts';
import {
	PRICE,
	caseOf,
	order,
	failed,
	payments,
	request,
	LOST,
	FOUND_OUT,
	STOPPED,
	WENT_ON,
	SENT_AGAIN,
	verified,
	WAS_FOUND,
	REFUSED,
	WAS_REFUSED,
} from './purchaseSamples.mts';

describe('The money checks of the demo', () => {
	it('find nothing where everything is as it has to be', () => {
		expect(judge(caseOf(LOST), STOPPED)).toEqual([]);
		expect(judge(caseOf(LOST, 'continueRegularOutput'), WENT_ON)).toEqual([]);
		expect(judge(caseOf('code -120'), SENT_AGAIN)).toEqual([]);
		expect(judge(caseOf(FOUND_OUT), WAS_FOUND)).toEqual([]);
		expect(judge(caseOf(REFUSED), WAS_REFUSED)).toEqual([]);
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

	it.each<[string, Partial<PurchaseEvidence>, string]>([
		['was delivered once', { requests: WAS_FOUND.requests }, 'second deliveries'],
		['was sold twice', { payments: payments(0, 1, 9, 2) }, 'number of payments'],
	])('notice an order that was to be delivered twice and %s', (_what, difference, reason) => {
		const found = judge(caseOf(REFUSED), { ...WAS_REFUSED, ...difference });
		expect(found.join()).toContain(reason);
	});

	it('notice a refusal after which nothing was sent again', () => {
		const evidence = {
			...WENT_ON,
			requests: [request(), request('code'), request()],
			payments: payments(0, 2),
		};
		expect(judge(caseOf('code -120'), evidence).join()).toContain('number of payments');
	});

	it('cover both operations and three settings for each trouble', () => {
		const cases = TROUBLES.flatMap(casesOf);
		expect(cases).toHaveLength(TROUBLES.length * 4);
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
