import type { IDataObject } from 'n8n-workflow';

import { DescribedError } from '../../shared/api/errors';
import { endOfTerm } from './term';
import { toChinaIso } from '../../shared/service/chinaTime';
import { durationInWords, sentences } from '../../shared/wording';
import type { LedgerEntry } from './ledger';
import {
	DRY_RUN_OUTPUT,
	type Purchase,
	type PurchaseOperation,
	type PurchaseOutput,
} from './types';

/** Whether it was bought, or a dry run would have bought it. */
export function isDone({ done }: PurchaseOperation, { record }: PurchaseOutput): boolean {
	return record[done] === true || record[DRY_RUN_OUTPUT[done]] === true;
}

/** Fields in the output of the purchase that was paid. */
const REPORT = ['text', 'balanceBefore', 'balanceAfter', 'cost', 'expectedCost', 'purchasedAt'];

/**
 * The output for what another execution of this process has bought for the same item.
 *
 * @param until when a repetition buys nothing, in words; undefined where it never does
 * @throws DescribedError where nobody knows whether it has
 */
export function repeatedOutput(
	{ at, label, record, state, text }: LedgerEntry,
	done: PurchaseOperation['done'],
	until?: string,
): PurchaseOutput {
	if (state !== 'paid' || record === undefined) {
		throw new DescribedError(text ?? { message: label, description: '' });
	}
	const kept = Object.entries(record).filter(([name]) => !REPORT.includes(name));
	const what = typeof record.orderid === 'string' ? `order ${record.orderid}` : label;
	const ago = durationInWords(Date.now() - at);
	const onPurpose =
		until === undefined
			? undefined
			: `To buy it once more on purpose, run it again after ${until}.`;
	const reason = sentences(
		`This node bought it ${ago} ago, in another run (${what}), so nothing was bought.`,
		onPurpose,
	);
	return { record: { ...Object.fromEntries(kept), [done]: false, reason }, isRepeat: true };
}

/**
 * The output in place of a purchase that a dry run does not make.
 *
 * @param known its state, the balance in yuan, and what the user expects it to cost, each undefined where nobody says
 */
export function dryRunOutput(
	purchase: Purchase,
	done: PurchaseOperation['done'],
	known: {
		readonly state: unknown;
		readonly balance: number | undefined;
		readonly expectedCost: number | undefined;
	},
): IDataObject {
	const { endsAt: listedEnd = 0, parameters, term } = purchase;
	const { balance, expectedCost, state } = known;
	const seen = state === undefined ? undefined : purchase.describe?.(state);
	const endsAt = seen?.endsAt ?? listedEnd;
	const end = term && endOfTerm(Math.max(endsAt, Date.now()), term);
	return {
		...seen?.record,
		[DRY_RUN_OUTPUT[done]]: true,
		reason: "Nothing was bought, because 'Dry Run' is on",
		parameters: { ...parameters },
		...(end === undefined ? {} : { wouldEndAt: toChinaIso(end) }),
		...(balance === undefined ? {} : { balance }),
		...(expectedCost === undefined ? {} : { probableCost: expectedCost }),
	};
}
