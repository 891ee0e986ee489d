import {
	orderFilters,
	readOrderFilters,
} from '../../../../../nodes/KuaidailiTrigger/events/orderFilters.ts';
import { InvalidFieldError } from '../../../../../nodes/shared/fields/invalidFieldError.ts';
import { PRODUCT_LABELS } from '../../../../../nodes/shared/service/products.ts';

const TUNNEL = { orderid: '1', product: 'TPS' };
const PRIVATE = { orderid: '2', product: 'DPS' };
const WITHOUT = { orderid: '3' };

function passing(value: unknown): string[] {
	const passes = readOrderFilters(value);
	return [TUNNEL, PRIVATE, WITHOUT].filter(passes).map(({ orderid }) => orderid);
}

it.each([
	[undefined],
	[null],
	[''],
	[{}],
	[{ products: [] }],
	[{ products: undefined }],
	[{ products: null }],
	[{ other: ['TPS'] }],
	[Object.create({ products: ['TPS'] })],
])('lets all pass with %j', (value) => {
	expect(passing(value)).toEqual(['1', '2', '3']);
});

it('lets the chosen products pass', () => {
	expect(passing({ products: ['TPS'] })).toEqual(['1']);
	expect(passing({ products: ['DPS', 'TPS'] })).toEqual(['1', '2']);
	expect(passing({ products: ['KPS'] })).toEqual([]);
});

it.each([['TPS'], [5], [true], [['TPS']]])('refuses %j in place of filters', (value) => {
	expect(() => readOrderFilters(value)).toThrow(InvalidFieldError);
	expect(() => readOrderFilters(value)).toThrow(/^'Filters' is /);
});

it.each([['TPS'], [''], [5], [false], [{ 0: 'TPS' }]])('refuses %j as products', (products) => {
	expect(() => readOrderFilters({ products })).toThrow(InvalidFieldError);
	expect(() => readOrderFilters({ products })).toThrow(/^'Products' is /);
});

it.each([
	['payTypes', { PRE_PAY: 'Prepaid', PRE_PAY_IP: 'Pay per IP' }],
	['products', PRODUCT_LABELS],
])('offers all %s that can expire, in the order of the names', (filter, known) => {
	const property = orderFilters.options?.find(({ name }) => name === filter);
	const options = property && 'options' in property ? (property.options ?? []) : [];
	const names = options.map(({ name }) => name);
	expect([...names].sort()).toEqual(Object.values(known).sort());
	expect(names).toEqual([...names].sort((a, b) => a.localeCompare(b, 'en')));
});
