import { listSearchMethod, NoListError } from '../../../shared/editor/listSearch';
import { readField } from '../../../shared/fields/field';
import { runQuery } from '../../../shared/transport/callService';
import { alphabetically } from '../../../shared/wording';
import { countryField } from '../../actions/proxy/extract/products/overseasDynamic';
import { overseasDynamicAreas } from '../../availability/areaTables';

/** Fills the area of overseas dynamic proxies, which belongs to a country. */
export const searchOverseasAreas = listSearchMethod<string[]>({
	parameters(valueOf) {
		const region = readField(countryField, valueOf(countryField.name));
		if (region !== undefined) return { region };
		throw new NoListError(
			`Choose a country in '${countryField.displayName}' first, or leave this field empty for any area`,
		);
	},
	fetch: async (caller, parameters) => await runQuery(caller, overseasDynamicAreas, parameters),
	nothing: 'Kuaidaili lists no areas for this country',
	toChoices: (names) =>
		[...names].sort(alphabetically).map((name) => ({
			name,
			value: name,
			matches: (typed = '') => name.toLowerCase().includes(typed.trim().toLowerCase()),
		})),
});
