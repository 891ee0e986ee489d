import { serviceField } from '../../../shared/fields/field';
import { areaName } from '../../../shared/fields/kinds';
import { callOperation, querying } from '../../run/operation';
import type { Query } from '../../../shared/api/call';
import { GET_AREA_CODE } from '../../../shared/service/endpoints/lookup';
import { ownValue, isCode } from '../../../shared/guards';
import { InvalidResponseError } from '../../../shared/api/errors';
import { excerptOfData } from '../../../shared/api/cleanText';

/** The documentation and the service's own client disagree on the names of an area's fields. */
const SPELLINGS = ['area', 'are'] as const;

/** The code of a province or city. Takes `area`: a Chinese name. Undefined for an unknown one. */
export const areaCode: Query<{ area_name: string; area_code: string } | undefined> = {
	endpoint: GET_AREA_CODE,
	parse({ data }, secrets) {
		for (const spelling of SPELLINGS) {
			const name = ownValue(data, `${spelling}_name`);
			const code = ownValue(data, `${spelling}_code`);
			if (name === '' && code === '') return undefined;
			if (typeof name === 'string' && name !== '' && isCode(code)) {
				return { area_name: name, area_code: String(code) };
			}
		}
		throw new InvalidResponseError('contains no area code', excerptOfData(data, secrets));
	},
};

const areaNameField = serviceField({
	serviceName: 'area',
	displayName: 'Name',
	description: 'The name of one province or city in China, in English or Chinese',
	placeholder: 'e.g. Guangzhou',
	required: true,
	kind: areaName,
});

export const areaGetCode = callOperation({
	option: {
		name: 'Get Code',
		value: 'getCode',
		action: 'Get area code',
		description: 'Get the code of a province or city in China by its name',
	},
	work: querying(areaCode),
	fields: [areaNameField],
	toResult: (area) => ({ records: area === undefined ? [] : [{ ...area }] }),
	hintForNone:
		"Kuaidaili knows no area by this name. Enter the name of one province or city in China in 'Name'.",
});
