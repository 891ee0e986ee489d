import type { FlatParameters } from '../../../../shared/credential/signature';
import { isSet, readField } from '../../../../shared/fields/field';
import { InvalidFieldError } from '../../../../shared/fields/invalidFieldError';
import { ownValue, type UnknownRecord } from '../../../../shared/guards';
import {
	EXTRA_FIELDS,
	FILTER_FIELDS,
	formatField,
	sepField,
	sortField,
	type ExtractField,
} from './fields';
import { PLANS, type PlanName } from './plans';
import { EXTRA_OUTPUT, type ExtraName } from './proxyEntry';

export interface ExtractParameters {
	/** Everything but `num`, by the service's names. */
	readonly parameters: FlatParameters;
	/** Which extra values each entry will carry, in their order. */
	readonly requested: readonly ExtraName[];
}

function planNames(plans: readonly PlanName[]): string {
	return plans.map((plan) => PLANS[plan].displayName).join(' and ');
}

/** The editor hides what a plan cannot use, but an expression or an AI tool can set it all the same. */
function refuseOtherPlans(field: ExtractField, value: unknown, plan: PlanName): void {
	const text = readField(field, value, { check: false }) ?? '';
	const plans = field.plansOfValue?.get(text) ?? field.plans;
	if (plans.includes(plan)) return;
	throw new InvalidFieldError(
		field.displayName,
		value,
		`It works with the plan ${planNames(plans)} only, and 'Plan' is ${PLANS[plan].displayName}. Remove it, or change 'Plan' if the order has another one.`,
	);
}

/**
 * The query of getproxy from the three collections of the editor.
 *
 * @param check false with 'Skip Local Checks'
 * @throws InvalidFieldError
 */
export function extractParameters(
	plan: PlanName,
	filters: UnknownRecord,
	extraFields: UnknownRecord,
	options: UnknownRecord,
	check: boolean,
): ExtractParameters {
	const parameters: Record<string, string> = {};
	const add = (collection: UnknownRecord, fields: readonly ExtractField[]): void => {
		for (const field of fields) {
			const value = ownValue(collection, field.name);
			if (check && isSet(field, value)) refuseOtherPlans(field, value, plan);
			// A neutral value on a plan that does not know the parameter is left out
			const isUsable = field.plans.includes(plan) || isSet(field, value);
			const text = isUsable ? readField(field, value, { check }) : undefined;
			if (text !== undefined) parameters[field.serviceName] = text;
		}
	};
	add(filters, FILTER_FIELDS);
	add(extraFields, EXTRA_FIELDS);
	add(options, [sortField, formatField]);
	// JSON shows where an answer ends, which text does not; only regular orders cannot have it
	if (plan !== 'regular') parameters.format ??= 'json';
	if ((parameters.format ?? 'text') === 'text') add(options, [sepField]);

	const requested = EXTRA_OUTPUT.filter(([flagName]) => flagName in parameters);
	return { parameters, requested: requested.map(([, outputName]) => outputName) };
}
