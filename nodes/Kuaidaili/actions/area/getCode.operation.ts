import { serviceField } from '../../../shared/fields/field';
import { text } from '../../../shared/fields/valueKinds';
import { areaCode } from '../../availability/areaTables';
import { callOperation } from '../callOperation';

const areaField = serviceField({
	serviceName: 'area',
	displayName: 'Name',
	description: 'The Chinese name of one province or city',
	placeholder: 'e.g. 广州市',
	required: true,
	kind: text('the Chinese name of one province or city, such as 广州市', (name) =>
		/^\p{Script=Han}{2,30}$/u.test(name),
	),
});

export const getCodeOperation = callOperation({
	option: {
		name: 'Get Code',
		value: 'getCode',
		action: 'Get area code',
		description: 'Get the code of a province or city in China by its Chinese name',
	},
	query: areaCode,
	fields: [areaField],
	toResult: (area) => ({ records: area === undefined ? [] : [{ ...area }] }),
	hintForNone:
		"Kuaidaili knows no area by this name. Enter the Chinese name of one province or city in 'Name'.",
});
