import { QUERY_SFPS_AREA } from '../../../shared/service/endpoints/availability';
import { callOperation } from '../callOperation';
import { AREA_LISTS, OVERSEAS_STATIC } from './areaLists';
import { AREA_FIELDS, areasOfField } from './fields';

export const getAllOperation = callOperation({
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many areas',
		description:
			'List the countries and areas of overseas proxies, or the provinces and cities of Tunnel Pro',
	},
	endpoint: QUERY_SFPS_AREA,
	fields: AREA_FIELDS,
	isList: true,
	async fetch(run, parameters, { text }) {
		const chosen = text(areasOfField.name);
		const list = AREA_LISTS.find(({ value }) => value === chosen) ?? OVERSEAS_STATIC;
		return { list, records: await list.fetch(run, parameters) };
	},
	toResult: ({ list, records }) => ({
		records,
		hint: records.length === 0 ? list.hintForNone : undefined,
	}),
});
