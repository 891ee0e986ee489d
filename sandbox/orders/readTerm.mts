import type { AutoRenewal } from '../accounts/order.mts';
import { TIME_UNITS, type Term, type TimeUnit } from '../time/term.mts';
import type { OwnParameters } from './ownParameters.mts';
import { NUMBER_OF_UNITS } from './ranges.mts';

/** Exclusive dedicated proxies are not sold by the day or week. */
export function unitsFor(isExclusive: boolean): readonly TimeUnit[] {
	return isExclusive ? ['MONTH', 'YEAR'] : TIME_UNITS;
}

/** `prefix` is what createorder puts in front of the names that reneworder uses bare. */
export function readTerm(
	own: OwnParameters,
	prefix: string,
	units: readonly TimeUnit[],
	defaultNumber?: number,
): Term {
	const unit = own.choice(`${prefix}time_type`, units);
	return { unit, number: own.number(`${prefix}time_number`, NUMBER_OF_UNITS[unit], defaultNumber) };
}

export function readAutoRenewal(
	own: OwnParameters,
	prefix: string,
	units: readonly TimeUnit[],
): AutoRenewal {
	const enabled = own.flag(`${prefix}is_auto_renew`, false);
	const unit = enabled ? own.choice(`${prefix}auto_renew_unit`, units, 'MONTH') : 'MONTH';
	return { enabled, unit };
}
