import { isList, ownValue } from '../guards';
import { GET_UA } from '../service/endpoints/userAgent';
import { dataQuery } from '../service/query';

function isText(value: unknown): value is string {
	return typeof value === 'string' && value.trim() !== '';
}

/** User-Agent strings. Takes `num`, and where wanted `dt`, `platform` and `browser`. */
export const userAgents = dataQuery(GET_UA, 'user agents', (data) => {
	const uaList = ownValue(data, 'ua_list');
	return isList(uaList) && uaList.every(isText) ? uaList : undefined;
});
