import { FieldRefusedError } from '../../../shared/fields/fieldRefusedError';
import { readVariants } from '../../../shared/fields/fieldVariants';
import { KPS_DYNAMIC } from '../../../shared/service/orderTerms';
import { ORDER_FIELDS } from '../../actions/order/create/fields';
import {
	askDedicatedCities,
	questionFor,
	type DedicatedCity,
} from '../../availability/dedicatedCities';
import { cityChoice, NO_CITY } from './cityChoice';
import { picker } from './picker';

const DECIDING = ['kps.serie', 'kps.model', 'kps.max_bandwidth'];
const DECIDING_FIELDS = ORDER_FIELDS.filter(({ serviceName }) => DECIDING.includes(serviceName));

/** Fills 'City' in Order: Create. */
export const searchCitiesForOrder = picker<DedicatedCity>({
	parameters(valueOf) {
		const order = readVariants(DECIDING_FIELDS, valueOf, true, new Map([['product', 'KPS']]));
		const question = questionFor(order);
		if (question !== undefined) return question;
		throw new FieldRefusedError(
			'Model',
			KPS_DYNAMIC,
			'Kuaidaili has no list of cities for shared dynamic IPs.',
		);
	},
	ask: askDedicatedCities,
	nothing: NO_CITY,
	toChoices: (cities) => cities.map(cityChoice),
});
