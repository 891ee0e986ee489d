import { CHINESE_AREAS, plainName } from '../catalogue/chineseAreas.mts';
import { perSecond } from '../limits/rateLimits.mts';
import { lookUpEndpoint } from './lookUpEndpoint.mts';

/** With and without its last word; 吉林 alone is the province, which comes before the city in the list. */
function areaNamed(name: string) {
	return (
		CHINESE_AREAS.find((area) => area.name === name) ??
		CHINESE_AREAS.find((area) => plainName(area.name) === name)
	);
}

export const getAreaCode = lookUpEndpoint({
	path: '/api/getareacode',
	host: 'base',
	rule: perSecond(10),
	parameter: 'area',
	find: (value, { areaCodeFields }) => {
		const { name, code } = areaNamed(value) ?? { name: '', code: '' };
		return areaCodeFields === 'are_name'
			? { are_name: name, are_code: code }
			: { area_name: name, area_code: code };
	},
});
