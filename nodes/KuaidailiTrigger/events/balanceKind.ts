import { fingerprintOf } from '../../shared/fingerprint';
import { isOneOf, ownValue, type UnknownRecord } from '../../shared/guards';
import { orderInfo } from '../../shared/orders/orderInfo';
import type { Caller } from '../../shared/transport/caller';
import { runQuery } from '../../shared/transport/runQuery';

/** What an IP balance counts: what is left of the day, or of all that was bought. */
const BALANCE_KINDS = ['today', 'order'] as const;

export type BalanceKind = (typeof BALANCE_KINDS)[number];

const KIND_BY_PAY_TYPE: ReadonlyMap<unknown, BalanceKind> = new Map([
	// Only those with concentrated extraction have an IP balance
	['PRE_PAY', 'today'],
	['PRE_PAY_IP', 'order'],
]);

/**
 * What the IP balance of an order counts. The pay type of an order never changes, so it is asked for once.
 *
 * @param before the state of the event, where the answer is kept
 * @returns undefined for an unknown pay type
 * @throws what `callService` throws
 */
export async function balanceKindOf(
	caller: Caller,
	subject: readonly string[],
	before: UnknownRecord | undefined,
): Promise<BalanceKind | undefined> {
	const known = ownValue(before, 'balanceOf');
	const isSameOrder = ownValue(before, 'subject') === fingerprintOf(...subject);
	if (isSameOrder && isOneOf(known, BALANCE_KINDS)) return known;
	const { info } = await runQuery(caller, orderInfo, { field_list: 'pay_type' });
	return KIND_BY_PAY_TYPE.get(ownValue(info, 'pay_type'));
}
