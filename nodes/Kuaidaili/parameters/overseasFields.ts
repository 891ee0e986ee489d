import { resourceLocator, list, textKind } from '../../shared/fields/kinds';
import type { ValueKind } from '../../shared/fields/field';

function isCountryCode(code: string): boolean {
	return /^[A-Z]{2}$/.test(code);
}

function fromCountryList(
	kind: ValueKind,
	listPlaceholder: string,
	typedPlaceholder: string,
): ValueKind {
	return resourceLocator(kind, {
		method: 'searchOverseasCountries',
		listPlaceholder,
		typedLabel: 'By Code',
		typedPlaceholder,
	});
}

/** @param whenEmpty what the empty field says */
export function oneCountry(whenEmpty: string): ValueKind {
	const code = textKind('a country code of two capital letters, such as US', isCountryCode);
	return fromCountryList(code, whenEmpty, 'e.g. US');
}

export function countries(whenEmpty: string): ValueKind {
	const codes = list(
		'country codes of two capital letters, separated by commas, such as US,JP',
		isCountryCode,
	);
	return fromCountryList(codes, whenEmpty, 'e.g. US,JP');
}

export const overseasArea: ValueKind = resourceLocator(
	// With hyphens, such as Ile-de-France
	textKind('an English name, such as New York', (name) =>
		/^[A-Za-z][A-Za-z .'-]{0,49}$/.test(name),
	),
	{
		method: 'searchOverseasAreas',
		listPlaceholder: 'Any area',
		typedLabel: 'Name',
		typedPlaceholder: 'e.g. New York',
	},
);
