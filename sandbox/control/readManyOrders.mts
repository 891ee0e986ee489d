import { ORDER_SORTS, type ManyOrders } from '../accounts/manyOrders.mts';
import { MalformedInput, toFields } from './input.mts';

const MOST = 100_000;

/** The JSON form of what addManyOrders takes, with one sort at most. */
export function readManyOrders(value: unknown): ManyOrders {
	const fields = toFields(value);
	const count = fields.number('count');
	const fromDay = fields.optionalNumber('fromDay');
	const toDay = fields.optionalNumber('toDay');
	const sort = fields.optionalChoice('sort', ORDER_SORTS);
	fields.nothingElse();
	if (!Number.isInteger(count) || count < 1 || count > MOST) {
		throw new MalformedInput(`"count" must be a whole number from 1 to ${MOST}`);
	}
	return {
		count,
		...(fromDay === undefined ? {} : { fromDay }),
		...(toDay === undefined ? {} : { toDay }),
		...(sort === undefined ? {} : { sorts: [sort] }),
	};
}
