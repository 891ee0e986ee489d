import { areaCode } from '../../../shared/orders/places';
import { serviceField } from '../../../shared/fields/field';
import { areaName } from '../../../shared/fields/kinds';
import { callOperation, querying } from '../../run/callOperation';

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
