import { casesOf, TROUBLES, type PurchaseCase } from '../../demo/checks/purchases/purchaseCase.mts';
import type { PurchaseEvidence } from '../../demo/checks/purchases/purchaseEvidence.mts';

export const PRICE = 550;
const UNCLEAR = 'The order may have been placed: the connection broke';
const DESCRIPTION =
	'Sent for item 1 at 2026-01-31 12:00:00 (China time). Use Order: Get Many, or look into the order list.';
const ERROR = `${UNCLEAR}. ${DESCRIPTION}`;

export function caseOf(troubleName: string, onError?: 'continueRegularOutput'): PurchaseCase {
	const found = TROUBLES.filter(({ name }) => name === troubleName)
		.flatMap(casesOf)
		.find(
			({ operation, settings, itemCount }) =>
				operation.name === 'create' && settings.onError === onError && itemCount === 3,
		);
	if (!found) throw new Error(`There is no case of '${troubleName}'`);
	return found;
}

export const order = (index: number) => ({
	json: { orderid: `90000000000000${index}` },
	pairedItem: { item: index },
});
export const failed = (index: number) => ({ json: { error: ERROR }, pairedItem: { item: index } });
export const payments = (...indexes: number[]) =>
	indexes.map((index) => ({ orderId: order(index).json.orderid, amountInFen: PRICE }));
export const request = (fault?: string) => ({ fault, delivery: 1 as const });
const SECOND = { fault: undefined, delivery: 2 as const };

/** The request for the middle one of three items is lost, and nobody knows whether it was paid. */
export const LOST = 'connection cut before the work';
/** Its answer is lost after it was paid, and the node finds the order. */
export const FOUND_OUT = 'connection cut after the work';

export const STOPPED: PurchaseEvidence = {
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

export const WENT_ON: PurchaseEvidence = {
	...STOPPED,
	status: 'success',
	items: [order(0), failed(1), order(2)],
	stoppedAt: undefined,
	errorText: '. ',
	requests: [request(), request('cut'), request()],
	payments: payments(0, 2),
	spentInFen: 2 * PRICE,
};

export const SENT_AGAIN: PurchaseEvidence = {
	...WENT_ON,
	items: [order(0), order(1), order(2)],
	requests: [request(), request('code'), request(), request()],
	payments: payments(0, 1, 2),
	spentInFen: 3 * PRICE,
};

export const verified = (index: number) => ({
	...order(index),
	json: { ...order(index).json, verified: true },
});

export const WAS_FOUND: PurchaseEvidence = {
	...WENT_ON,
	items: [order(0), verified(1), order(2)],
	payments: payments(0, 1, 2),
	spentInFen: 3 * PRICE,
};

/** A gateway delivers the middle one of three requests twice: the second one is refused. */
export const REFUSED = 'delivered twice, second answer';

export const WAS_REFUSED: PurchaseEvidence = {
	...WAS_FOUND,
	requests: [request(), request(), SECOND, request()],
};
