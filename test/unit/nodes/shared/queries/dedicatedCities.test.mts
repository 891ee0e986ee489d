import { ipsLeftIn, questionFor } from '../../../../../nodes/shared/queries/places.ts';

const HANGZHOU = { code: '3301', name: '杭州市', count: 12 };

describe('the IPs left in a city', () => {
	it.each([
		[{ ...HANGZHOU }, 12],
		[{ ...HANGZHOU, count: 0 }, 0],
		[{ code: '3301', name: '杭州市' }, undefined],
		[{ ...HANGZHOU, count: '12' }, undefined],
		[{ ...HANGZHOU, count: null }, undefined],
	])('of %j are %p', (city, left) => {
		expect(ipsLeftIn(city)).toBe(left);
	});

	it('are never taken from a prototype', () => {
		const city = Object.assign(Object.create({ count: 5 }), { code: '3301', name: '杭州市' });
		expect(ipsLeftIn(city)).toBeUndefined();
	});
});

describe('the question that belongs to an order', () => {
	it.each([
		[
			'shared static',
			{ 'kps.serie': '1', 'kps.model': 'STA', 'kps.max_bandwidth': '4', 'kps.city': '3301' },
			{ serie: '1', 'kps.max_bandwidth': '4' },
		],
		['exclusive', { 'kps.serie': '2', 'kps.max_bandwidth': '4' }, { serie: '2' }],
		[
			'shared dynamic',
			{ 'kps.serie': '1', 'kps.model': 'DYN', 'kps.max_bandwidth': '1' },
			undefined,
		],
	])('%s has the names that querykpscity uses', (_which, order, question) => {
		expect(questionFor({ product: 'KPS', 'kps.ip_count': '3', ...order })).toEqual(question);
	});
});
