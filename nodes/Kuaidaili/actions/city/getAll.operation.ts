import { toProperty } from '../../../shared/fields/field';
import { readFields } from '../../../shared/fields/readFields';
import { executionCaller } from '../../../shared/transport/nodeCaller';
import { fetchDedicatedCities } from '../../availability/dedicatedCities';
import { optionsCollection, readCallOptions } from '../../parameters/callOptions';
import { listLengthProperties, readListLength } from '../../parameters/listLength';
import { toRecord } from '../../../shared/toRecord';
import type { Operation } from '../operation';
import { CITY_FIELDS } from './fields';

const NONE = 'No city has such dedicated IPs at the moment. Try another bandwidth, city or series.';

export const getAllOperation: Operation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many cities that have dedicated proxies',
		description: 'List the cities in which dedicated proxies can be had, and how many are left',
	},
	properties: [...CITY_FIELDS.map(toProperty), ...listLengthProperties, optionsCollection([])],
	async execute(context, itemIndex) {
		const valueOf = (name: string): unknown => context.getNodeParameter(name, itemIndex, '');
		const { timeoutMs, check } = readCallOptions(valueOf('options'));
		const parameters = readFields(CITY_FIELDS, valueOf, { check });
		const length = readListLength(context, itemIndex);
		const caller = await executionCaller(context, itemIndex, timeoutMs);
		const cities = await fetchDedicatedCities(caller, parameters);
		return {
			records: cities.slice(0, length).map(toRecord),
			hint: cities.length === 0 ? NONE : undefined,
		};
	},
};
