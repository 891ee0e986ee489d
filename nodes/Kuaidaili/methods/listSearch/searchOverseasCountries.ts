import { listSearchMethod, type Choice } from '../../../shared/editor/listSearch';
import { runQuery } from '../../../shared/transport/callService';
import { alphabetically } from '../../../shared/wording';
import { overseasDynamicCountries, type NamedArea } from '../../availability/areaTables';
import { countryName } from '../../availability/overseasAreas';

/** Such as "Japan 日本 (JP)". */
function countryChoice({ code, name: chinese }: NamedArea): Choice {
	const name = [countryName(code), chinese, `(${code})`].filter(Boolean).join(' ');
	return {
		name,
		value: code,
		matches: (typed = '') => name.toLowerCase().includes(typed.trim().toLowerCase()),
	};
}

/** Fills the country of overseas dynamic proxies. */
export const searchOverseasCountries = listSearchMethod<NamedArea[]>({
	parameters: () => ({}),
	fetch: async (caller) => await runQuery(caller, overseasDynamicCountries),
	nothing: 'No country has overseas dynamic proxies right now',
	toChoices: (countries) =>
		countries.map(countryChoice).sort((a, b) => alphabetically(a.name, b.name)),
});
