import type { IDataObject } from 'n8n-workflow';

import { InvalidFieldError } from '../../../../shared/fields/invalidFieldError';
import type { FieldReader } from '../../../../shared/fields/readFields';
import { ipBalance, trafficLeft } from '../../../../shared/queries/order';
import { ownValue, type UnknownRecord } from '../../../../shared/guards';
import type { Query } from '../../../../shared/service/query';
import { unlessCancelled } from '../../../../shared/errors/callErrors';
import { formatNumber } from '../../../../shared/wording';
import type { Finding, PurchaseItem, PurchaseWords } from '../../../purchase/contract';
import { LATE_IN_WORDS } from '../../../purchase/words';
import { skippedForTestEvent, type PlanRenewal } from './renewal';

/** An order that is used up rather than ends: a renewal adds to what is left. */
export interface TopUp {
	/** Such as "IPs". */
	readonly unit: string;
	/** In the output, such as `ip_balance`. */
	readonly outputName: string;
	/** The service's name of the amount, and how much of the unit one of it adds. */
	readonly parameter: string;
	readonly factor: number;
	/** How much is left, in the unit. */
	readonly left: Query<number>;
	/** The label of the field with the limit. */
	readonly limitLabel: string;
	readonly words: PurchaseWords;
}

function wordsFor(goods: string, balance: string, operation: string): PurchaseWords {
	return {
		unclear: `The ${goods} may have been bought`,
		what: `more ${goods}`,
		howToFindOut: `To find out, look at the ${balance} of the order, with '${operation}' or in the Kuaidaili member center.`,
		otherwise: `If it has not grown ${LATE_IN_WORDS} later, nothing was paid for this item, and a new run of the workflow with this item alone can renew it.`,
	};
}

export const IP_TOP_UP: TopUp = {
	unit: 'IPs',
	outputName: 'ip_balance',
	parameter: 'dps.ip_count',
	factor: 1,
	left: ipBalance,
	limitLabel: 'IP Balance Below',
	words: wordsFor('IPs', 'IP balance', 'Order: Get IP Balance'),
};

export const TRAFFIC_TOP_UP: TopUp = {
	unit: 'MB',
	outputName: 'flow_left',
	parameter: 'fps.flow',
	// The service sells gigabytes and counts megabytes
	factor: 1024,
	left: trafficLeft,
	limitLabel: 'Traffic Below (MB)',
	words: wordsFor('traffic', 'traffic left', 'Order: Get Traffic'),
};

/**
 * A renewed order must have at least as much left as the limit, or the next run renews it again.
 *
 * @param fieldLabel of the limit
 * @throws InvalidFieldError
 */
export function refuseSmallTopUp(fieldLabel: string, below: number, added: number): void {
	if (added >= below) return;
	throw new InvalidFieldError(
		fieldLabel,
		below,
		`The renewal adds only ${formatNumber(added)}, so a second run could renew again. Choose a lower number here, buy more, or set 'Renew' to 'Always'.`,
	);
}

/** @throws InvalidFieldError */
export function planTopUp(
	reader: FieldReader,
	topUp: TopUp,
	item: PurchaseItem,
): PlanRenewal<number> {
	const { factor, left, limitLabel, outputName, parameter, words } = topUp;
	const added = Number(reader.parameters[parameter]) * factor;
	const common = {
		words,
		compare: (before: number, after: number) => compareLeft(before, after, added, topUp),
		findDuplicate: (before: number, after: number) => findSecondTopUp(before, after, added, topUp),
		isOldAnswer: (answer: UnknownRecord, before: number) => {
			const balance = ownValue(answer, outputName);
			return typeof balance === 'number' && balance <= before;
		},
	};
	const limit = reader.text('balanceBelow');
	if (limit === undefined) {
		// Asked for the case that the answer gets lost only
		return () => ({ ...common, readState: async (ask) => await ask(left).catch(unlessCancelled) });
	}
	const below = Number(limit);
	if (item.check) refuseSmallTopUp(limitLabel, below, added);
	return () => ({
		...common,
		readState: async (ask) => await ask(left),
		insteadOfBuying: (amount) =>
			enoughLeft(amount, below, topUp) ?? skippedForTestEvent(item, { [outputName]: amount }),
	});
}

function enoughLeft(
	left: number,
	below: number,
	{ unit, outputName }: TopUp,
): IDataObject | undefined {
	if (left < below) return undefined;
	const reason = `The order has ${formatNumber(left)} ${unit} left, not less than ${formatNumber(below)}, so nothing was bought`;
	return { renewed: false, reason, [outputName]: left };
}

/** @returns what is left shows of a renewal that was sent between two looks; some may be used in the meantime */
function compareLeft(
	before: number,
	after: number,
	added: number,
	{ unit, outputName }: TopUp,
): Finding {
	const has = `The node checked again right afterwards: the order had ${formatNumber(before)} ${unit} before and has ${formatNumber(after)} now`;
	const grown = after - before;
	if (grown === 0) return { shows: 'notMade', text: `${has}, so probably nothing was added.` };
	// An order in use can have lost more than was added, which would be no reason to add it again
	if (grown < 0) {
		return {
			shows: 'unclear',
			text: `${has}, which is inconclusive, because some was used in the meantime.`,
		};
	}
	// Some of what was added may be used already
	if (!(grown <= added && grown >= added / 2)) {
		return { shows: 'unclear', text: `${has}, which is not what this renewal would add.` };
	}
	return {
		shows: 'made',
		text: `${has}, as after this renewal.`,
		bought(orderid) {
			const record = { [outputName]: after, renewed: true, verified: true };
			return {
				record: orderid === undefined ? record : { orderid, ...record },
				label: `renewal of order ${orderid ?? '(the order of the credential)'}`,
			};
		},
	};
}

/** @returns that what is left has grown by more than was bought between two looks, as a whole sentence */
function findSecondTopUp(
	before: number,
	after: number,
	added: number,
	{ unit }: TopUp,
): string | undefined {
	if (after - before <= added) return undefined;
	return `The order had ${formatNumber(before)} ${unit} before and has ${formatNumber(after)} now, more than this renewal adds.`;
}
