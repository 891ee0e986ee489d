import { ownValue, withEnglishName } from '../../../shared/guards';
import { privateProxyResources } from '../../../shared/orders/places';
import { serviceField, type Field, type ValueKind } from '../../../shared/fields/field';
import { resourceLocator, choice, toggle, isRegionCode, list } from '../../../shared/fields/kinds';
import { carrierName, CARRIERS } from '../../../shared/service/products';
import { callOperation, querying } from '../../run/operation';

export const regionCodes: ValueKind = list(
	'region codes of 2 to 4 digits, separated by commas, such as 11,31,4403',
	isRegionCode,
);

const SERVICE_FIELDS = [
	serviceField({
		serviceName: 'area',
		displayName: 'Area',
		description:
			'Only these provinces and cities, as codes separated by commas. Leave empty for all.',
		kind: resourceLocator(regionCodes, {
			method: 'searchPrivateProxyAreas',
			listPlaceholder: 'All areas',
			typedLabel: 'By Code',
			typedPlaceholder: 'e.g. 11,31,4403',
		}),
	}),
	serviceField({
		serviceName: 'carrier',
		displayName: 'Carrier',
		description: "Only resources in this carrier's network",
		kind: choice([{ name: 'Any', value: 0 }, ...CARRIERS], { unsent: '0' }),
	}),
];

const onlyAvailableField: Field = {
	name: 'onlyAvailable',
	displayName: 'Only Available',
	description: 'Whether to leave out areas and carriers that the order cannot use right now',
	kind: toggle(),
};

export const privateProxyResourceGetAll = callOperation({
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many private proxy resources',
		description: 'List the areas and carriers available to a private proxy order',
	},
	orders: { products: ['DPS'] },
	work: querying(privateProxyResources),
	fields: [...SERVICE_FIELDS, onlyAvailableField],
	listOf: 'entries',
	toResult(all, { textOf }) {
		const onlyAvailable = textOf(onlyAvailableField.name) === '1';
		const wanted = onlyAvailable ? all.filter(({ available }) => available) : all;
		return {
			records: wanted.map((one) =>
				withEnglishName(one, 'carrier', carrierName(ownValue(one, 'carrier_code'))),
			),
		};
	},
	hintForNone:
		"The order has no matching areas or carriers. Try another area or carrier, or turn off 'Only Available'.",
});
