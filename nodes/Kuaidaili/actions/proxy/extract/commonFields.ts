import { serviceField, type Field, type ServiceField } from '../../../../shared/fields/field';
import type { Conditions } from '../../../../shared/fields/conditions';
import { choice, flag, wholeNumber, type ValueKind } from '../../../../shared/fields/valueKinds';
import type { ExtraField } from './product';
import type { ExtraName } from './proxyEntry';

/** A parameter of an extraction. */
export function parameter(
	serviceName: string,
	displayName: string,
	description: string,
	kind: ValueKind,
	others: Pick<Field, 'when' | 'placeholder' | 'required'> = {},
): ServiceField {
	return serviceField({ serviceName, displayName, description, kind, ...others });
}

/** A switch that asks for an extra value. */
export function extra(
	serviceName: string,
	output: ExtraName,
	displayName: string,
	description: string,
	when?: Conditions,
): ExtraField {
	return { ...parameter(serviceName, displayName, description, flag, { when }), output };
}

/** @param structured where JSON and XML are offered beside text; everywhere without */
export function formatField(structured?: Conditions): ServiceField {
	return parameter(
		'format',
		'Format',
		"The format in which Kuaidaili sends the proxies. It doesn't change the output of this node.",
		choice(
			[
				{ name: 'JSON', value: 'json', when: structured },
				{ name: 'Text', value: 'text' },
				{ name: 'XML', value: 'xml', when: structured },
			],
			{ neutral: 'text', preset: 'text' },
		),
	);
}

export const sepField: ServiceField = parameter(
	'sep',
	'Separator',
	"What separates the proxies in the Text format. It doesn't change the output of this node.",
	choice([
		{ name: 'Line End (CR LF)', value: 1 },
		{ name: 'Line End (LF)', value: 2 },
		{ name: 'Space', value: 3 },
		{ name: 'Vertical Bar', value: 4 },
	]),
	{ when: { format: ['text'] } },
);

export const mostPerRunField: Field = {
	name: 'maxExtractionsPerRun',
	displayName: 'Max Extractions per Run',
	description:
		'How many proxies one run of the node may extract. More are refused before anything is extracted. 0 sets no limit.',
	kind: wholeNumber(0, 1_000_000, 1000),
};

export const waitForNewOrderField: Field = {
	name: 'waitForNewOrder',
	displayName: 'Wait for a New Order',
	description:
		'Whether to wait, up to 65 seconds, when the order was placed a moment ago and cannot be used yet. Otherwise the node stops with an error.',
	kind: flag,
};
