import { CHINESE_AREAS, plainName } from './chineseAreas.mts';

const CODES = new Set(CHINESE_AREAS.map(({ code }) => code));

/** Six digits end in zeros for what is larger than a county; a municipality is its own city there. */
function withoutZeros(code: string): string {
	const city = code.slice(0, 4);
	return CODES.has(city) ? city : code.slice(0, 2);
}

/**
 * The code of a province or city that is named, with or without its 省 or 市, or given by its code of
 * two, four or six digits. Undefined where there is no such place.
 */
export function areaCodeOf(text: string): string | undefined {
	if (/^\d+$/.test(text)) {
		const code = /^\d{4}00$/.test(text) ? withoutZeros(text) : text;
		return CODES.has(code) ? code : undefined;
	}
	// A province comes before the city of the same name, as Jilin.
	return CHINESE_AREAS.find(({ name }) => plainName(name) === plainName(text))?.code;
}
