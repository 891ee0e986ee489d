import { serviceField } from '../../../shared/fields/field';
import { areaName } from '../../../shared/fields/areaNameKinds';
import { areaCode } from '../../../shared/queries/area';
import { callOperation } from '../callOperation';

const areaField = serviceField({
	serviceName: 'area',
	displayName: 'Name',
	description: 'The name of one province or city in China, in English or Chinese',
	placeholder: 'e.g. 广州市',
	required: true,
	kind: areaName('provinces and cities in China'),
});

export const areaGetCode = callOperation({
	option: {
		name: 'Get Code',
		value: 'getCode',
		action: 'Get area code',
		description: 'Get the code of a province or city in China by its name',
	},
	query: areaCode,
	fields: [areaField],
	toResult: (area) => ({ records: area === undefined ? [] : [{ ...area }] }),
	hintForNone:
		"Kuaidaili knows no area by this name. Enter the name of one province or city in China in 'Name'.",
});
