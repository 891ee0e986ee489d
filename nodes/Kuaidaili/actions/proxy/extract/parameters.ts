import type { FlatParameters } from '../../../../shared/credential/signature';
import { FieldReader } from '../../../../shared/fields/readFields';
import { isOneOf } from '../../../../shared/guards';
import { EXTRA_FIELDS, FILTERS, formatField, planField, sepField, sortField } from './fields';
import { PLAN_NAMES, type PlanName } from './plans';
import { EXTRA_OUTPUT, type ExtraName } from './proxyEntry';

export interface ExtractParameters {
	readonly plan: PlanName;
	/** Everything but `num`, by the service's names. */
	readonly parameters: FlatParameters;
	/** Which extra values each entry will carry, in their order. */
	readonly requested: readonly ExtraName[];
}

const OPTIONS_LABEL = 'Options';

/**
 * The query of getproxy from the plan and the three collections of the editor.
 *
 * @param valueOf the value of a field for this item
 * @param check false with 'Skip Local Checks'
 * @throws InvalidFieldError
 */
export function extractParameters(
	valueOf: (name: string) => unknown,
	check: boolean,
): ExtractParameters {
	const reader = new FieldReader({ check }).read([planField], valueOf);
	const chosen = reader.text(planField.name);
	const plan = isOneOf(chosen, PLAN_NAMES) ? chosen : 'regular';
	const options = valueOf('options');
	reader
		.readCollection(FILTERS, valueOf('filters'))
		.readCollection(EXTRA_FIELDS, valueOf('extraFields'))
		.readCollection({ displayName: OPTIONS_LABEL, fields: [sortField, formatField] }, options);
	const { parameters } = reader;
	// JSON shows where an answer ends, which text does not; only regular orders cannot have it
	if (plan !== 'regular') parameters.format ??= 'json';
	if ((parameters.format ?? 'text') === 'text') {
		reader.readCollection({ displayName: OPTIONS_LABEL, fields: [sepField] }, options);
	}
	const requested = EXTRA_OUTPUT.filter(([flagName]) => flagName in parameters);
	return { plan, parameters, requested: requested.map(([, outputName]) => outputName) };
}
