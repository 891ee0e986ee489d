import type { OverseasStaticProxies } from '../accounts/goods.mts';
import { COUNTRIES } from '../catalogue/countries.mts';
import type { NamedCode } from '../catalogue/namedCodes.mts';

/** Where there are overseas static proxies. Invented. */
export type OverseasStock = Record<OverseasStaticProxies['series'], NamedCode[]>;

const NOT_SOLD: Readonly<Record<OverseasStaticProxies['series'], readonly string[]>> = {
	retail: ['VE', 'MM', 'JO', 'UA', 'KE'],
	package: ['CR', 'DO', 'MO', 'LA', 'NP', 'MN', 'OM', 'GE', 'LU', 'RS', 'EE', 'NG', 'MA', 'KE'],
};

/** Lists of its own for every sandbox. A test changes them in place. */
export function overseasStock(): OverseasStock {
	const sold = (series: keyof OverseasStock) =>
		COUNTRIES.filter(({ code }) => !NOT_SOLD[series].includes(code)).map((each) => ({ ...each }));
	return { retail: sold('retail'), package: sold('package') };
}
