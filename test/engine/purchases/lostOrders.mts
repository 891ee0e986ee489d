import type { Fault, Payment } from '../../../sandbox/sandbox.mts';
import { DAY } from '../../durations.mts';
import { CREATE, Customer, LIST } from '../support/customer.mts';

/*
 * What the node says of an order whose answer was lost. What was really placed is what the ledger of
 * the sandbox says.
 */
export const UNCLEAR = 'The order may have been placed: ';
/** The request never came to anything. */
export const MISSED: Fault = { kind: 'cut', when: 'before', path: CREATE, times: 1 };
/** The order was placed, and the answer lost. */
export const LOST: Fault = { kind: 'cut', when: 'after', path: CREATE, times: 1 };

export const SLOWLY = { kind: 'delay', ms: 300, path: CREATE } as const satisfies Fault;
/** The list before the first purchase succeeds while this one is not set yet. */
export const BLIND: Fault = { kind: 'status', status: 500, path: LIST };

export const ids = (payments: readonly Payment[]): string[] =>
	payments.map(({ orderId }) => orderId);

/** As if somebody placed an order in the member center. */
export function elsewhere(
	customer: Customer,
	...settings: Array<{ status?: 'WAIT_PAY' | 'VALID' }>
) {
	return settings.map((each) => customer.tunnel(DAY, each).orderId);
}
