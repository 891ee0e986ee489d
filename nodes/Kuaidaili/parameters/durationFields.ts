import {
	type Conditions,
	parameterName,
	serviceField,
	type ServiceField,
	type ValueKind,
} from '../../shared/fields/field';
import { choice, toggle, number } from '../../shared/fields/kinds';
import { enumerated } from '../../shared/wording';
import { DEFAULT_TIME_UNIT, TIME_UNITS, type TimeUnit } from '../../shared/service/orderTerms';

/** The service names the same four parameters differently in createorder and reneworder. */
interface DurationNames {
	readonly timeType: string;
	readonly timeNumber: string;
	readonly isAutoRenew: string;
	readonly autoRenewUnit: string;
	/** Whether the order is there already, so that auto-renewal may also be left out of the request. */
	readonly mayLeaveAutoRenew?: true;
	/** A note about the units, as the end of a sentence. */
	readonly unitNote?: string;
}

/** A note for fields where the node cannot know whether the order is such a one. */
export const EXCLUSIVE_UNIT_NOTE = '; exclusive dedicated proxies take Month and Year only';

/** A switch that is on, off, or not sent at all. */
const AUTO_RENEW_CHANGE: ValueKind = {
	...toggle(),
	property: {
		type: 'options',
		options: [
			{
				name: 'Not Specified',
				value: '',
				description:
					"Leaves it out of the request. Whether auto-renewal then stays on isn't documented, so it may be turned off.",
			},
			{ name: 'Turn Off', value: false },
			{ name: 'Turn On', value: true },
		],
		default: '',
	},
	allowed: 'true to turn it on, false to turn it off, empty to leave it out of the request',
};

/** Units of time, and when they are offered. */
interface UnitsWhen {
	readonly units: readonly TimeUnit[];
	readonly when: Conditions;
}

/** A choice of a unit of time, Month by default. */
export function unitField(
	serviceName: string,
	displayName: string,
	description: string,
	units: readonly TimeUnit[] = TIME_UNITS,
): ServiceField {
	const kind = choice(units, { preset: DEFAULT_TIME_UNIT });
	return serviceField({ serviceName, displayName, description, kind });
}

/** The field for how many of a unit of time an order lasts. */
function numberOfUnits(
	names: DurationNames,
	unit: TimeUnit,
	{ units, when }: UnitsWhen,
): ServiceField {
	const longer = units.slice(units.indexOf(unit) + 1).map((other) => `'${other.name}'`);
	const advice =
		longer.length === 0 ? undefined : `For longer, set 'Time Unit' to ${enumerated(longer)}.`;
	const field = serviceField({
		serviceName: names.timeNumber,
		displayName: 'Duration',
		description: `How many ${unit.name.toLowerCase()}s`,
		kind: {
			...number({ ...unit.range, costsMoney: true }),
			advice: (text) => (Number(text) > 1 ? advice : undefined),
		},
	});
	const unitIs = { [parameterName(names.timeType)]: [unit.value] };
	return { ...field, when: { ...when, ...unitIs }, required: true };
}

/**
 * Duration and auto-renewal of a prepaid order.
 *
 * @param offered which units are offered when; each narrows `prepaid`
 */
export function durationVariants(
	names: DurationNames,
	prepaid: Conditions,
	offered: readonly UnitsWhen[],
): ServiceField[] {
	const unit = (serviceName: string, label: string, description: string, more: Conditions) =>
		offered.map(({ units, when }): ServiceField => {
			const field = unitField(serviceName, label, description, units);
			return { ...field, when: { ...when, ...more }, required: true };
		});
	const numbers = TIME_UNITS.flatMap(({ value }) => {
		const rows = offered.flatMap((row) => {
			const unit = row.units.find((one) => one.value === value);
			return unit === undefined ? [] : [{ ...row, unit }];
		});
		const isForAll = new Set(rows.map(({ unit }) => unit)).size === 1;
		// With an expression in 'Product', the editor shows one field for each row
		return (isForAll ? [{ ...rows[0], when: prepaid }] : rows).map((row) =>
			numberOfUnits(names, row.unit, row),
		);
	});
	const autoRenew = serviceField({
		serviceName: names.isAutoRenew,
		displayName: 'Auto-Renew',
		description:
			'Whether Kuaidaili renews the order automatically when it expires. Each renewal is charged to the account balance.',
		kind: names.mayLeaveAutoRenew === true ? AUTO_RENEW_CHANGE : toggle(),
	});
	return [
		...numbers,
		...unit(
			names.timeType,
			'Time Unit',
			`The unit of the duration above${names.unitNote ?? ''}`,
			{},
		),
		{ ...autoRenew, when: prepaid, required: names.mayLeaveAutoRenew !== true },
		...unit(
			names.autoRenewUnit,
			'Auto-Renew Unit',
			`For how long each automatic renewal lasts${names.unitNote ?? ''}`,
			{
				[parameterName(names.isAutoRenew)]: [true],
			},
		),
	];
}
